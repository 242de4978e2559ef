/**
 * Synthetix's StakingRewards and its copies: a token is staked and earns another by the second. A stake has no token.
 * Venue parameter: `gauges`, the contracts listed as positions of the chain; actions take any.
 */

import { probe } from '../../chains/probe.js'
import { defined } from '../../domain/defined.js'
import { toAddress } from '../../domain/primitives.js'
import type { Unreadable } from '../pool.js'
import type { Position, PositionAdapter, PositionState } from '../positions.js'
import { defineProtocol } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { readTokenNames } from '../shared/token-names.js'
import { gaugeActions } from './actions.js'
import { readGaugeRates, readGaugeTokens } from './gauges.js'
import { rewardPerYear } from './math.js'

const slug = 'staking-rewards'

const positions: PositionAdapter = {
  async list({ reader, venue }) {
    const named = Array.isArray(venue.gauges) ? venue.gauges : []
    const gauges = named.map((each) => toAddress(String(each)))
    const answers = await readGaugeTokens(reader, gauges)
    const unreadable: Unreadable[] = []
    const found = gauges.flatMap((gauge, index) => {
      const answer = answers[index]
      if (answer && 'message' in answer) {
        unreadable.push({ protocol: slug, subject: gauge, message: answer.message })
      }
      // One that is not there at the block says nothing, and is no position yet.
      if (!answer || 'message' in answer || !answer.staked || !answer.reward) return []
      return [{ gauge, staked: answer.staked, reward: answer.reward }]
    })
    const names = await readTokenNames(
      reader,
      found.flatMap(({ staked, reward }) => [staked, reward]),
    )
    const list = found.map(({ gauge, staked, reward }, index): Position => {
      const [stakedName, rewardName] = names.slice(index * 2, index * 2 + 2)
      return {
        protocol: slug,
        key: gauge,
        token: null,
        primaryAddress: gauge,
        poolAddress: staked,
        name: `Staked ${stakedName?.name ?? staked}`,
        subtitle: `${stakedName?.symbol ?? staked} for ${rewardName?.symbol ?? reward}`,
        underlyingTokens: [staked],
        rewardTokens: [reward],
        parameters: {},
      }
    })
    return { positions: list, unreadable }
  },
  async read({ reader, positions: wanted }) {
    const rates = await readGaugeRates(
      reader,
      wanted.map(({ key }) => toAddress(key)),
    )
    return wanted.map((position, index): PositionState | Unreadable => {
      const read = rates[index]
      const [[staked], [reward]] = [position.underlyingTokens, position.rewardTokens]
      const unreadable = (message: string) => ({ protocol: slug, subject: position.key, message })
      if (!read || !staked || !reward) return unreadable('It was not read.')
      if ('message' in read) return unreadable(read.message)
      const perYear = rewardPerYear(read, reader.block.timestamp)
      return {
        holdings: [{ token: staked, amount: read.staked }],
        // What the staked token earns by itself is another position's matter.
        base: null,
        rewards: perYear > 0n ? [{ token: reward, perYear }] : [],
      }
    })
  },
  enter: ({ primaryAddress }, [first]) => ({
    primaryAddress,
    ...defined({ tokenIn: first?.token, amountIn: first?.amount }),
  }),
}

export const stakingRewards = defineProtocol({
  slug,
  name: 'StakingRewards',
  project: 'synthetix',
  category: 'staking',
  url: 'https://docs.synthetix.io',
  description: 'Staking of one token for rewards in another.',
  trust: {
    probes: ({ gauges }) =>
      addressesOf(gauges).map((to) => probe('StakingRewards', to, 'stakingToken()', 'address')),
  },
  positions,
  actions: { definitions: gaugeActions },
})
