/** A Redis of the test's own, on a free loopback port and a folder of its own; killed and started again on demand. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freeListenAddress, type ListenAddress } from '../../../src/forks/listen-address.js'

export interface TestRedis {
  readonly url: string
  readonly password: string
  /** SIGKILL: nothing is saved that was not before. */
  kill(): Promise<void>
  /** On the same port. @param keep - false: without any data. */
  start(keep: boolean): Promise<void>
  stop(): Promise<void>
}

export async function startRedis(): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-redis-'))
  const place = await freeListenAddress()
  const password = 'r3dis-that-nobody-may-see'
  let running: ChildProcess | undefined
  const redis: TestRedis = {
    url: `redis://:${password}@${place.host}:${place.port}`,
    password,
    async kill() {
      if (!running) return
      const ended = once(running, 'exit')
      running.kill('SIGKILL')
      await ended
      running = undefined
    },
    async start(keep) {
      if (!keep) await rm(join(folder, 'appendonlydir'), { recursive: true, force: true })
      running = await launch(folder, place, password)
    },
    async stop() {
      await redis.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
  await redis.start(false)
  return redis
}

async function launch(
  folder: string,
  { host, port }: ListenAddress,
  password: string,
): Promise<ChildProcess> {
  const settings = {
    port,
    bind: host,
    dir: folder,
    requirepass: password,
    appendonly: 'yes',
    appendfsync: 'no',
    save: '',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    child.once('error', () =>
      reject(new Error('redis-server is needed: apt-get install redis-server')),
    )
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('Ready to accept connections')) resolve()
    })
  })
  return child
}
