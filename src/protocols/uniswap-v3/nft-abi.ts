/** The functions of the NonfungiblePositionManager that actions call. */
import { parseAbi } from 'viem'

export const [mintAbi, increaseAbi, decreaseAbi, collectAbi, burnAbi, positionsAbi, approveAbi] =
  parseAbi([
    'function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline)) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
    'function increaseLiquidity((uint256 tokenId, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, uint256 deadline)) payable returns (uint128 liquidity, uint256 amount0, uint256 amount1)',
    'function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline)) payable returns (uint256 amount0, uint256 amount1)',
    'function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max)) payable returns (uint256 amount0, uint256 amount1)',
    'function burn(uint256 tokenId) payable',
    'function positions(uint256 tokenId) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256 feeGrowthInside0LastX128, uint256 feeGrowthInside1LastX128, uint128 tokensOwed0, uint128 tokensOwed1)',
    'function approve(address to, uint256 tokenId)',
  ])

/** Place of `liquidity` in what `positions` answers. */
export const liquidityWord = 7

const meanings: Readonly<Record<string, string>> = {
  'Not approved': 'the caller is neither the owner of the NFT nor approved for it',
  'Invalid token ID': 'there is no NFT with this id',
  'Not cleared': 'the position still has liquidity or tokens',
  'Price slippage check': 'less was taken or paid than the minimum',
  LOK: 'the pool is locked: it is in the middle of another call',
  TLU: 'the lower tick is not below the upper one',
  TLM: 'the lower tick is below the least that there is',
  TUM: 'the upper tick is above the greatest that there is',
  LO: 'a tick would hold more liquidity than it may',
  NP: 'the position has no liquidity',
  M0: 'token0 was not paid',
  M1: 'token1 was not paid',
  STF: 'a token could not be taken from the caller',
  ST: 'a token could not be paid',
  TF: 'the pool could not pay a token',
}

/** Null where the revert string says it itself. */
export function explainV3(reason: string): string | null {
  return meanings[reason] ?? null
}
