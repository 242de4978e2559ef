/**
 * The block in which transactions are simulated: the one after the pinned block, every field fixed, and such as a real
 * one could have, so that a contract cannot tell that it is simulated. Pure.
 */
import { LRUCache } from 'lru-cache'
import { hexToBigInt, keccak256, numberToHex, size, slice } from 'viem'
import type { BaseFeeRule, ChainRules } from '../domain/chain-rules.js'
import { nextBlockTime } from '../domain/changes/what-if.js'
import type { Address, BlockPin, Hex } from '../domain/primitives.js'

/** EIP-7825: a transaction above this gas limit is not valid on Ethereum since Osaka. */
export const maxTransactionGas = 16_777_216n

/** Base fee of the first block that has one, wei per gas. @see EIP-1559, INITIAL_BASE_FEE */
const initialBaseFee = 1_000_000_000n

/** Of hashes of recent blocks: each simulation needs that of its own. */
const digests = new LRUCache<Hex, Hex>({ max: 64, memoMethod: (hash) => keccak256(hash) })

function digestOf({ hash }: BlockPin): Hex {
  return digests.memo(hash)
}

/** Gas limit of a call that only reads. A node's own is that of the block, which some chains do not bound at all. */
export function gasOfRead(pin: BlockPin): bigint {
  return pin.gasLimit < maxTransactionGas ? pin.gasLimit : maxTransactionGas
}

/**
 * Base fee of the block after the pinned one, by EIP-1559 with the chain's numbers.
 *
 * @returns Wei per gas; 0n where that block has no base fee; what the request asks for, if it does.
 */
export function nextBaseFee(pin: BlockPin, rule: BaseFeeRule): bigint {
  const { baseFeePerGas: fee, gasUsed } = pin
  if (pin.changes?.baseFeePerGas !== undefined) return pin.changes.baseFeePerGas
  if (rule === 'unchanged') return fee
  if (pin.shownHardFork === 'berlin' && pin.number + 1n === rule.firstBlock) return initialBaseFee
  const { elasticity, denominator, leastFee } = rule.isInHeader
    ? (statedIn(pin.extraData) ?? { ...rule, leastFee: 0n })
    : { ...rule, leastFee: 0n }
  const target = pin.gasLimit / elasticity
  if (fee === 0n || target === 0n) return fee
  const rise = gasUsed > target ? (fee * (gasUsed - target)) / target / denominator || 1n : 0n
  const fall = gasUsed < target ? (fee * (target - gasUsed)) / target / denominator : 0n
  const next = fee + rise - fall
  return next > leastFee ? next : leastFee
}

/**
 * Version (1 byte), denominator and elasticity (4 bytes each); since version 1 the lowest base fee in wei (8 bytes).
 *
 * @see https://specs.optimism.io/protocol/holocene/exec-engine.html, jovian/exec-engine.html
 */
function statedIn(extraData: Hex) {
  const bytes = size(extraData)
  if (bytes !== 9 && bytes !== 17) return null
  const denominator = hexToBigInt(slice(extraData, 1, 5))
  const elasticity = hexToBigInt(slice(extraData, 5, 9))
  if (denominator === 0n || elasticity === 0n) return null
  return { denominator, elasticity, leastFee: bytes === 17 ? hexToBigInt(slice(extraData, 9)) : 0n }
}

export interface BlockEnvironment {
  readonly number: bigint
  /** Unix seconds. */
  readonly time: bigint
  /** Wei per gas. */
  readonly baseFeePerGas: bigint
  /**
   * Fixed, different from block to block, and equal to nothing that a contract can read. Before Paris the same operation
   * gave the difficulty, which changes little: that of the pinned block.
   */
  readonly prevRandao: Hex
  /** Of the pinned block: few parties make most blocks. */
  readonly feeRecipient: Address
  readonly gasLimit: bigint
}

/** What a contract sees in a simulation. */
export function blockEnvironment(pin: BlockPin, chain: ChainRules): BlockEnvironment {
  return {
    number: pin.number + 1n,
    time: nextBlockTime(pin, chain.blockTimeSeconds),
    baseFeePerGas: nextBaseFee(pin, chain.baseFee),
    prevRandao: pin.difficulty ? numberToHex(pin.difficulty, { size: 32 }) : digestOf(pin),
    feeRecipient: pin.miner,
    gasLimit: pin.gasLimit,
  }
}

/** What the sender of a simulated transaction pays, in wei per gas. */
export function gasPriceAfter(pin: BlockPin, chain: ChainRules): bigint {
  return nextBaseFee(pin, chain.baseFee) + chain.priorityFeePerGas
}

/**
 * Gas limit of a transaction whose use of gas is not known yet: more than nearly every order takes, and no more than
 * many senders set. Differs from block to block, so that no contract can look for the number.
 */
export function ordinaryGas(pin: BlockPin): bigint {
  return 2_000_000n + (hexToBigInt(digestOf(pin)) % 1_000_000n)
}

/**
 * Gas limit that a wallet would set for a transaction that used this much: about half of it more. A refund is a fifth
 * of the gas at most, so one and a quarter times what was used is always enough, but for rests kept back in deep calls.
 */
export function walletGas(pin: BlockPin, gasUsed: bigint): bigint {
  return (gasUsed * (145n + (hexToBigInt(digestOf(pin)) % 31n))) / 100n
}
