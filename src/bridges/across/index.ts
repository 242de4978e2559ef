/**
 * Across: a deposit on the source that a relayer fills on the destination from its own funds, payment and order in one
 * transaction. What is delivered stands in the deposit, and no contract says what a relayer wants: a share of the amount
 * for it, and what the fill costs. Settings are given to `createAcross`; all else follows from the chains' definitions.
 */
import { encodeFunctionData, getAbiItem, keccak256, padHex, parseAbi, stringToHex } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { type Probe, probe } from '../../chains/probe.js'
import { chains } from '../../chains/registry.js'
import type { Amount, ExecutorStep } from '../../domain/order.js'
import {
  type Address,
  type Hex,
  nativeToken,
  toAddress,
  zeroAddress,
} from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import { contractAddress } from '../../executor/deployments.js'
import type {
  BridgeAdapter,
  Delivery,
  DeliveryTerms,
  EncodeArgs,
  EventFilter,
  Lane,
  PastTransfers,
} from '../bridge.js'
import { laneDecimals } from '../decimals.js'
import { orderOutcome, runsOrder } from '../order-outcome.js'
import { acrossErrorsAbi } from './errors.js'
import { laneHistory } from './fills.js'
import { fillDeadlineOffset, quoteDeposit, relayerTerms } from './quote.js'
import { type AcrossSettings, acrossDefaults } from './settings.js'
import {
  addressOf,
  depositTopics,
  filled,
  fillStatusSlot,
  fillTopics,
  fillTopicsFrom,
  fromDetails,
  fundsDepositedTopics,
  isFillOf,
  readDeposit,
  readFill,
  relayHash,
  spokePoolAbi,
  toDetails,
  unfilled,
} from './spoke-pool.js'
import { acrossTokens, spokePoolOf } from './tokens.js'
import { unfilledStatus } from './unfilled.js'

/** Where the chain's definition says nothing: most chains' deposits are filled within a few blocks. */
const usualSeconds = 15
/** Nobody's: simulated fills come from it. Without many zero bytes, which would make the fill cheaper than it is. */
const relayer: Address = `0x${keccak256(stringToHex('forkroute.across-relayer')).slice(-40)}`

const deposit = getAbiItem({ abi: spokePoolAbi, name: 'depositV3Now' })
const [differenceAbi, proportionAbi, requireAtLeastAbi] = parseAbi([
  'function difference(uint256 a, uint256 b) pure returns (uint256)',
  'function proportion(uint256 a, uint256 b, uint256 c) pure returns (uint256)',
  'function requireAtLeast(uint256 amount, uint256 minimum) pure returns (uint256)',
])

/** @param given - in place of the defaults. */
export function createAcross(given: Partial<AcrossSettings> = {}): BridgeAdapter {
  const settings: AcrossSettings = { ...acrossDefaults, ...given }
  return {
    slug: 'across',
    name: 'Across',
    names: ['across'],
    hasNativeFee: false,
    hasGasDrop: false,
    isPaidFromAmount: true,
    obeysSender: true,
    past,
    lanes,
    probes,
    quote: (args) => quoteDeposit(settings, args),
    gasEstimate,
    errorsAbi: acrossErrorsAbi,
    encode: (args) => encodeDeposit(settings, args),
    sentEvents,
    deliveriesIn,
    withAmounts,
    simulation,
    status,
  }
}

