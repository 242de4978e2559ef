/** A pool as one that takes no more than some amounts, as if its liquidity ended there. Pure. */
import type { Direction } from '../../protocols/protocol.js'
import type { Bounds, MarketPool } from './market-view.js'

export function directionKey({ tokenIn, tokenOut }: Direction): string {
  return `${tokenIn}>${tokenOut}`
}

/** The same pool with these bounds in place of any that it has: a swap beyond one gives nothing. */
export function boundedPool(pool: MarketPool, bounds: Bounds): MarketPool {
  const { adapter } = pool
  const { swap, estimator } = adapter.swaps
  /** What earlier swaps have taken, by the state that they left. */
  const taken = new WeakMap<object, Bounds>()
  const takenBefore = (state: unknown) => taken.get(Object(state)) ?? none
  const leftIn = (state: unknown, direction: Direction): bigint | null => {
    const key = directionKey(direction)
    const most = bounds.get(key)
    return most === undefined ? null : most - (takenBefore(state).get(key) ?? 0n)
  }
  const swaps: MarketPool['adapter']['swaps'] = {
    ...adapter.swaps,
    swap(own, state, direction, amountIn) {
      const left = leftIn(state, direction)
      if (left !== null && amountIn > left) return { ...full, after: () => state }
      const swapped = swap(own, state, direction, amountIn)
      return {
        amountOut: swapped.amountOut,
        exact: swapped.exact,
        after() {
          const after = swapped.after()
          if (after !== state) {
            const key = directionKey(direction)
            const before = takenBefore(state)
            taken.set(
              Object(after),
              new Map([...before, [key, (before.get(key) ?? 0n) + amountIn]]),
            )
          }
          return after
        },
      }
    },
    ...(estimator && {
      estimator(own, state, direction) {
        const left = leftIn(state, direction)
        const estimate = estimator(own, state, direction)
        return (amountIn) => (left !== null && amountIn > Number(left) ? 0 : estimate(amountIn))
      },
    }),
  }
  return { ...pool, adapter: { ...adapter, swaps }, bounds }
}

const none: Bounds = new Map()
const full = { amountOut: 0n, exact: true } as const
