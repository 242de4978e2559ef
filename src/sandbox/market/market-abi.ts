/** The functions that the script calls, as human-readable signatures. */
import { parseAbi } from 'viem'

export const tokenAbi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function transfer(address to, uint256 value)',
  'function approve(address spender, uint256 value)',
  'function deposit() payable',
  'function trap(address pool)',
  'function freeze()',
  'function report(int256 value)',
  'function initialize(string name, string symbol, uint256 supply, address holder)',
])

export const deskAbi = parseAbi([
  'function execute(address target, uint256 value, bytes data)',
  'function many(bytes[] calls)',
  'function seedV2(address pair, uint256 amount0, uint256 amount1)',
  'function pushV2(address pair, uint160 sqrtPriceX96)',
  'function swapV2(address pair, bool zeroForOne, uint256 amountIn)',
  'function mintV3(address pool, int24 below, int24 above, uint128 liquidity)',
  'function pushV3(address pool, uint160 sqrtPriceX96)',
  'function swapV3(address pool, bool zeroForOne, uint256 amountIn)',
])

const poolKey =
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }'

export const v4Abi = parseAbi([
  poolKey,
  'function initialize(PoolKey key, uint160 sqrtPriceX96)',
  'function mintV4(address manager, PoolKey key, int24 below, int24 above, uint128 liquidity)',
  'function pushV4(address manager, PoolKey key, uint160 sqrtPriceX96)',
  'function swapV4(address manager, PoolKey key, bool zeroForOne, uint256 amountIn)',
])

export const factoryAbi = parseAbi([
  'function createPair(address tokenA, address tokenB)',
  'function enableFeeAmount(uint24 fee, int24 tickSpacing)',
  'function createPool(address tokenA, address tokenB, uint24 fee)',
  'function initialize(uint160 sqrtPriceX96)',
  'function increaseObservationCardinalityNext(uint16 cardinality)',
])

export const weightedFactoryAbi = parseAbi([
  'function create(string name, string symbol, address[] tokens, uint256[] weights, uint256 swapFee, address owner)',
])

export const stableFactoryAbi = parseAbi([
  'function create(string name, string symbol, address[] tokens, uint256 amplification, uint256 swapFee, address owner)',
])

export const vaultAbi = parseAbi([
  'function joinPool(bytes32 poolId, address sender, address recipient, (address[] assets, uint256[] maxAmountsIn, bytes userData, bool fromInternalBalance) request)',
  'function swap((bytes32 poolId, uint8 kind, address assetIn, address assetOut, uint256 amount, bytes userData) single, (address sender, bool fromInternalBalance, address recipient, bool toInternalBalance) funds, uint256 limit, uint256 deadline)',
])

export const curveAbi = parseAbi([
  'function add_liquidity(uint256[4] amounts, uint256 minimum)',
  'function exchange(int128 i, int128 j, uint256 dx, uint256 minimum)',
])

export const readAbi = parseAbi([
  'function aggregate((address target, bytes callData)[] calls) view returns (uint256, bytes[])',
  'function getReserves()',
  'function slot0()',
  'function extsload(bytes32 slot)',
  'function getPoolTokens(bytes32 poolId)',
  'function balances(int128 coin)',
])
