/**
 * Across's SpokePool: its calls, its events and how it names a deposit. Pure.
 * @see across-protocol/contracts 4.1.12, contracts/SpokePool.sol and interfaces/V3SpokePoolInterface.sol
 */
import {
  concatHex,
  decodeEventLog,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  keccak256,
  numberToHex,
  padHex,
  parseAbi,
  parseAbiParameters,
  slice,
} from 'viem'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import type { Delivery, PastDelivery, PastLog } from '../bridge.js'

const relayStruct =
  'struct Relay { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }'

export const spokePoolAbi = parseAbi([
  relayStruct,
  'function pausedDeposits() view returns (bool)',
  'function depositV3Now(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 fillDeadlineOffset, uint32 exclusivityParameter, bytes message) payable',
  'function fillRelay(Relay relay, uint256 repaymentChainId, bytes32 repaymentAddress)',
  'function fillStatuses(bytes32 relayHash) view returns (uint256)',
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
  'event FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, bytes32 recipient, bytes32 messageHash, (bytes32 updatedRecipient, bytes32 updatedMessageHash, uint256 updatedOutputAmount, uint8 fillType) relayExecutionInfo)',
])

const relayHashParameters = parseAbiParameters(['Relay relay, uint256 chainId', relayStruct])
const fundsDeposited = [getAbiItem({ abi: spokePoolAbi, name: 'FundsDeposited' })] as const
const [fundsDepositedTopic] = encodeEventTopics({ abi: fundsDeposited })

const filledRelay = [getAbiItem({ abi: spokePoolAbi, name: 'FilledRelay' })] as const

/**
 * The value of `fillStatuses` for a filled deposit; 1 says that a slow fill from the pool's own funds was requested.
 */
export const filled = 2n

/** What names a deposit on the destination, all of it. */
export interface Relay {
  readonly depositor: Hex
  readonly recipient: Hex
  readonly exclusiveRelayer: Hex
  readonly inputToken: Hex
  readonly outputToken: Hex
  readonly inputAmount: bigint
  readonly outputAmount: bigint
  readonly originChainId: bigint
  readonly depositId: bigint
  /** Unix seconds, the last of them. */
  readonly fillDeadline: number
  /** Unix seconds until which `exclusiveRelayer` alone may fill it; 0: anybody. */
  readonly exclusivityDeadline: number
  readonly message: Hex
}

export const unfilled: Hex = `0x${'0'.repeat(64)}`
/** Place of `fillStatuses` in the storage of every SpokePool, which its gaps keep: release 4.1.12, by a traced call. */
const fillStatusesPlace = 2_162n

export function fillStatusSlot(hash: Hex): Hex {
  return keccak256(concatHex([hash, numberToHex(fillStatusesPlace, { size: 32 })]))
}

/** The key of `fillStatuses`: `getV3RelayHash` of the destination's SpokePool. */
export function relayHash(relay: Relay, destinationChainId: number): Hex {
  return keccak256(encodeAbiParameters(relayHashParameters, [relay, BigInt(destinationChainId)]))
}

/** The account in a word, as chains of another kind need all of it. */
export function addressOf(word: Hex): Address {
  return toAddress(slice(word, 12))
}

/** Null: another log. */
export function readDeposit(
  { topics, data }: SimulationLog,
  originChainId: number,
): { relay: Relay; destinationChainId: bigint } | null {
  if (topics[0] !== fundsDepositedTopic) return null
  const { args } = decodeEventLog({ abi: fundsDeposited, topics: topics as [Hex, ...Hex[]], data })
  const { quoteTimestamp: _, destinationChainId, ...named } = args
  return { relay: { ...named, originChainId: BigInt(originChainId) }, destinationChainId }
}

/** Of every deposit. */
export const fundsDepositedTopics = [fundsDepositedTopic]

/** Topics of all deposits for a chain, on the source. */
export function depositTopics(destinationChainId: number): (Hex | null)[] {
  const args = { destinationChainId: BigInt(destinationChainId) }
  return encodeEventTopics({ abi: fundsDeposited, args }) as (Hex | null)[]
}

/** Topics of all fills of deposits of a chain, on the destination. */
export function fillTopicsFrom(originChainId: number): (Hex | null)[] {
  const args = { originChainId: BigInt(originChainId) }
  return encodeEventTopics({ abi: filledRelay, args }) as (Hex | null)[]
}

/** Paid out of the pool, since no relayer had filled it. */
const slowFill = 2

/** Null: no relayer's. */
export function readFill({ topics, data, timestamp }: PastLog): PastDelivery | null {
  const { args } = decodeEventLog({ abi: filledRelay, topics: topics as [Hex, ...Hex[]], data })
  const { fillType, updatedOutputAmount } = args.relayExecutionInfo
  if (fillType === slowFill) return null
  return { id: args.depositId.toString(), amountOut: updatedOutputAmount, at: timestamp }
}

/** Topics of the fills of a deposit, on the destination. */
export function fillTopics({ originChainId, depositId }: Relay): Hex[] {
  return encodeEventTopics({ abi: filledRelay, args: { originChainId, depositId } }) as Hex[]
}

/** Depositors may choose the number of a deposit, so that several have it: all else must be the same, too. */
export function isFillOf(relay: Relay, { topics, data }: SimulationLog): boolean {
  const { args } = decodeEventLog({ abi: filledRelay, topics: topics as [Hex, ...Hex[]], data })
  const { message, ...rest } = relay
  const hash = message === '0x' ? padHex('0x', { size: 32 }) : keccak256(message)
  const named = Object.keys(rest) as (keyof typeof rest)[]
  return args.messageHash === hash && named.every((name) => args[name] === rest[name])
}

/** @param relay - but for its message, which the delivery has. */
export function toDetails(relay: Relay): Delivery['details'] {
  const { message: _, ...rest } = relay
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? value.toString() : value,
    ]),
  )
}

export function fromDetails({ details, message }: Delivery): Relay {
  const word = (name: string) => String(details[name]) as Hex
  const amount = (name: string) => BigInt(String(details[name]))
  return {
    depositor: word('depositor'),
    recipient: word('recipient'),
    exclusiveRelayer: word('exclusiveRelayer'),
    inputToken: word('inputToken'),
    outputToken: word('outputToken'),
    inputAmount: amount('inputAmount'),
    outputAmount: amount('outputAmount'),
    originChainId: amount('originChainId'),
    depositId: amount('depositId'),
    fillDeadline: Number(details.fillDeadline),
    exclusivityDeadline: Number(details.exclusivityDeadline),
    message,
  }
}
