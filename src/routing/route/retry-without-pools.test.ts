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
import { suspectPools } from './retry-without-pools.js'

/** The suspects among the pools of two paths, by their addresses. */
async function suspectsOf(simulate: (request: SimulationRequest) => SimulationResult) {
  const task = plainTask({ pairs: [deepPair, shallowPair], simulate })
  const prepared = await prepareRoute(task, quoteArgs(), undefined)
  const { flows, inputs } = await findFlows(task, prepared)
  const funded = { sender: prepared.sender, overrides: {}, unfunded: [] }
  const attempts = await prove(task, { ...prepared, inputs, funded }, flows)
  return [...suspectPools(attempts)].map(({ loaded }) => loaded.pool.address)
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
