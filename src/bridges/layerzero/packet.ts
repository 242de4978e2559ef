/**
 * What goes over LayerZero: its packet, the transfer in it, and the message that is composed from that. Pure.
 * @see LayerZero-Labs lz-evm-protocol-v2 3.0.168, contracts/messagelib/libs/PacketV1Codec.sol
 * @see LayerZero-Labs oft-evm 4.0.1, contracts/libs/OFTMsgCodec.sol and OFTComposeMsgCodec.sol
 */
import { encodePacked, hexToBigInt, hexToNumber, size, slice } from 'viem'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'

export interface Packet {
  readonly nonce: bigint
  readonly srcEid: number
  /** Who sent it on the source, and whom it is for on the destination. */
  readonly sender: Address
  readonly dstEid: number
  readonly receiver: Address
  readonly guid: Hex
  /** All of it, as the receiver takes it. */
  readonly payload: Hex
}

/** What the amount of a transfer takes of its payload. */
export const amountBytes = 8

/** What the payload of a packet says. */
export interface Transfer {
  /** Whom the destination pays. */
  readonly paid: Address
  /** In the decimals that all sides share. */
  readonly amountShared: bigint
  /** The caller on the source and the sender's message; 0x without a message. */
  readonly composed: Hex
}

/** Null: a packet of another version. */
export function readPacket(packet: Hex): Packet | null {
  if (size(packet) <= 113 || hexToNumber(slice(packet, 0, 1)) !== 1) return null
  return {
    nonce: hexToBigInt(slice(packet, 1, 9)),
    srcEid: hexToNumber(slice(packet, 9, 13)),
    sender: toAddress(slice(packet, 25, 45)),
    dstEid: hexToNumber(slice(packet, 45, 49)),
    receiver: toAddress(slice(packet, 61, 81)),
    guid: slice(packet, 81, 113),
    payload: slice(packet, 113),
  }
}

/** As every OFT writes it: account 32 bytes, amount 8, and what is composed. Null: something else. */
export function readTransfer(payload: Hex): Transfer | null {
  if (size(payload) < 40) return null
  return {
    paid: toAddress(slice(payload, 12, 32)),
    amountShared: hexToBigInt(slice(payload, 32, 32 + amountBytes)),
    composed: size(payload) > 40 ? slice(payload, 40) : '0x',
  }
}

/** The sender's own message; 0x: none. */
export function messageOf(composed: Hex): Hex {
  return size(composed) > 32 ? slice(composed, 32) : '0x'
}

/** Builds the compose message that the destination queues at its endpoint. */
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
