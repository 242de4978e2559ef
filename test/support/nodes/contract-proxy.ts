/**
 * A proxy in front of the service that checks every request and answer against an OpenAPI document: what violates it
 * is answered with a problem of the proxy instead.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toolFolder } from '../../../scripts/tools.js'
import { freeListenAddress } from '../../../src/forks/listen-address.js'

export interface ContractProxy {
  readonly url: string
  stop(): Promise<void>
}

/** @param url - of the service, whose /openapi.json it is. */
export async function startContractProxy(url: string): Promise<ContractProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-contract-'))
  const file = join(folder, 'openapi.json')
  await writeFile(file, await (await fetch(`${url}/openapi.json`)).text())
  const modules = await toolFolder('prism')
  // Prism takes no port 0.
  const { host, port } = await freeListenAddress()
  const child = spawn(
    process.execPath,
    [
      join(modules, '@stoplight/prism-cli/dist/index.js'),
      ...['proxy', file, url, '--errors', '--host', host, '--port', String(port)],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await listening(child)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `http://${host}:${port}`, stop }
}

/** Until the proxy says that it listens; rejects with what it said when it ends before. */
function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    const listen = (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('is listening on')) resolve()
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('exit', (code) => reject(new Error(`The proxy ended (${code}): ${said}`)))
  })
}
