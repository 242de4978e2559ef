/** What CCTP makes of an amount at the source's block: pauses, limits, and the fee that Circle may keep at most. */
import { encodeFunctionData, hexToBigInt, size } from 'viem'
import { bpsDenominator } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { BridgeAdapter, DeliveryTerms, Lane, LaneQuote, LaneRefusal } from '../bridge.js'
import { messengerAbi, minterAbi, transmitterAbi } from './abi.js'
import { readAllowance } from './attestations.js'
import { type CctpChain, cctpChain } from './chain.js'
import { bodyHeadBytes } from './message.js'
import type { CctpSettings } from './settings.js'

type QuoteArgs = Parameters<BridgeAdapter['quote']>[0]

/** The share that a fast transfer costs; null: the terms ask for none. */
export function fastFeeBps({ lane, terms }: Pick<QuoteArgs, 'lane' | 'terms'>): bigint | null {
  if (!terms.isFast) return null
  const { fastFeeBps } = lane.details ?? {}
  return fastFeeBps === undefined ? null : BigInt(Number(fastFeeBps))
}

/** Raw units that Circle may keep, rounded down. */
export function fastFee(amount: bigint, bps: bigint): bigint {
  return (amount * bps) / bpsDenominator
}

export async function quoteBurn(
  settings: CctpSettings,
  args: QuoteArgs,
): Promise<LaneQuote | LaneRefusal> {
  const { lane, terms, amountIn, chain } = args
  const cctp = cctpChain(chain)
  if (!cctp) return { reason: 'unreadable', message: `${chain.name} has no CCTP.` }
  if (terms.isFast && cctp.fastFeeBps === null) {
    const message = `CCTP has no fast transfers from ${chain.name}: its standard ones are as fast.`
    return { reason: 'paused', message }
  }
  const state = await readState(cctp, args)
  if ('reason' in state) return state
  const closed = whyClosed(args, state)
  if (closed) return closed
  if (amountIn > state.limit) {
    const message = `CCTP burns ${state.limit} raw units of ${lane.symbol} at once, and ${amountIn} is more.`
    return { reason: 'too-much', message, limit: state.limit }
  }
  const bps = fastFeeBps(args)
  const ofSpeed = bps === null ? 0n : fastFee(amountIn, bps)
  const maxFee = ofSpeed > state.minFee ? ofSpeed : state.minFee
  if (amountIn <= maxFee) {
    const message = `CCTP delivers nothing of ${amountIn} raw units of ${lane.symbol}: its fee may be ${maxFee}.`
    return { reason: 'too-little', message, limit: maxFee + 1n }
  }
  const warnings = [unclaimed(lane)]
  if (terms.isFast) {
    const allowance = await readAllowance(settings, lane.symbol)
    if (allowance !== null && allowance < amountIn) {
      const message = `Circle’s allowance for fast transfers of ${lane.symbol} is ${allowance} raw units, and ${amountIn} is more.`
      return { reason: 'too-much', message, limit: allowance }
    }
    if (allowance === null) warnings.push(unknownAllowance)
  }
  return {
    delivered: amountIn - maxFee,
    nativeFee: 0n,
    maximum: state.limit,
    unit: 1n,
    warnings,
  }
}

function unclaimed({ destinationChainId }: Lane): string {
  return `Nobody delivers over CCTP unasked: when Circle has attested the burn, somebody has to send the transaction that GET /api/v1/cctp/bridge/claim answers on chain ${destinationChainId}.`
}

const unknownAllowance =
  'A fast transfer needs an allowance of Circle’s, which no chain states (CCTP_ATTESTATION_URL). Without it, the burn is attested when it is final, as a standard one.'

interface BurnState {
  readonly isPaused: boolean
  readonly hasRemote: boolean
  readonly isDenylisted: boolean
  /** Raw units of one burn; 0: the token is not burnt. */
  readonly limit: bigint
  readonly minFee: bigint
  readonly maxBody: bigint
}

async function readState(
  { messenger, transmitter, minter }: CctpChain,
  { lane, amountIn, sender, reader }: QuoteArgs,
): Promise<BurnState | LaneRefusal> {
  const domain = Number(lane.details?.destinationDomain)
  const ofMessenger = (data: ReturnType<typeof encodeFunctionData>) => ({ to: messenger, data })
  const reads = await reader.call([
    {
      to: transmitter,
      data: encodeFunctionData({ abi: transmitterAbi, functionName: 'paused' }),
    },
    { to: minter, data: encodeFunctionData({ abi: minterAbi, functionName: 'paused' }) },
    {
      to: minter,
      data: encodeFunctionData({
        abi: minterAbi,
        functionName: 'burnLimitsPerMessage',
        args: [lane.tokenIn],
      }),
    },
    ofMessenger(
      encodeFunctionData({
        abi: messengerAbi,
        functionName: 'remoteTokenMessengers',
        args: [domain],
      }),
    ),
    ofMessenger(
      encodeFunctionData({ abi: messengerAbi, functionName: 'isDenylisted', args: [sender] }),
    ),
    {
      to: transmitter,
      data: encodeFunctionData({ abi: transmitterAbi, functionName: 'maxMessageBodySize' }),
    },
    ofMessenger(
      encodeFunctionData({ abi: messengerAbi, functionName: 'getMinFeeAmount', args: [amountIn] }),
    ),
  ])
  const minFee = reads.at(-1)
  const words = reads.slice(0, -1).map(wordOf)
  const [paused = null, minterPaused = null, limit = null, remote = null] = words
  const [denylisted = null, maxBody = null] = words.slice(4)
  if (
    paused === null ||
    minterPaused === null ||
    limit === null ||
    remote === null ||
    denylisted === null ||
    maxBody === null
  ) {
    const failed = reads.find((read) => wordOf(read) === null)
    const why = failed?.ok === false ? failed.message : 'there is no contract'
    const message = `CCTP’s TokenMessenger ${messenger} cannot be read: ${why}.`
    return { reason: 'unreadable', message }
  }
  return {
    isPaused: paused + minterPaused > 0n,
    hasRemote: remote > 0n,
    isDenylisted: denylisted > 0n,
    limit,
    maxBody,
    // It reverts for one unit where there is a fee; contracts before version 2.1 lack it, and take none.
    minFee: wordOf(minFee) ?? (amountIn > 1n ? 0n : 1n),
  }
}

function wordOf(read: ReadResult | undefined): bigint | null {
  return read?.ok && size(read.value) === 32 ? hexToBigInt(read.value) : null
}

function whyClosed(
  { lane, terms, sender }: QuoteArgs,
  { isPaused, hasRemote, isDenylisted, limit, maxBody }: BurnState,
): LaneRefusal | null {
  const refuse = (message: string): LaneRefusal => ({ reason: 'paused', message })
  if (isPaused) return refuse('CCTP is paused on the source chain.')
  if (limit === 0n) return refuse(`CCTP burns no ${lane.symbol} on the source chain.`)
  if (!hasRemote) return refuse(`CCTP sends nothing to chain ${lane.destinationChainId}.`)
  if (isDenylisted) return refuse(`${sender} is on CCTP’s denylist.`)
  const bytes = bodyBytes(terms)
  if (bytes <= maxBody) return null
  return refuse(`CCTP carries ${maxBody} bytes, and the burn with its order has ${bytes}.`)
}

function bodyBytes({ message }: DeliveryTerms): bigint {
  return BigInt(bodyHeadBytes + size(message))
}
