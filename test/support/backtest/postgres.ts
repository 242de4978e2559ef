/** A PostgreSQL of the test's own, on a free loopback port and a folder of its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { freePlace } from '../../../src/forks/place.js'

export interface TestPostgres {
  readonly url: string
  readonly password: string
  /** At once, as if it crashed. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const run = promisify(execFile)

export async function startPostgres(): Promise<TestPostgres> {
  const bin = binaries()
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-postgres-'))
  const as = owner()
  const password = 'p0stgres-that-nobody-may-see'
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password)
  if (as.uid !== undefined) {
    await chown(folder, as.uid, as.gid)
    await chmod(passwordFile, 0o644)
  }
  const data = join(folder, 'data')
  const setUp = ['-D', data, '-U', 'forkroute', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const plain = ['--no-sync', '--locale=C', '--encoding=UTF8', '--no-instructions']
  await run(join(bin, 'initdb'), [...setUp, ...plain], { ...as, cwd: folder })
  const { host, port } = await freePlace()
  let running: ChildProcess | undefined
  const postgres: TestPostgres = {
    url: `postgresql://forkroute:${password}@${host}:${port}/postgres`,
    password,
    async kill() {
      if (!running) return
      const ended = once(running, 'exit')
      // Its immediate shutdown, which takes its children along.
      running.kill('SIGQUIT')
      await ended
      running = undefined
    },
    async start() {
      const flags = ['-D', data, '-p', `${port}`, '-h', host, '-k', '']
      const fast = ['-c', 'fsync=off', '-c', 'max_connections=40', '-c', 'shared_buffers=16MB']
      running = spawn(join(bin, 'postgres'), [...flags, ...fast], {
        ...as,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await ready(running)
    },
    async stop() {
      await postgres.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
  await postgres.start()
  return postgres
}

/** Debian keeps them apart from other commands. */
function binaries(): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root)
    ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a))
    : []
  const found = versions
    .map((version) => join(root, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
  if (!found) throw new Error('PostgreSQL is needed: apt-get install postgresql')
  return found
}

/** PostgreSQL refuses to run as root: it runs as nobody then. */
function owner(): { uid: number; gid: number } | { uid?: undefined } {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
}

async function ready(child: ChildProcess): Promise<void> {
  const { stderr } = child
  if (!stderr) throw new Error('no output')
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`PostgreSQL ended: ${said.slice(-500)}`)))
    createInterface({ input: stderr }).on('line', (line) => {
      said += `${line}\n`
      if (line.includes('ready to accept connections')) resolve()
    })
  })
}
