/** Functions of Pendle's contracts, and what they answer. */
import { encodeFunctionData, parseAbi } from 'viem'
import { type Address, type Hex, nativeToken, zeroAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import { addressIn, wordsOf } from '../pool-events.js'

/** @see pendle-finance/pendle-core-v2-public e8c2cca, contracts/interfaces */
const readAbi = parseAbi([
  'function readTokens() view returns (address sy, address pt, address yt)',
  'function readState(address router) view returns (int256 totalPt, int256 totalSy, int256 totalLp, address treasury, int256 scalarRoot, uint256 expiry, uint256 lnFeeRateRoot, uint256 reserveFeePercent, uint256 lastLnImpliedRate)',
  'function isValidMarket(address market) view returns (bool)',
  'function isYT(address yt) view returns (bool)',
  'function SY() view returns (address)',
  'function PT() view returns (address)',
  'function YT() view returns (address)',
  'function expiry() view returns (uint256)',
  'function exchangeRate() view returns (uint256)',
  'function pyIndexStored() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function getTokensIn() view returns (address[])',
  'function getTokensOut() view returns (address[])',
  'function previewDeposit(address tokenIn, uint256 amountTokenToDeposit) view returns (uint256)',
  'function previewRedeem(address tokenOut, uint256 amountSharesToRedeem) view returns (uint256)',
])

/** More than any SY has. */
const mostTokens = 32

type Getter =
  | 'readTokens'
  | 'SY'
  | 'PT'
  | 'YT'
  | 'expiry'
  | 'exchangeRate'
  | 'pyIndexStored'
  | 'totalSupply'
  | 'getTokensIn'
  | 'getTokensOut'

export const getter = (functionName: Getter): Hex =>
  encodeFunctionData({ abi: readAbi, functionName })

export const readStateOf = (router: Address): Hex =>
  encodeFunctionData({ abi: readAbi, functionName: 'readState', args: [router] })

export const isValidMarket = (market: Address): Hex =>
  encodeFunctionData({ abi: readAbi, functionName: 'isValidMarket', args: [market] })

export const balanceOf = (owner: Address): Hex =>
  encodeFunctionData({ abi: readAbi, functionName: 'balanceOf', args: [owner] })

export const isYt = (yt: Address): Hex =>
  encodeFunctionData({ abi: readAbi, functionName: 'isYT', args: [yt] })

export const preview = (
  functionName: 'previewDeposit' | 'previewRedeem',
  token: Address,
  amount: bigint,
): Hex => encodeFunctionData({ abi: readAbi, functionName, args: [ownSpelling(token), amount] })

/** Native is the zero address there. */
export const ownSpelling = (token: Address): Address =>
  token === nativeToken ? zeroAddress : token

/** So many addresses in the order of the answer; null where it answers anything else, such as zero. */
export function addressesIn(answer: ReadResult | undefined, count: number): Address[] | null {
  const words = answer?.ok ? wordsOf(answer.value) : []
  const addresses = words.flatMap((word) => (word > 0n && addressIn(word)) || [])
  return words.length === count && addresses.length === count ? addresses : null
}

/** What an SY takes or pays, native by the constant; null where it answers no list. */
export function tokensIn(answer: ReadResult | undefined): Address[] | null {
  const [offset, length, ...words] = answer?.ok ? wordsOf(answer.value) : []
  const isList = offset === 32n && length === BigInt(words.length) && words.length <= mostTokens
  if (!isList) return null
  const tokens = words.flatMap((word) => addressIn(word) ?? [])
  if (tokens.length !== words.length) return null
  return tokens.map((token) => (token === zeroAddress ? nativeToken : token))
}

export const [
  swapPtAbi,
  swapSyAbi,
  sellYtAbi,
  buyYtAbi,
  addLiquidityAbi,
  removeLiquidityAbi,
  mintPyAbi,
  redeemPyAbi,
  depositAbi,
  redeemAbi,
] = parseAbi([
  'function swapExactPtForSy(address receiver, address market, uint256 exactPtIn, uint256 minSyOut, Limit limit) returns (uint256 netSyOut, uint256 netSyFee)',
  'function swapExactSyForPt(address receiver, address market, uint256 exactSyIn, uint256 minPtOut, Approximation guessPtOut, Limit limit) returns (uint256 netPtOut, uint256 netSyFee)',
  'function swapExactYtForSy(address receiver, address market, uint256 exactYtIn, uint256 minSyOut, Limit limit) returns (uint256 netSyOut, uint256 netSyFee)',
  'function swapExactSyForYt(address receiver, address market, uint256 exactSyIn, uint256 minYtOut, Approximation guessYtOut, Limit limit) returns (uint256 netYtOut, uint256 netSyFee)',
  'function addLiquiditySingleSy(address receiver, address market, uint256 netSyIn, uint256 minLpOut, Approximation guessPtReceivedFromSy, Limit limit) returns (uint256 netLpOut, uint256 netSyFee)',
  'function removeLiquiditySingleSy(address receiver, address market, uint256 netLpToRemove, uint256 minSyOut, Limit limit) returns (uint256 netSyOut, uint256 netSyFee)',
  'function mintPY(address receiverPT, address receiverYT) returns (uint256 amountPYOut)',
  'function redeemPY(address receiver) returns (uint256 amountSyOut)',
  'function deposit(address receiver, address tokenIn, uint256 amountTokenToDeposit, uint256 minSharesOut) payable returns (uint256 amountSharesOut)',
  'function redeem(address receiver, uint256 amountSharesToRedeem, address tokenOut, uint256 minTokenOut, bool burnFromInternalBalance) returns (uint256 amountTokenOut)',
  'struct Approximation { uint256 guessMin; uint256 guessMax; uint256 guessOffchain; uint256 maxIteration; uint256 eps; }',
  'struct Limit { address limitRouter; uint256 epsSkipMarket; Fill[] normalFills; Fill[] flashFills; bytes optData; }',
  'struct Fill { LimitOrder order; bytes signature; uint256 makingAmount; }',
  'struct LimitOrder { uint256 salt; uint256 expiry; uint256 nonce; uint8 orderType; address token; address YT; address maker; address receiver; uint256 makingAmount; uint256 lnImpliedRate; uint256 failSafeRate; bytes permit; }',
])
