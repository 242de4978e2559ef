/** What is called of the OP stack's contracts. @see eth-optimism/contracts-bedrock 0.17.3, src */
import { getAbiItem, parseAbi } from 'viem'
import { executorContracts } from '../../executor/deployments.js'

export const messengerAbi = parseAbi([
  'function sendMessage(address target, bytes message, uint32 minGasLimit) payable',
  'function relayMessage(uint256 nonce, address sender, address target, uint256 value, uint256 minGasLimit, bytes message) payable',
  'function successfulMessages(bytes32 hash) view returns (bool)',
  'function failedMessages(bytes32 hash) view returns (bool)',
  'event RelayedMessage(bytes32 indexed msgHash)',
  'event FailedRelayedMessage(bytes32 indexed msgHash)',
])

export const portalAbi = parseAbi([
  'function paused() view returns (bool)',
  'function params() view returns (uint128 prevBaseFee, uint64 prevBoughtGas, uint64 prevBlockNum)',
  'event TransactionDeposited(address indexed from, address indexed to, uint256 indexed version, bytes opaqueData)',
])

export const systemConfigAbi = parseAbi([
  'struct ResourceConfig { uint32 maxResourceLimit; uint8 elasticityMultiplier; uint8 baseFeeMaxChangeDenominator; uint32 minimumBaseFee; uint32 systemTxMaxGas; uint128 maximumBaseFee; }',
  'function resourceConfig() view returns (ResourceConfig config)',
])

/** Of the standard bridge on either side. */
export const tokenBridgeAbi = parseAbi([
  'function bridgeERC20To(address localToken, address remoteToken, address to, uint256 amount, uint32 minGasLimit, bytes extraData)',
  'function messenger() view returns (address)',
  'function otherBridge() view returns (address)',
  'function deposits(address locked, address minted) view returns (uint256)',
])

/** Of a token that a standard bridge mints. */
export const mintedTokenAbi = parseAbi([
  'function l1Token() view returns (address)',
  'function l2Bridge() view returns (address)',
])

/** What a standard bridge on the chain that is settled on has its counterpart do. */
export const standardBridgeAbi = parseAbi([
  'function finalizeBridgeETH(address from, address to, uint256 amount, bytes extraData) payable',
  'function finalizeBridgeERC20(address localToken, address remoteToken, address from, address to, uint256 amount, bytes extraData)',
])

export const messagePasserAbi = parseAbi([
  'event MessagePassed(uint256 indexed nonce, address indexed sender, address indexed target, uint256 value, uint256 gasLimit, bytes data, bytes32 withdrawalHash)',
])

/** What the portal is told and asked of withdrawals. */
export const withdrawalAbi = parseAbi([
  'struct WithdrawalTransaction { uint256 nonce; address sender; address target; uint256 value; uint256 gasLimit; bytes data; }',
  'struct OutputRootProof { bytes32 version; bytes32 stateRoot; bytes32 messagePasserStorageRoot; bytes32 latestBlockhash; }',
  'function proveWithdrawalTransaction(WithdrawalTransaction withdrawal, uint256 disputeGameIndex, OutputRootProof outputRootProof, bytes[] withdrawalProof)',
  'function finalizeWithdrawalTransactionExternalProof(WithdrawalTransaction withdrawal, address proofSubmitter)',
  'function finalizedWithdrawals(bytes32 hash) view returns (bool)',
  'function numProofSubmitters(bytes32 hash) view returns (uint256)',
  'function proofSubmitters(bytes32 hash, uint256 index) view returns (address)',
  'function provenWithdrawals(bytes32 hash, address submitter) view returns (address game, uint64 timestamp)',
  'function checkWithdrawal(bytes32 hash, address submitter) view',
  'function proofMaturityDelaySeconds() view returns (uint256)',
  'function disputeGameFinalityDelaySeconds() view returns (uint256)',
  'function disputeGameFactory() view returns (address)',
  'function respectedGameType() view returns (uint32)',
  'event WithdrawalFinalized(bytes32 indexed withdrawalHash, bool success)',
])

export const finalizeWithdrawal = getAbiItem({
  abi: withdrawalAbi,
  name: 'finalizeWithdrawalTransactionExternalProof',
})

/** Of a game about an output root, and of what lists them. */
export const gameAbi = parseAbi([
  'struct Game { uint256 index; bytes32 metadata; uint64 timestamp; bytes32 rootClaim; bytes extraData; }',
  'function gameCount() view returns (uint256)',
  'function findLatestGames(uint32 gameType, uint256 start, uint256 n) view returns (Game[] games)',
  'function resolvedAt() view returns (uint64)',
])

export const deliver = getAbiItem({
  abi: executorContracts.DestinationReceiver.abi,
  name: 'deliver',
})
