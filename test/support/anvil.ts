/**
 * A plain Anvil of the test's own, forked straight from a node: the independent judge of our answers.
 * Shares nothing with the service but the binary.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { anvilBinary } from '../../src/forks/anvil.js'
import { freeListenAddress } from '../../src/forks/listen-address.js'

export interface TestAnvil {
  readonly url: string
  readonly pid: number
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
  stop(): Promise<void>
}

export async function startAnvil(flags: readonly string[]): Promise<TestAnvil> {
  const { host, port } = await freeListenAddress()
  const child = spawn(anvilBinary(), ['--host', host, '--port', String(port), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const listen = (data: Buffer) => {
      output += data.toString()
      if (output.includes('Listening on')) resolve()
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    exited.then(() => reject(new Error(`Anvil ended: ${output.slice(-500)}`)), reject)
  })
  const url = `http://${host}:${port}`
  let id = 0
  return {
    url,
    pid: child.pid ?? 0,
    async rpc<T>(method: string, params: readonly unknown[] = []) {
      id += 1
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      })
      const reply = (await response.json()) as { result?: T; error?: { message: string } }
      if (reply.error) throw new Error(`${method}: ${reply.error.message}`)
      return reply.result as T
    },
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
