import { describe, expect, test } from 'vitest'
import { reverted } from '../../../test/support/routing/candidates.js'
import {
  deepPair,
  honest,
  passes,
  quoteArgs,
  shallowPair,
} from '../../../test/support/routing/plain-pairs.js'
import { plainTask } from '../../../test/support/routing/plain-task.js'
import type { SimulationRequest, SimulationResult } from '../../domain/state.js'
import type { MarketPool } from '../market/market-view.js'
import type { Flow } from '../search/flow.js'
import type { Attempt } from './built.js'
import { findFlows } from './find-flows.js'
import { prepareRoute } from './prepare.js'
import { prove } from './prove.js'
import { suspectPools, unreadablePools } from './retry-without-pools.js'

/** Two paths, of which the deeper pair's promises more. */
async function attemptsOf(simulate: (request: SimulationRequest) => SimulationResult) {
  const task = plainTask({ pairs: [deepPair, shallowPair], simulate })
  const prepared = await prepareRoute(task, quoteArgs(), undefined)
  const { flows, inputs } = await findFlows(task, prepared)
  const funded = { sender: prepared.sender, overrides: {}, unfunded: [] }
  return prove(task, { ...prepared, inputs, funded }, flows)
}

/** Those of their pools that are searched without afterwards, by their addresses. */
async function suspectsOf(
  simulate: (request: SimulationRequest) => SimulationResult,
  choose: (attempts: readonly Attempt[]) => ReadonlySet<MarketPool> = (attempts) =>
    suspectPools(attempts).pools,
) {
  return addressesOf(choose(await attemptsOf(simulate)))
}

const addressesOf = (pools: ReadonlySet<MarketPool>) =>
  [...pools].map(({ loaded }) => loaded.pool.address)

/** The failing path of the deeper pair and the one that works, as if they were such candidates. */
async function asCandidates(failing: Partial<Flow>, working: Partial<Flow>) {
  const attempts = await attemptsOf(failingAt(deepPair))
  return attempts.map((attempt): Attempt => {
    const { built, result } = attempt
    const changes = result?.status === 'success' ? working : failing
    return { ...attempt, built: { ...built, candidate: { ...built.candidate, ...changes } } }
  })
}

const exactSplit = { isSplit: true, exact: true }
const estimatedSplit = { isSplit: true, exact: false }

const failingAt = (pair: typeof deepPair) => (one: SimulationRequest) =>
  passes(one, pair) ? reverted('K') : honest(one)

describe('suspectPools', () => {
  test('the pool of a single path that promised more than what worked, so that splits are searched without it', async () => {
    expect(await suspectsOf(failingAt(deepPair))).toEqual([deepPair.address])
  })

  test('none where what failed promised less than what worked', async () => {
    expect(await suspectsOf(failingAt(shallowPair))).toEqual([])
  })

  test('none where every single path gives less: then the token takes a part of what is moved', async () => {
    expect(await suspectsOf(() => reverted('K'))).toEqual([])
  })

  test.each([
    ['an estimate failed beside a split over exact quotes that kept its promise', true, exactSplit],
    ['no split over exact quotes kept its promise', false, { isSplit: false, exact: true }],
    ['only a split with estimates kept its promise', false, estimatedSplit],
  ])('whether splits over exact quotes stand where %s', async (_name, stand, working) => {
    const attempts = await asCandidates(estimatedSplit, working)
    const { pools, exactSplitsStand } = suspectPools(attempts)
    expect(addressesOf(pools)).toEqual([deepPair.address])
    expect(exactSplitsStand).toBe(stand)
  })

  test('they do not stand where one of them failed that promised more', async () => {
    const attempts = await asCandidates(exactSplit, exactSplit)
    expect(suspectPools(attempts).exactSplitsStand).toBe(false)
  })

  test('what failed through a pool that is left out already tells nothing more', async () => {
    const attempts = await asCandidates(exactSplit, exactSplit)
    const { pools } = suspectPools(attempts)
    expect(addressesOf(pools)).toEqual([deepPair.address])
    expect(suspectPools(attempts, pools).pools).toEqual(new Set())
  })

  test('without other pools a split over estimates tells nothing, and one over exact quotes does', async () => {
    const others = suspectPools(await asCandidates(exactSplit, exactSplit)).pools
    const failed = await asCandidates(estimatedSplit, exactSplit)
    expect(suspectPools(failed, others).pools).toEqual(new Set())
    const broken = await asCandidates(exactSplit, exactSplit)
    const both = [deepPair.address, deepPair.address]
    expect(addressesOf(suspectPools(broken, others).pools)).toEqual(both)
  })
})

describe('unreadablePools', () => {
  const lacking =
    (pair: typeof deepPair, named = pair) =>
    (one: SimulationRequest): SimulationResult =>
      passes(one, pair)
        ? { status: 'unreadable', message: `state unreadable: slot 0x8 of ${named.address}` }
        : honest(one)

  test('the pool that the failed read names, where its path promised more than what worked', async () => {
    expect(await suspectsOf(lacking(deepPair), unreadablePools)).toEqual([deepPair.address])
    expect(await suspectsOf(lacking(shallowPair), unreadablePools)).toEqual([])
  })

  test('also where nothing worked at all', async () => {
    const simulate = (one: SimulationRequest) =>
      lacking(passes(one, deepPair) ? deepPair : shallowPair)(one)
    const both = [deepPair.address, shallowPair.address]
    expect(await suspectsOf(simulate, unreadablePools)).toEqual(both)
  })

  test('none where the read was of a contract that is no pool of the path', async () => {
    expect(await suspectsOf(lacking(deepPair, shallowPair), unreadablePools)).toEqual([])
  })
})
