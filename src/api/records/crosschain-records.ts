/** What answers say of another chain, and of what is not enforced on either. */
import { z } from 'zod'
import type { CrosschainFacts } from '../../domain/bridges/terms.js'
import { defined } from '../../domain/defined.js'
import type { RouteAnswer } from '../../domain/engine.js'
import type { Cost } from '../../domain/primitives.js'
import { Address, BlockNumber, ChainId, Wei } from './record-parts.js'

export const cost = {
  native: Wei,
  usd: z.number().nullable().meta({ description: 'Null without a price.' }),
}
/** Fields of a route or a bundle over a bridge. */
export const crosschain = {
  destinationChainId: ChainId.optional().meta({
    description:
      'Chain on which tokenOut is received; absent where it is chainId, and of a bundle that leads to several.',
  }),
  destinationBlockNumber: BlockNumber.optional().meta({
    description:
      'Block of the destination at whose end its state was read; absent as destinationChainId.',
  }),
  bridgeFee: z.object(cost).optional().meta({
    description:
      'What the messaging costs in the native token of the source; tx.value sends a tenth more, which comes back.',
  }),
  bridgingEstimates: z
    .array(
      z.object({
        bridge: z.string().meta({ description: 'Slug of the bridge.' }),
        fromChainId: ChainId,
        toChainId: ChainId,
        token: Address.meta({ description: 'What the bridge takes.' }),
        estimatedSeconds: z
          .number()
          .meta({ description: 'The median of what is measured; as configured without it.' }),
        measured: z
          .object({
            p90Seconds: z.number().meta({ description: 'Nine of ten took no longer.' }),
            deliveries: z.number().meta({ description: 'So many.' }),
          })
          .optional()
          .meta({
            description: 'Of the newest deliveries over the lane, by the events of both chains.',
          }),
        afterwards: z
          .array(
            z.object({
              action: z.enum(['prove', 'finalize']),
              chainId: ChainId.meta({ description: 'Chain that it is sent on.' }),
              sender: z.literal('anyone').meta({ description: 'Who has to send it.' }),
              afterSeconds: z.number().meta({
                description:
                  'Not before so long after the transaction on the source; as configured.',
              }),
            }),
          )
          .optional()
          .meta({
            description:
              'What has to be sent on toChainId before it pays, in order: bridge/check gives the transactions. Absent: nothing.',
          }),
      }),
    )
    .optional()
    .meta({ description: 'How long what is sent is on its way.' }),
}

/** Fields of a route over a bridge. */
export const routeCrosschain = {
  ...crosschain,
  gasDrop: z
    .object({
      receiver: Address.meta({ description: 'Of the outputs, too.' }),
      amount: Wei.meta({ description: 'Native token of the destination.' }),
    })
    .optional()
    .meta({
      description:
        'What the bridge pays the receiver besides, out of bridgeFee; no chain enforces it. Absent: none was asked for.',
    }),
}

export const UnprotectedList = z
  .array(
    z
      .object({
        action: z.int().meta({ description: 'Index of the action that yields it.' }),
        token: Address.optional(),
        position: z.string().optional(),
        receiver: Address.optional(),
        reason: z.string(),
      })
      .meta({ id: 'Unprotected' }),
  )
  .optional()
  .meta({ description: 'Outputs that the transaction does not enforce; absent: all are.' })

const ArrivalPayment = z.object({
  action: z.int().meta({ description: 'Index in the callback.' }),
  token: Address.meta({ description: 'What is paid.' }),
  receiver: Address.meta({ description: 'Who gets it.' }),
  amountOut: Wei.meta({ description: 'What arrives, raw units; a part of amountsOut.' }),
  minAmountOut: Wei.meta({ description: 'What must arrive at least; a part of minAmountsOut.' }),
})
export const BundleArrival = z
  .object({
    receiver: Address.meta({
      description: 'Who gets what comes out; where the callback fails, what the bridge delivers.',
    }),
    delivered: z
      .object({
        token: Address.meta({ description: 'On the destination.' }),
        amount: Wei.meta({ description: 'Raw units of it.' }),
      })
      .meta({ description: 'What the bridge delivers, raw units.' }),
    amountsOut: z.record(Address, Wei).meta({
      description: 'Raw units that the receiver gains, by token; and those that actions name.',
    }),
    minAmountsOut: z.record(Address, Wei).meta({
      description: 'What is enforced of it: by the order, or by the bridge where no order runs.',
    }),
    payments: z
      .array(ArrivalPayment)
      .optional()
      .meta({ description: 'What actions pay to receivers that they name; absent: nothing.' }),
    unprotected: UnprotectedList,
  })
  .meta({ id: 'BundleArrival' })

export const BundleArrivals = z.array(
  z
    .object({
      action: z.int().meta({
        description: 'Index of the action that sends it, or that holds the callback that does.',
      }),
      callbackAction: z.int().optional().meta({
        description: 'Index in the callback that sends it on; absent: the bundle itself sends it.',
      }),
      bridge: z.string().meta({ description: 'Slug of the bridge.' }),
      destinationChainId: ChainId.meta({ description: 'Chain that it leads to.' }),
      destinationBlockNumber: BlockNumber.meta({
        description: 'Block of the destination at whose end its state was read.',
      }),
      bridgeFee: z.object(cost).meta({
        description:
          'Its part of bridgeFee; of what a callback sends on, what is paid there out of what has arrived.',
      }),
      ...BundleArrival.shape,
    })
    .meta({ id: 'BundleArrivalOfSeveral' }),
)

export function toCost({ native, usd }: Cost) {
  return { native: native.toString(), usd }
}

/** Nothing where the route stays on its chain. */
export function crosschainFields({ crosschain }: Pick<RouteAnswer, 'crosschain'>) {
  return crosschain ? toCrosschain(crosschain) : {}
}

export function toCrosschain({ destinationBlock, bridgeFee, gasDrop, estimates }: CrosschainFacts) {
  return {
    destinationChainId: destinationBlock.chainId,
    destinationBlockNumber: Number(destinationBlock.number),
    bridgeFee: toCost(bridgeFee),
    ...defined({ gasDrop: gasDrop && { ...gasDrop, amount: gasDrop.amount.toString() } }),
    bridgingEstimates: estimates.map(({ afterwards, ...one }) => ({
      ...one,
      ...defined({ afterwards: afterwards?.map((later) => ({ ...later })) }),
    })),
  }
}
