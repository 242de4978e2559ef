/**
 * A proxy in front of the service that checks every request and answer against an OpenAPI document: what violates it
 * is answered with a problem of the proxy instead.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface ContractProxy {
  readonly url: string
  stop(): Promise<void>
}

/** @param url - of the service, whose /openapi.json it is. */
export async function startContractProxy(url: string): Promise<ContractProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-contract-'))
  const file = join(folder, 'openapi.json')
  await writeFile(file, await (await fetch(`${url}/openapi.json`)).text())
  const manifest = createRequire(import.meta.url).resolve('@stoplight/prism-cli/package.json')
  const port = await freePort()
  const child = spawn(
    process.execPath,
    [
      join(dirname(manifest), 'dist/index.js'),
      ...['proxy', file, url, '--errors', '--host', '127.0.0.1', '--port', String(port)],
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
  return { url: `http://127.0.0.1:${port}`, stop }
}

/** Prism takes no port 0. */
async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
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
