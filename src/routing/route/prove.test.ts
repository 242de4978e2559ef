import { describe, expect, test } from 'vitest'
import { reverted } from '../../../test/support/routing/candidates.js'
import {
  deepPair,
  gives,
  honest,
  passes,
  quoteArgs,
  shallowPair,
  token,
} from '../../../test/support/routing/plain-pairs.js'
import { plainTask } from '../../../test/support/routing/plain-task.js'
import type { SimulationRequest, SimulationResult } from '../../domain/state.js'
import type { Attempt } from './built.js'
import { findFlows } from './find-flows.js'
import { prepareRoute } from './prepare.js'
import { prove } from './prove.js'

/** Proves the two paths of the quote, the deeper pair's first. */
async function proveBoth(simulate: (request: SimulationRequest) => SimulationResult) {
  const asked: SimulationRequest[] = []
  const task = plainTask({
    pairs: [deepPair, shallowPair],
    simulate: (one) => {
      asked.push(one)
      return simulate(one)
    },
  })
  const prepared = await prepareRoute(task, quoteArgs(), undefined)
  const { flows, inputs } = await findFlows(task, prepared)
  const funded = { sender: prepared.sender, overrides: {}, unfunded: [] }
  const attempts = await prove(task, { ...prepared, inputs, funded }, flows)
  return { attempts, asked, report: task.report }
}

const entryPoints = (attempts: readonly Attempt[]) => attempts.map(({ built }) => built.entryPoint)
const statuses = (attempts: readonly Attempt[]) => attempts.map(({ result }) => result?.status)

describe('prove', () => {
  test('candidates keep their order, each with the result of its own transaction', async () => {
    const { attempts, asked } = await proveBoth(honest)
    expect(attempts.map(({ built }) => built.tx.data)).toEqual(asked.map(({ data }) => data))
    expect(attempts.map(({ result }) => result)).toEqual(asked.map(honest))
    expect(asked.map((one) => passes(one, deepPair))).toEqual([true, false])
  })

  test('outputs are what the receiver gains, and none where the transaction fails', async () => {
    const { attempts } = await proveBoth((one) =>
      passes(one, deepPair) ? gives(7n) : reverted('K'),
    )
    expect(attempts.map(({ outputs }) => outputs)).toEqual([[{ token, amount: 7n }], []])
  })

  test('a plain swap that fails is tried with pairs that look what arrived, then by steps', async () => {
    const plain = new Set<string>()
    const { attempts, asked } = await proveBoth((one) => {
      // The first two are the plain swaps.
      if (plain.size < 2) {
        plain.add(one.data)
        return reverted('K')
      }
      return honest(one)
    })
    expect(asked).toHaveLength(6)
    expect(entryPoints(attempts)).toEqual(['measured-swap', 'measured-swap'])
    expect(statuses(attempts)).toEqual(['success', 'success'])
  })

  test('where no way works, the last one tells why', async () => {
    const { attempts, report } = await proveBoth((one) =>
      passes(one, shallowPair) ? honest(one) : reverted('K'),
    )
    expect(entryPoints(attempts)).toEqual(['execute', 'swap'])
    expect(statuses(attempts)).toEqual(['reverted', 'success'])
    expect(report.reverts).toEqual({ 'uniswap-v2': 1 })
  })

  test('state that cannot be read is no failure of the candidate', async () => {
    const unreadable: SimulationResult = { status: 'unreadable', message: 'pruned' }
    const { attempts, asked, report } = await proveBoth((one) =>
      passes(one, deepPair) ? unreadable : gives(1n),
    )
    expect(statuses(attempts)).toEqual(['unreadable', 'success'])
    expect(asked).toHaveLength(2)
    expect(report.reverts).toEqual({})
  })
})
