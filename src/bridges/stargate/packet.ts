/**
 * What a pool sends: LayerZero's packet, Stargate's message in it, and the message that is composed from it. Pure.
 * @see LayerZero-Labs lz-evm-protocol-v2 3.0.168, contracts/messagelib/libs/PacketV1Codec.sol
 * @see stargatefinance stg-evm-v2 2.0.6, src/libs/TaxiCodec.sol, and OFTComposeMsgCodec.sol of LayerZero's OApps
 */
import { encodePacked, hexToBigInt, hexToNumber, size, slice } from 'viem'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'

const taxi = 1

export interface TaxiPacket {
  readonly nonce: bigint
  readonly srcEid: number
  /** TokenMessaging of the source, and of the destination. */
  readonly sender: Address
  readonly dstEid: number
  readonly receiver: Address
  readonly guid: Hex
  /** All of it, as the destination's TokenMessaging takes it. */
  readonly payload: Hex
  /** Whom the pool pays. */
  readonly paid: Address
  /** In the six decimals that all of a lane's pools share. */
  readonly amountShared: bigint
  /** The caller of the source's pool and the sender's message; 0x without a message. */
  readonly composed: Hex
}

/** Null: a packet of another version, or another message than one transfer's. */
export function readTaxiPacket(packet: Hex): TaxiPacket | null {
  if (size(packet) < 113 + 43 || hexToNumber(slice(packet, 0, 1)) !== 1) return null
  const payload = slice(packet, 113)
  if (hexToNumber(slice(payload, 0, 1)) !== taxi) return null
  return {
    nonce: hexToBigInt(slice(packet, 1, 9)),
    srcEid: hexToNumber(slice(packet, 9, 13)),
    sender: toAddress(slice(packet, 25, 45)),
    dstEid: hexToNumber(slice(packet, 45, 49)),
    receiver: toAddress(slice(packet, 61, 81)),
    guid: slice(packet, 81, 113),
    payload,
    paid: toAddress(slice(payload, 15, 35)),
    amountShared: hexToBigInt(slice(payload, 35, 43)),
    composed: size(payload) > 43 ? slice(payload, 43) : '0x',
  }
}

/** The sender's own message; 0x: none. */
export function messageOf(composed: Hex): Hex {
  return size(composed) > 32 ? slice(composed, 32) : '0x'
}

/** Builds the compose message that the destination's pool queues at its endpoint. */
export function toComposeMessage(args: {
  readonly nonce: bigint
  readonly srcEid: number
  /** Raw units of the destination's token. */
  readonly amount: bigint
  readonly composed: Hex
}): Hex {
  const { nonce, srcEid, amount, composed } = args
  return encodePacked(['uint64', 'uint32', 'uint256', 'bytes'], [nonce, srcEid, amount, composed])
}
