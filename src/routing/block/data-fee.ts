/**
 * What a rollup charges besides gas: a formula over the bytes that it posts to L1, and what its operator asks for the gas.
 * The parameters are state of the block and are read once per block. Null where the chain charges nothing or does not say.
 */
import { brotliCompressSync, constants } from 'node:zlib'
import {
  decodeFunctionResult,
  encodeFunctionData,
  hexToBytes,
  keccak256,
  parseAbi,
  serializeTransaction,
  stringToHex,
} from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { defined } from '../../domain/defined.js'
import type { UnsignedTransaction } from '../../domain/order.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { fastLzLength } from './fast-lz.js'

/** Predeploy of every OP-stack chain. @see ethereum-optimism/specs, predeploys: GasPriceOracle */
export const gasPriceOracle: Address = '0x420000000000000000000000000000000000000f'
/** Precompile, which has no code that a fork could run. @see OffchainLabs/nitro-contracts, precompiles/ArbGasInfo.sol */
const arbGasInfo: Address = '0x000000000000000000000000000000000000006c'

const oracleAbi = parseAbi([
  'function isEcotone() view returns (bool)',
  'function isFjord() view returns (bool)',
  'function l1BaseFee() view returns (uint256)',
  'function baseFeeScalar() view returns (uint32)',
  'function blobBaseFeeScalar() view returns (uint32)',
  'function blobBaseFee() view returns (uint256)',
  'function overhead() view returns (uint256)',
  'function scalar() view returns (uint256)',
])
/** Since Isthmus; what older versions lack reverts, and costs nothing. */
export const operatorAbi = parseAbi([
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
])
const arbAbi = parseAbi(['function getL1BaseFeeEstimate() view returns (uint256)'])

/** What the operator asks for a transaction, which is linear in its gas. */
export interface OperatorFee {
  /** Wei. */
  readonly constant: bigint
  /** Wei for a million gas. */
  readonly perMillionGas: bigint
}

/** How the fee follows from the bytes, with the parameters of the block. */
export type DataFeeModel =
  | {
      readonly kind: 'bedrock'
      /** Wei per gas on L1. */
      readonly l1BaseFee: bigint
      /** Gas on L1 that every transaction pays besides its bytes. */
      readonly overhead: bigint
      /** Millionths. */
      readonly scalar: bigint
    }
  | {
      readonly kind: 'ecotone' | 'fjord'
      /** Wei for sixteen gas on L1, times a million: by the scalars of the base fee and of the blob base fee. */
      readonly weightedPrice: bigint
      /** Absent: the operator asks nothing. */
      readonly operator?: OperatorFee
    }
  | {
      readonly kind: 'arbitrum'
      /** Wei for a unit, of which a byte after compression has sixteen. */
      readonly pricePerUnit: bigint
    }

/** The model, and what stands in every transaction besides what it does. */
export interface DataFeeTerms {
  readonly model: DataFeeModel
  readonly chainId: number
  /** Wei per gas. */
  readonly gasPrice: bigint
  /** Wei per gas. */
  readonly tip: bigint
}

/** Where the parameters are read. */
export interface DataFeeSource {
  readonly reader: Pick<StateReader, 'call'>
  /** A call that only a node can answer; null where it does not. */
  callNode(to: Address, data: Hex): Promise<Hex | null>
}

/** What one more swap adds to the call data at least, bytes that hardly compress: one of a packed order. */
const swapBytes = 32n
/** A unit of L1 gas per zero byte and per other byte, and those of the signature that is not there yet. */
const gasPerByte = { zero: 4, other: 16 } as const
const signatureGas = 68n * 16n
const signatureBytes = 68
const million = 1_000_000n
/** The size after the compression of a batch, in millionths of a byte, by that after FastLZ; and the least. */
const fjord = { intercept: -42_585_600n, perByte: 836_500n, least: 100_000_000n } as const
const unitsPerByte = 16n

/** Stands for what is not known before the transaction is signed: as long as it, and as incompressible. */
const standIn = {
  nonce: 0,
  gas: 1_000_000n,
  signature: { r: keccak256(stringToHex('R')), s: keccak256(stringToHex('S')), yParity: 0 },
} as const

/** The parameters at the reader's block. */
export async function readDataFee(
  { l1DataFee }: Pick<ChainDefinition, 'l1DataFee'>,
  source: DataFeeSource,
): Promise<DataFeeModel | null> {
  if (l1DataFee === 'op-stack') return readOpStack(source)
  return l1DataFee === 'arbitrum' ? readArbitrum(source) : null
}

async function readOpStack({ reader }: DataFeeSource): Promise<DataFeeModel | null> {
  const questions = [
    ...oracleAbi.map(({ name }) => encodeFunctionData({ abi: oracleAbi, functionName: name })),
    ...[0n, million].map((gas) => encodeFunctionData({ abi: operatorAbi, args: [gas] })),
  ]
  const results = await reader.call(questions.map((data) => ({ to: gasPriceOracle, data })))
  // What a version lacks, or no longer has, reverts or gives nothing.
  const [isEcotone, isFjord, l1BaseFee, ...others] = results.map((result) =>
    result.ok && isWord(result.value) ? BigInt(result.value) : null,
  )
  const [baseFeeScalar, blobBaseFeeScalar, blobBaseFee, overhead, scalar, ...asked] = others
  if (l1BaseFee === null || l1BaseFee === undefined) return null
  if (!isEcotone && !isFjord) {
    return isNumber(overhead) && isNumber(scalar)
      ? { kind: 'bedrock', l1BaseFee, overhead, scalar }
      : null
  }
  if (!isNumber(baseFeeScalar) || !isNumber(blobBaseFeeScalar) || !isNumber(blobBaseFee)) {
    return null
  }
  const weightedPrice = baseFeeScalar * 16n * l1BaseFee + blobBaseFeeScalar * blobBaseFee
  const kind = isFjord ? 'fjord' : 'ecotone'
  return { kind, weightedPrice, ...defined({ operator: operatorFee(asked) }) }
}

