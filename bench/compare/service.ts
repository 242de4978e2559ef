/** A service as an operator starts it, in a process of its own; its node is a sandbox of its own, outside of it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { startSandbox } from '../../src/sandbox/sandbox.js'

export interface MeasuredService {
  readonly pid: number
  readonly url: string
  /** Of its chain. */
  readonly nodeUrl: string
  /** @throws Error for any status but 200. */
  get(path: string): Promise<string>
  post(path: string, body: unknown): Promise<string>
  stop(): Promise<void>
}

const started = /forkroute\s+(\S+)\/api\/v1/
const ownSandbox = /^chain 1 +sandbox, JSON-RPC at (\S+)$/m

/** @param env - with a node of its own in RPC_URL_1, or it gets a sandbox; where that is empty, it starts one by itself. */
export async function startMeasured(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<MeasuredService> {
  const given = env.RPC_URL_1
  const sandbox = given === undefined ? await startSandbox() : null
  const nodeUrl = given ?? sandbox?.url ?? ''
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-bench-'))
  const child = spawn(process.execPath, ['dist/src/cli/main.js', 'serve', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      AUTH_MODE: 'open',
      RPC_URL_1: nodeUrl,
      MALLOC_ARENA_MAX: '2',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      RATE_LIMIT_PER_MINUTE: '10000000',
      ...env,
    },
  })
  let output = ''
  const { url, ownNode } = await new Promise<{ url: string; ownNode: string }>(
    (resolve, reject) => {
      child.once('exit', () => reject(new Error(`The service ended: ${output}`)))
      child.stdout.on('data', (data: Buffer) => {
        output += data.toString()
        const url = started.exec(output)?.[1]
        const ownNode = ownSandbox.exec(output)?.[1] ?? ''
        if (url && (nodeUrl || ownNode)) resolve({ url, ownNode })
      })
    },
  )
  const agent = new Agent({ connections: 64 })
  const ask = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const sent = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const answer = await request(`${url}${path}`, {
      method,
      dispatcher: agent,
      ...(body !== undefined && sent),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`)
    return text
  }
  return {
    pid: child.pid ?? 0,
    url,
    nodeUrl: nodeUrl || ownNode,
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    async stop() {
      await agent.destroy()
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await sandbox?.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
