import type { VenueParameters } from '../../../chains/chain.js'
import type { Address } from '../../../domain/primitives.js'
import { canSwap } from '../../../protocols/protocol.js'
import type { MarketPool } from '../../market/market-view.js'
import { checkSwap, performSwap, swapInputs } from '../action-parts.js'
import { defineServiceAction, optional } from '../service-action.js'

export const swap = defineServiceAction({
  name: 'swap',
  description: 'A swap by the named protocol alone.',
  inputs: {
    ...swapInputs,
    primaryAddress: optional(
      'address',
      "The one pool to swap in, or the protocol's router; absent or the router: any pool of the protocol.",
    ),
    poolFee: optional(
      'integer',
      'Fee of the pools to swap in, 1/1,000,000; below 100 also read as basis points.',
    ),
  },
  isPriced: true,
  paysReceiver: true,
  isOfProtocols: true,
  takes: [['tokenIn', 'amountIn']],
  outputs: () => 1,
  check(args, context) {
    checkSwap(args, context)
    const { poolFee } = args
    if (poolFee !== undefined && (poolFee < 0 || poolFee > 1_000_000)) {
      context.refuse('poolFee', 'a number from 0 to 1000000')
    }
  },
  perform({ primaryAddress, poolFee, ...args }, context) {
    const { only, builder } = context
    const { venues } = builder.task.chain
    const isAllowed = ({ adapter, loaded }: MarketPool) =>
      (!only || adapter === only) &&
      canSwap(adapter) &&
      (!primaryAddress ||
        loaded.pool.address === primaryAddress ||
        routersOf(venues[adapter.slug] ?? {}).includes(primaryAddress)) &&
      (poolFee === undefined || hasFee(loaded, poolFee))
    return performSwap(args, context, { isAllowed })
  },
})

/** Contracts by which clients of the protocol swap in its pools. */
function routersOf({ router, routers, vault, poolManager }: VenueParameters): readonly Address[] {
  return [router, routers, vault, poolManager].flatMap((each) => each ?? []) as Address[]
}

/** Pools without a fee of their own are all of one fee. */
function hasFee({ pool }: MarketPool['loaded'], fee: number): boolean {
  const { fee: ownFee, feeBps } = pool.parameters
  const own = ownFee === undefined ? Number(feeBps) * 100 : Number(ownFee)
  return own === fee || (fee < 100 && own === fee * 100)
}
