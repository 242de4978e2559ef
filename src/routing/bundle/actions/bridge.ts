import { isRefusal, type Lane, type LaneRefusal } from '../../../bridges/bridge.js'
import type { TypedAction } from '../../../domain/bundle.js'
import { defined } from '../../../domain/defined.js'
import { ForkrouteError } from '../../../domain/errors.js'
import { type Amount, isAmountRef } from '../../../domain/order.js'
import { lessSlippage, nativeToken } from '../../../domain/primitives.js'
import type { BundleContext } from '../bundle-context.js'
import { defineServiceAction, optional, required } from '../service-action.js'

/** What is sent beside the messaging fee that was quoted, which may rise until the transaction is mined; it comes back. */
const feeMarginPercent = 10n

/** What it sends is planned by whoever knows both chains. */
export const bridge = defineServiceAction({
  name: 'bridge',
  description: 'Sends a token to another chain, for actions to run with it there.',
  inputs: {
    tokenIn: required('address', 'Token that the bridge takes.'),
    amountIn: required('amount', 'Raw units.'),
    primaryAddress: required('address', 'The contract of the bridge that is sent through.'),
    destinationChainId: required('integer', 'Chain that it is sent to.'),
    receiver: optional('address', 'Who gets what arrives; default the receiver of the bundle.'),
    callback: optional(
      'actions',
      'Actions on the destination with what arrives: the first is balance of it; references count from there.',
    ),
    callbackValue: optional(
      'signed',
      'Wei of the destination’s native token for the callback, beside what arrives: over Stargate and OFTs.',
    ),
    protocolArgs: optional(
      'fields',
      'Wishes about the bridge by name: CCTP takes {transferType: standard or fast}. What a bridge does not know is named in warnings.',
    ),
  },
  isPriced: false,
  takes: [['tokenIn', 'amountIn']],
  takesNumbers: true,
  outputs: () => 0,
  check({ protocolArgs = {} }, { refuse }) {
    if (protocolArgs.isHyperCoreTransfer === true) {
      refuse('protocolArgs', 'without isHyperCoreTransfer: no bridge here delivers to HyperCore')
    }
  },
  async perform({ tokenIn, amountIn, protocolArgs = {} }, { builder, index, add, helper, runner }) {
    const { task, args } = builder
    const bridgeCall = args.bridgeCalls?.get(index)
    if (!bridgeCall) throw new RangeError('A bridge needs a lane.')
    const { bridge: adapter, lane, terms, centiBps, least } = bridgeCall
    const expected =
      (least === 0n && foreseen(builder, amountIn)) || (await builder.searchAmount(amountIn, index))
    const { chain } = task
    const quote = await adapter.quote({
      lane,
      terms,
      chain,
      amountIn: expected,
      sender: runner,
      reader: task.reader,
      priceOf: async (token) =>
        (await task.facts.pricedTokens(task.reader, [token])).get(token) ?? null,
    })
    if (isRefusal(quote)) throw refused(lane, quote)
    bridgeCall.onQuote(quote)
    const nativeFee = quote.nativeFee + (quote.nativeFee * feeMarginPercent) / 100n
    const steps = adapter.encode({
      lane,
      terms,
      amountIn,
      quote,
      quotedAmountIn: expected,
      nativeFee,
      minimumDelivered: least ?? lessSlippage(quote.delivered, centiBps),
      refundReceiver: bridgeCall.refundReceiver,
      sender: args.request.fromAddress,
      firstStep: builder.draft.firstStep + builder.draft.steps.length,
      helpers: { Values: helper('Values') },
    })
    for (const step of steps) add(step)
    const record = {
      action: 'bridge',
      protocol: lane.bridge,
      tokenIn: [tokenIn],
      tokenOut: [lane.tokenOut],
      positionInId: [],
      positionOutId: [],
      chainId: chain.id,
      sourceChainId: chain.id,
      destinationChainId: lane.destinationChainId,
      primary: lane.primary,
    }
    return {
      spends: [
        { token: tokenIn, amount: amountIn },
        ...(nativeFee > 0n ? [{ token: nativeToken, amount: nativeFee }] : []),
      ],
      outputs: [],
      leftovers: [tokenIn],
      route: [{ record, amounts: { taken: [[amountIn]], given: [[quote.delivered]] } }],
      centiBps,
      warnings: [
        ...quote.warnings,
        ...Object.keys(protocolArgs)
          .filter((name) => !(adapter.hasFastTransfers && name === 'transferType'))
          .map(
            (name) =>
              `protocolArgs.${name.slice(0, 64)} is not known to ${lane.bridge} and is left out.`,
          ),
      ],
    }
  },
})

/** Splits before it keep off the tokens that it mentions: the one in which it is paid beside the amount is among them. */
export function mentionsFee(
  action: TypedAction,
  { hasNativeFee }: { readonly hasNativeFee: boolean },
): TypedAction {
  return hasNativeFee ? { ...action, values: { ...action.values, feeToken: nativeToken } } : action
}

/** Where it is only to be learnt what is sent, what the swaps before it gave by themselves does. */
function foreseen({ draft }: BundleContext, amount: Amount): bigint | null {
  if (!isAmountRef(amount)) return null
  const name = JSON.stringify(amount)
  return draft.minimums.find((one) => JSON.stringify(one.amount) === name)?.quoted ?? null
}

export function refused(lane: Lane, { reason, message, limit }: LaneRefusal): ForkrouteError {
  return new ForkrouteError('NO_ROUTE', message, {
    bridge: lane.bridge,
    token: lane.tokenIn,
    reason,
    ...defined({ limit: limit?.toString() }),
  })
}
