import type { ChainDefinition } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs } from '../protocol.js'
import { orderedPairs } from '../shared/token-pairs.js'
import { type Family, readFamily, readStaked } from './gauges.js'

/** A token is a gauge for a pair when the other one is staked in it. No connector token is one. */
export async function discoverGauges(
  family: Family,
  { reader, chain, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const wanted = orderedPairs(pairs)
  const found = await ownGauges(family, { reader, chain }, wanted.flat())
  const pools: Pool[] = []
  const unreadable: Unreadable[] = []
  for (const { token, staked } of found) {
    for (const pair of wanted.filter((one) => one.includes(token))) {
      if (typeof staked !== 'string') {
        const { slug } = family
        unreadable.push({ protocol: slug, subject: `gauge ${token}`, pair, ...staked })
      } else if (pair.includes(staked)) pools.push(gaugePool(family, token, staked))
    }
  }
  return { pools, unreadable }
}

/** What is staked in those tokens that are gauges. */
export async function stakedTokens(
  family: Family,
  args: {
    readonly reader: StateReader
    readonly chain: ChainDefinition
    readonly tokens: readonly Address[]
  },
): Promise<ReadonlyMap<Address, readonly Address[]>> {
  const found = await ownGauges(family, args, args.tokens)
  return new Map(
    found.flatMap(({ token, staked }) =>
      typeof staked === 'string' ? [[token, [staked]] as const] : [],
    ),
  )
}

/** The tokens that are gauges of the family, with what is staked or why that is not known. */
async function ownGauges(
  family: Family,
  { reader, chain }: { readonly reader: StateReader; readonly chain: ChainDefinition },
  asked: readonly Address[],
) {
  const tokens = [...new Set(asked)].filter((token) => !chain.connectorTokens.includes(token))
  const answers = await readStaked(reader, tokens)
  const found = tokens.flatMap((token, index) => {
    const staked = answers[index]
    return staked ? [{ token, staked }] : []
  })
  const gauges = found.filter(({ staked }) => typeof staked === 'string')
  const members = await readFamily(
    family,
    { reader, chain },
    gauges.map(({ token }) => token),
  )
  const refused = found.filter(({ staked }) => typeof staked !== 'string')
  const own = gauges.flatMap(({ token, staked }, index) => {
    const member = members[index]
    if (!member || 'message' in member) {
      return [{ token, staked: { message: member?.message ?? 'It was not read.' } }]
    }
    return member.isOwn ? [{ token, staked }] : []
  })
  return [...own, ...refused]
}

function gaugePool({ slug }: Family, gauge: Address, staked: Address): Pool {
  return { protocol: slug, id: gauge, address: gauge, tokens: [staked, gauge], parameters: {} }
}
