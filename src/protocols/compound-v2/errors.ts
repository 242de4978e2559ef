/**
 * Why a market or the Comptroller refused. Older markets return a code, on which our steps fail the transaction;
 * newer ones revert with a custom error.
 * @see compound-finance/compound-protocol, contracts/ErrorReporter.sol
 */
import { parseAbi } from 'viem'

const marketCodes = [
  'NO_ERROR',
  'UNAUTHORIZED',
  'BAD_INPUT',
  'COMPTROLLER_REJECTION: the Comptroller does not allow it, as for a loan that the collateral does not cover',
  'COMPTROLLER_CALCULATION_ERROR',
  'INTEREST_RATE_MODEL_ERROR',
  'INVALID_ACCOUNT_PAIR',
  'INVALID_CLOSE_AMOUNT_REQUESTED',
  'INVALID_COLLATERAL_FACTOR',
  'MATH_ERROR: an amount is above what there is',
  'MARKET_NOT_FRESH',
  'MARKET_NOT_LISTED',
  'TOKEN_INSUFFICIENT_ALLOWANCE',
  'TOKEN_INSUFFICIENT_BALANCE',
  'TOKEN_INSUFFICIENT_CASH: the market has not as much to pay out',
  'TOKEN_TRANSFER_IN_FAILED',
  'TOKEN_TRANSFER_OUT_FAILED',
]

export const errorsAbi = parseAbi([
  'error BelowMinimum(uint256 amount, uint256 minimum)',
  'error MintComptrollerRejection(uint256 errorCode)',
  'error MintFreshnessCheck()',
  'error RedeemComptrollerRejection(uint256 errorCode)',
  'error RedeemFreshnessCheck()',
  'error RedeemTransferOutNotPossible()',
  'error BorrowComptrollerRejection(uint256 errorCode)',
  'error BorrowFreshnessCheck()',
  'error BorrowCashNotAvailable()',
  'error RepayBorrowComptrollerRejection(uint256 errorCode)',
  'error RepayBorrowFreshnessCheck()',
])

const comptrollerCodes: Readonly<Record<string, string>> = {
  '1': 'UNAUTHORIZED',
  '3': 'INSUFFICIENT_SHORTFALL',
  '4': 'INSUFFICIENT_LIQUIDITY: the collateral does not cover it',
  '9': 'MARKET_NOT_LISTED',
  '13': 'PRICE_ERROR: the oracle gives no price',
  '16': 'TOO_MANY_ASSETS',
}

/** The code of a returned failure, `mint failed (03)` of the market of ether, or the Comptroller's own. */
export function explain(reason: string): string | null {
  const returned = /BelowMinimum\(0, (\d+)\)/.exec(reason)?.[1]
  const reverted = /failed \((\d\d)\)/.exec(reason)?.[1]
  const code = returned ?? reverted
  if (code !== undefined) {
    const meaning = marketCodes[Number(code)]
    return meaning ? `Compound's code ${Number(code)}, ${meaning}` : null
  }
  const rejected = /ComptrollerRejection\((\d+)\)/.exec(reason)?.[1]
  const meaning = rejected === undefined ? undefined : comptrollerCodes[rejected]
  return meaning ? `the Comptroller's code ${rejected}, ${meaning}` : null
}
