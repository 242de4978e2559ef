/** Backtests whose Postgres or Redis is killed in the middle. */
import { expect, test } from 'vitest'
import { account, blockOf, many, planOf } from '../../support/backtest/backtests.js'
import { range, resultsOf, untilOver, wanted, withCompany } from '../../support/backtest/company.js'

const { opened, company, postgres, redis } = withCompany()

test('a database that crashes and starts again: who waits for it goes on', async () => {
  const store = opened('crash')
  const { id } = await store.add(planOf(), [10n, 11n], account, many)
  await store.put(id, blockOf(10n))
  await postgres().kill()
  const put = store.put(id, blockOf(11n))
  await postgres().start()
  expect(await put).toBe(true)
  expect(await store.pending(id)).toEqual([])
})

test('a worker writes to Postgres itself; Redis emptied in the middle, no stored block is calculated again', async () => {
  const { coordinator, worker } = company('shared')
  const store = opened('shared')
  const twice: bigint[] = []
  let calculated = 0
  const backtests = coordinator()
  const { id } = await backtests.create(planOf({ range }), account)
  worker(store, async (block) => {
    if (!(await store.pending(id)).includes(block)) twice.push(block)
    calculated += 1
    if (calculated !== 15) return
    await redis().kill()
    await redis().start(false)
  })
  expect(await untilOver(backtests.watch(id, new AbortController().signal))).toBe('finished')
  expect(await resultsOf(store.results(id))).toEqual(wanted)
  expect(twice).toEqual([])
})
