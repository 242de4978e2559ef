/** Stakes as positions: in the gauges of the family's controller and of known pools. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { defined } from '../../domain/defined.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { ReadCall, StateReader } from '../../domain/state.js'
import type { Unreadable } from '../pool.js'
import type { Position, PositionAdapter, PositionState } from '../positions.js'
import { addressesOf } from '../shared/parameters.js'
import { readWord } from '../shared/read-word.js'
import { readTokenNames } from '../shared/token-names.js'
import { type Family, type Gauge, listedGauges, readGauges, readMinted } from './gauges.js'
import { mintedPerYear } from './math.js'

const abi = parseAbi([
  'function totalSupply() view returns (uint256)',
  'function inflation_rate() view returns (uint256)',
  'function future_epoch_time() view returns (uint256)',
  'function is_killed() view returns (bool)',
  'function getCappedRelativeWeight(uint256 time) view returns (uint256)',
  'function gauge_relative_weight(address gauge) view returns (uint256)',
])
const plain = (['totalSupply', 'inflation_rate', 'future_epoch_time', 'is_killed'] as const).map(
  (functionName) => encodeFunctionData({ abi, functionName }),
)

export function gaugePositions(family: Family): PositionAdapter {
  const { slug } = family
  return {
    async list({ reader, venue, pools }) {
      const { gauges: listed, unreadable } = await listedGauges(slug, reader, venue)
      const gauges = [...new Set([...listed, ...pools.map(({ address }) => address)])]
      const [answers, minted] = await Promise.all([
        readGauges(reader, gauges),
        readMinted(family, reader, venue),
      ])
      const found: (Gauge & { readonly gauge: Address })[] = []
      gauges.forEach((gauge, index) => {
        const answer = answers[index]
        if (answer && 'message' in answer) {
          unreadable.push({ protocol: slug, subject: gauge, message: answer.message })
        } else if (answer) found.push({ ...answer, gauge })
      })
      const paid = new Set(listed)
      const names = await readTokenNames(
        reader,
        found.flatMap(({ gauge, staked }) => [gauge, staked]),
      )
      const positions = found.map(({ gauge, staked, isToken }, index): Position => {
        const [own, below] = names.slice(index * 2, index * 2 + 2)
        return {
          protocol: slug,
          key: gauge,
          token: isToken ? gauge : null,
          primaryAddress: gauge,
          poolAddress: staked,
          name: own?.name ?? `Staked ${below?.name ?? staked}`,
          subtitle: own?.symbol ?? below?.symbol ?? staked,
          underlyingTokens: [staked],
          rewardTokens: minted && paid.has(gauge) ? [minted.token] : [],
          parameters: {},
        }
      })
      return { positions, unreadable }
    },
    async read({ reader, venue, positions }) {
      const each = positions.map(({ key }) => questionsOf(reader, venue, toAddress(key)))
      const results = await reader.call(each.flat())
      let at = 0
      return positions.map((position, index): PositionState | Unreadable => {
        const answers = results.slice(at, at + (each[index]?.length ?? 0))
        at += answers.length
        const refused = answers.find((answer) => !answer.ok && answer.reason === 'unreadable')
        const unreadable = (message: string) => ({ protocol: slug, subject: position.key, message })
        if (refused && !refused.ok) return unreadable(refused.message)
        const [supply, rate, epochEnd, isKilled, capped, weight] = answers.map(readWord)
        const [[staked], [reward]] = [position.underlyingTokens, position.rewardTokens]
        if (supply == null || !staked) return unreadable('It does not say what is staked.')
        const perYear = mintedPerYear(
          { supply, rate, epochEnd, weight: capped ?? weight, isKilled },
          reader.block.timestamp,
        )
        return {
          holdings: [{ token: staked, amount: supply }],
          // What the staked token earns by itself is another position's matter.
          base: null,
          rewards: reward && perYear > 0n ? [{ token: reward, perYear }] : [],
        }
      })
    },
    // Stakes that are no tokens are entered by this.
    enter: ({ primaryAddress }, [first]) => ({
      primaryAddress,
      ...defined({ tokenIn: first?.token, amountIn: first?.amount }),
    }),
  }
}

function questionsOf(reader: StateReader, venue: VenueParameters, gauge: Address): ReadCall[] {
  const time = [reader.block.timestamp] as const
  const capped = encodeFunctionData({ abi, functionName: 'getCappedRelativeWeight', args: time })
  const data = encodeFunctionData({ abi, functionName: 'gauge_relative_weight', args: [gauge] })
  return [
    ...[...plain, capped].map((question) => ({ to: gauge, data: question })),
    ...addressesOf(venue.controller).map((to) => ({ to, data })),
  ]
}
