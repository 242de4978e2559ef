/** Errors of vaults built on OpenZeppelin, of those of Ethena and Morpho, and of the contracts behind them: why a vault refused. */
import { parseAbi } from 'viem'

/** What vaults refuse, in words; null: the error explains itself. @param reason - decoded, such as `EnforcedPause()`. */
export function explainVault(reason: string): string | null {
  if (reason === 'EnforcedPause()') return 'the vault is paused'
  const [, what, most] = /^ERC4626ExceededMax(\w+)\(.+, (\d+)\)$/.exec(reason) ?? []
  if (what === 'Deposit') return `the vault takes at most ${most} more`
  if (what === 'Withdraw') return `the vault gives at most ${most}`
  if (what === 'Redeem') return `the vault takes at most ${most} of its shares back`
  return null
}

export const vaultErrors = parseAbi([
  'error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max)',
  'error ERC4626ExceededMaxMint(address receiver, uint256 shares, uint256 max)',
  'error ERC4626ExceededMaxWithdraw(address owner, uint256 assets, uint256 max)',
  'error ERC4626ExceededMaxRedeem(address owner, uint256 shares, uint256 max)',
  'error OperationNotAllowed()',
  'error MinSharesViolation()',
  'error ExcessiveRedeemAmount()',
  'error ExcessiveWithdrawAmount()',
  'error AllCapsReached()',
  'error NotEnoughLiquidity()',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidReceiver(address receiver)',
  'error SafeERC20FailedOperation(address token)',
  'error EnforcedPause()',
  'error OwnableUnauthorizedAccount(address account)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'error ReentrancyGuardReentrantCall()',
])
