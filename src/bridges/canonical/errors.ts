/** What portals revert with where they refuse a deposit. @see eth-optimism/contracts-bedrock 0.17.3, PortalErrors.sol */
import { parseAbi } from 'viem'

export const canonicalErrorsAbi = parseAbi([
  'error BadTarget()',
  'error CallPaused()',
  'error LargeCalldata()',
  'error OutOfGas()',
  'error SmallGasLimit()',
])
