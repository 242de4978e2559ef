/** Sentences about what was left out of an answer although it could have mattered, and about its gas. */
import type { RouteRequest } from '../../domain/engine.js'
import { type HardFork, hardForkOf, simulatedHardFork } from '../../domain/hard-forks.js'
import { type Address, isNative, type TokenAmount } from '../../domain/primitives.js'
import type { RouteStepRecord } from '../../domain/route-step.js'
import type { Unreadable } from '../../protocols/pool.js'
import type { Task } from '../block/task.js'
import { gasInToken, type PricedToken } from '../market/valuation.js'
import type { Attempt } from './built.js'

const rulesNames: Readonly<Record<HardFork, string>> = {
  berlin: 'before London',
  london: 'London',
  shanghai: 'Shanghai',
  cancun: 'Cancun',
  prague: 'Prague',
  osaka: 'Osaka',
}

/** For every answer that states gas: a sentence at a block whose own rules are older than the simulation's. */
export function gasWarnings({ pin, chain }: Pick<Task, 'pin' | 'chain'>): string[] {
  const hardFork = hardForkOf(pin, chain.unshownHardForks)
  const simulated = simulatedHardFork(hardFork)
  if (simulated === hardFork) return []
  const [ours, older] = [rulesNames[simulated], rulesNames[hardFork]]
  return [
    `Gas by the rules of ${ours}: those of this block are older (${older}). Amounts are the block's.`,
  ]
}

/** For answers that value gas: a sentence where neither the block nor its next has a base fee, so that only the tip is known. */
export function priceWarnings({ pin, gasPrice, tip }: Task): string[] {
  return pin.shownHardFork === 'berlin' && gasPrice === tip
    ? ['Blocks before London state no price of gas: it is valued with the tip alone.']
    : []
}

/** For a bundle: a sentence for each deposit that takes something and gives no shares for it. */
export function emptyDepositWarnings(route: readonly RouteStepRecord[]): string[] {
  return route.flatMap(({ action, protocol, tokenIn, tokenOut, amountIn = [], amountOut = [] }) => {
    const isEmpty = amountOut.length > 0 && amountOut.every((amount) => amount === 0n)
    const taken = amountIn[0] ?? 0n
    return action.includes('deposit') && isEmpty && taken > 0n
      ? [`${action} of ${protocol} takes ${taken} of ${tokenIn[0]} and gives no ${tokenOut[0]}.`]
      : []
  })
}

/** For a sender who spends its native token: a sentence where what is left does not pay for the gas. */
export async function leftForGasWarnings(
  task: Task,
  { fromAddress, inputs }: Pick<RouteRequest, 'fromAddress' | 'inputs'>,
  gasUsed: bigint,
): Promise<string[]> {
  const native = inputs.find(({ token }) => isNative(token))
  if (!native) return []
  const left = (await task.archive.nativeBalance(fromAddress)) - native.amount
  const cost = gasUsed * task.gasPrice
  if (left >= cost) return []
  return [
    `${left} wei of the native token are left for gas, and this transaction costs about ${cost} wei at the price of the next block.`,
  ]
}

/** For one token that comes out and has a price: a sentence where the gas costs more than all of it. */
export function dustWarnings(
  { chain, gasPrice }: Pick<Task, 'chain' | 'gasPrice'>,
  [output, ...others]: readonly TokenAmount[],
  gasUsed: bigint,
  priced: ReadonlyMap<Address, PricedToken>,
): string[] {
  if (!output || others.length > 0) return []
  const cost = gasInToken(chain, priced, output.token, gasUsed * gasPrice)
  if (cost === null || cost <= output.amount) return []
  return [
    `The gas of this transaction is worth about ${cost} of ${output.token}, more than the ${output.amount} that come out. Amounts are in the smallest unit.`,
  ]
}

/** One sentence per protocol, in the order of their slugs. Pools that were left out are none of them: `explain` names these. */
export function unreadableWarnings(facts: readonly Unreadable[]): string[] {
  return countsByProtocol(facts.filter(({ isLeftOut }) => !isLeftOut)).map(([protocol, count]) =>
    count === 1
      ? `${protocol}: 1 look-up or pool could not be read at this block.`
      : `${protocol}: ${count} look-ups or pools could not be read at this block.`,
  )
}

/** Where there is no answer: one sentence for each pool that was left out, at most `mostNamed`. */
export function leftOutWarnings(facts: readonly Unreadable[]): string[] {
  return facts
    .flatMap(({ protocol, subject, message, isLeftOut }) =>
      isLeftOut ? [`${protocol}: the pool ${subject} was left out: ${message}.`] : [],
    )
    .slice(0, mostNamed)
}

const mostNamed = 10

function countsByProtocol(facts: readonly Unreadable[]): (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { protocol } of facts) counts.set(protocol, (counts.get(protocol) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
}

export function droppedWarnings(attempts: readonly Attempt[]): string[] {
  const dropped = attempts.filter(({ result }) => result?.status === 'unreadable').length
  return dropped
    ? [
        `${dropped} of ${attempts.length} candidates met state that the node does not give and were left out.`,
      ]
    : []
}

export const fewerAlternativesWarning =
  'The deadline was reached: there may be more alternatives, or better ones.'

export const deadlineWarning = 'The deadline was reached: this is the best route found by then.'