/**
 * The contract tells it for no gas and for a million. Two points determine it, whatever the scalar stands for, which
 * Jovian has changed.
 */
function operatorFee([constant, atMillion]: readonly (bigint | null)[]): OperatorFee | undefined {
  if (!isNumber(constant) || !isNumber(atMillion) || atMillion === 0n) return undefined
  return { constant, perMillionGas: atMillion - constant }
}

async function readArbitrum({ callNode }: DataFeeSource): Promise<DataFeeModel | null> {
  const [call] = arbAbi
  const data = encodeFunctionData({ abi: arbAbi, functionName: call.name })
  const result = await callNode(arbGasInfo, data)
  if (result === null || !isWord(result)) return null
  const pricePerUnit = decodeFunctionResult({
    abi: arbAbi,
    functionName: call.name,
    data: result,
  })
  return { kind: 'arbitrum', pricePerUnit }
}

/** Wei for the transaction, whose nonce, gas limit and signature are not known yet. */
export function dataFeeOf(
  { model, chainId, gasPrice, tip }: DataFeeTerms,
  { to, data, value }: UnsignedTransaction,
): bigint {
  const { nonce, gas, signature } = standIn
  const transaction = {
    type: 'eip1559',
    chainId,
    nonce,
    gas,
    to,
    value,
    data,
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: tip,
  } as const
  return model.kind === 'arbitrum'
    ? dataFeeOfBytes(model, hexToBytes(serializeTransaction(transaction, signature)))
    : dataFeeOfBytes(model, hexToBytes(serializeTransaction(transaction)))
}

/**
 * Wei for a serialised transaction: on OP-stack chains what GasPriceOracle says of the unsigned one, on Arbitrum what the
 * signed one pays.
 *
 * @see ethereum-optimism/optimism, packages/contracts-bedrock/src/L2/GasPriceOracle.sol
 * @see OffchainLabs/nitro, arbos/l1pricing/l1pricing.go, getPosterUnitsWithoutCache
 */
export function dataFeeOfBytes(model: DataFeeModel, bytes: Uint8Array): bigint {
  switch (model.kind) {
    case 'bedrock':
      return ((calldataGas(bytes) + model.overhead) * model.l1BaseFee * model.scalar) / million
    case 'ecotone':
      return (calldataGas(bytes) * model.weightedPrice) / (16n * million)
    case 'fjord': {
      const size = fjord.intercept + fjord.perByte * BigInt(fastLzLength(bytes) + signatureBytes)
      const estimated = size < fjord.least ? fjord.least : size
      return (estimated * model.weightedPrice) / (million * million)
    }
    case 'arbitrum':
      return BigInt(brotliLength(bytes)) * unitsPerByte * model.pricePerUnit
  }
}

/** Wei that the operator asks for a transaction which uses so much gas; null: there is no model, and it asks nothing. */
export function operatorFeeOf(model: DataFeeModel | null | undefined, gasUsed: bigint): bigint {
  const operator = operatorOf(model)
  return operator ? operator.constant + (gasUsed * operator.perMillionGas) / million : 0n
}

/** Wei for a million gas, with what the operator asks. */
export function priceOfMillionGas(
  gasPrice: bigint,
  model: DataFeeModel | null | undefined,
): bigint {
  return gasPrice * million + (operatorOf(model)?.perMillionGas ?? 0n)
}

function operatorOf(model: DataFeeModel | null | undefined): OperatorFee | undefined {
  return model?.kind === 'fjord' || model?.kind === 'ecotone' ? model.operator : undefined
}

/** Wei that one more swap costs at least, rounded down. */
export function dataFeeOfSwap(model: DataFeeModel): bigint {
  switch (model.kind) {
    case 'bedrock':
      return (swapBytes * 16n * model.l1BaseFee * model.scalar) / million
    case 'ecotone':
      return (swapBytes * model.weightedPrice) / million
    case 'fjord':
      return (swapBytes * fjord.perByte * model.weightedPrice) / (million * million)
    case 'arbitrum':
      return swapBytes * unitsPerByte * model.pricePerUnit
  }
}

function calldataGas(bytes: Uint8Array): bigint {
  const gas = bytes.reduce((sum, byte) => sum + (byte ? gasPerByte.other : gasPerByte.zero), 0)
  return BigInt(gas) + signatureGas
}

/** Level 1, which Arbitrum has used since ArbOS 20. */
function brotliLength(bytes: Uint8Array): number {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants
  const params = { [BROTLI_PARAM_QUALITY]: 1, [BROTLI_PARAM_LGWIN]: 22 }
  return brotliCompressSync(bytes, { params }).length
}

function isNumber(value: bigint | null | undefined): value is bigint {
  return value !== null && value !== undefined
}

function isWord(data: Hex): boolean {
  return data.length === 2 + 64
}
