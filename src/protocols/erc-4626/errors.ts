/** Errors of vaults built on OpenZeppelin, of those of Ethena and Morpho, and of the contracts behind them: why a vault refused. */
import { parseAbi } from 'viem'

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
