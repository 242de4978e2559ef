/**
 * Every pair of chains, bridge and mode: the returned transaction is mined on an Anvil of the source, and what it sent
 * delivered on one of the destination by a script that shares no code with the product. What came out stands in
 * docs/explanation/crosschain.md, whose table this test writes with UPDATE_DOCS=1 and a dozen amounts each (CROSSCHAIN_AMOUNTS=12).
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bridgeBySlug } from '../../../src/bridges/registry.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import type { SandboxPlan } from '../../../src/sandbox/plans/plan.js'
import { sandboxPlans } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { allBut } from '../../support/bridges/all-but.js'
import { compareModes } from '../../support/bridges/compare-modes.js'
import { deliverOnFork, type Place, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import { startService, type TestService } from '../../support/service/service.js'

const document = fileURLToPath(new URL('../../../docs/explanation/crosschain.md', import.meta.url))
const amounts = Number(process.env.CROSSCHAIN_AMOUNTS ?? 1)
const bridges = ['across', 'stargate', 'cctp', 'canonical', 'oft'] as const
const modes = ['direct', 'source', 'destination', 'sourceOrDestination', 'full'] as const
const alice = sandboxAccount('alice').address

let sandboxes: Sandbox[]
let service: TestService

beforeAll(async () => {
  sandboxes = await startSandboxes(sandboxPlans.map(({ market }) => market.chain.id))
  const nodes = sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])
  service = await startService(Object.fromEntries(nodes))
})
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

interface Held {
  readonly symbol: string
  readonly address: Address
  readonly decimals: number
  readonly priceUsd: number
}

function toHeld({
  symbol,
  address,
  decimals,
  priceUsdE12,
}: SandboxPlan['market']['tokens'][number]): Held {
  return { symbol, address, decimals, priceUsd: Number(priceUsdE12) / 1e12 }
}

type Bridge = (typeof bridges)[number]

/** What each bridge carries between any two of its chains. */
const carriedBy: Readonly<Record<Bridge, readonly string[]>> = {
  across: ['USDC', 'ETH'],
  stargate: ['USDC', 'ETH'],
  cctp: ['USDC'],
  canonical: ['ETH'],
  oft: ['USDT'],
}

function tokensOn(
  { market }: SandboxPlan,
  carried: readonly string[],
): { bridged: Held[]; others: Held[] } {
  const tokens = market.tokens
    .filter(({ behaviour }) =>
      ['standard', 'proxied', 'returnless', 'wrapped-native'].includes(behaviour),
    )
    .map(toHeld)
  const weth = tokens.find(({ symbol }) => symbol === 'WETH')
  const all = weth ? [...tokens, { ...weth, symbol: 'ETH', address: nativeToken }] : tokens
  const liquid = ['DAI', 'USDC.e', 'USDbC', 'WBTC', 'cbBTC', 'LINK']
  return {
    bridged: all.filter(({ symbol }) => carried.includes(symbol)),
    others: all.filter(({ symbol }) => liquid.includes(symbol)),
  }
}

function requestsFor(args: {
  readonly bridge: Bridge
  readonly from: SandboxPlan
  readonly to: SandboxPlan
  readonly mode: (typeof modes)[number]
}) {
  const { from, to, mode } = args
  const carried = carriedBy[args.bridge]
  const [here, there] = [tokensOn(from, carried), tokensOn(to, carried)]
  const swapsHere = mode === 'source' || mode === 'full'
  const swapsThere = mode === 'destination' || mode === 'sourceOrDestination' || mode === 'full'
  return fc
    .record({
      tokenIn: fc.constantFrom(...(swapsHere ? here.others : here.bridged)),
      tokenOut: fc.constantFrom(...(swapsThere ? there.others : there.bridged)),
      cents: fc.integer({ min: 2_000, max: 2_000_000 }),
    })
    .filter(({ tokenIn, tokenOut }) => mode !== 'direct' || tokenIn.symbol === tokenOut.symbol)
}

