/** Paths, and trails: the paths of a search while it goes on, which share their beginnings. Pure. */
import type { Address } from '../../domain/primitives.js'
import type { MarketPool } from '../market/market-view.js'
import { type Hop, isSameState } from './hop.js'

export interface Path {
  readonly hops: readonly Hop[]
  /** Raw units of the last token by native math. */
  readonly amountOut: bigint
  /** False when any hop's quote is an estimate. */
  readonly exact: boolean
  /** Rough gas of the hops alone. */
  readonly gas: bigint
  /** Identity for ties and for removing doubles: pool id first, then protocol and token, since pools of many tokens and shared ids exist. */
  readonly key: string
}

/** The way to a token, by its last hop. */
export interface TrailHop {
  readonly before: TrailHop | null
  readonly hop: Hop | null
  readonly amountOut: bigint
  readonly exact: boolean
  readonly gas: bigint
}

/** One token path and its best steps, best first. */
export interface Trail {
  readonly before: Trail | null
  readonly token: Address
  readonly steps: readonly TrailHop[]
}

/** Whether the token is one of the trail's. */
export function visits(trail: Trail, token: Address): boolean {
  for (let at: Trail | null = trail; at; at = at.before) if (at.token === token) return true
  return false
}

/** Whether a swap on the way changes what the pool quotes. */
export function uses(step: TrailHop, market: MarketPool): boolean {
  for (let at: TrailHop | null = step; at; at = at.before) {
    if (at.hop?.kind === 'swap' && isSameState(at.hop.market, market)) return true
  }
  return false
}

function hopsOf(step: TrailHop): Hop[] {
  const hops: Hop[] = []
  for (let at: TrailHop | null = step; at; at = at.before) if (at.hop) hops.unshift(at.hop)
  return hops
}

export function toPath(step: TrailHop): Path {
  const hops = hopsOf(step)
  const { amountOut, exact, gas } = step
  return { hops, amountOut, exact, gas, key: keyOf(hops) }
}

function keyOf(hops: readonly Hop[]): string {
  return hops
    .map((hop) => {
      if (hop.kind !== 'swap') return `/${hop.kind}`
      const { id, protocol } = hop.market.loaded.pool
      return `/${id}:${protocol}>${hop.tokenOut}`
    })
    .join('')
}

export function breakTie(a: TrailHop, b: TrailHop): number {
  return byKey(toPath(a), toPath(b))
}

/** Fewer hops first, then by pool ids. */
export function byKey(a: Pick<Path, 'hops' | 'key'>, b: Pick<Path, 'hops' | 'key'>): number {
  if (a.hops.length !== b.hops.length) return a.hops.length - b.hops.length
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}
