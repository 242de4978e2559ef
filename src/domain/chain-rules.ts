/** What a chain's next block is like, as far as contracts see it. Pure. */
import type { Activation } from './hard-forks.js'

/**
 * How a base fee follows from the block before. `unchanged`: by rules that a header does not tell, so that the best
 * guess is the fee itself. Else EIP-1559: the gas target is the limit over the elasticity, and the fee moves by at most
 * the elasticity less one, over the denominator.
 */
export type BaseFeeRule =
  | 'unchanged'
  | {
      readonly elasticity: bigint
      readonly denominator: bigint
      /**
       * Headers state both numbers in their extra data, and a lowest fee, as OP-stack chains do; those given here hold
       * where a header has none.
       */
      readonly isInHeader?: true
      /** Number of the first block that has a base fee; absent: all have one. */
      readonly firstBlock?: bigint
    }

export interface ChainRules {
  /** Seconds; the simulated block's timestamp is the pinned block's plus this. */
  readonly blockTimeSeconds: number
  readonly baseFee: BaseFeeRule
  /** Wei per gas that a sender adds to the base fee: simulated transactions pay it, and gas is valued with it. */
  readonly priorityFeePerGas: bigint
  /** Hard forks that headers of the chain do not show, ascending and without a gap. */
  readonly unshownHardForks: readonly Activation[]
}
