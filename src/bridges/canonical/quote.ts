/** What a deposit takes: the portal's state at the block says whether it can be made, and what gas it burns. */
import { decodeFunctionResult, encodeFunctionData, type Hex, size } from 'viem'
import { isNative, toAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { BridgeAdapter, DeliveryTerms, Lane, LaneQuote, LaneRefusal } from '../bridge.js'
import { portalAbi, systemConfigAbi, tokenBridgeAbi } from './abi.js'
import { minGasOf } from './deposits.js'
import { burntGas, depositBaseFee, depositGas } from './metering.js'
import { standardBridge } from './settlement.js'

/** Bytes of a call of the DestinationReceiver besides its message, which is padded to whole words. */
const bytesOfCall = 4 + 4 * 32
/** Gas of the transaction besides the portal's part, and what the portal itself uses, which is not burnt; measured on the sandbox. */
const ownGas = { besides: 153_000n, portal: 50_000n, perByte: 20n }
/** What a standard bridge takes besides, for the token and its own message; measured on the sandbox. */
const tokenGas = 45_000n
/** Bytes of the call that has the standard bridge of the destination pay. */
const bytesOfPayment = 4 + 7 * 32
/** That this call is given at least, as the bridge itself does it where nobody says. */
export const paymentMinGas = 200_000n

const burnWarning =
  'The portal burns gas on the source for what the deposit may use on the destination: more than gas says where the base fee falls or deposits are in demand.'

export const quote: BridgeAdapter['quote'] = async ({ lane, terms, amountIn, reader }) => {
  if (lane.withoutOrders && terms.message !== '0x') {
    return { reason: 'no-order', message: lane.withoutOrders }
  }
  const portal = toAddress(String(lane.details?.portal))
  const systemConfig = toAddress(String(lane.details?.systemConfig))
  const reads = await reader.call([
    { to: portal, data: encodeFunctionData({ abi: portalAbi, functionName: 'paused' }) },
    { to: portal, data: encodeFunctionData({ abi: portalAbi, functionName: 'params' }) },
    {
      to: systemConfig,
      data: encodeFunctionData({ abi: systemConfigAbi, functionName: 'resourceConfig' }),
    },
    ...(isTokenLane(lane) ? pairCalls(lane) : []),
  ])
  const [paused, params, config, ...pairReads] = reads
  if (!isAnswer(paused)) return unreadable(portal, paused)
  if (BigInt(paused.value) !== 0n) return pausedPortal
  if (!isAnswer(params)) return unreadable(portal, params)
  if (!isAnswer(config)) return unreadable(systemConfig, config)
  const [prevBaseFee, prevBoughtGas, prevBlockNum] = decodeFunctionResult({
    abi: portalAbi,
    functionName: 'params',
    data: params.value,
  })
  const resources = decodeFunctionResult({
    abi: systemConfigAbi,
    functionName: 'resourceConfig',
    data: config.value,
  })
  const gas = gasOf(lane, terms)
  if (gas > BigInt(resources.maxResourceLimit)) {
    const message = `The order may use ${gas} gas, and deposits of one block have ${resources.maxResourceLimit}: it needs fewer steps.`
    return { reason: 'too-much', message }
  }
  const unpaired = isTokenLane(lane) ? whyUnpaired(lane, pairReads) : null
  if (unpaired) return unpaired
  if (amountIn === 0n) return { reason: 'too-little', message: 'Nothing would be deposited.' }
  const { block } = reader
  const depositFee = depositBaseFee(
    { prevBaseFee, prevBoughtGas, prevBlockNum },
    resources,
    block.number + 1n,
  )
  return {
    delivered: amountIn,
    nativeFee: 0n,
    maximum: null,
    unit: 1n,
    gas: sourceGas(lane, terms, burntGas(gas, depositFee, block.baseFeePerGas)),
    warnings: [burnWarning],
  } satisfies LaneQuote
}

/** Whether the standard bridge carries it, and not the messenger. */
export function isTokenLane({ tokenIn }: Lane): boolean {
  return !isNative(tokenIn)
}

function pairCalls({ primary: to, tokenIn, tokenOut }: Lane) {
  const abi = tokenBridgeAbi
  return [
    { to, data: encodeFunctionData({ abi, functionName: 'messenger' }) },
    { to, data: encodeFunctionData({ abi, functionName: 'otherBridge' }) },
    { to, data: encodeFunctionData({ abi, functionName: 'deposits', args: [tokenIn, tokenOut] }) },
  ]
}

/**
 * The bridge takes any two tokens for a pair, and locks for good what nobody mints over there. A pair that others have sent
 * through lies there; on the destination the bridge itself compares it, where the delivery is simulated.
 */
function whyUnpaired(
  { primary, details, symbol, tokenOut }: Lane,
  reads: readonly ReadResult[],
): LaneRefusal | null {
  const words = wordsOf(primary, reads)
  if (!Array.isArray(words)) return words
  const [messenger, other, deposited = 0n] = words
  if (messenger !== BigInt(String(details?.messenger)) || other !== BigInt(standardBridge)) {
    const message = `The contract ${primary} is not the standard bridge of the destination.`
    return { reason: 'no-pair', message }
  }
  if (deposited > 0n) return null
  const message = `The standard bridge has none of ${symbol} locked for ${tokenOut}, so that nothing confirms the pair: a wrong one would lose the tokens.`
  return { reason: 'no-pair', message }
}

/** Where nothing is known of the portal: as if gas were worth the same on both sides. */
export function gasEstimate(lane: Lane, terms: DeliveryTerms): bigint {
  return sourceGas(lane, terms, gasOf(lane, terms))
}

/** What the messenger buys on the destination. */
function gasOf(lane: Lane, { message, gas }: DeliveryTerms): bigint {
  if (isTokenLane(lane)) return depositGas(bytesOfPayment, paymentMinGas)
  if (message === '0x') return depositGas(0, minGasOf(0n))
  const bytes = bytesOfCall + Math.ceil(size(message) / 32) * 32
  return depositGas(bytes, minGasOf(gas))
}

/** @param burnt - at least so much is used from within the portal on. */
function sourceGas(lane: Lane, { message }: DeliveryTerms, burnt: bigint): bigint {
  const portal = burnt > ownGas.portal ? burnt : ownGas.portal
  const token = isTokenLane(lane) ? tokenGas : 0n
  return token + ownGas.besides + BigInt(size(message)) * ownGas.perByte + portal
}

export function isAnswer(read: ReadResult | undefined): read is { ok: true; value: Hex } {
  return read?.ok === true && read.value !== '0x'
}

const pausedPortal: LaneRefusal = {
  reason: 'paused',
  message:
    'The portal is paused on the source chain: what is deposited could not be withdrawn again.',
}

/** A word of each read; refused where one of them gives none. */
export function wordsOf(
  address: string,
  reads: readonly (ReadResult | undefined)[],
): bigint[] | LaneRefusal {
  const words: bigint[] = []
  for (const read of reads) {
    if (!isAnswer(read)) return unreadable(address, read)
    words.push(BigInt(read.value))
  }
  return words
}

export function unreadable(address: string, read: ReadResult | undefined): LaneRefusal {
  const why = read?.ok === false ? read.message : 'there is no contract'
  return { reason: 'unreadable', message: `The contract ${address} cannot be read: ${why}.` }
}
