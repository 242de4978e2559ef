/** What SpokePools revert with. @see across-protocol/contracts 4.1.12, artifacts of Ethereum_SpokePool */
import { parseAbi } from 'viem'

export const acrossErrorsAbi = parseAbi([
  'error DepositsArePaused()',
  'error DisabledRoute()',
  'error ExpiredFillDeadline()',
  'error FillsArePaused()',
  'error InvalidBytes32()',
  'error InvalidChainId()',
  'error InvalidDepositorSignature()',
  'error InvalidExclusiveRelayer()',
  'error InvalidFillDeadline()',
  'error InvalidQuoteTimestamp()',
  'error LowLevelCallFailed(bytes data)',
  'error MaxTransferSizeExceeded()',
  'error MsgValueDoesNotMatchInputAmount()',
  'error NoSlowFillsInExclusivityWindow()',
  'error NotExclusiveRelayer()',
  'error RelayFilled()',
])
