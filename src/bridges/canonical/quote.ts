/** What a deposit takes: the portal's state at the block says whether it can be made, and what gas it burns. */
import { decodeFunctionResult, encodeFunctionData, type Hex, size } from 'viem'
import { toAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { BridgeAdapter, DeliveryTerms, Lane, LaneQuote, LaneRefusal } from '../bridge.js'
import { portalAbi, systemConfigAbi } from './abi.js'
import { minGasOf } from './deposits.js'
import { burntGas, depositBaseFee, depositGas } from './metering.js'

/** Bytes of a call of the DestinationReceiver besides its message, which is padded to whole words. */
const bytesOfCall = 4 + 4 * 32
/** Gas of the transaction besides the portal's part, and what the portal itself uses, which is not burnt; measured on the sandbox. */
const ownGas = { besides: 153_000n, portal: 50_000n, perByte: 20n }

const burnWarning =
  'The portal burns gas on the source for what the deposit may use on the destination: more than gas says where the base fee falls or deposits are in demand.'

export const quote: BridgeAdapter['quote'] = async ({ lane, terms, amountIn, reader }) => {
  const portal = toAddress(String(lane.details?.portal))
  const systemConfig = toAddress(String(lane.details?.systemConfig))
  const reads = await reader.call([
    { to: portal, data: encodeFunctionData({ abi: portalAbi, functionName: 'paused' }) },
    { to: portal, data: encodeFunctionData({ abi: portalAbi, functionName: 'params' }) },
    {
      to: systemConfig,
      data: encodeFunctionData({ abi: systemConfigAbi, functionName: 'resourceConfig' }),
    },
  ])
  const [paused, params, config] = reads
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
  const gas = gasOf(terms)
  if (gas > BigInt(resources.maxResourceLimit)) {
    const message = `The order may use ${gas} gas, and deposits of one block have ${resources.maxResourceLimit}: it needs fewer steps.`
    return { reason: 'too-much', message }
  }
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
    gas: sourceGas(terms, burntGas(gas, depositFee, block.baseFeePerGas)),
    warnings: [burnWarning],
  } satisfies LaneQuote
}

/** Where nothing is known of the portal: as if gas were worth the same on both sides. */
export function gasEstimate(_lane: Lane, terms: DeliveryTerms): bigint {
  return sourceGas(terms, gasOf(terms))
}

/** What the messenger buys on the destination. */
function gasOf({ message, gas }: DeliveryTerms): bigint {
  if (message === '0x') return depositGas(0, minGasOf(0n))
  const bytes = bytesOfCall + Math.ceil(size(message) / 32) * 32
  return depositGas(bytes, minGasOf(gas))
}

/** @param burnt - at least so much is used from within the portal on. */
function sourceGas({ message }: DeliveryTerms, burnt: bigint): bigint {
  const portal = burnt > ownGas.portal ? burnt : ownGas.portal
  return ownGas.besides + BigInt(size(message)) * ownGas.perByte + portal
}

function isAnswer(read: ReadResult | undefined): read is { ok: true; value: Hex } {
  return read?.ok === true && read.value !== '0x'
}

const pausedPortal: LaneRefusal = {
  reason: 'paused',
  message:
    'The portal is paused on the source chain: what is deposited could not be withdrawn again.',
}

function unreadable(address: string, read: ReadResult | undefined): LaneRefusal {
  const why = read?.ok === false ? read.message : 'there is no contract'
  return { reason: 'unreadable', message: `The contract ${address} cannot be read: ${why}.` }
}
