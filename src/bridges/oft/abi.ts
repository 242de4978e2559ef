/** What an OFT has beside `layerzero/abi.ts`, the last three only some; and what OFTs alone revert with. */
import { parseAbi } from 'viem'

export const tokenAbi = parseAbi([
  'function token() view returns (address)',
  'function peers(uint32 eid) view returns (bytes32)',
  'function approvalRequired() view returns (bool)',
  'function decimalConversionRate() view returns (uint256)',
  'function enforcedOptions(uint32 eid, uint16 messageType) view returns (bytes)',
  'function paused() view returns (bool)',
  'function getAmountCanBeSent(uint32 dstEid) view returns (uint256 inFlight, uint256 canBeSent)',
])

/** @see oft-evm 4.0.1, artifacts; oapp-evm 0.4.1, contracts/oapp/utils/RateLimiter.sol; OpenZeppelin's Pausable.sol */
export const oftErrorsAbi = parseAbi([
  'error AmountSDOverflowed(uint256 amountSD)',
  'error EnforcedPause()',
  'error InspectionFailed(bytes message, bytes options)',
  'error RateLimitExceeded()',
])
