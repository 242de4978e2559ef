/**
 * Stargate V2 over LayerZero: a pool takes tokens and sends a message, a pool of the same asset pays on the destination,
 * within the credit that the path has. An order runs in a second transaction, which the endpoint lets anybody make: the
 * pool pays our landing for it. Pools and endpoints are in the chains' definitions, limits and fees in the pools.
 */
import { getAbiItem, parseAbi } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { type Probe, probe } from '../../chains/probe.js'
import { type Amount, type ExecutorStep, isAmountRef } from '../../domain/order.js'
import { isNative, nativeToken, zeroAddress } from '../../domain/primitives.js'
import { contractAddress } from '../../executor/deployments.js'
import type { BridgeAdapter, DeliveryTerms, EncodeArgs, Lane } from '../bridge.js'
import { laneDecimals, toTokenIn } from '../decimals.js'
import { poolAbi } from './abi.js'
import { deliveriesIn, landingOf, poolOn, simulation } from './deliveries.js'
import { stargateErrorsAbi } from './errors.js'
import { stargateChain, stargatePools } from './pools.js'
import { quote, sendParameters } from './quote.js'
import { status } from './status.js'

/** Where the chain's definition says nothing: blocks that LayerZero's verifiers wait for, and both transactions. */
const usualSeconds = 60

const send = getAbiItem({ abi: poolAbi, name: 'send' })
const [differenceAbi, sumAbi] = parseAbi([
  'function difference(uint256 a, uint256 b) pure returns (uint256)',
  'function sum(uint256[] amounts) pure returns (uint256 total)',
])

function probes(chain: ChainDefinition): Probe[] {
  const addresses = stargateChain(chain)
  if (!addresses) return []
  const { endpoint, tokenMessaging, eid } = addresses
  return [
    probe('LayerZero EndpointV2', endpoint, 'eid()', BigInt(eid)),
    probe('Stargate TokenMessaging', tokenMessaging, 'endpoint()', endpoint),
    ...stargatePools(chain).flatMap(({ symbol, pool, token }) => {
      const name = `Stargate pool of ${symbol}`
      return [
        probe(name, pool, 'token()', isNative(token) ? zeroAddress : token),
        probe(name, pool, 'endpoint()', endpoint),
      ]
    }),
  ]
}

function lanes(source: ChainDefinition, destination: ChainDefinition): Lane[] {
  const layerZero = stargateChain(destination)
  if (!layerZero || source.id === destination.id) return []
  const arriving = stargatePools(destination)
  const { estimatedSeconds = usualSeconds } = source.bridges?.stargate ?? {}
  return stargatePools(source).flatMap((pool) => {
    const other = arriving.find(({ symbol }) => symbol === pool.symbol)
    if (!other) return []
    const orderReceiver = landingOf(other)
    return [
      {
        bridge: 'stargate',
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
        details: { dstEid: layerZero.eid },
      },
    ]
  })
}

/** Measured on the sandbox. */
function gasEstimate({ tokenIn }: Lane, { message }: DeliveryTerms): bigint {
  return (isNative(tokenIn) ? 241_000n : 289_000n) + (message === '0x' ? 0n : 42_000n)
}

function encode(args: EncodeArgs): ExecutorStep[] {
  const { lane, terms, nativeFee, refundReceiver, quote } = args
  const { steps, amount, value } = isNative(lane.tokenIn)
    ? nativeAmounts(args)
    : { steps: [], amount: args.amountIn, value: nativeFee }
  // The pool rounds the minimum down to its units; what it delivers is whole ones.
  const minimum = toTokenIn(lane, args.minimumDelivered)
  const minAmountLD = ((minimum + quote.unit - 1n) / quote.unit) * quote.unit
  const sent = sendParameters(lane, terms, { amountLD: amount, minAmountLD })
  const call: ExecutorStep = {
    kind: 'call',
    target: lane.primary,
    abi: send,
    args: [sent, { nativeFee, lzTokenFee: 0n }, refundReceiver],
    value,
  }
  if (isNative(lane.tokenIn)) return [...steps, call]
  const approve = { kind: 'approve', token: lane.tokenIn, spender: lane.primary } as const
  // Whole units are taken, so that some of the allowance may be left.
  return [{ ...approve, amount }, call, { ...approve, amount: 0n }]
}

/** A pool of ether is sent amount and fee as one value, which is the sum on chain where the amount is. */
function nativeAmounts({ amountIn, nativeFee, firstStep, helpers }: EncodeArgs): {
  steps: ExecutorStep[]
  amount: Amount
  value: Amount
} {
  if (!isAmountRef(amountIn)) return { steps: [], amount: amountIn, value: amountIn + nativeFee }
  const output = { kind: 'word', index: 0 } as const
  const step = { kind: 'call', target: helpers.Values, output } as const
  const result: Amount = { ref: 'output', step: firstStep }
  const { bps = 10_000 } = amountIn
  if (amountIn.ref === 'balance' && amountIn.token === nativeToken && bps === 10_000) {
    const rest: ExecutorStep = { ...step, abi: differenceAbi, args: [amountIn, nativeFee] }
    return { steps: [rest], amount: result, value: amountIn }
  }
  const whole: ExecutorStep = { ...step, abi: sumAbi, args: [[amountIn, nativeFee]] }
  return { steps: [whole], amount: amountIn, value: result }
}

export const stargate: BridgeAdapter = {
  slug: 'stargate',
  name: 'Stargate',
  names: ['stargate', 'layerzero'],
  hasNativeFee: true,
  hasGasDrop: true,
  obeysSender: false,
  lanes,
  probes,
  quote,
  gasEstimate,
  poolOf: (delivery, destination) => poolOn(destination, delivery)?.pool ?? null,
  errorsAbi: stargateErrorsAbi,
  encode,
  deliveriesIn,
  simulation,
  status,
}
