/** The calls and events of CCTP V2. @see circlefin/evm-cctp-contracts, src/v2 */
import { parseAbi } from 'viem'

export const messengerAbi = parseAbi([
  'function depositForBurn(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold)',
  'function depositForBurnWithHook(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold, bytes hookData)',
  'function getMinFeeAmount(uint256 amount) view returns (uint256)',
  'function remoteTokenMessengers(uint32 domain) view returns (bytes32)',
  'function isDenylisted(address account) view returns (bool)',
  'event MintAndWithdraw(address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected)',
])

export const transmitterAbi = parseAbi([
  'function paused() view returns (bool)',
  'function maxMessageBodySize() view returns (uint256)',
  'function usedNonces(bytes32 nonce) view returns (uint256)',
  'function receiveMessage(bytes message, bytes attestation) returns (bool)',
  'event MessageSent(bytes message)',
  'event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)',
])

export const minterAbi = parseAbi([
  'function paused() view returns (bool)',
  'function burnLimitsPerMessage(address token) view returns (uint256)',
])
