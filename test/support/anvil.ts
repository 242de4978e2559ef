/**
 * A plain Anvil of the test's own, forked straight from a node: the independent judge of our answers.
 * Shares nothing with the service but the binary.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import { anvilBinary } from '../../src/forks/anvil.js'
import { freeListenAddress } from '../../src/forks/listen-address.js'
import { launch } from './launcher.js'

export interface TestAnvil {
  readonly url: string
  readonly pid: number
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
  stop(): Promise<void>
}

/** Between two looks whether it listens, milliseconds. */
const lookEvery = 10

export async function startAnvil(flags: readonly string[]): Promise<TestAnvil> {
  const { host, port } = await freeListenAddress()
  // It would print a line for each request, and nobody reads them.
  const args = ['--quiet', '--host', host, '--port', String(port), ...flags]
  const anvil = await launch(anvilBinary(), args)
  const url = `http://${host}:${port}`
  let id = 0
  async function rpc<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    id += 1
    // `fetch` makes a web stream of each answer.
    const { body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    })
    const reply = (await body.json()) as { result?: T; error?: { message: string } }
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`)
    return reply.result as T
  }
  const isListening = () =>
    rpc('web3_clientVersion').then(
      () => true,
      () => false,
    )
  while (!(await isListening())) {
    if (anvil.hasEnded()) throw new Error(`Anvil ended: ${anvil.stderr.slice(-500)}`)
    await pause(lookEvery)
  }
  return {
    url,
    pid: anvil.pid,
    rpc,
    async stop() {
      anvil.kill('SIGKILL')
      await anvil.ended
    },
  }
}
