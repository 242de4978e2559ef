/**
 * A bridge over LayerZero: lanes between tokens of one symbol, a transaction on the source that sends, one on the
 * destination that receives, and another, of anybody, that runs an order with what our landing was paid. What is quoted,
 * and of whom, each bridge says itself.
 */
import { getAbiItem } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import type { ExecutorStep } from '../../domain/order.js'
import { isNative } from '../../domain/primitives.js'
import { contractAddress } from '../../executor/deployments.js'
import type { BridgeAdapter, EncodeArgs, Lane } from '../bridge.js'
import { laneDecimals, toTokenIn } from '../decimals.js'
import { nativeAmounts } from '../native-amounts.js'
import { oftAbi } from './abi.js'
import { deliveriesIn, poolOn, sentEvents, simulation, withAmounts } from './deliveries.js'
import { type Family, landingOf, layerZeroChain } from './family.js'
import { sendParameters } from './send.js'
import { status } from './status.js'

/** Where the chain's definition says nothing: blocks that LayerZero's verifiers wait for, and both transactions. */
const usualSeconds = 60

const send = getAbiItem({ abi: oftAbi, name: 'send' })

type Own = Pick<BridgeAdapter, 'name' | 'names' | 'probes' | 'quote' | 'gasEstimate' | 'errorsAbi'>

export function layerZeroBridge(family: Family, own: Own): BridgeAdapter {
  return {
    slug: family.slug,
    hasNativeFee: true,
    hasGasDrop: true,
    hasCallValue: true,
    obeysSender: false,
    ...own,
    lanes: (source, destination) => lanes(family, source, destination),
    ...(family.paysOutOfPools && {
      poolOf: (delivery, destination) => poolOn(family, destination, delivery)?.pool ?? null,
    }),
    encode,
    sentEvents: (source) => sentEvents(family, source),
    deliveriesIn: (logs, source, known) => deliveriesIn(family, logs, source, known),
    withAmounts: (...args) => withAmounts(family, ...args),
    simulation: (...args) => simulation(family, ...args),
    status: (...args) => status(family, ...args),
  }
}

function lanes(family: Family, source: ChainDefinition, destination: ChainDefinition): Lane[] {
  const layerZero = layerZeroChain(destination)
  if (!layerZero || source.id === destination.id) return []
  const arriving = family.tokensOn(destination)
  const { estimatedSeconds = usualSeconds } = source.bridges?.stargate ?? {}
  return family.tokensOn(source).flatMap((pool) => {
    const other = arriving.find(({ symbol }) => symbol === pool.symbol)
    if (!other) return []
    const orderReceiver = landingOf(other)
    return [
      {
        bridge: family.slug,
        symbol: pool.symbol,
        sourceChainId: source.id,
        destinationChainId: destination.id,
        tokenIn: pool.token,
        tokenOut: other.token,
        tokenOutToAccounts: other.token,
        primary: pool.pool,
        orderReceiver,
        orderContracts: [orderReceiver, contractAddress('DestinationReceiver')],
        estimatedSeconds: Number(estimatedSeconds),
        ...laneDecimals(pool.decimals ?? null, other.decimals ?? null),
        details: { dstEid: layerZero.eid, peer: other.messenger },
      },
    ]
  })
}

function encode(args: EncodeArgs): ExecutorStep[] {
  const { lane, terms, nativeFee, refundReceiver, quote } = args
  const { steps, amount, value } = isNative(lane.tokenIn)
    ? nativeAmounts(args)
    : { steps: [], amount: args.amountIn, value: nativeFee }
  // The pool rounds the minimum down to its units; what it delivers is whole ones.
  const minimum = toTokenIn(lane, args.minimumDelivered)
  const minAmountLD = ((minimum + quote.unit - 1n) / quote.unit) * quote.unit
  const sent = sendParameters(lane, terms, { amountLD: amount, minAmountLD }, receiptGasOf(quote))
  const call: ExecutorStep = {
    kind: 'call',
    target: lane.primary,
    abi: send,
    args: [sent, { nativeFee, lzTokenFee: 0n }, refundReceiver],
    value,
  }
  if (isNative(lane.tokenIn) || quote.details?.approval === 'none') return [...steps, call]
  const approve = { kind: 'approve', token: lane.tokenIn, spender: lane.primary } as const
  // Whole units are taken, so that some of the allowance may be left.
  return [{ ...approve, amount }, call, { ...approve, amount: 0n }]
}

/** Gas of the receipt that the sender buys beside what the message adds. */
function receiptGasOf({ details }: EncodeArgs['quote']): bigint {
  return BigInt(details?.receiptGas ?? 0)
}
