import { describe, expect, test } from 'vitest'
import { reverted } from '../../../test/support/routing/candidates.js'
import {
  deepPair,
  gives,
  honest,
  isFinal,
  passes,
  quoteArgs,
  shallowPair,
  token,
  unpaired,
  weth,
} from '../../../test/support/routing/plain-pairs.js'
import { plainTask } from '../../../test/support/routing/plain-task.js'
import { at } from '../../domain/lists.js'
import type { SimulationRequest, SimulationResult, StateReader } from '../../domain/state.js'
import { contractAddress } from '../../executor/deployments.js'
import { readSwap, swapSelector } from '../../executor/swap-order.js'
import { constantProductOut } from '../../protocols/uniswap-v2/math.js'
import { Clock } from '../block/clock.js'
import { runRoute } from './route.js'

const pairs = [deepPair, shallowPair]

/** A deadline that passes once the search for the whole amount has come to its end. */
class LateClock extends Clock {
  override searchLimit(): () => boolean {
    return () => false
  }
}

describe('runRoute', () => {
  test('the best of the proven candidates is returned with its minimum in the transaction', async () => {
    const asked: SimulationRequest[] = []
    const simulate = (one: SimulationRequest) => {
      asked.push(one)
      return honest(one)
    }
    const answer = await runRoute(plainTask({ pairs, simulate }), quoteArgs())
    // 1 of 1,000 and 1,000 in reserve, 30 bps: 0.996006981039903216; 50 bps less, rounded down.
    const [amountOut, minAmountOut] = [996_006_981_039_903_216n, 991_026_946_134_703_699n]
    expect(answer.outputs).toEqual([{ token, amountOut, minAmountOut }])
    expect(answer.tx.to).toBe(contractAddress('Router'))
    expect(answer.tx.data).toContain(minAmountOut.toString(16).padStart(32, '0'))
    expect(answer.route).toMatchObject([{ primary: deepPair.address, action: 'swap' }])
    expect(answer.gas).toBe(100_000n)
    expect(answer.warnings).toEqual([])
    // Both candidates once; of the best, the transaction through both entry points.
    expect(asked.map(isFinal)).toEqual([false, false, true, true])
    expect(asked.some(({ data }) => data === answer.tx.data)).toBe(true)
  })

  test('what simulations give decides, not what native math promised', async () => {
    const simulate = (one: SimulationRequest) => (passes(one, deepPair) ? gives(1n) : honest(one))
    const answer = await runRoute(plainTask({ pairs, simulate }), quoteArgs())
    expect(answer.route).toMatchObject([{ primary: shallowPair.address }])
    expect(answer.outputs).toMatchObject([{ amountOut: 987_158_034_397_061_298n }])
  })

  test('where the best fails as the final transaction, the next is returned', async () => {
    const simulate = (one: SimulationRequest) =>
      isFinal(one) && passes(one, deepPair) ? reverted('TRANSFER_FAILED') : honest(one)
    const answer = await runRoute(plainTask({ pairs, simulate }), quoteArgs())
    expect(answer.route).toMatchObject([{ primary: shallowPair.address }])
  })

  test('where every candidate fails as the final transaction, the error names each of them', async () => {
    const simulate = (one: SimulationRequest) =>
      isFinal(one) ? reverted('TRANSFER_FAILED') : honest(one)
    const answer = runRoute(plainTask({ pairs, simulate }), quoteArgs())
    await expect(answer).rejects.toMatchObject({
      code: 'SIMULATION_REVERTED',
      details: {
        candidates: [deepPair, shallowPair].map(({ address }) => ({
          path: [`uniswap-v2:${address}`],
          reason: 'TRANSFER_FAILED',
        })),
      },
    })
  })

  test('without a pool between the tokens there is no route, and nothing is simulated', async () => {
    const answer = runRoute(plainTask({ pairs }), quoteArgs({ tokensOut: [unpaired] }))
    await expect(answer).rejects.toMatchObject({
      code: 'NO_ROUTE',
      details: { tokenOut: unpaired },
    })
  })

  test('past the deadline a missing route is still told, without the amounts that have one', async () => {
    const task = plainTask({ pairs })
    const reader: StateReader = {
      ...task.reader,
      call: async (calls) => calls.map(() => ({ ok: true, value: `0x${'0'.repeat(64)}` })),
    }
    const tooSmall = quoteArgs({ inputs: [{ token: weth, amount: 1n }] })
    const details = { smallestAmountIn: '2' }
    await expect(runRoute({ ...task, reader }, tooSmall)).rejects.toMatchObject({
      code: 'NO_ROUTE',
      details,
    })
    const clock = new LateClock(task.signal, performance.now() - 1_000)
    const late = runRoute({ ...task, reader, clock }, tooSmall)
    await expect(late).rejects.toMatchObject({ code: 'NO_ROUTE' })
    await expect(late).rejects.not.toMatchObject({ details })
  })

  test('a pool that cannot be read is told, and the others are used', async () => {
    const unread = { ...deepPair, isUnreadable: true }
    const task = plainTask({ pairs: [unread, shallowPair], simulate: honest })
    const answer = await runRoute(task, quoteArgs())
    expect(answer.route).toMatchObject([{ primary: shallowPair.address }])
    expect(answer.warnings).toEqual([
      'uniswap-v2: 1 look-up or pool could not be read at this block.',
    ])
  })

  test('a bundle that needs no transaction of the route gets the best as it was proven', async () => {
    const asked: SimulationRequest[] = []
    const simulate = (one: SimulationRequest) => {
      asked.push(one)
      return honest(one)
    }
    const within = { isPossible: () => true, needsNoTransaction: true }
    const answer = await runRoute(plainTask({ pairs, simulate }), { ...quoteArgs(), within })
    expect(answer.outputs).toMatchObject([{ amountOut: 996_006_981_039_903_216n }])
    expect(asked.map(isFinal)).toEqual([false, false])
  })

  test('an explanation tells the candidate that lost', async () => {
    const task = plainTask({ pairs, simulate: honest })
    const { explanation } = await runRoute(task, quoteArgs({ explain: 'plain' }))
    expect(explanation?.candidates.map(({ status }) => status)).toEqual(['chosen', 'measured'])
  })
})

