/** What every store of backtests has to keep to. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { type BacktestStore, claimMs } from '../../../src/backtest/stores/store.js'
import type { JobBlock } from '../../../src/domain/backtest.js'
import { ForkrouteError } from '../../../src/domain/errors.js'
import type { Hex } from '../../../src/domain/primitives.js'
import { account, blockOf, many, planOf } from './backtests.js'
import { hindsightBlockOf, hindsightPlanOf } from './hindsight-blocks.js'

/** @param open - another connection to the same, at first empty, place at each call. */
export function storeContract(name: string, open: () => Promise<BacktestStore>): void {
  async function stores(count = 1): Promise<BacktestStore[]> {
    const opened = await Promise.all(Array.from({ length: count }, open))
    onTestFinished(async () => {
      for (const store of opened) await store.close()
    })
    return opened
  }

  async function one(): Promise<BacktestStore> {
    return (await stores())[0] as BacktestStore
  }

  async function all(blocks: AsyncIterable<JobBlock>): Promise<JobBlock[]> {
    const found: JobBlock[] = []
    for await (const block of blocks) found.push(block)
    return found
  }

  describe(name, () => {
    test('a job is as it was added, newest first in the list, and for another connection as well', async () => {
      const [store, other] = (await stores(2)) as [BacktestStore, BacktestStore]
      const plan = planOf({ name: 'Zürich "1"' })
      const first = await store.add(plan, [10n, 11n], account, many)
      const second = await store.add(planOf(), [10n], account, many)
      expect(first).toMatchObject({ plan, state: 'queued', problem: null, finishedAt: null })
      expect(first).toMatchObject({ blocksTotal: 2, blocksDone: 0 })
      expect(second.id > first.id).toBe(true)
      expect(await other.job(first.id)).toEqual(first)
      const ids = (await other.entries({ limit: 1_000 })).map(({ id }) => id)
      expect(ids.slice(0, 2)).toEqual([second.id, first.id])
      expect(await store.job('nobody')).toBeNull()
    })

    test('lists hold no plans, a page at a time, of one account or all; open jobs come oldest first', async () => {
      const store = await one()
      const [own, other] = [`0x${'b'.repeat(64)}`, `0x${'c'.repeat(64)}`] as const
      const before = (await store.open()).map(({ id }) => id)
      const first = await store.add(planOf({ name: 'first' }), [10n], own, many)
      const second = await store.add(planOf(), [10n], other, many)
      const third = await store.add(planOf(), [10n], own, many)
      await store.setState(second.id, 'cancelled')
      const ids = (jobs: readonly { readonly id: string }[]) => jobs.map(({ id }) => id)
      const { plan: _plan, ...entry } = first
      expect(await store.entry(first.id)).toEqual(entry)
      expect(entry).toMatchObject({ name: 'first', chainId: 1, accountId: own })
      expect(ids(await store.entries({ accountId: own, limit: 9 }))).toEqual([third.id, first.id])
      expect(ids(await store.entries({ before: third.id, limit: 2 }))).toEqual([
        second.id,
        first.id,
      ])
      expect(ids(await store.open())).toEqual([...before, first.id, third.id])
      expect((await store.entries({ limit: 3 })).some((job) => 'plan' in job)).toBe(false)
    })

    test('an account that adds many jobs at once gets as many as it may have, and others get theirs', async () => {
      const opened = await stores(3)
      const [own, other] = [`0x${'d'.repeat(64)}`, `0x${'e'.repeat(64)}`] as const
      const limits = { open: 2, stored: 3 }
      const add = (store: BacktestStore, accountId: Hex) =>
        store.add(planOf(), [10n], accountId, limits)
      const added = await Promise.allSettled([...opened, ...opened].map((store) => add(store, own)))
      const done = added.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const refused = added.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
      expect([done.length, refused.length]).toEqual([2, 4])
      expect(refused[0]).toMatchObject({
        code: 'TOO_MANY_BACKTESTS',
        message:
          '2 backtests of the account wait or run, and 2 is the limit (BACKTESTS_MAX_OPEN): cancel some, or wait.',
      })
      const [store] = opened as [BacktestStore]
      await add(store, other)
      for (const { id } of done) await store.setState(id, 'finished')
      const { id } = await add(store, own)
      await store.setState(id, 'cancelled')
      await expect(add(store, own)).rejects.toThrow(
        'The account has 3 backtests, and 3 is the limit',
      )
    })

    test('a block is written once, with every kind of row, and counts as done', async () => {
      const [store, other] = (await stores(2)) as [BacktestStore, BacktestStore]
      const { id } = await store.add(planOf(), [10n, 11n, 12n], account, many)
      expect(await store.put(id, blockOf(12n))).toBe(true)
      expect(await other.put(id, { ...blockOf(12n), rows: [] })).toBe(false)
      expect(await other.put(id, blockOf(10n))).toBe(true)
      expect(await store.put(id, blockOf(99n))).toBe(false)
      expect(await all(other.results(id))).toEqual([blockOf(10n), blockOf(12n)])
      expect(await all(other.results(id, 11n))).toEqual([blockOf(12n)])
      expect(await store.pending(id)).toEqual([11n])
      expect(await store.job(id)).toMatchObject({ blocksTotal: 3, blocksDone: 2 })
    })

    test('a block of hindsight comes out as it went in, and its job says what it is', async () => {
      const [store, other] = (await stores(2)) as [BacktestStore, BacktestStore]
      const plan = hindsightPlanOf({ since: 20 })
      const { id } = await store.add(plan, [10n, 11n, 12n], account, many)
      expect(await store.job(id)).toMatchObject({ kind: 'hindsight', plan })
      expect(await other.entry(id)).toMatchObject({ kind: 'hindsight', name: 'three blocks' })
      expect(await store.put(id, hindsightBlockOf(11n))).toBe(true)
      expect(await other.put(id, { ...hindsightBlockOf(11n), transactions: [] })).toBe(false)
      expect(await other.put(id, hindsightBlockOf(10n))).toBe(true)
      expect(await all(other.results(id))).toEqual([hindsightBlockOf(10n), hindsightBlockOf(11n)])
      expect(await store.pending(id)).toEqual([12n])
      await store.remove(id)
      expect(await all(other.results(id))).toEqual([])
    })

    test('of writers that come with the same block at once, one wins', async () => {
      const opened = await stores(3)
      const blocks = Array.from({ length: 20 }, (_block, index) => BigInt(index))
      const { id } = (await opened[0]?.add(planOf(), blocks, account, many)) ?? { id: '' }
      const wrote = await Promise.all(
        opened.flatMap((store) => blocks.map((block) => store.put(id, blockOf(block)))),
      )
      expect(wrote.filter(Boolean)).toHaveLength(blocks.length)
      expect(await opened[1]?.job(id)).toMatchObject({ blocksDone: blocks.length })
      expect(await all(opened[2]?.results(id) as never)).toEqual(blocks.map(blockOf))
    })

    test('results are read page by page while others are written', async () => {
      const store = await one()
      const blocks = Array.from({ length: 120 }, (_block, index) => BigInt(index))
      const { id } = await store.add(planOf(), blocks, account, many)
      for (const block of blocks) await store.put(id, blockOf(block))
      expect((await all(store.results(id))).map(({ blockNumber }) => blockNumber)).toEqual(blocks)
    })

    test('a state changes from those that are named only; a problem is that of a failure', async () => {
      const store = await one()
      const { id } = await store.add(planOf(), [10n], account, many)
      expect(await store.setState(id, 'finished', null, ['running'])).toBe(false)
      expect(await store.setState(id, 'running', null, ['queued', 'running'])).toBe(true)
      expect(await store.setState(id, 'failed', 'The disk is full.', ['running'])).toBe(true)
      expect(await store.job(id)).toMatchObject({ state: 'failed', problem: 'The disk is full.' })
      expect((await store.job(id))?.finishedAt).toBeGreaterThan(1_700_000_000_000)
      expect(await store.setState(id, 'queued')).toBe(true)
      expect(await store.job(id)).toMatchObject({
        state: 'queued',
        problem: null,
        finishedAt: null,
      })
      expect(await store.setState('nobody', 'queued')).toBe(false)
    })

    test('a job has one owner, until it is released or its owner is gone', async () => {
      const [store, other] = (await stores(2)) as [BacktestStore, BacktestStore]
      const { id } = await store.add(planOf(), [10n], account, many)
      const won = await Promise.all([store.claim(id, 'a'), other.claim(id, 'b')])
      expect(won.filter(Boolean)).toHaveLength(1)
      const [owner, loser] = won[0] ? ['a', 'b'] : ['b', 'a']
      expect(await store.claim(id, owner)).toBe(true)
      expect(await store.claim(id, loser)).toBe(false)
      await store.release(id, loser)
      expect(await store.claim(id, loser)).toBe(false)
      expect(await other.claim(id, loser, (who) => who === owner)).toBe(true)
      expect(await store.claim(id, owner)).toBe(false)
      await other.release(id, loser)
      expect(await store.claim(id, owner)).toBe(true)
      expect(await store.claim('nobody', owner)).toBe(false)
      expect(claimMs).toBeGreaterThan(1_000)
    })

    test('a job that is removed takes its results along, and none come after it', async () => {
      const store = await one()
      const { id } = await store.add(planOf(), [10n, 11n], account, many)
      const kept = await store.add(planOf(), [10n], account, many)
      await store.put(id, blockOf(10n))
      await store.put(kept.id, blockOf(10n))
      await store.remove(id)
      expect(await store.job(id)).toBeNull()
      expect(await store.put(id, blockOf(11n))).toBe(false)
      expect(await all(store.results(id))).toEqual([])
      expect(await all(store.results(kept.id))).toEqual([blockOf(10n)])
    })

    test('size grows with what is kept', async () => {
      const store = await one()
      const before = await store.size()
      const blocks = Array.from({ length: 100 }, (_block, index) => BigInt(index))
      const { id } = await store.add(planOf(), blocks, account, many)
      for (const block of blocks) await store.put(id, blockOf(block))
      expect(await store.size()).toBeGreaterThan(before + 10_000)
    })

    test('once it is closed every call is STORAGE_UNAVAILABLE', async () => {
      const store = await open()
      await store.close()
      await expect(store.open()).rejects.toSatisfy(
        (error) => error instanceof ForkrouteError && error.code === 'STORAGE_UNAVAILABLE',
      )
    })
  })
}
