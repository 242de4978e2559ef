/** Curves of lanes and links: sampled once per pool and direction, kept for all requests of a block. */
import { type Curve, inParallel, sampleCurve } from './curve.js'
import { type Lane, type Link, laneKey } from './network.js'

/** Of curves that serve one round only. */
const coarseRatio = 1.15
const fineRatio = 1.04

/** Curves of pools as the block left them, but for the lanes that are given another state. */
export interface CurrentCurves {
  /** Null: the lane gives nothing. */
  of(lane: Lane): Curve | null
  /** The lanes of a link that may be used, and their curve. */
  openLanes(link: Link): readonly Lane[]
  ofLink(link: Link): Curve | null
  isChanged(lane: Lane): boolean
  stateOf(lane: Lane): unknown
}

export interface LaneCurves {
  /**
   * @param states - by `laneKey`: other states of the lane's pool.
   * @param closed - by `laneKey`: what links leave out.
   */
  after(states: ReadonlyMap<string, unknown>, closed: ReadonlySet<string>): CurrentCurves
}

export function createLaneCurves(): LaneCurves {
  const known = new Map<string, Curve | null>()
  const links = new Map<string, Curve | null>()
  return {
    after(states, closed) {
      const changed = new Map<string, Curve | null>()
      const isChanged = (lane: Lane) => states.has(laneKey(lane))
      const stateOf = (lane: Lane) =>
        isChanged(lane) ? states.get(laneKey(lane)) : lane.market.loaded.state
      const of = (lane: Lane) =>
        remember(isChanged(lane) ? changed : known, laneKey(lane), () =>
          sampleCurve(outputOf(lane, stateOf(lane)), isChanged(lane) ? coarseRatio : fineRatio),
        )
      const join = (lanes: readonly Lane[]) => {
        const curves = lanes.flatMap((lane) => of(lane) ?? [])
        return curves.length ? inParallel(curves) : null
      }
      const openLanes = (link: Link) => link.filter((lane) => !closed.has(laneKey(lane)))
      const ofLink = (link: Link) => {
        if (link.some(isChanged)) return join(openLanes(link))
        return remember(links, link.map(laneKey).join(), () => join(link))
      }
      return { of, openLanes, ofLink, isChanged, stateOf }
    },
  }
}

function remember<T>(values: Map<string, T>, key: string, make: () => T): T {
  const known = values.get(key)
  if (known !== undefined) return known
  const value = make()
  values.set(key, value)
  return value
}

/** Raw units of tokenOut in a state of the pool; 0n where it serves none or the quote is not exact. */
export function outputOf(
  { market, tokenIn, tokenOut }: Lane,
  state: unknown,
): (amountIn: bigint) => bigint {
  const { adapter, loaded } = market
  return (amountIn) => {
    if (amountIn <= 0n) return 0n
    const quote = adapter.swaps.swap(loaded.pool, state, { tokenIn, tokenOut }, amountIn)
    return quote.exact ? quote.amountOut : 0n
  }
}
