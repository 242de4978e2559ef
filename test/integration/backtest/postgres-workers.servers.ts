/** The store of backtests on a real PostgreSQL, shared by coordinators and workers. */
import { expect, test } from 'vitest'
import { account, planOf } from '../../support/backtest/backtests.js'
import { range, resultsOf, untilOver, wanted, withCompany } from '../../support/backtest/company.js'

const { opened, company } = withCompany()

test('a worker with another database, or none, hands its results to the coordinator', async () => {
  const { coordinator, worker } = company('apart')
  worker(opened('another'), () => {})
  worker(null, () => {})
  const backtests = coordinator()
  const { id } = await backtests.create(planOf({ range }), account)
  expect(await untilOver(backtests.watch(id, new AbortController().signal))).toBe('finished')
  expect(await resultsOf(backtests.results(id))).toEqual(wanted)
})

test('of two coordinators one has the job; when it goes, the other goes on, and each can cancel it', async () => {
  const { coordinator, worker } = company('several')
  const store = opened('several')
  const [one, other] = [coordinator(), coordinator()]
  const calculated: bigint[] = []
  let cancelAt = 30
  const { id } = await one.create(planOf({ range }), account)
  worker(store, async (block) => {
    calculated.push(block)
    if (calculated.length === 10) await one.close()
    if (calculated.length === cancelAt) await other.cancel(id)
  })
  expect(await untilOver(other.watch(id, new AbortController().signal))).toBe('cancelled')
  cancelAt = -1
  await other.resume(id)
  expect(await untilOver(other.watch(id, new AbortController().signal))).toBe('finished')
  expect(await resultsOf(store.results(id))).toEqual(wanted)
})
