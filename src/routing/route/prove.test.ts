import { describe, expect, test } from 'vitest'
import { reverted } from '../../../test/support/routing/candidates.js'
import {
  amountIn,
  deepPair,
  gives,
  honest,
  passes,
  quoteArgs,
  shallowPair,
  token,
  weth,
} from '../../../test/support/routing/plain-pairs.js'
import { plainTask } from '../../../test/support/routing/plain-task.js'
import type { RouteRequest } from '../../domain/engine.js'
import type { SimulationRequest, SimulationResult } from '../../domain/state.js'
import { decodeOrder } from '../../executor/decode-order.js'
import type { Attempt } from './built.js'
import { findFlows } from './find-flows.js'
import { prepareRoute } from './prepare.js'
import { prove } from './prove.js'

/** Proves the two paths of the quote, the deeper pair's first. */
async function proveBoth(
  simulate: (request: SimulationRequest) => SimulationResult,
  changes: Partial<RouteRequest> = {},
) {
  const asked: SimulationRequest[] = []
  const task = plainTask({
    pairs: [deepPair, shallowPair],
    simulate: (one) => {
      asked.push(one)
      return simulate(one)
    },
  })
  const prepared = await prepareRoute(task, quoteArgs(changes), undefined)
  const { flows, inputs } = await findFlows(task, prepared)
  const funded = { sender: prepared.sender, overrides: {}, unfunded: [] }
  const attempts = await prove(task, { ...prepared, inputs, funded }, flows)
  return { attempts, asked, report: task.report }
}

const entryPoints = (attempts: readonly Attempt[]) => attempts.map(({ built }) => built.entryPoint)
/** Whether the Router sends the whole input to an address that is no Executor. */
const isPrepaid = (one: SimulationRequest) =>
  decodeOrder(one)?.inputs.every(({ amount, fee }) => fee === amount) ?? false
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

  describe('steps that pay less than promised', () => {
    const promised = 10n ** 17n
    const bySteps = { strategy: 'router-legacy' } as const

    test('are tried with the input sent straight to the first pair, which saves a tax', async () => {
      const { attempts, asked } = await proveBoth(
        (one) => gives(isPrepaid(one) ? promised + 1n : promised),
        bySteps,
      )
      expect(asked.map(isPrepaid)).toEqual([false, false, true, true])
      const pairs = [deepPair.address, shallowPair.address]
      expect(attempts.map(({ built }) => built.order.feeReceiver)).toEqual(pairs)
      // What is taken from the sender has no fee, whatever the Router calls it.
      expect(attempts.map(({ built }) => built.taken)).toEqual([
        [{ token: weth, amount: amountIn }],
        [{ token: weth, amount: amountIn }],
      ])
      expect(attempts.map(({ outputs }) => outputs[0]?.amount)).toEqual([
        promised + 1n,
        promised + 1n,
      ])
    })

    test.each([
      ['gives no more', gives(promised)],
      ['fails', reverted('zero amount')],
    ])('stay as they are where that %s', async (_name, prepaid) => {
      const { attempts } = await proveBoth(
        (one) => (isPrepaid(one) ? prepaid : gives(promised)),
        bySteps,
      )
      expect(attempts.map(({ built }) => built.prepaysInput)).toEqual([false, false])
      expect(statuses(attempts)).toEqual(['success', 'success'])
    })

    test('are not tried so where a fee is taken', async () => {
      const inputs = [{ token: weth, amount: amountIn, feeBps: 10n }]
      const { asked } = await proveBoth(() => gives(promised), { ...bySteps, inputs })
      expect(asked).toHaveLength(2)
    })

    test('are not tried so where they keep the promise', async () => {
      const { asked } = await proveBoth(honest, bySteps)
      expect(asked).toHaveLength(2)
    })
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