/** Steps of a deposit that states what is to be delivered, which is at least the minimum. */
function encodeDeposit(settings: AcrossSettings, args: EncodeArgs): ExecutorStep[] {
  const { lane, terms, amountIn, quotedAmountIn, minimumDelivered, sender, firstStep, helpers } =
    args
  const steps: ExecutorStep[] = []
  const wanted = relayerTerms(settings, args, quotedAmountIn)
  // A quote without them is a refusal.
  const { numerator, denominator, cost } = wanted ?? { numerator: 0n, denominator: 1n, cost: 0n }
  const value = (
    abi: (typeof differenceAbi | typeof proportionAbi) | typeof requireAtLeastAbi,
    values: readonly Amount[],
  ): Amount => {
    const output = { kind: 'word', index: 0 } as const
    steps.push({ kind: 'call', target: helpers.Values, abi, args: values, output })
    return { ref: 'output', step: firstStep + steps.length - 1 }
  }
  let outputAmount: Amount
  if (typeof amountIn === 'bigint') {
    const delivered = (amountIn * numerator) / denominator - cost
    outputAmount = delivered > 0n ? delivered : 0n
  } else {
    outputAmount = value(proportionAbi, [amountIn, numerator, denominator])
    if (cost > 0n) outputAmount = value(differenceAbi, [outputAmount, cost])
  }
  if (typeof outputAmount !== 'bigint' || outputAmount < minimumDelivered) {
    outputAmount = value(requireAtLeastAbi, [outputAmount, minimumDelivered])
  }
  const addresses = [sender, terms.receiver, lane.tokenIn, lane.tokenOut] as const
  const rest = [lane.destinationChainId, zeroAddress, fillDeadlineOffset, 0, terms.message]
  return [
    ...steps,
    { kind: 'approve', token: lane.tokenIn, spender: lane.primary, amount: amountIn },
    {
      kind: 'call',
      target: lane.primary,
      abi: deposit,
      args: [...addresses, amountIn, outputAmount, ...rest],
    },
  ]
}

const past: PastTransfers = {
  deposits(source, destinationChainId) {
    const address = spokePoolOf(source)
    return address && { address, topics: depositTopics(destinationChainId) }
  },
  readDeposit(log, source) {
    const found = readDeposit(log, source.id)
    if (!found) return null
    const { depositId, inputToken, outputToken, inputAmount, outputAmount, message } = found.relay
    return {
      id: depositId.toString(),
      tokenIn: addressOf(inputToken),
      tokenOut: addressOf(outputToken),
      amountIn: inputAmount,
      amountOut: outputAmount,
      at: log.timestamp,
      hasMessage: message !== '0x',
    }
  },
  deliveries(destination, sourceChainId) {
    const address = spokePoolOf(destination)
    return address && { address, topics: fillTopicsFrom(sourceChainId) }
  },
  readDelivery: readFill,
  history: laneHistory,
}

/** Measured on the sandbox. */
function gasEstimate({ symbol }: Lane, { message }: DeliveryTerms): bigint {
  return (symbol === 'WETH' ? 208_000n : 186_000n) + (message === '0x' ? 0n : 19_000n)
}

function probes(chain: ChainDefinition): Probe[] {
  const to = spokePoolOf(chain)
  if (!to) return []
  return [probe('Across SpokePool', to, 'wrappedNativeToken()', chain.wrappedNative)]
}

function lanes(source: ChainDefinition, destination: ChainDefinition): Lane[] {
  const primary = spokePoolOf(source)
  const arriving = acrossTokens(destination)
  if (!primary || source.id === destination.id) return []
  const orderReceiver = contractAddress('DestinationReceiver')
  const { estimatedSeconds = usualSeconds } = source.bridges?.across ?? {}
  return acrossTokens(source).flatMap(({ symbol, token, decimals }) => {
    const other = arriving.find((one) => one.symbol === symbol)
    if (!other) return []
    const isWrapped = other.token === destination.wrappedNative
    return [
      {
        bridge: 'across',
        symbol,
        sourceChainId: source.id,
        destinationChainId: destination.id,
        tokenIn: token,
        tokenOut: other.token,
        tokenOutToAccounts: isWrapped ? nativeToken : other.token,
        primary,
        orderReceiver,
        orderContracts: [orderReceiver],
        estimatedSeconds: Number(estimatedSeconds),
        ...laneDecimals(decimals, other.decimals),
      },
    ]
  })
}

function sentEvents(source: ChainDefinition): EventFilter[] {
  const address = spokePoolOf(source)
  return address ? [{ address, topics: fundsDepositedTopics }] : []
}

