/** Tells which of Ethereum's hard forks a block's transactions run under. Pure. */

/**
 * Hard forks that change gas or opcodes, oldest first. `berlin` stands for it and all before it, which headers do not
 * tell apart; Paris has the rules of `london`.
 */
export const hardForks = ['berlin', 'london', 'shanghai', 'cancun', 'prague', 'osaka'] as const
export type HardFork = (typeof hardForks)[number]

/** The oldest rules that our contracts run by: they use transient storage and MCOPY. */
export const oldestSimulated: HardFork = 'cancun'

export type Activation = { readonly hardFork: HardFork } & (
  | {
      /** Unix seconds of the first block. */
      readonly since: bigint
    }
  | {
      /** Number of the first block. */
      readonly sinceBlock: bigint
    }
)

type At = { readonly timestamp: bigint; readonly number: bigint }

/**
 * The rules that a block itself followed: what its header shows, and beyond that, where the header shows all that one of
 * its chain can show, what the chain's calendar says.
 *
 * @param unshown - hard forks that headers of the chain do not show, ascending and without a gap.
 */
export function hardForkOf(
  { shownHardFork, ...at }: At & { readonly shownHardFork: HardFork },
  unshown: readonly Activation[],
): HardFork {
  const [first] = unshown
  const isShownOnly = !first || hardForks[hardForks.indexOf(first.hardFork) - 1] !== shownHardFork
  if (isShownOnly) return shownHardFork
  return unshown.findLast((one) => isActive(one, at))?.hardFork ?? shownHardFork
}

function isActive(activation: Activation, { timestamp, number }: At): boolean {
  return 'since' in activation ? timestamp >= activation.since : number >= activation.sinceBlock
}

/** The rules by which transactions after a block of these rules are simulated. */
export function simulatedHardFork(own: HardFork): HardFork {
  return isOlder(own, oldestSimulated) ? oldestSimulated : own
}

function isOlder(one: HardFork, other: HardFork): boolean {
  return hardForks.indexOf(one) < hardForks.indexOf(other)
}