/** Asks for the route, carries it out on both sides, and compares. @returns the answer. */
async function proven(args: {
  readonly bridge: Bridge
  readonly from: SandboxPlan
  readonly to: SandboxPlan
  readonly mode: (typeof modes)[number]
  readonly tokenIn: Held
  readonly tokenOut: Held
  readonly cents: number
}) {
  const { bridge, from, to, mode, tokenIn, tokenOut, cents } = args
  const amountIn = String(
    (BigInt(Math.floor((cents / 100 / tokenIn.priceUsd) * 1e8)) * 10n ** BigInt(tokenIn.decimals)) /
      10n ** 8n,
  )
  const { status, text, body } = await service.get('/api/v1/shortcuts/route', {
    chainId: String(from.market.chain.id),
    destinationChainId: String(to.market.chain.id),
    fromAddress: alice,
    amountIn,
    crosschainRouteMode: mode,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    ignoreBridges: allBut(bridge),
  })
  const label = `${amountIn} ${tokenIn.symbol} to ${tokenOut.symbol}: ${text.slice(0, 600)}`
  expect(status, label).toBe(200)
  const place = (plan: SandboxPlan, blockNumber: number): Place => ({
    chainId: plan.market.chain.id,
    nodeUrl: sandboxes.find(({ chainId }) => chainId === plan.market.chain.id)?.url ?? '',
    blockNumber,
    blockTimeSeconds: plan.blockSeconds,
  })
  const here = place(from, body.blockNumber)
  const there = place(to, body.destinationBlockNumber)
  const sent = await sendOnFork(here, body.tx)
  expect(sent.status, label).toBe('success')
  expect(sent.gasUsed, label).toBe(BigInt(body.gas))
  const delivered = await deliverOnFork({
    source: here,
    destination: there,
    logs: sent.logs,
    watch: { token: tokenOut.address, owner: alice },
  })
  expect(delivered, label).toMatchObject({
    status: 'delivered',
    gained: BigInt(body.amountOut),
  })
  const crossing = body.route.find((step: { action: string }) => step.action === 'bridge')
  expect(crossing?.protocol, label).toBe(bridge)
  const minimum = (BigInt(body.amountOut) * 9_950n) / 10_000n
  expect(BigInt(body.minAmountOut), label).toBe(minimum)
  return body
}

const rows = new Map<string, Map<string, { equal: number; of: number }>>()

function lanesOf(bridge: Bridge, from: SandboxPlan, to: SandboxPlan) {
  const lanes = bridgeBySlug(bridge)?.lanes(from.market.chain, to.market.chain) ?? []
  // Withdrawals are carried out to their end elsewhere: withdrawals.slow.ts.
  return lanes.filter(({ afterwards }) => !afterwards)
}

const directions = sandboxPlans.flatMap((from) =>
  sandboxPlans
    .filter((to) => to !== from)
    .map((to) => ({ from, to, name: `${from.market.chain.id} to ${to.market.chain.id}` })),
)

describe.each(bridges)('%s', (bridge) => {
  const own = directions.filter(({ from, to }) => lanesOf(bridge, from, to).length > 0)
  describe.each(own)('$name', ({ from, to }) => {
    test.each(modes)(
      '%s: what is delivered is amountOut, and the gas of the source is gas',
      async (mode) => {
        const [source, destination] = [from.market.chain, to.market.chain]
        const seed = source.id + 2 * destination.id + modes.indexOf(mode)
        const requests = fc.sample(requestsFor({ bridge, from, to, mode }), {
          seed,
          numRuns: amounts,
        })
        for (const one of requests) {
          await proven({ ...one, bridge, from, to, mode })
          count(`${bridge} | ${source.name} | ${destination.name}`, mode)
        }
      },
    )
  })
})