function deliveriesIn(
  logs: readonly SimulationLog[],
  source: ChainDefinition,
  known: readonly ChainDefinition[] = chains,
): Delivery[] {
  const spokePool = spokePoolOf(source)
  return logs.flatMap((log) => {
    const found = toAddress(log.address) === spokePool ? readDeposit(log, source.id) : null
    if (!found) return []
    const destination = known.find(({ id }) => BigInt(id) === found.destinationChainId)
    const token = tokenDelivered(found.relay, source, destination)
    const relay = { ...found.relay, outputToken: padHex(token, { size: 32 }) }
    return [
      {
        bridge: 'across',
        id: relay.depositId.toString(),
        sourceChainId: source.id,
        destinationChainId: destination?.id ?? null,
        token,
        amount: relay.outputAmount,
        sender: addressOf(relay.depositor),
        receiver: addressOf(relay.recipient),
        message: relay.message,
        details: toDetails(relay),
      },
    ]
  })
}

/** A deposit that names no token is filled with the one that the asset is on the destination. */
function tokenDelivered(
  { inputToken, outputToken }: { inputToken: Hex; outputToken: Hex },
  source: ChainDefinition,
  destination: ChainDefinition | undefined,
): Address {
  const stated = addressOf(outputToken)
  if (stated !== zeroAddress || !destination) return stated
  const given = acrossTokens(source).find(({ token }) => token === addressOf(inputToken))
  const same = acrossTokens(destination).find(({ symbol }) => symbol === given?.symbol)
  return same?.token ?? stated
}

const withAmounts: NonNullable<BridgeAdapter['withAmounts']> = (delivery, { sent, delivered }) => {
  const relay = { ...fromDetails(delivery), inputAmount: sent, outputAmount: delivered }
  return { ...delivery, amount: delivered, details: toDetails(relay) }
}

const simulation: BridgeAdapter['simulation'] = (delivery, destination, pin) => {
  const relay = fromDetails(delivery)
  const spokePool = spokePoolOf(destination) ?? zeroAddress
  const isExclusive = BigInt(relay.exclusivityDeadline) >= pin.timestamp
  const from = isExclusive ? addressOf(relay.exclusiveRelayer) : relayer
  const args = [relay, BigInt(destination.id), padHex(from, { size: 32 })] as const
  return {
    from,
    to: spokePool,
    data: encodeFunctionData({ abi: spokePoolAbi, functionName: 'fillRelay', args }),
    value: 0n,
    // Not filled, as nobody else knows of the deposit yet: said in place of asking a node.
    overrides: {
      [spokePool]: { stateDiff: { [fillStatusSlot(relayHash(relay, destination.id))]: unfilled } },
    },
    // Exactly what is needed would be refunded as storage set to zero.
    funds: {
      token: delivery.token,
      amount: 2n * delivery.amount + 1n,
      owner: from,
      spender: spokePool,
    },
  }
}

const status: BridgeAdapter['status'] = async (delivery, destination, reader, logs) => {
  const relay = fromDetails(delivery)
  const spokePool = spokePoolOf(destination)
  if (!spokePool) return { status: 'unknown', transactionHash: null }
  const args = [relayHash(relay, destination.id)] as const
  const data = encodeFunctionData({ abi: spokePoolAbi, functionName: 'fillStatuses', args })
  const [read] = await reader.call([{ to: spokePool, data }])
  if (!read?.ok || read.value === '0x') return { status: 'unknown', transactionHash: null }
  if (BigInt(read.value) !== filled) return unfilledStatus(relay, destination, reader.block)
  const fills = await logs({ address: spokePool, topics: fillTopics(relay) })
  const transactionHash = fills?.find((log) => isFillOf(relay, log))?.transactionHash ?? null
  if (!runsOrder(delivery, contractAddress('DestinationReceiver'))) {
    return { status: 'delivered', transactionHash }
  }
  return orderOutcome(delivery, transactionHash, reader, logs)
}
