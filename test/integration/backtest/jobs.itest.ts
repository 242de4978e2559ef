/** Jobs on real SQLite files: ended, taken up, shared by services. What a block holds does not matter here. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createInProcessEngine } from '../../../src/backtest/engines/in-process.js'
import { createResultFiles } from '../../../src/backtest/files/result-files.js'
import { createBacktests } from '../../../src/backtest/jobs.js'
import { openSqliteStore } from '../../../src/backtest/stores/sqlite-store.js'
import type { BacktestStore } from '../../../src/backtest/stores/store.js'
import type {
  AccountLimits,
  BacktestPlan,
  Backtests,
  JobBlock,
  JobProgress,
} from '../../../src/domain/backtest.js'
import { ForkrouteError } from '../../../src/domain/errors.js'
import { account, blockOf, many, planOf } from '../../support/backtest/backtests.js'

const logger = pino({ level: 'silent' })
const { signal: forEver } = new AbortController()

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'forkroute-jobs-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

interface JobsContext {
  readonly backtests: Backtests
  /** Blocks whose calculation was begun here, in order. */
  readonly begun: bigint[]
  /** Lets so many more blocks be calculated; at first any number. */
  allow(count: number): void
}

/** The store with these methods in place of its own. */
function withMethods(store: BacktestStore, methods: Partial<BacktestStore>): BacktestStore {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(methods, name) ?? Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** A service's jobs, whose calculation the test can hold back. */
function open(
  dataDir: string,
  options: {
    readonly allowed?: number
    readonly maxBytes?: number
    readonly limits?: AccountLimits
    readonly takesUp?: boolean
    /** In place of a result. */
    readonly failure?: () => Error | null
    readonly wrap?: (store: BacktestStore) => BacktestStore
  } = {},
): JobsContext {
  const { failure = () => null, wrap = (store: BacktestStore) => store } = options
  let allowed = options.allowed ?? Number.POSITIVE_INFINITY
  const waiting = new Set<() => void>()
  const begun: bigint[] = []
  const jobEngine = createInProcessEngine(
    (_plan, number, signal) =>
      new Promise((resolve, reject) => {
        begun.push(number)
        const look = () => {
          const error = failure()
          if (error) return reject(error)
          if (allowed < 1) return
          allowed -= 1
          waiting.delete(look)
          resolve(blockOf(number))
        }
        waiting.add(look)
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        look()
      }),
    { blocksAtOnce: 2 },
  )
  const backtests = createBacktests({
    store: wrap(openSqliteStore(dataDir)),
    jobEngine,
    files: createResultFiles({ dataDir, databaseUrl: null, serviceName: 'svc' }),
    engine: {
      networks: () => [{ id: 1 } as never],
      block: () => Promise.reject(new Error('No plan of a backtest asks for its last block.')),
      changedBlocks: async ({ from }) => [from, from + 2n],
    },
    maxBytes: options.maxBytes ?? 2 ** 30,
    limits: options.limits ?? many,
    isPrivate: false,
    takesUp: options.takesUp ?? true,
    logger,
  })
  onTestFinished(() => backtests.close())
  return {
    backtests,
    begun,
    allow(count) {
      allowed = count
      for (const look of [...waiting]) look()
    },
  }
}

const plan = (blocks: number, change: Partial<BacktestPlan> = {}) =>
  planOf({ range: { kind: 'step', from: 1n, to: BigInt(blocks), step: 1n }, ...change })

/** The first progress of which that is true. */
async function until(
  backtests: Backtests,
  id: string,
  isIt: (progress: JobProgress) => boolean,
): Promise<JobProgress> {
  for await (const progress of backtests.watch(id, forEver)) if (isIt(progress)) return progress
  throw new Error(`it never came to that: ${JSON.stringify(await backtests.show(id))}`)
}

async function all(blocks: AsyncIterable<JobBlock>): Promise<JobBlock[]> {
  const found: JobBlock[] = []
  for await (const block of blocks) found.push(block)
  return found
}

const numbers = (count: number) =>
  Array.from({ length: count }, (_block, index) => BigInt(index + 1))
const isOver = ({ state }: JobProgress) => state === 'finished'

describe('createBacktests', () => {
  test('a job runs, tells of every block, and ends', async () => {
    const { backtests, begun } = open(folder())
    const { id } = await backtests.create(plan(5), account)
    const seen: JobProgress[] = []
    for await (const progress of backtests.watch(id, forEver)) seen.push(progress)
    expect(seen.at(-1)).toEqual({
      state: 'finished',
      blocksTotal: 5,
      blocksDone: 5,
      problem: null,
      etaSeconds: 0,
    })
    expect(begun).toEqual(numbers(5))
    expect(await all(backtests.results(id))).toEqual(numbers(5).map(blockOf))
    expect(await all(backtests.results(id, 4n))).toEqual([4n, 5n].map(blockOf))
  })

  test('rounds of looking for work read no plans, however many jobs are open', async () => {
    const place = folder()
    const store = openSqliteStore(place)
    const requests = Array.from({ length: 200 }, (_one, index) => ({
      ...planOf().requests[0],
      name: `request ${index} ${'x'.repeat(1_000)}`,
    }))
    const large = planOf({ requests: requests as BacktestPlan['requests'] })
    for (let count = 0; count < 300; count += 1) await store.add(large, [1n], account, many)
    await store.close()
    let plans = 0
    const { begun, backtests } = open(place, {
      allowed: 0,
      wrap: (own) =>
        withMethods(own, {
          job: (id) => {
            plans += 1
            return own.job(id)
          },
        }),
    })
    const [newest] = await backtests.list({ limit: 1 })
    const oldest = (await backtests.list({ limit: 1_000 })).at(-1)
    await until(backtests, oldest?.id ?? '', ({ state }) => state === 'running')
    expect([newest?.state, begun.length, plans]).toEqual(['queued', 1, 1])
  })

  test('a job that goes on counts as open again', async () => {
    const { backtests } = open(folder(), { allowed: 0, limits: { open: 1, stored: 5 } })
    const first = await backtests.create(plan(2), account)
    await backtests.cancel(first.id)
    await backtests.create(plan(2), account)
    await expect(backtests.resume(first.id)).rejects.toMatchObject({ code: 'TOO_MANY_BACKTESTS' })
  })

  test('blocks are those of a step, or those in which something changed', async () => {
    const { backtests } = open(folder())
    const pool = `0x${'a'.repeat(40)}` as const
    const range = { kind: 'step', from: 10n, to: 20n, step: 4n } as const
    const steps = await backtests.create(planOf({ range }), account)
    const changes = await backtests.create(
      planOf({ range: { kind: 'changes', from: 30n, to: 40n, addresses: [pool] } }),
      account,
    )
    await until(backtests, changes.id, isOver)
    const blocks = async (id: string) =>
      (await all(backtests.results(id))).map(({ blockNumber }) => blockNumber)
    expect(await blocks(steps.id)).toEqual([10n, 14n, 18n])
    expect(await blocks(changes.id)).toEqual([30n, 32n])
  })

  test('more rows than one job may have are refused', async () => {
    const { backtests } = open(folder())
    const range = { kind: 'step', from: 0n, to: 99_999n, step: 1n } as const
    const requests = numbers(6).map((each) => ({ name: `${each}`, request: {} as never }))
    await expect(backtests.create(planOf({ range, requests }), account)).rejects.toThrow(
      'blocks must be fewer: 1200000 rows (blocks x requests x variants) are asked for, and one job may have 1000000',
    )
  })

  test('a cancel gives up what is under way; resumed, only what is missing is calculated', async () => {
    const { backtests, begun, allow } = open(folder(), { allowed: 3 })
    const { id } = await backtests.create(plan(6), account)
    await until(backtests, id, ({ blocksDone }) => blocksDone === 3)
    expect(await backtests.cancel(id)).toMatchObject({ state: 'cancelled', blocksDone: 3 })
    const kept = begun.length
    allow(Number.POSITIVE_INFINITY)
    expect(await backtests.show(id)).toMatchObject({ state: 'cancelled', blocksDone: 3 })
    await backtests.resume(id)
    await until(backtests, id, isOver)
    expect(begun.slice(kept)).toEqual([4n, 5n, 6n])
    expect(await backtests.resume(id)).toMatchObject({ state: 'finished' })
    expect(await backtests.cancel(id)).toMatchObject({ state: 'finished' })
  })

  test('jobs wait for each other, and one that waits can be cancelled', async () => {
    const { backtests, allow } = open(folder(), { allowed: 0 })
    const [first, second, third] = [
      await backtests.create(plan(2), account),
      await backtests.create(plan(2), account),
      await backtests.create(plan(2), account),
    ]
    await until(backtests, first.id, ({ state }) => state === 'running')
    expect(await backtests.cancel(second.id)).toMatchObject({ state: 'cancelled', blocksDone: 0 })
    expect(await backtests.show(third.id)).toMatchObject({ state: 'queued' })
    allow(Number.POSITIVE_INFINITY)
    await until(backtests, third.id, isOver)
    expect((await backtests.list({ limit: 100 })).map(({ state }) => state)).toEqual([
      'finished',
      'cancelled',
      'finished',
    ])
  })

  test('a service that stops leaves its job to the next, which calculates the rest', async () => {
    const dataDir = folder()
    const before = open(dataDir, { allowed: 2 })
    const { id } = await before.backtests.create(plan(5), account)
    await until(before.backtests, id, ({ blocksDone }) => blocksDone === 2)
    await before.backtests.close()
    const after = open(dataDir)
    await until(after.backtests, id, isOver)
    expect(after.begun).toEqual([3n, 4n, 5n])
    expect(await all(after.backtests.results(id))).toEqual(numbers(5).map(blockOf))
  })

  test('of two services on one folder one works on a job, and both can follow and cancel it', async () => {
    const dataDir = folder()
    const [one, other] = [open(dataDir, { allowed: 2 }), open(dataDir, { allowed: 2 })]
    const { id } = await one.backtests.create(plan(4), account)
    await until(other.backtests, id, ({ blocksDone }) => blocksDone === 2)
    const [worker, idle] = one.begun.length ? [one, other] : [other, one]
    expect(idle.begun).toEqual([])
    expect(await idle.backtests.cancel(id)).toMatchObject({ state: 'cancelled' })
    await until(worker.backtests, id, ({ state }) => state === 'cancelled')
    one.allow(99)
    other.allow(99)
    await idle.backtests.resume(id)
    await until(worker.backtests, id, isOver)
    expect(await all(idle.backtests.results(id))).toEqual(numbers(4).map(blockOf))
  })

  test('a service that takes up nothing leaves the jobs of others alone until it is told', async () => {
    const dataDir = folder()
    const before = open(dataDir, { allowed: 1 })
    const { id } = await before.backtests.create(plan(3), account)
    await until(before.backtests, id, ({ blocksDone }) => blocksDone === 1)
    await before.backtests.close()
    const after = open(dataDir, { takesUp: false })
    const own = await after.backtests.create(plan(2), account)
    await until(after.backtests, own.id, isOver)
    expect(after.begun).toEqual([1n, 2n])
    expect(await after.backtests.show(id)).toMatchObject({ state: 'running', blocksDone: 1 })
    await after.backtests.resume(id)
    await until(after.backtests, id, isOver)
  })

  test('a block that cannot be calculated fails the job with its reason, resumably', async () => {
    let failure: Error | null = new ForkrouteError('UPSTREAM_UNAVAILABLE', 'No node answers.')
    const { backtests } = open(folder(), { failure: () => failure })
    const { id } = await backtests.create(plan(3), account)
    await until(backtests, id, ({ state }) => state === 'failed')
    expect(await backtests.show(id)).toMatchObject({
      state: 'failed',
      problem: 'No node answers. (UPSTREAM_UNAVAILABLE)',
      blocksDone: 0,
    })
    failure = null
    expect(await backtests.resume(id)).toMatchObject({ problem: null })
    await until(backtests, id, isOver)
  })

  test('a fault of the service fails the job without its message', async () => {
    const { backtests } = open(folder(), { failure: () => new TypeError('secret') })
    const { id } = await backtests.create(plan(1), account)
    const { problem } = await until(backtests, id, ({ state }) => state === 'failed')
    expect(problem).toBe('A fault of the service itself; its log has the cause. (INTERNAL)')
  })

  test('a job that needs more disk than it may fails; with room again it goes on', async () => {
    const dataDir = folder()
    const small = open(dataDir, { maxBytes: 100_000 })
    const old = await small.backtests.create(plan(30), account)
    await until(small.backtests, old.id, isOver)
    const { id } = await small.backtests.create(plan(150), account)
    const { problem, blocksDone } = await until(
      small.backtests,
      id,
      ({ state }) => state === 'failed',
    )
    expect(problem).toMatch(/^Backtests take \d+ bytes, and BACKTESTS_MAX_BYTES is 100000: remove/)
    await expect(small.backtests.create(plan(1), account)).rejects.toThrow('BACKTESTS_MAX_BYTES')
    await small.backtests.close()
    const large = open(dataDir)
    expect(await large.backtests.show(id)).toMatchObject({ state: 'failed', blocksDone })
    await large.backtests.resume(id)
    await until(large.backtests, id, isOver)
    expect(large.begun).toEqual(numbers(150).slice(blocksDone))
  })

  test('a full disk fails the job, even where that cannot be written; with room again it goes on', async () => {
    let isFull = false
    const full = new ForkrouteError('STORAGE_UNAVAILABLE', 'The disk is full.')
    const { backtests, allow } = open(folder(), {
      allowed: 2,
      wrap: (store) =>
        withMethods(store, {
          put: (...args) => (isFull ? Promise.reject(full) : store.put(...args)),
          setState: (...args) => (isFull ? Promise.reject(full) : store.setState(...args)),
        }),
    })
    const { id } = await backtests.create(plan(5), account)
    await until(backtests, id, ({ blocksDone }) => blocksDone === 2)
    isFull = true
    allow(99)
    const { problem } = await until(backtests, id, ({ state }) => state === 'failed')
    expect(problem).toBe('The disk is full. (STORAGE_UNAVAILABLE)')
    expect(await backtests.list({ limit: 100 })).toMatchObject([{ state: 'failed', blocksDone: 2 }])
    isFull = false
    await backtests.resume(id)
    await until(backtests, id, isOver)
    expect(await all(backtests.results(id))).toEqual(numbers(5).map(blockOf))
  })

  test('a job that runs is ended and removed with its results', async () => {
    const { backtests } = open(folder(), { allowed: 1 })
    const { id } = await backtests.create(plan(3), account)
    await until(backtests, id, ({ blocksDone }) => blocksDone === 1)
    await backtests.remove(id)
    expect(await backtests.list({ limit: 100 })).toEqual([])
    for (const name of ['show', 'cancel', 'resume', 'remove'] as const) {
      await expect(backtests[name](id)).rejects.toThrow(`There is no backtest ${id}.`)
    }
    await expect(all(backtests.results(id))).rejects.toThrow('There is no backtest')
  })
})
