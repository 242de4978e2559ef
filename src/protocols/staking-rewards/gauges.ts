/** State of gauges in bulk: the staked total, the rewards and the end of their period. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { Address } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord } from '../shared/storage-slots.js'

const abi = parseAbi([
  'function stakingToken() view returns (address)',
  'function rewardsToken() view returns (address)',
  'function totalSupply() view returns (uint256)',
  'function rewardRate() view returns (uint256)',
  'function periodFinish() view returns (uint256)',
])
const tokenGetters = ['stakingToken', 'rewardsToken'] as const
const rateGetters = ['totalSupply', 'rewardRate', 'periodFinish'] as const

/** Both null: no gauge lies there. */
export interface GaugeTokens {
  readonly staked: Address | null
  readonly reward: Address | null
}

export interface GaugeRates {
  /** Raw units of the staked token. */
  readonly staked: bigint
  /** Raw units of the reward per second while the period lasts. */
  readonly ratePerSecond: bigint
  /** Unix seconds. */
  readonly periodFinish: bigint
}

/** In the order asked; a message where the node refuses the state. */
export async function readGaugeTokens(
  reader: StateReader,
  gauges: readonly Address[],
): Promise<(GaugeTokens | { readonly message: string })[]> {
  return readEach(reader, gauges, tokenGetters, ([staked, reward]) => ({
    staked: addressOf(staked),
    reward: addressOf(reward),
  }))
}

/** In the order asked; a message where the node refuses the state, or it is no gauge. */
export async function readGaugeRates(
  reader: StateReader,
  gauges: readonly Address[],
): Promise<(GaugeRates | { readonly message: string })[]> {
  return readEach(reader, gauges, rateGetters, (answers) => {
    const [staked = null, ratePerSecond = null, periodFinish = null] = answers.map(readWord)
    if (staked === null || ratePerSecond === null || periodFinish === null) {
      return { message: 'It does not say what is staked and earned.' }
    }
    return { staked, ratePerSecond, periodFinish }
  })
}

async function readEach<T>(
  reader: StateReader,
  gauges: readonly Address[],
  getters: readonly (typeof tokenGetters | typeof rateGetters)[number][],
  toValue: (answers: readonly ReadResult[]) => T | { readonly message: string },
): Promise<(T | { readonly message: string })[]> {
  const calls = getters.map((functionName) => encodeFunctionData({ abi, functionName }))
  const results = await reader.call(gauges.flatMap((to) => calls.map((data) => ({ to, data }))))
  return gauges.map((_gauge, index) => {
    const answers = results.slice(index * calls.length, (index + 1) * calls.length)
    for (const answer of answers) {
      if (!answer.ok && answer.reason === 'unreadable') return { message: answer.message }
    }
    return toValue(answers)
  })
}

function addressOf(result: ReadResult | undefined): Address | null {
  const word = readWord(result)
  return word === null || word >= 2n ** 160n || !result?.ok ? null : addressInWord(result.value)
}
