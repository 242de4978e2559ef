/** Joins and exits of the Vault as steps of an Executor, and the queries that preview them. */
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import type { Amount, CallStep, EncodedValues } from '../../domain/order.js'
import { type Address, type Hex, maxUint256 } from '../../domain/primitives.js'

const [joinAbi, exitAbi] = parseAbi([
  'function joinPool(bytes32 poolId, address sender, address recipient, JoinRequest request) payable',
  'function exitPool(bytes32 poolId, address sender, address recipient, ExitRequest request)',
  'struct JoinRequest { address[] assets; uint256[] maxAmountsIn; bytes userData; bool fromInternalBalance; }',
  'struct ExitRequest { address[] assets; uint256[] minAmountsOut; bytes userData; bool toInternalBalance; }',
])
const queryAbi = parseAbi([
  'function queryJoin(bytes32 poolId, address sender, address recipient, uint256[] balances, uint256 lastChangeBlock, uint256 protocolFee, bytes userData)',
  'function queryExit(bytes32 poolId, address sender, address recipient, uint256[] balances, uint256 lastChangeBlock, uint256 protocolFee, bytes userData)',
])
const exactTokensIn = 1n
const oneTokenOut = 0n
const joinTypes = parseAbiParameters('uint256 kind, uint256[] amountsIn, uint256 minShares')
const exitOneTypes = parseAbiParameters('uint256 kind, uint256 shares, uint256 token')
const exitAllTypes = parseAbiParameters('uint256 kind, uint256 shares')
const nobody: Address = '0x0000000000000000000000000000000000000000'

/** EXACT_TOKENS_IN_FOR_BPT_OUT. @param amounts - without the pool's own token. */
export function joinData(amounts: readonly Amount[]): EncodedValues {
  return { types: joinTypes, values: [exactTokensIn, amounts, 0n] }
}

/** EXACT_BPT_IN_FOR_ONE_TOKEN_OUT. @param index - place of the token, the pool's own not counted. */
export function exitOneData(shares: Amount, index: number): EncodedValues {
  return { types: exitOneTypes, values: [oneTokenOut, shares, BigInt(index)] }
}

/** A part of every token; composable pools number the kinds of exits in another way. */
export function exitAllData(shares: Amount, isComposable: boolean): EncodedValues {
  return { types: exitAllTypes, values: [isComposable ? 2n : 1n, shares] }
}

interface VaultCall {
  readonly vault: Address
  readonly poolId: Hex
  /** All tokens of the pool in the Vault's order. */
  readonly assets: readonly Address[]
  readonly userData: EncodedValues
  /** Whose tokens are taken: the Executor that makes the call. */
  readonly sender: Address
  readonly recipient: Address
}

export function joinStep({
  vault,
  poolId,
  assets,
  userData,
  sender,
  recipient,
}: VaultCall): CallStep {
  const maxAmountsIn = assets.map(() => maxUint256)
  const request = { assets, maxAmountsIn, userData, fromInternalBalance: false }
  return { kind: 'call', target: vault, abi: joinAbi, args: [poolId, sender, recipient, request] }
}

/** The pool burns the shares of the sender without an allowance. */
export function exitStep({
  vault,
  poolId,
  assets,
  userData,
  sender,
  recipient,
}: VaultCall): CallStep {
  const minAmountsOut = assets.map(() => 0n)
  const request = { assets, minAmountsOut, userData, toInternalBalance: false }
  return { kind: 'call', target: vault, abi: exitAbi, args: [poolId, sender, recipient, request] }
}

interface PoolQuery {
  readonly poolId: Hex
  /** Raw units in the Vault's order. */
  readonly balances: readonly bigint[]
  readonly protocolFee: bigint
  readonly userData: EncodedValues
}

/** Asks the pool itself what a join or exit would give; answers shares, then amounts of tokens. */
export function encodeQuery(
  functionName: 'queryJoin' | 'queryExit',
  { poolId, balances, protocolFee, userData }: PoolQuery,
): Hex {
  const data = encodeAbiParameters(userData.types, userData.values)
  const args = [poolId, nobody, nobody, balances, 0n, protocolFee, data] as const
  return encodeFunctionData({ abi: queryAbi, functionName, args })
}
