/**
 * The cost of sending a transaction: its gas, and on rollups the fee for posting its data to L1 with what the operator asks.
 */
import { decodeFunctionResult, encodeFunctionData, parseAbi, serializeTransaction } from 'viem'
import { unlessUnreadable } from '../../domain/common-errors.js'
import type { GasCost } from '../../domain/engine.js'
import type { UnsignedTransaction } from '../../domain/order.js'
import type { Address, Cost, Hex } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import { gasPriceOracle, operatorAbi } from '../block/data-fee.js'
import type { Task } from '../block/task.js'
import type { PricedToken } from '../market/valuation.js'

const oracleAbi = parseAbi(['function getL1Fee(bytes unsignedTransaction) view returns (uint256)'])

/** Answered by nodes only; it has no code. @see OffchainLabs/nitro-contracts, node-interface/NodeInterface.sol */
const nodeInterface = {
  address: '0x00000000000000000000000000000000000000c8',
  abi: parseAbi([
    'function gasEstimateL1Component(address to, bool contractCreation, bytes data) payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
  ]),
} as const

/** @param answer.gasUsed - of the simulated transaction. */
export async function transactionCost(
  task: Task,
  answer: { readonly tx: UnsignedTransaction; readonly gasUsed: bigint },
  priced: ReadonlyMap<Address, PricedToken>,
): Promise<GasCost> {
  const price = priced.get(task.chain.wrappedNative)
  const toCost = (native: bigint): Cost => ({
    native,
    usd: price ? (Number(native) / 10 ** price.decimals) * price.priceUsd : null,
  })
  const gas = toCost(answer.gasUsed * task.gasPrice)
  const model = task.chain.l1DataFee
  if (!model) return gas
  const read = model === 'op-stack' ? opStackFee : arbitrumFee
  const fee = await read(task, answer.tx, answer.gasUsed)
  return { ...gas, l1DataFee: fee === null ? null : toCost(fee) }
}

/** Wei, from the chain's own contract, for the unsigned transaction; the contract adds the signature. */
async function opStackFee(
  task: Task,
  { from, to: target, data, value }: UnsignedTransaction,
  gas: bigint,
): Promise<bigint | null> {
  const nonce = await task.archive.nonce(from).catch(unlessUnreadable)
  if (nonce === null) return null
  const unsigned = serializeTransaction({
    type: 'eip1559',
    chainId: task.pin.chainId,
    nonce,
    maxFeePerGas: task.gasPrice,
    maxPriorityFeePerGas: task.tip,
    gas,
    to: target,
    value,
    data,
  })
  const to = gasPriceOracle
  const [dataFee, operatorFee] = await task.reader.call([
    { to, data: encodeFunctionData({ abi: oracleAbi, args: [unsigned] }) },
    { to, data: encodeFunctionData({ abi: operatorAbi, args: [gas] }) },
  ])
  const posting = weiOf(dataFee)
  // A version without an operator fee reverts, and nothing is asked.
  return posting === null ? null : posting + (weiOf(operatorFee) ?? 0n)
}

/** Null where the contract says nothing. */
function weiOf(result: ReadResult | undefined): bigint | null {
  return result?.ok && isWords(result.value, 1) ? BigInt(result.value) : null
}

/** Wei: the gas that the node adds for L1, at the chain's own base fee. */
async function arbitrumFee(task: Task, { to, data }: UnsignedTransaction): Promise<bigint | null> {
  const { address, abi } = nodeInterface
  const functionName = 'gasEstimateL1Component'
  const call = encodeFunctionData({ abi, functionName, args: [to, false, data] })
  const result = await task.archive.callNode(address, call)
  if (result === null || !isWords(result, 3)) return null
  const [l1Gas, baseFee] = decodeFunctionResult({ abi, functionName, data: result })
  return l1Gas * baseFee
}

/** An address without code returns nothing. */
function isWords(data: Hex, count: number): boolean {
  return data.length === 2 + 64 * count
}
