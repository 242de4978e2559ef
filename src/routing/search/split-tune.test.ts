import { describe, expect, test } from 'vitest'
import { syntheticMarket } from '../../../test/support/synthetic-market.js'
import { findCandidates } from './candidates.js'
import { type Flow, runFlow } from './flow.js'

describe('tuneSplits', () => {
  test('for 5 % more it gives what a search gives, to 0.1 bps, and more than the shares as they were', () => {
    const market = syntheticMarket(40, 11)
    let gained = 0
    let compared = 0
    for (const { tokenIn, tokenOut, amountIn } of market.requests(16)) {
      const search = (amount: bigint, knownSplits?: readonly Flow[]) => {
        const { candidates } = findCandidates({
          market: market.view,
          wrappedNative: '0x0000000000000000000000000000000000000001',
          inputs: [{ token: tokenIn, amount }],
          tokensOut: [tokenOut],
          maxHops: 3,
          count: 24,
          // Without gas, so that a search with the other amount may use the same swaps.
          gasCost: () => 0n,
          knownSplits,
        })
        return candidates.filter(({ isSplit }) => isSplit)
      }
      const known = search(amountIn)
      const more = (amountIn * 21n) / 20n
      const [fresh] = search(more)
      const [tuned] = search(more, known)
      if (!fresh || !tuned || !known[0]) continue
      compared++
      const asItWas = runFlow(known[0].edges, [{ token: tokenIn, amount: more }], tokenOut)
      expect(Number(tuned.amountOut) / Number(fresh.amountOut)).toBeGreaterThan(1 - 1e-5)
      if (tuned.amountOut > asItWas.amountOut) gained++
    }
    expect(compared).toBeGreaterThan(5)
    expect(gained).toBeGreaterThan(compared / 2)
  })

  test('an amount that the swaps cannot take has no splits', () => {
    const market = syntheticMarket(40, 11)
    const [request] = market.requests(1)
    if (!request) throw new Error('no request')
    const { tokenIn, tokenOut, amountIn } = request
    const args = {
      market: market.view,
      wrappedNative: '0x0000000000000000000000000000000000000001',
      tokensOut: [tokenOut],
      maxHops: 3,
      count: 24,
      gasCost: () => 0n,
    } as const
    const { candidates } = findCandidates({
      ...args,
      inputs: [{ token: tokenIn, amount: amountIn }],
    })
    const knownSplits = candidates.filter(({ isSplit }) => isSplit)
    const none = findCandidates({ ...args, inputs: [{ token: tokenIn, amount: 1n }], knownSplits })
    expect(none.candidates.filter(({ isSplit }) => isSplit)).toEqual([])
  })
})
