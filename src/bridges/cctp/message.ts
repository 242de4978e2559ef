/**
 * CCTP's message of a burn: what it says, and what attesters fill in. Pure.
 *
 * message := version 4, source 4, destination 4, nonce 32, sender 32, recipient 32, caller 32, finality 4, executed 4, body
 * body := version 4, burnToken 32, mintRecipient 32, amount 32, sender 32, maxFee 32, fee 32, expiry 32, hook
 *
 * @see circlefin/evm-cctp-contracts, src/messages/v2
 */
import {
  concatHex,
  encodeAbiParameters,
  hexToBigInt,
  hexToNumber,
  keccak256,
  numberToHex,
  padHex,
  parseAbiParameters,
  size,
  slice,
} from 'viem'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { AccountOverride } from '../../domain/state.js'

/** Bytes of a message before its hook. */
const headBytes = 376
/** Bytes of a body before its hook. */
export const bodyHeadBytes = 228
const bodyOffset = 148
/** Where a burn's amounts stand, from the start of the message. */
const burn = { amount: 216, maxFee: 280 }
/** Bytes that attesters fill in, from the start of the message. */
const filled = { nonce: 12, finality: 144, fee: 312, expiry: 344 }

/** Whom a message asks its attesters to wait for: hard finality, or less for a fee. */
export const finality = { standard: 2_000, fast: 1_000 } as const

export interface BurnMessage {
  readonly sourceDomain: number
  readonly destinationDomain: number
  /** TokenMessengerV2 of the source. */
  readonly sender: Address
  /** 32 bytes; zero: anybody may have it minted. */
  readonly destinationCaller: Hex
  readonly minFinality: number
  readonly burnToken: Address
  readonly mintRecipient: Address
  /** Raw units that were burnt. */
  readonly amount: bigint
  /** Who called to burn. */
  readonly burner: Address
  /** Raw units of which attesters may keep so many. */
  readonly maxFee: bigint
  /** Without the hook. */
  readonly head: Hex
  /** 0x: none. */
  readonly hook: Hex
}

/** Null: too short for a burn, or of another version. */
export function readBurn(message: Hex): BurnMessage | null {
  if (size(message) < headBytes || hexToNumber(slice(message, 0, 4)) !== 1) return null
  const word = (at: number) => slice(message, at, at + 32)
  const address = (at: number) => toAddress(slice(message, at + 12, at + 32))
  return {
    sourceDomain: hexToNumber(slice(message, 4, 8)),
    destinationDomain: hexToNumber(slice(message, 8, 12)),
    sender: address(44),
    destinationCaller: word(108),
    minFinality: hexToNumber(slice(message, 140, 144)),
    burnToken: address(152),
    mintRecipient: address(184),
    amount: hexToBigInt(word(burn.amount)),
    burner: address(248),
    maxFee: hexToBigInt(word(burn.maxFee)),
    head: slice(message, 0, headBytes),
    hook: size(message) > headBytes ? slice(message, headBytes) : '0x',
  }
}

/** The head with another burn in it. */
export function withBurn(
  head: Hex,
  { amount, maxFee }: Pick<BurnMessage, 'amount' | 'maxFee'>,
): Hex {
  const word = (value: bigint) => numberToHex(value, { size: 32 })
  const [amountAt, maxFeeAt] = [burn.amount, burn.maxFee]
  return concatHex([
    slice(head, 0, amountAt),
    word(amount),
    slice(head, amountAt + 32, maxFeeAt),
    word(maxFee),
    slice(head, maxFeeAt + 32),
  ])
}

/** What attesters say about a burn. */
export interface Attested {
  readonly nonce: Hex
  /** As was waited for: 2,000 and above is hard finality. */
  readonly finality: number
  /** Raw units that they keep. */
  readonly fee: bigint
}

/** The message as attesters sign it; without an expiry. */
export function attestedMessage(head: Hex, hook: Hex, { nonce, finality, fee }: Attested): Hex {
  return concatHex([
    slice(head, 0, filled.nonce),
    nonce,
    slice(head, filled.nonce + 32, filled.finality),
    numberToHex(finality, { size: 4 }),
    slice(head, bodyOffset, filled.fee),
    numberToHex(fee, { size: 32 }),
    slice(head, filled.expiry),
    hook,
  ])
}

/** The message as it was sent, without what attesters have filled in. */
export function unattested(message: Hex): Hex {
  const head = slice(message, 0, headBytes)
  const blank = { nonce: padHex('0x', { size: 32 }), finality: 0, fee: 0n }
  const hook: Hex = size(message) > headBytes ? slice(message, headBytes) : '0x'
  const cleared = attestedMessage(head, hook, blank)
  const none = padHex('0x', { size: 32 })
  return concatHex([slice(cleared, 0, filled.expiry), none, hook])
}

/** Whether a body that was received is that of a burn, whatever attesters have filled in. */
export function isBodyOf(body: Hex, head: Hex, hook: Hex): boolean {
  if (size(body) < bodyHeadBytes) return false
  const from = filled.fee - bodyOffset
  const same = concatHex([slice(head, bodyOffset), hook])
  return cut(body, from) === cut(same, from)
}

/** Raw units that the attesters have kept, by a body that was received. */
export function feeIn(body: Hex): bigint {
  const from = filled.fee - bodyOffset
  return hexToBigInt(slice(body, from, from + 32))
}

/** Without two words. */
function cut(body: Hex, from: number): Hex {
  const rest: Hex = size(body) > from + 64 ? slice(body, from + 64) : '0x'
  return concatHex([slice(body, 0, from), rest])
}

/** Of secp256k1: its order, and the abscissa of its generator. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const generator = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n
/** Whose private key is 1: simulations enable it as the only attester. */
export const simulatedAttester: Address = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'

/** The signature of `simulatedAttester` with 1 as the secret number, so that it takes one addition. */
export function simulatedAttestation(message: Hex): Hex {
  const s = (hexToBigInt(keccak256(message)) + generator) % order
  const isHigh = s > order / 2n
  return concatHex([
    numberToHex(generator, { size: 32 }),
    numberToHex(isHigh ? order - s : s, { size: 32 }),
    isHigh ? '0x1c' : '0x1b',
  ])
}

/** Places in the storage of MessageTransmitterV2. @see BaseMessageTransmitter, Attestable */
const places = { signatureThreshold: 4n, attesterPlaces: 6n, usedNonces: 29n }
const wordTypes = parseAbiParameters('bytes32, uint256')

function entryOf(key: Hex, mapping: bigint): Hex {
  return keccak256(encodeAbiParameters(wordTypes, [padHex(key, { size: 32 }), mapping]))
}

/** Storage with which the transmitter takes what `simulatedAttester` has signed alone, and the nonce as unused. */
export function attesterOverride(nonce: Hex): AccountOverride {
  const word = (value: bigint) => numberToHex(value, { size: 32 })
  return {
    stateDiff: {
      [word(places.signatureThreshold)]: word(1n),
      [entryOf(simulatedAttester, places.attesterPlaces)]: word(1n),
      // As nobody else knows of it: said in place of asking a node.
      [entryOf(nonce, places.usedNonces)]: word(0n),
    },
  }
}
