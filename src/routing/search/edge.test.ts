import { expect, test } from 'vitest'
import { syntheticMarket } from '../../../test/support/synthetic-market.js'
import { TokenGraph } from './graph.js'

test('what a pool is said to give at most is never below its quote, for amounts of any size', () => {
  const { pools } = syntheticMarket(400, 8)
  const graph = new TokenGraph({ pools })
  let judged = 0
  for (const market of pools) {
    const { pool, state } = market.loaded
    const [tokenIn, tokenOut] = pool.tokens
    const edge = tokenIn && tokenOut ? graph.edge(tokenIn, tokenOut) : undefined
    if (!tokenIn || !tokenOut || !edge) throw new Error('a pool without an edge')
    for (let bits = 4n; bits < 100n; bits += 3n) {
      const amountIn = (5n << bits) / 3n
      const most = edge.mostOf(edge.pools.indexOf(market), Number(amountIn))
      const quote = market.adapter.swaps.swap(pool, state, { tokenIn, tokenOut }, amountIn)
      if (most === null) continue
      judged++
      expect(most).toBeGreaterThanOrEqual(Number(quote.amountOut))
    }
  }
  expect(judged).toBeGreaterThan(8_000)
})
