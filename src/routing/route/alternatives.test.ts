import { describe, expect, test } from 'vitest'
import { reverted } from '../../../test/support/routing/candidates.js'
import {
  amountIn,
  deepPair,
  gives,
  honest,
  isFinal,
  passes,
  quoteArgs,
  shallowPair,
  token,
  weth,
} from '../../../test/support/routing/plain-pairs.js'
import { type Pair, plainTask } from '../../../test/support/routing/plain-task.js'
import { ethereum } from '../../chains/ethereum.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import type { SimulationRequest } from '../../domain/state.js'
import { Clock } from '../block/clock.js'
import { runRoute } from './route.js'
import { fewerAlternativesWarning } from './warnings.js'

const pairs = [deepPair, shallowPair]
const connector = ethereum.connectorTokens.find((one) => one !== weth) ?? nativeToken

const pairBetween = (a: Address, b: Address, digit: string): Pair => ({
  address: `0x${'0'.repeat(38)}e${digit}`,
  tokens: a < b ? [a, b] : [b, a],
  reserves: [10n ** 21n, 10n ** 21n],
})

class StoppableClock extends Clock {
  isOver = false

  override leftMs(): number | null {
    return this.isOver ? 0 : null
  }
}

describe('alternatives', () => {
  test('the next best stands beside the best, with its own minimum and without its pools', async () => {
    const task = plainTask({ pairs, simulate: honest })
    const { alternatives, ...best } = await runRoute(task, quoteArgs({ alternatives: 2 }))
    expect(best).toEqual(await runRoute(plainTask({ pairs, simulate: honest }), quoteArgs()))
    expect(best.route).toMatchObject([{ primary: deepPair.address }])
    expect(alternatives).toMatchObject([
      {
        route: [{ primary: shallowPair.address }],
        outputs: [{ amountOut: 987_158_034_397_061_298n, minAmountOut: 982_222_244_225_075_991n }],
        gas: 100_000n,
        sharedPools: [],
        warnings: [],
      },
    ])
    expect(alternatives?.map(({ tx }) => tx.data)).not.toContain(best.tx.data)
  })

  test('what it is worth less is not known without prices', async () => {
    const task = plainTask({ pairs, simulate: honest })
    const { alternatives } = await runRoute(task, quoteArgs({ alternatives: 1 }))
    expect(alternatives?.map(({ lossBps }) => lossBps)).toEqual([null])
  })

  test('one that fails as the final transaction is none', async () => {
    const simulate = (one: SimulationRequest) =>
      isFinal(one) && passes(one, shallowPair) ? reverted('TRANSFER_FAILED') : honest(one)
    const answer = await runRoute(plainTask({ pairs, simulate }), quoteArgs({ alternatives: 1 }))
    expect(answer.alternatives).toEqual([])
    expect(answer.warnings).toEqual([])
  })

  test('the only pool of the first token is shared, and named', async () => {
    const gate = pairBetween(weth, connector, '1')
    const [first, second] = [pairBetween(connector, token, '2'), pairBetween(connector, token, '3')]
    const simulate = (one: SimulationRequest) =>
      gives(passes(one, first) ? amountIn - 10n : amountIn - 20n)
    const task = plainTask({ pairs: [gate, first, second], simulate })
    const { route, alternatives } = await runRoute(task, quoteArgs({ alternatives: 3 }))
    expect(route).toMatchObject([{ primary: gate.address }, { primary: first.address }])
    expect(alternatives).toMatchObject([
      {
        route: [{ primary: gate.address }, { primary: second.address }],
        sharedPools: [gate.address],
      },
    ])
    expect(alternatives).toHaveLength(1)
  })

  test('past the deadline the best is answered alone, and a warning says why', async () => {
    const clock = new StoppableClock(new AbortController().signal, null)
    const simulate = (one: SimulationRequest) => {
      clock.isOver ||= isFinal(one)
      return honest(one)
    }
    const task = { ...plainTask({ pairs, simulate }), clock }
    const answer = await runRoute(task, quoteArgs({ alternatives: 1 }))
    expect(answer.alternatives).toEqual([])
    expect(answer.warnings).toEqual([fewerAlternativesWarning])
  })
})
