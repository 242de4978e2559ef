/** Routes over bridges at random: one to four inputs, taxed ones among them, and receivers that cannot be paid. Seeded. */
import fc from 'fast-check'
import { stargatePools } from '../../../src/bridges/stargate/pools.js'
import { type Address, nativeToken, zeroAddress } from '../../../src/domain/primitives.js'
import { composeLanding, contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import type { SandboxPlan } from '../../../src/sandbox/plans/plan.js'
import { sandboxPlans } from '../../../src/sandbox/plans/registry.js'
import { refuser } from './hostile-receivers.js'

export const outcast: Address = '0x00000000000000000000000000000000000b1acc'
/** Takes everything, and does nothing. */
export const taker: Address = '0x000000000000000000000000000000000000face'
export const modes = ['direct', 'source', 'destination', 'sourceOrDestination', 'full'] as const
const bridges = ['across', 'stargate'] as const

/** By whether a route may be an answer: never, where it can be paid, or always. */
export const receivers = {
  'an account': 'always',
  'a contract': 'always',
  'a pool of an exchange': 'if paid',
  'takes no ether': 'if paid',
  'on the blacklist of USDC': 'if paid',
  'the zero address': 'never',
  'the DestinationReceiver': 'never',
  'a landing': 'never',
  'a pool of Stargate': 'never',
  'the contract of the token': 'never',
} as const
export type ReceiverKind = keyof typeof receivers

interface Held {
  readonly symbol: string
  readonly address: Address
  readonly decimals: number
  readonly priceUsd: number
}

export interface RandomRoute {
  readonly from: SandboxPlan
  readonly to: SandboxPlan
  readonly mode: (typeof modes)[number]
  readonly ignored: (typeof bridges)[number] | 'none'
  readonly inputs: readonly { readonly symbol: string; readonly cents: number }[]
  readonly isTaxed: boolean
  readonly receiver: ReceiverKind
  readonly tokenOut: Address
  readonly query: Readonly<Record<string, string>>
}

const carried = ['USDC', 'ETH']
const taxed = ['STA', 'PAXG']
const liquid = ['USDC', 'WETH', 'DAI', 'USDT', 'WBTC', 'LINK', 'USDC.e', 'USDbC', 'cbBTC']

function heldOn({ market }: SandboxPlan, among: readonly string[]): Held[] {
  const named = market.tokens.map(({ symbol, address, decimals, priceUsdE12 }) => {
    return { symbol, address, decimals, priceUsd: Number(priceUsdE12) / 1e12 }
  })
  const weth = named.find(({ symbol }) => symbol === 'WETH')
  const all = weth ? [...named, { ...weth, symbol: 'ETH', address: nativeToken }] : named
  return all.filter(({ symbol }) => among.includes(symbol))
}

/** Of a dollar: mostly what people send, and some that is too little or too much. */
const cents = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 500, max: 1_000_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 50 }) },
  { weight: 1, arbitrary: fc.integer({ min: 10_000_000, max: 200_000_000 }) },
)

const directions = sandboxPlans.flatMap((from) =>
  sandboxPlans.filter((to) => to !== from).map((to) => ({ from, to })),
)

/** Of the sender Alice, who holds and has allowed all of it. */
export function randomRoutes(requests: number, seed: number): RandomRoute[] {
  const swapsOn = {
    direct: [[false, false]],
    source: [[true, false]],
    destination: [[false, true]],
    sourceOrDestination: [
      [true, false],
      [false, true],
    ],
    full: [[true, true]],
  } as const
  const one = fc
    .record({
      direction: fc.constantFrom(...directions),
      mode: fc.constantFrom(...modes, 'source', 'full'),
      ignored: fc.constantFrom('none', 'none', ...bridges),
      receiver: fc.oneof(
        { weight: 3, arbitrary: fc.constant<ReceiverKind>('an account') },
        {
          weight: 2,
          arbitrary: fc.constantFrom(...(Object.keys(receivers) as ReceiverKind[])),
        },
      ),
    })
    .chain(({ direction, ...common }) => {
      const { from, to } = direction
      const rare = heldOn(from, taxed)
      const wild = [...heldOn(from, [...liquid, 'ETH']), ...rare, ...rare]
      const ends = [...heldOn(to, [...liquid, 'ETH', ...taxed])]
      return fc.constantFrom(...swapsOn[common.mode]).chain(([here, there]) =>
        fc.record({
          direction: fc.constant(direction),
          common: fc.constant(common),
          tokens: here
            ? fc.uniqueArray(fc.constantFrom(...wild), { minLength: 1, maxLength: 4 })
            : fc.constantFrom(...heldOn(from, carried)).map((token) => [token]),
          cents: fc.array(cents, { minLength: 4, maxLength: 4 }),
          end: fc.constantFrom(...(there ? ends : heldOn(to, carried))),
          isDirect: fc.constant(!here && !there),
          places: fc.array(fc.nat(1_000), { minLength: 2, maxLength: 2 }),
        }),
      )
    })
  return fc.sample(one, { seed, numRuns: requests }).map((drawn) => {
    const { direction, common, tokens, cents, isDirect, places } = drawn
    const { from, to } = direction
    const [first] = tokens
    const same = heldOn(to, carried).find(({ symbol }) => symbol === first?.symbol)
    const end = isDirect && same ? same : drawn.end
    const amounts = tokens.map(({ decimals, priceUsd }, index) => {
      const units = Math.floor(((cents[index] ?? 500) / 100 / priceUsd) * 1e8)
      return String((BigInt(units) * 10n ** BigInt(decimals)) / 10n ** 8n)
    })
    const receiver = addressOf(common.receiver, to, end.address, places[0] ?? 0)
    return {
      from,
      to,
      ...common,
      tokenOut: end.address,
      inputs: tokens.map(({ symbol }, index) => ({ symbol, cents: cents[index] ?? 500 })),
      isTaxed: tokens.some(({ symbol }) => taxed.includes(symbol)),
      query: {
        chainId: String(from.market.chain.id),
        destinationChainId: String(to.market.chain.id),
        fromAddress: sandboxAccount('alice').address,
        receiver,
        tokenIn: tokens.map(({ address }) => address).join(','),
        amountIn: amounts.join(','),
        tokenOut: end.address,
        crosschainRouteMode: common.mode,
        ...(common.ignored !== 'none' && { ignoreBridges: common.ignored }),
      },
    }
  })
}

function addressOf(kind: ReceiverKind, to: SandboxPlan, token: Address, place: number): Address {
  const { market } = to
  const pools = stargatePools(market.chain)
  const pool = pools[place % pools.length]
  if (!pool) throw new RangeError('a chain without Stargate')
  switch (kind) {
    case 'an account':
      return sandboxAccount('bob').address
    case 'a contract':
      return taker
    case 'a pool of an exchange': {
      const spec = market.v3Pools[place % market.v3Pools.length]
      return spec ? market.addressOf(spec) : taker
    }
    case 'takes no ether':
      return refuser
    case 'on the blacklist of USDC':
      return outcast
    case 'the zero address':
      return zeroAddress
    case 'the DestinationReceiver':
      return contractAddress('DestinationReceiver')
    case 'a landing':
      return composeLanding(pool).address
    case 'a pool of Stargate':
      return pool.pool
    case 'the contract of the token':
      return token === nativeToken ? market.token('WETH').address : token
  }
}
