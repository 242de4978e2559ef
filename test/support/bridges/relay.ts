/** Deliveries made for real, from what the source logged, by nothing of the product: neither its ABIs nor its parsing. */
import { encodeFunctionData, numberToHex, padHex, parseAbi, parseEventLogs, slice } from 'viem'
import type { Address } from '../../../src/domain/primitives.js'
import type { BridgeChain, Mined } from './chain.js'
import { unplacedLogs } from './unplaced-logs.js'

const abi = parseAbi([
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
  'struct V3RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }',
  'function fillRelay(V3RelayData relayData, uint256 repaymentChainId, bytes32 repaymentAddress)',
  'event PacketSent(bytes encodedPayload, bytes options, address sendLibrary)',
  'function validatePacket(bytes packet)',
  'struct Origin { uint32 srcEid; bytes32 sender; uint64 nonce; }',
  'function lzReceive(Origin origin, address receiver, bytes32 guid, bytes message, bytes extraData) payable',
  'event ComposeSent(address from, address to, bytes32 guid, uint16 index, bytes message)',
  'function lzCompose(address from, address to, bytes32 guid, uint16 index, bytes message, bytes extraData) payable',
])

function only<T>(found: readonly T[]): T {
  const [first, ...more] = found
  if (first === undefined || more.length > 0) throw new Error(`${found.length} events, not one`)
  return first
}

function eventsOf({ logs }: Mined) {
  return parseEventLogs({ abi, logs: unplacedLogs(logs) })
}

/** By the destination's first account, which has the tokens. */
export function fill(deposit: Mined, source: BridgeChain, destination: BridgeChain) {
  const { args } = only(
    eventsOf(deposit).flatMap((log) => (log.eventName === 'FundsDeposited' ? [log] : [])),
  )
  const relay = { ...args, originChainId: BigInt(source.chainId) }
  const repayment = padHex(destination.owner, { size: 32 })
  const data = encodeFunctionData({
    abi,
    functionName: 'fillRelay',
    args: [relay, BigInt(source.chainId), repayment],
  })
  return destination.sent({ from: destination.owner, to: destination.spokePool, data })
}

/** LayerZero verifies the message and gives it to the application: the pool pays. */
export async function receive(sending: Mined, destination: BridgeChain, library: Address) {
  const { args } = only(
    eventsOf(sending).flatMap((log) => (log.eventName === 'PacketSent' ? [log] : [])),
  )
  const packet = args.encodedPayload
  const verified = await destination.sent({
    from: destination.thief,
    to: library,
    data: encodeFunctionData({ abi, functionName: 'validatePacket', args: [packet] }),
  })
  if (!verified.ok) throw new Error('the packet was not verified')
  const origin = {
    srcEid: Number(slice(packet, 9, 13)),
    sender: slice(packet, 13, 45),
    nonce: BigInt(slice(packet, 1, 9)),
  }
  const [to, guid, message] = [slice(packet, 61, 81), slice(packet, 81, 113), slice(packet, 113)]
  return destination.sent({
    from: destination.thief,
    to: destination.endpoint,
    data: encodeFunctionData({
      abi,
      functionName: 'lzReceive',
      args: [origin, to, guid, message, '0x'],
    }),
  })
}

/** The other half, of what the pool queued when it was paid. */
export function compose(receipt: Mined, destination: BridgeChain, gas = 16_000_000n) {
  const { args } = only(
    eventsOf(receipt).flatMap((log) => (log.eventName === 'ComposeSent' ? [log] : [])),
  )
  const { from, to, guid, index, message } = args
  return destination.sent({
    from: destination.thief,
    to: destination.endpoint,
    gas: numberToHex(gas),
    data: encodeFunctionData({
      abi,
      functionName: 'lzCompose',
      args: [from, to, guid, index, message, '0x'],
    }),
  })
}
