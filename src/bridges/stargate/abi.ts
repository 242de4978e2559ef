/** The calls and events of Stargate V2's pools, of its TokenMessaging and of LayerZero's EndpointV2. */
import { parseAbi } from 'viem'

export const poolAbi = parseAbi([
  'struct SendParam { uint32 dstEid; bytes32 to; uint256 amountLD; uint256 minAmountLD; bytes extraOptions; bytes composeMsg; bytes oftCmd; }',
  'struct MessagingFee { uint256 nativeFee; uint256 lzTokenFee; }',
  'struct OFTLimit { uint256 minAmountLD; uint256 maxAmountLD; }',
  'struct OFTFeeDetail { int256 feeAmountLD; string description; }',
  'struct OFTReceipt { uint256 amountSentLD; uint256 amountReceivedLD; }',
  'struct MessagingReceipt { bytes32 guid; uint64 nonce; MessagingFee fee; }',
  'function status() view returns (uint8)',
  'function quoteOFT(SendParam sendParam) view returns (OFTLimit limit, OFTFeeDetail[] details, OFTReceipt receipt)',
  'function quoteSend(SendParam sendParam, bool payInLzToken) view returns (MessagingFee fee)',
  'function send(SendParam sendParam, MessagingFee fee, address refundAddress) payable returns (MessagingReceipt messaging, OFTReceipt receipt)',
  'function unreceivedTokens(bytes32 guid, uint8 index) view returns (bytes32 hash)',
  'event OFTSent(bytes32 indexed guid, uint32 dstEid, address indexed fromAddress, uint256 amountSentLD, uint256 amountReceivedLD)',
  'event OFTReceived(bytes32 indexed guid, uint32 srcEid, address indexed toAddress, uint256 amountReceivedLD)',
])

export const messagingAbi = parseAbi([
  'struct Origin { uint32 srcEid; bytes32 sender; uint64 nonce; }',
  'function lzReceive(Origin origin, bytes32 guid, bytes message, address executor, bytes extraData) payable',
])

export const endpointAbi = parseAbi([
  'function lzCompose(address from, address to, bytes32 guid, uint16 index, bytes message, bytes extraData) payable',
  'function composeQueue(address from, address to, bytes32 guid, uint16 index) view returns (bytes32)',
  'function lazyInboundNonce(address receiver, uint32 srcEid, bytes32 sender) view returns (uint64)',
  'function inboundPayloadHash(address receiver, uint32 srcEid, bytes32 sender, uint64 nonce) view returns (bytes32)',
  'event PacketSent(bytes encodedPayload, bytes options, address sendLibrary)',
  'event ComposeDelivered(address from, address to, bytes32 guid, uint16 index)',
])
