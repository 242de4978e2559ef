/**
 * Pools by the events of Curve's factories. They tell the coins, and only some of them the pool: which pools these coins
 * have at the block is asked of the MetaRegistry when they are wanted. The old registries tell no coins, and metapools
 * are between one coin and the coins of a base pool, which are connectors: look-ups find those.
 */
import { concat, toEventSelector } from 'viem'
import { type Address, type Hex, zeroAddress } from '../../domain/primitives.js'
import { addressIn, type PoolEvents, wordsOf } from '../pool-events.js'
import { addressesOf } from '../shared/parameters.js'
import { discoverCurve } from './discover.js'

/** Where an event of a factory has its coins: words of its data. */
interface FactoryEvent {
  readonly topic: Hex
  coins(words: readonly bigint[]): readonly bigint[]
}

const mostCoins = 8n

/** The list whose offset is the word of that number. */
function listAt(words: readonly bigint[], place: number): readonly bigint[] {
  const start = Number(words[place] ?? 0n) / 32
  const count = words[start] ?? 0n
  return count > mostCoins ? [] : words.slice(start + 1, start + 1 + Number(count))
}

/** Keyed by the parameter of the venue that names the factory. */
const events: Readonly<Record<string, FactoryEvent>> = {
  /** @see curvefi/curve-factory 5272fd2, contracts/Factory.vy; unused places of the four are zero. */
  stableFactory: {
    topic: toEventSelector('PlainPoolDeployed(address[4],uint256,uint256,address)'),
    coins: (words) => words.slice(0, 4),
  },
  /** @see curvefi/stableswap-ng 2abe778, contracts/main/CurveStableSwapFactoryNG.vy */
  stableNgFactory: {
    topic: toEventSelector('PlainPoolDeployed(address[],uint256,uint256,address)'),
    coins: (words) => listAt(words, 0),
  },
  /** @see curvefi/curve-core b4c27f3, contracts/amm/stableswap/factory/factory_v_100.vy: after the pool. */
  stableCoreFactory: {
    topic: toEventSelector('PlainPoolDeployed(address,address[],uint256,uint256,address)'),
    coins: (words) => listAt(words, 1),
  },
  /** @see curvefi/curve-crypto-contract d7d04cd, contracts/two/CurveCryptoFactory.vy: after the pool's token. */
  cryptoFactory: {
    topic: toEventSelector(
      `CryptoPoolDeployed(address,address[2],${'uint256,'.repeat(10)}address)`,
    ),
    coins: (words) => words.slice(1, 3),
  },
  /** @see curvefi/twocrypto-ng, contracts/main/TwocryptoFactory.vy: after the pool, its name and its symbol. */
  twocryptoFactory: {
    topic: toEventSelector(
      'TwocryptoPoolDeployed(address,string,string,address[2],address,bytes32,uint256[2],uint256,uint256,uint256,uint256,address)',
    ),
    coins: (words) => words.slice(3, 5),
  },
  /** @see curvefi/tricrypto-ng, contracts/main/CurveTricryptoFactory.vy: after the pool, its texts and WETH. */
  tricryptoFactory: {
    topic: toEventSelector(
      'TricryptoPoolDeployed(address,string,string,address,address[3],address,bytes32,uint256,uint256,uint256,uint256,uint256,address)',
    ),
    coins: (words) => words.slice(4, 7),
  },
}

/** Names of the venue's parameters. */
export const factoryNames = Object.keys(events)

export const curvePoolEvents: PoolEvents = {
  sources: (venue) =>
    Object.entries(events).flatMap(([name, { topic }]) =>
      addressesOf(venue[name]).map((address) => ({ address, topic })),
    ),
  toPool({ address, topics, data }) {
    const event = Object.values(events).find(({ topic }) => topic === topics[0])
    const all = event?.coins(wordsOf(data)).map(addressIn) ?? []
    if (all.includes(null)) return null
    const tokens = all.flatMap((coin) => (coin && coin !== zeroAddress ? [coin] : []))
    if (tokens.length < 2 || new Set(tokens).size !== tokens.length) return null
    // One for all pools of a factory with these coins, since look-ups are by coins.
    return { protocol: 'curve', id: concat([address, ...tokens]), address, tokens, parameters: {} }
  },
  async complete(args) {
    const pairs = new Map<string, readonly [Address, Address]>()
    for (const { tokens } of args.pools) {
      const [a, b] = tokens
      if (a && b) pairs.set([a, b].sort().join(), [a, b])
    }
    return discoverCurve({ ...args, pairs: [...pairs.values()] })
  },
}
