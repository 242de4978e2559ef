/** Calls that change a pool's liquidity, as steps of an Executor, and the queries that preview them. */

import { type AbiFunction, encodeFunctionData, parseAbi, parseAbiItem } from 'viem'
import { tokenAmounts } from '../../domain/lists.js'
import type { Amount, CallStep, ExecutorStep } from '../../domain/order.js'
import { type Address, type Hex, isNative } from '../../domain/primitives.js'
import type { LiquidityState } from './liquidity-state.js'
import type { IndexType } from './parameters.js'

const [removeInt128, removeUint256] = parseAbi([
  'function remove_liquidity_one_coin(uint256 shares, int128 i, uint256 min_amount)',
  'function remove_liquidity_one_coin(uint256 shares, uint256 i, uint256 min_amount)',
])
const calcAbi = {
  int128: parseAbi(['function calc_withdraw_one_coin(uint256, int128) view returns (uint256)']),
  uint256: parseAbi(['function calc_withdraw_one_coin(uint256, uint256) view returns (uint256)']),
} as const

type AmountsType = LiquidityState['amountsType']

/** Selectors differ by how many coins there are, or by there being a list. */
function abiOf(amounts: AmountsType, coins: number, of: (list: string) => string): AbiFunction {
  const list = amounts === 'dynamic' ? 'uint256[]' : `uint256[${coins}]`
  return parseAbiItem([of(list)]) as unknown as AbiFunction
}

/** @param amounts - of each coin in the pool's order; coins with `0n` are neither approved nor sent. */
export function depositSteps(args: {
  readonly target: Address
  readonly coins: readonly Address[]
  readonly amounts: readonly Amount[]
  readonly amountsType: AmountsType
}): ExecutorStep[] {
  const { target, coins, amounts, amountsType } = args
  const paid = tokenAmounts(coins, amounts).filter(({ amount }) => amount !== 0n)
  const native = paid.find(({ token }) => isNative(token))
  const approvals = paid
    .filter(({ token }) => !isNative(token))
    .map(({ token, amount }): ExecutorStep => ({ kind: 'approve', token, spender: target, amount }))
  const abi = abiOf(
    amountsType,
    coins.length,
    (list) => `function add_liquidity(${list} amounts, uint256 min_shares)`,
  )
  const value = native && { value: native.amount }
  return [...approvals, { kind: 'call', target, abi, args: [amounts, 0n], ...value }]
}

/** All of the shares for one coin. @param zap - who does it where the pool cannot. */
export function withdrawOneSteps(args: {
  readonly target: Address
  readonly zap: Address | null
  readonly share: Address
  readonly indexType: IndexType
  readonly index: number
  readonly amount: Amount
}): ExecutorStep[] {
  const { target, zap, share, index, amount } = args
  const call: CallStep = {
    kind: 'call',
    target: zap ?? target,
    abi: args.indexType === 'int128' ? removeInt128 : removeUint256,
    args: [amount, BigInt(index), 0n],
  }
  // The pool burns what its caller holds; another contract has to pull the shares first.
  return zap ? [{ kind: 'approve', token: share, spender: zap, amount }, call] : [call]
}

/** A part of everything for the shares. */
export function withdrawAllStep(
  target: Address,
  coins: number,
  amountsType: AmountsType,
  amount: Amount,
): CallStep {
  const abi = abiOf(
    amountsType,
    coins,
    (list) => `function remove_liquidity(uint256 shares, ${list} min_amounts)`,
  )
  return { kind: 'call', target, abi, args: [amount, Array<bigint>(coins).fill(0n)] }
}

/** These amounts for at most so many shares. */
export function withdrawExactlyStep(
  target: Address,
  amounts: readonly Amount[],
  amountsType: AmountsType,
  mostShares: Amount,
): CallStep {
  const abi = abiOf(
    amountsType,
    amounts.length,
    (list) => `function remove_liquidity_imbalance(${list} amounts, uint256 max_shares)`,
  )
  return { kind: 'call', target, abi, args: [amounts, mostShares] }
}

/** What the contract itself says a withdrawal of one coin gives. */
export function encodeCalcWithdrawal(type: IndexType, shares: bigint, index: number): Hex {
  const args = [shares, BigInt(index)] as const
  return type === 'int128'
    ? encodeFunctionData({ abi: calcAbi.int128, args })
    : encodeFunctionData({ abi: calcAbi.uint256, args })
}

/** What it says of a deposit: pools of two crypto coins take no second argument. */
export function encodeCalcDeposit(
  amountsType: AmountsType,
  amounts: readonly bigint[],
  withFlag: boolean,
): Hex {
  const flag = withFlag ? ', bool' : ''
  const abi = abiOf(
    amountsType,
    amounts.length,
    (list) => `function calc_token_amount(${list}${flag}) view returns (uint256)`,
  )
  return encodeFunctionData({ abi: [abi], args: withFlag ? [amounts, true] : [amounts] })
}