describe('a node that gives the state of a pool in part', () => {
  const whole = 100n * 10n ** 18n
  /** The deeper pair can be read for so much of the input. */
  const readable = 40n * 10n ** 18n
  const inputs = [{ token: weth, amount: whole }]
  const args = quoteArgs({ inputs, router: { splits: true } })

  /** What each pair on the way of plain swaps takes, raw units. */
  function takenBy({ data }: SimulationRequest) {
    const { amountIn, hops } = readSwap(data)
    let left = amountIn ?? 0n
    return hops.map(({ target, share }) => {
      const amount = share ? (left * BigInt(share)) / 10_000n : left
      left -= amount
      return { pair: target === deepPair.address ? deepPair : shallowPair, amount }
    })
  }

  const partial =
    (asked: SimulationRequest[]) =>
    (one: SimulationRequest): SimulationResult => {
      asked.push(one)
      // The steps of an Executor are not looked at here.
      if (!one.data.startsWith(swapSelector)) return reverted('K')
      const taken = takenBy(one)
      if (taken.some(({ pair, amount }) => pair === deepPair && amount > readable)) {
        const message = `state unreadable: slot 0x8 of ${deepPair.address}`
        return { status: 'unreadable', message }
      }
      const paid = taken.map(({ pair, amount }) =>
        constantProductOut(amount, pair.reserves[1], pair.reserves[0], 30n),
      )
      return gives(paid.reduce((sum, amount) => sum + amount, 0n))
    }

  const shallowAlone = constantProductOut(
    whole,
    shallowPair.reserves[1],
    shallowPair.reserves[0],
    30n,
  )

  test('is asked for what it gives: a split uses the pool for that part, and pays more than without it', async () => {
    const asked: SimulationRequest[] = []
    const answer = await runRoute(plainTask({ pairs, simulate: partial(asked) }), args)
    const final = asked.find(({ data }) => data === answer.tx.data)
    const most = at(
      takenBy(final as SimulationRequest).filter(({ pair }) => pair === deepPair),
      0,
    )
    expect(most.amount).toBeGreaterThan((readable * 7n) / 10n)
    expect(most.amount).toBeLessThanOrEqual(readable)
    const amountOut = answer.outputs[0]?.amountOut ?? 0n
    expect(amountOut).toBeGreaterThan((shallowAlone * 14n) / 10n)
    expect(answer.warnings.join()).toContain('met state that the node does not give')
  })

  test('says of the pool how much of it is used', async () => {
    const request = { ...args.request, explain: 'plain' as const }
    const task = plainTask({ pairs, simulate: partial([]) })
    const { explanation } = await runRoute(task, { ...args, request })
    const reasons = explanation?.pools.refused.map(({ reason }) => reason)
    expect(reasons).toEqual([
      expect.stringMatching(/^beyond \d+ of 0x.* needs state that is not there/),
    ])
  })

  test('is left out where an earlier cassette is replayed', async () => {
    const settings = { boundsPools: false }
    const task = plainTask({ pairs, simulate: partial([]), settings })
    const { outputs } = await runRoute(task, args)
    expect(outputs).toMatchObject([{ amountOut: shallowAlone }])
  })
})