/** Of the lanes between the two that `carriedBy` leaves out. */
function otherLanes(bridge: Bridge, from: SandboxPlan, to: SandboxPlan) {
  return lanesOf(bridge, from, to).flatMap(({ tokenIn, tokenOut }) => {
    const held = (plan: SandboxPlan, address: Address) =>
      plan.market.tokens.find((token) => token.address === address)
    const [one, other] = [held(from, tokenIn), held(to, tokenOut)]
    if (!one || !other || [...carriedBy[bridge], 'WETH'].includes(one.symbol)) return []
    return [{ symbol: one.symbol, tokenIn: toHeld(one), tokenOut: toHeld(other) }]
  })
}

const others = directions.flatMap(({ from, to, name }) =>
  bridges.flatMap((bridge) =>
    otherLanes(bridge, from, to).map((lane) => ({ ...lane, bridge, from, to, name })),
  ),
)

test('the other lanes are those of USDT, DAI and bitcoin, and of tokens of the standard bridge', () => {
  expect(new Set(others.map(({ bridge, symbol }) => `${bridge} ${symbol}`))).toEqual(
    new Set([
      ...['across DAI', 'across USDT', 'across WBTC', 'stargate USDT'],
      ...['canonical DAI', 'canonical USDC'],
    ]),
  )
})

describe.each(others)('$bridge, $symbol, $name', ({ bridge, from, to, tokenIn, tokenOut }) => {
  test('what is delivered is amountOut, and the gas of the source is gas', async () => {
    const [source, destination] = [from.market.chain, to.market.chain]
    const seed = source.id + 3 * destination.id
    const cents = fc.sample(fc.integer({ min: 2_000, max: 2_000_000 }), { seed, numRuns: amounts })
    for (const each of cents) {
      const lane = { bridge, from, to, mode: 'direct', tokenIn, tokenOut, cents: each } as const
      const { route } = await proven(lane)
      expect(route).toMatchObject([
        { tokenIn: [tokenIn.address], tokenOut: [tokenOut.address], action: 'bridge' },
      ])
      if (bridge === 'canonical') {
        count(`${bridge}, ${tokenIn.symbol} | ${source.name} | ${destination.name}`, 'direct')
      }
    }
  })
})

const chainOf = (chainId: number) => {
  const plan = sandboxPlans.find(({ market }) => market.chain.id === chainId)
  if (!plan) throw new RangeError(`no chain ${chainId}`)
  return plan
}

/** Carries out what is asked from one chain to Base's USDC. */
async function intoDollars(from: SandboxPlan, query: Record<string, string>) {
  const to = chainOf(8453)
  const { address: token } = to.market.token('USDC')
  const { status, text, body } = await service.get('/api/v1/shortcuts/route', {
    chainId: String(from.market.chain.id),
    destinationChainId: '8453',
    fromAddress: alice,
    tokenOut: token,
    crosschainRouteMode: 'source',
    ...query,
  })
  expect(status, text).toBe(200)
  const place = ({ market, blockSeconds }: SandboxPlan, blockNumber: number): Place => ({
    chainId: market.chain.id,
    blockNumber,
    blockTimeSeconds: blockSeconds,
    nodeUrl: sandboxes.find(({ chainId }) => chainId === market.chain.id)?.url ?? '',
  })
  const source = place(from, body.blockNumber)
  const destination = place(to, body.destinationBlockNumber)
  const { logs } = await sendOnFork(source, body.tx)
  const watch = { token, owner: alice }
  expect(await deliverOnFork({ source, destination, logs, watch })).toMatchObject({
    status: 'delivered',
    gained: BigInt(body.amountOut),
  })
}

test('an input that lies on the way of another is spent once', async () => {
  const from = chainOf(42_161)
  const amount = '731164000000000000'
  const tokenIn = [nativeToken, from.market.token('WETH').address].join(',')
  await intoDollars(from, { tokenIn, amountIn: `${amount},${amount}` })
})

test.each([
  ['with a fee', { fee: '30', feeReceiver: sandboxAccount('carol').address }],
  ['without', {}],
])('of a taxed input, %s, what really arrives is sent', async (_name, more) => {
  const from = chainOf(1)
  const tokenIn = from.market.token('STA').address
  await intoDollars(from, { tokenIn, amountIn: String(1_000n * 10n ** 18n), ...more })
})

