/** What one call is given besides its request: orders of its key and of all, those that makers sign for it, and overlays. */
import { z } from 'zod'
import type { LaneHistories } from '../domain/bridges/lane-history.js'
import type { StateOverlay } from '../domain/changes/overlay.js'
import type { CallContext } from '../domain/engine.js'
import type { Operations } from '../domain/operations/operations.js'
import type { Makers, SignedOrder } from '../domain/signed-order.js'
import type { RouteDefinition } from './contract.js'

/** Without keys all callers are one owner. No key has this id. */
const everybody = 'everybody'

/** @param hasKeys - false: the service asks for no keys. */
export function ownerOf(hasKeys: boolean, caller: string): string {
  return hasKeys ? caller : everybody
}

/** A call about the newest block whose answer has a place to say so. */
export function takesOverlay(
  { response }: Pick<RouteDefinition, 'response'>,
  input: unknown,
): boolean {
  const { blockNumber } = Object(input) as { readonly blockNumber?: unknown }
  return response instanceof z.ZodObject && 'overlay' in response.shape && blockNumber === undefined
}

export interface CallInputs {
  /**
   * The same however often a call asks, whatever is imported or published meanwhile.
   * @param takesOverlay - false: the call is about the chain as it is.
   */
  context(
    takesOverlay: boolean,
  ): Pick<CallContext, 'orders' | 'makers' | 'overlay' | 'onOverlay' | 'onLaneHistories'>
  /** All that the call has asked for, for a recording. */
  given(): {
    readonly orders: readonly SignedOrder[]
    readonly overlays: readonly StateOverlay[]
    readonly laneHistories: readonly LaneHistories[]
  }
  /** The overlay that the answer was calculated with; null: none was. */
  usedOverlay(): StateOverlay | null
}

export function inputsFor(
  operations: Pick<Operations, 'usableOrders' | 'makers' | 'overlay'>,
  owner: string,
): CallInputs {
  const orders = new Map<number, readonly SignedOrder[]>()
  const overlays = new Map<number, StateOverlay | null>()
  const used: StateOverlay[] = []
  const signed: SignedOrder[] = []
  const histories: LaneHistories[] = []
  const own = {
    orders(chainId: number) {
      const known = orders.get(chainId) ?? operations.usableOrders(owner, chainId)
      orders.set(chainId, known)
      return known
    },
    onLaneHistories: (found: LaneHistories) => void histories.push(found),
  }
  const makers: Makers = {
    levels: (chainId) => operations.makers.levels(chainId),
    async sign(demand, within) {
      const order = await operations.makers.sign(demand, within)
      if (order) signed.push(order)
      return order
    },
  }
  const withOverlay = {
    ...own,
    makers,
    overlay(chainId: number) {
      const known = overlays.get(chainId)
      if (known !== undefined) return known
      const overlay = operations.overlay(chainId)
      overlays.set(chainId, overlay)
      return overlay
    },
    onOverlay: (overlay: StateOverlay) => void used.push(overlay),
  }
  return {
    context: (takesOverlay) => (takesOverlay ? withOverlay : own),
    given: () => ({
      orders: [...orders.values(), signed].flat(),
      overlays: [...new Set(used)],
      laneHistories: histories,
    }),
    usedOverlay: () => used[0] ?? null,
  }
}
