/** The functions of the Comptroller and of its markets that are read. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'

const readAbi = parseAbi([
  'function getAllMarkets() view returns (address[])',
  'function markets(address market) view returns (bool isListed, uint256 collateralFactor)',
  'function checkMembership(address account, address market) view returns (bool)',
  'function mintGuardianPaused(address market) view returns (bool)',
  'function underlying() view returns (address)',
  'function getCash() view returns (uint256)',
  'function totalBorrows() view returns (uint256)',
  'function totalReserves() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function reserveFactorMantissa() view returns (uint256)',
  'function accrualBlockNumber() view returns (uint256)',
  'function borrowRatePerBlock() view returns (uint256)',
  'function supplyRatePerBlock() view returns (uint256)',
  'function exchangeRateStored() view returns (uint256)',
  'function exchangeRateCurrent() returns (uint256)',
])

export type Getter = (typeof readAbi)[number]['name']

/** Call data of one of them. */
export function encodeRead(functionName: Getter, args: readonly Address[] = []): Hex {
  return encodeFunctionData({ abi: readAbi, functionName, args } as never)
}

export const marketAbi = {
  mint: parseAbi(['function mint(uint256 amount) returns (uint256 code)'])[0],
  mintEther: parseAbi(['function mint() payable'])[0],
  redeem: parseAbi(['function redeem(uint256 tokens) returns (uint256 code)'])[0],
  redeemUnderlying: parseAbi([
    'function redeemUnderlying(uint256 amount) returns (uint256 code)',
  ])[0],
  borrow: parseAbi(['function borrow(uint256 amount) returns (uint256 code)'])[0],
  repay: parseAbi([
    'function repayBorrowBehalf(address borrower, uint256 amount) returns (uint256 code)',
  ])[0],
  repayEther: parseAbi(['function repayBorrowBehalf(address borrower) payable'])[0],
  debt: parseAbi(['function borrowBalanceCurrent(address account) returns (uint256)'])[0],
  enter: parseAbi(['function enterMarkets(address[] markets) returns (uint256[] codes)'])[0],
}
