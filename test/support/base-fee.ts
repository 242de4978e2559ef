/** The rule of base fees, written from its specification and not from the code that is judged by it. */

/** What the rule takes of a block, in wei per gas and in gas. */
export interface FeeHeader {
  readonly baseFeePerGas: bigint
  readonly gasUsed: bigint
  readonly gasLimit: bigint
}

/**
 * Base fee of the block after `parent`: unchanged at half the gas limit, at most an eighth up or down, up by at least
 * one wei.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1559, validate_block
 */
export function baseFeeAfter({ baseFeePerGas, gasUsed, gasLimit }: FeeHeader): bigint {
  const target = gasLimit / 2n
  const change = (distance: bigint) => (baseFeePerGas * distance) / target / 8n
  if (gasUsed < target) return baseFeePerGas - change(target - gasUsed)
  if (gasUsed === target) return baseFeePerGas
  return baseFeePerGas + (change(gasUsed - target) || 1n)
}
