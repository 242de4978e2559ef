/** Finds the transactions of a block that sandwich another one. Pure. */
import type { Address } from '../domain/primitives.js'
import { type PoolTrade, poolOf } from './pool-trades.js'
import type { NetFlows } from './read-swap.js'

/** A transaction as far as a sandwich shows in it. */
export interface TradingTransaction {
  readonly from: Address
  readonly to: Address | null
  /** A transaction that failed has none. */
  readonly trades: readonly PoolTrade[]
  readonly flows: NetFlows
}

export interface FoundSandwich {
  readonly attacker: Address
  /** Positions in the block of the transactions before and behind, ascending. */
  readonly fronts: readonly number[]
  readonly backs: readonly number[]
  /** Keys of the pools in which both traded. */
  readonly pools: readonly string[]
}

interface Scene {
  readonly block: readonly TradingTransaction[]
  /** Position of the victim in the block. */
  readonly index: number
  readonly victim: TradingTransaction
}

/**
 * One account sends, or one contract holds, a trade in a pool of the victim before it in the same direction, and one
 * behind it in the opposite one. A contract that only passes tokens on is no attacker: strangers call the same router.
 *
 * @param index - position of the victim in the block.
 * @returns null: none is found. Where several are, the one whose front is nearest.
 */
export function findSandwich(
  block: readonly TradingTransaction[],
  index: number,
): FoundSandwich | null {
  const victim = block[index]
  if (!victim || victim.trades.length === 0) return null
  const scene = { block, index, victim }
  const found = actorsBefore(scene).flatMap((attacker) => sandwichBy(attacker, scene) ?? [])
  return found.sort((a, b) => (b.fronts.at(-1) ?? 0) - (a.fronts.at(-1) ?? 0))[0] ?? null
}

/** Senders first, so that a sandwich of one account by its own contract is told as the account's. */
function actorsBefore({ block, index, victim }: Scene): Address[] {
  const traders = block.slice(0, index).filter(({ trades }) => trades.length > 0)
  const actors = [...traders.map(({ from }) => from), ...traders.flatMap(({ to }) => to ?? [])]
  return [...new Set(actors)].filter((actor) => actor !== victim.from)
}

function sandwichBy(attacker: Address, { block, index, victim }: Scene): FoundSandwich | null {
  const around = victim.trades.flatMap((trade) => {
    const own = block.flatMap((transaction, at) => {
      if (at === index || !isBy(attacker, transaction)) return []
      const direction = directionOf(transaction, trade)
      return direction ? [{ at, direction }] : []
    })
    const before = own.filter(({ at }) => at < index).reverse()
    const behind = own.filter(({ at }) => at > index)
    // A trade back ends a sandwich, and what lies beyond it belongs to another one.
    const fronts = leading(before, 'same')
    const backs = leading(behind, 'opposite')
    return fronts.length > 0 && backs.length > 0 ? [{ pool: poolOf(trade), fronts, backs }] : []
  })
  if (around.length === 0) return null
  const ascending = (list: number[]) => [...new Set(list)].sort((a, b) => a - b)
  return {
    attacker,
    fronts: ascending(around.flatMap(({ fronts }) => fronts)),
    backs: ascending(around.flatMap(({ backs }) => backs)),
    pools: [...new Set(around.map(({ pool }) => pool))],
  }
}

function isBy(attacker: Address, { from, to, flows }: TradingTransaction): boolean {
  return from === attacker || (to === attacker && (flows.get(attacker) ?? []).length > 0)
}

type Direction = 'same' | 'opposite'

/** Null: it does not trade the pool, or in both directions. */
function directionOf({ trades }: TradingTransaction, trade: PoolTrade): Direction | null {
  const inPool = trades.filter((one) => poolOf(one) === poolOf(trade))
  const isSame = inPool.some(({ tokenIn }) => tokenIn === trade.tokenIn)
  const isOpposite = inPool.some(({ tokenOut }) => tokenOut === trade.tokenIn)
  if (isSame === isOpposite) return null
  return isSame ? 'same' : 'opposite'
}

/** Positions up to the first trade in the other direction. */
function leading(
  trades: readonly { readonly at: number; readonly direction: Direction }[],
  direction: Direction,
): number[] {
  const end = trades.findIndex((trade) => trade.direction !== direction)
  return trades.slice(0, end < 0 ? undefined : end).map(({ at }) => at)
}
