/** The block in which transactions are simulated: the one after the pinned block, every field fixed. Pure. */
import { type Address, type BlockPin, type Hex, zeroAddress } from '../domain/primitives.js'

/** EIP-1559: gas target is half the limit, the base fee moves by at most an eighth. */
const elasticityMultiplier = 2n
const baseFeeChangeDenominator = 8n

/** EIP-7825: a transaction above this gas limit is not valid on Ethereum since Osaka. */
export const maxTransactionGas = 16_777_216n

/**
 * Base fee of the block after the pinned one, by EIP-1559 with Ethereum's constants.
 *
 * @returns Wei per gas; 0n where the pinned block has no base fee.
 */
export function nextBaseFee(pin: BlockPin): bigint {
  const { baseFeePerGas: fee, gasUsed } = pin
  const target = pin.gasLimit / elasticityMultiplier
  if (fee === 0n || target === 0n || gasUsed === target) return fee
  if (gasUsed > target) {
    const rise = (fee * (gasUsed - target)) / target / baseFeeChangeDenominator
    return fee + (rise > 1n ? rise : 1n)
  }
  return fee - (fee * (target - gasUsed)) / target / baseFeeChangeDenominator
}

export interface BlockEnvironment {
  readonly number: bigint
  /** Unix seconds. */
  readonly time: bigint
  /** Wei per gas. */
  readonly baseFeePerGas: bigint
  /** The pinned block's hash: fixed, and different from block to block. */
  readonly prevRandao: Hex
  readonly feeRecipient: Address
  readonly gasLimit: bigint
}

/** What a contract sees in a simulation. Block times below a second round up to one. */
export function blockEnvironment(pin: BlockPin, blockTimeSeconds: number): BlockEnvironment {
  return {
    number: pin.number + 1n,
    time: pin.timestamp + BigInt(Math.max(1, Math.ceil(blockTimeSeconds))),
    baseFeePerGas: nextBaseFee(pin),
    prevRandao: pin.hash,
    feeRecipient: zeroAddress,
    gasLimit: pin.gasLimit,
  }
}