/** Small amounts, of which gas takes a large part. */
test.each([
  {
    from: 8453,
    given: { USDC: '5070000' },
    to: 42161,
    tokenOut: 'WETH',
    without: 'layerzero',
    others: ['source', 'destination', 'sourceOrDestination'],
  },
  {
    from: 42161,
    given: { ETH: '1680000000000000' },
    to: 1,
    tokenOut: 'LINK',
    without: 'layerzero',
    others: ['destination', 'sourceOrDestination'],
  },
  {
    from: 42161,
    given: { ETH: '1720000000000000' },
    to: 8453,
    tokenOut: 'USDbC',
    without: 'layerzero',
    others: ['destination', 'sourceOrDestination'],
  },
  {
    from: 1,
    given: { USDC: '5099999' },
    to: 42161,
    tokenOut: 'WETH',
    without: 'layerzero',
    others: ['source', 'destination', 'sourceOrDestination'],
  },
  {
    from: 1,
    given: { PAXG: '1442850000000000', USDC: '5110000' },
    to: 8453,
    tokenOut: 'DAI',
    without: 'none',
    others: ['source', 'sourceOrDestination'],
  },
  {
    from: 1,
    given: { LINK: '342666660000000000' },
    to: 8453,
    tokenOut: 'USDC',
    without: 'none',
    others: ['source', 'sourceOrDestination'],
  },
])(
  'full gives no less after gas than a mode that swaps less: $from to $tokenOut on $to without $without',
  async ({ from, given, to, tokenOut, without, others }) => {
    const [source, destination] = [chainOf(from), chainOf(to)]
    const tokens = Object.keys(given).map((symbol) =>
      symbol === 'ETH' ? nativeToken : source.market.token(symbol).address,
    )
    const query = {
      chainId: String(from),
      destinationChainId: String(to),
      fromAddress: alice,
      receiver: sandboxAccount('bob').address,
      tokenIn: tokens.join(','),
      amountIn: Object.values(given).join(','),
      tokenOut: destination.market.token(tokenOut).address,
      ...(without !== 'none' && { ignoreBridges: without }),
    }
    const compared = await compareModes(service, { to: destination, query })
    expect(compared?.answered).toEqual([...others, 'full'])
    expect(compared?.worseBps, JSON.stringify(compared)).toBe(0)
  },
)

function count(row: string, mode: string): void {
  const cells = rows.get(row) ?? new Map<string, { equal: number; of: number }>()
  const cell = cells.get(mode) ?? { equal: 0, of: 0 }
  cells.set(mode, { equal: cell.equal + 1, of: amounts })
  rows.set(row, cells)
}

const [begin, end] = ['<!-- proof: begin -->', '<!-- proof: end -->']

test('docs/explanation/crosschain.md says what was proven', async () => {
  const lines = [...rows].map(([row, cells]) => {
    const counted = modes.map((mode) => {
      const cell = cells.get(mode)
      return cell ? `${cell.equal} of ${cell.of}` : ''
    })
    return `| ${row} | ${counted.join(' | ')} |`
  })
  const head = `| bridge | from | to | ${modes.join(' | ')} |`
  const table = [head, `|${'---|'.repeat(3 + modes.length)}`, ...lines].join('\n')
  const text = await readFile(document, 'utf8')
  const [before, after] = [text.indexOf(begin), text.indexOf(end)]
  expect(before).toBeGreaterThan(0)
  if (process.env.UPDATE_DOCS) {
    await writeFile(
      document,
      `${text.slice(0, before + begin.length)}\n${table}\n${text.slice(after)}`,
    )
    return
  }
  // Of however many amounts: the same bridges, chains and modes.
  const kept = text
    .slice(before + begin.length, after)
    .trim()
    .split('\n').length
  expect(kept).toBe(lines.length + 2)
})
