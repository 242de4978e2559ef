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
import { findFlows } from './find-flows.js'
import { prepareRoute } from './prepare.js'
import { prove } from './prove.js'
import { suspectPools, unreadablePools } from './retry-without-pools.js'

/** Those of the pools of two paths that are searched without afterwards, by their addresses. */
async function suspectsOf(
  simulate: (request: SimulationRequest) => SimulationResult,
  choose = suspectPools,
) {
  const task = plainTask({ pairs: [deepPair, shallowPair], simulate })
  const prepared = await prepareRoute(task, quoteArgs(), undefined)
  const { flows, inputs } = await findFlows(task, prepared)
  const funded = { sender: prepared.sender, overrides: {}, unfunded: [] }
  const attempts = await prove(task, { ...prepared, inputs, funded }, flows)
  return [...choose(attempts)].map(({ loaded }) => loaded.pool.address)
}

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
