/** Errors of the Pool: it reverts with numbers, later versions with named errors. */
import { parseAbi } from 'viem'

/** @see aave/aave-v3-core, contracts/protocol/libraries/helpers/Errors.sol (v1.19.3), in words of our own. */
const meanings: Readonly<Record<string, string>> = {
  '24': 'the deposit is too small to give any aToken',
  '25': 'the amount is too small to take any aToken or debt away',
  '26': 'the amount is zero',
  '27': 'the reserve is not active',
  '28': 'the reserve is frozen: it takes no deposits and gives no loans',
  '29': 'the reserve is paused',
  '30': 'the reserve gives no loans',
  '31': 'the reserve gives no loans at a stable rate',
  '32': 'the account has fewer aTokens than are to be withdrawn',
  '33': 'the interest rate mode is not one that the reserve offers',
  '34': 'the account has no collateral',
  '35': 'the health factor would fall below the liquidation threshold',
  '36': 'the collateral does not cover the loan',
  '37': 'the collateral is mostly the token that is borrowed',
  '39': 'the account owes nothing of the token',
  '40': 'a repayment for another account needs an explicit amount',
  '42': 'the account owes nothing of the token at the variable rate',
  '43': 'the account has no aTokens of the reserve',
  '50': 'the borrow cap of the reserve is exceeded',
  '51': 'the supply cap of the reserve is exceeded',
  '53': 'the debt ceiling of the isolated collateral is exceeded',
  '57': 'an account whose collateral includes a token without loan-to-value has to take that out first',
  '58': 'the reserve is not in the efficiency mode of the account',
  '59': 'the price oracle sentinel allows no new loans at the moment',
  '60': 'the token cannot be borrowed against isolated collateral',
  '62': 'the token cannot be collateral of the account: it is in isolation mode, or the token has no loan-to-value',
  '77': 'the zero address is not valid',
  '80': 'the operation is not supported',
  '82': 'the token is not listed by the Pool',
  '89': 'a siloed token can be borrowed only alone',
}

/** Errors with names that versions from 3.4 on revert with. */
export const errorsAbi = parseAbi([
  'error InvalidMintAmount()',
  'error InvalidBurnAmount()',
  'error InvalidAmount()',
  'error ReserveInactive()',
  'error ReserveFrozen()',
  'error ReservePaused()',
  'error BorrowingNotEnabled()',
  'error NotEnoughAvailableUserBalance()',
  'error InvalidInterestRateModeSelected()',
  'error HealthFactorLowerThanLiquidationThreshold()',
  'error CollateralCannotCoverNewBorrow()',
  'error NoDebtOfSelectedType()',
  'error NoExplicitAmountToRepayOnBehalf()',
  'error UnderlyingBalanceZero()',
  'error BorrowCapExceeded()',
  'error SupplyCapExceeded()',
  'error DebtCeilingExceeded()',
  'error LtvValidationFailed()',
  'error InconsistentEModeCategory()',
  'error PriceOracleSentinelCheckFailed()',
  'error AssetNotBorrowableInIsolation()',
  'error UserInIsolationModeOrLtvZero()',
  'error ZeroAddressNotValid()',
  'error AssetNotListed()',
  'error SiloedBorrowingViolation()',
])

/** An underflow: contracts of Aave subtract without asking before. */
const underflow =
  'the reserve has less left than is to be taken, or the account lets the caller borrow less in its name'

/** @param reason - decoded, such as `Error(35)`. */
export function explain(reason: string): string | null {
  if (reason.startsWith('Panic(0x11)')) return underflow
  const [, code] = /^(?:Error\()?(\d{1,3})\)?$/.exec(reason) ?? []
  return (code && meanings[code]) || null
}
