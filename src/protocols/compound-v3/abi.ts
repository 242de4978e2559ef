import { encodeFunctionData, parseAbi } from 'viem'
import type { Hex } from '../../domain/primitives.js'

/** The functions of a market that are read. */
const readAbi = parseAbi([
  'function baseToken() view returns (address)',
  'function numAssets() view returns (uint8)',
  'function getAssetInfo(uint8 index) view returns (uint8 offset, address asset, address priceFeed, uint64 scale, uint64 borrowCollateralFactor, uint64 liquidateCollateralFactor, uint64 liquidationFactor, uint128 supplyCap)',
  'function totalsBasic() view returns (uint64 baseSupplyIndex, uint64 baseBorrowIndex, uint64 trackingSupplyIndex, uint64 trackingBorrowIndex, uint104 totalSupplyBase, uint104 totalBorrowBase, uint40 lastAccrualTime, uint8 pauseFlags)',
  'function totalsCollateral(address asset) view returns (uint128 totalSupplyAsset, uint128 reserved)',
  'function getUtilization() view returns (uint256)',
  'function getSupplyRate(uint256 utilization) view returns (uint64)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function isSupplyPaused() view returns (bool)',
  'function isWithdrawPaused() view returns (bool)',
  'function hasPermission(address owner, address manager) view returns (bool)',
])

/** Call data of one of them. */
export function encodeRead(
  functionName: (typeof readAbi)[number]['name'],
  args: readonly unknown[] = [],
): Hex {
  return encodeFunctionData({ abi: readAbi, functionName, args } as never)
}

const [supplyTo, withdrawTo, withdrawFrom, allow, balanceOf, borrowBalanceOf] = parseAbi([
  'function supplyTo(address to, address asset, uint256 amount)',
  'function withdrawTo(address to, address asset, uint256 amount)',
  'function withdrawFrom(address from, address to, address asset, uint256 amount)',
  'function allow(address manager, bool isAllowed)',
  'function balanceOf(address owner) view returns (uint256)',
  'function borrowBalanceOf(address owner) view returns (uint256)',
])

/** What transactions call. */
export const cometAbi = {
  supplyTo,
  withdrawTo,
  withdrawFrom,
  allow,
  balanceOf,
  borrowBalanceOf,
}

export const errorsAbi = parseAbi([
  'error Absurd()',
  'error BadAmount()',
  'error BadAsset()',
  'error BadPrice()',
  'error BorrowTooSmall()',
  'error InsufficientReserves()',
  'error InvalidUInt104()',
  'error InvalidUInt128()',
  'error NegativeNumber()',
  'error NoSelfTransfer()',
  'error NotCollateralized()',
  'error Paused()',
  'error ReentrantCallBlocked()',
  'error SupplyCapExceeded()',
  'error TransferInFailed()',
  'error TransferOutFailed()',
  'error Unauthorized()',
])
