/**
 * Hindsight of 300 swaps by public routers and ours, three of them sandwiched, and of the traders in the sandbox's history.
 * What is read is compared with receipts, the losses with the formula of the pair. The figures stand in
 * docs/reference/hindsight.md, which this test writes with UPDATE_DOCS=1 and compares otherwise.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { type Hex, toEventSelector } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, isNative, nativeToken, toAddress } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import {
  contractAddresses,
  curvePoolAddresses,
  v2PairAddress,
} from '../../../src/sandbox/addresses.js'
import { traders as historyTraders } from '../../../src/sandbox/market/traders.js'
import { createSeededRandom, pick } from '../../../src/sandbox/seeded-random.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { startService, type TestService } from '../../support/service/service.js'
import {
  bySwapRouter,
  byUniversalRouter,
  byV2Router,
  outputOf,
  reservesOf,
  startTraders,
  type Trade,
  type Traders,
} from '../../support/traders.js'

const [weth, usdc, dai] = ['WETH', 'USDC', 'DAI'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
  Address,
]
const account = (end: string): Address => `0x${'0'.repeat(34)}face${end}`
/** Nobody of these trades back, which would look like a sandwich. */
const sellers = ['01', '02', '03'].map(account)
const buyers = ['04', '05', '06'].map(account)
const [attacker, victim] = [account('a1'), account('a2')]
const document = new URL('../../../docs/reference/hindsight.md', import.meta.url)
const ether = 10n ** 18n
const dollar = 10n ** 6n
const transfer = toEventSelector('event Transfer(address,address,uint256)')

const blocks = 30
const perBlock = 10
/** The last blocks before the newest one of the sandbox's history, in which traders swap by these contracts. */
const history = { from: 348, to: 377 }
const contractsOfHistory: Readonly<Record<Address, string>> = {
  [contractAddresses.swapRouter02]: 'SwapRouter02',
  [contractAddresses.universalRouter]: 'Universal Router',
  [contractAddress('Router')]: 'forkroute',
  [contractAddresses.balancerVault]: 'Balancer',
  ...Object.fromEntries(curvePoolAddresses.map((pool) => [pool, 'Curve'])),
}
/** Blocks that begin with a sandwich. */
const sandwichedBlocks = [5, 15, 25]

interface Sent extends Trade {
  readonly hash: Hex
  readonly router: string
}
interface Planted {
  readonly hash: Hex
  readonly front: Hex
  readonly back: Hex
  /** Raw units of USDC, by the formula of the pair. */
  readonly loss: bigint
}
// biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
type Found = any

let traders: Traders
let service: TestService
const sent: Sent[] = []
const found = new Map<Hex, Found>()
const ofHistory: Found[] = []
const planted: Planted[] = []
const mined: number[] = []

beforeAll(async () => {
  traders = await startTraders()
  for (const one of [...sellers, ...buyers, attacker, victim])
    await traders.equip(one, [weth, usdc, dai])
  const env = { RPC_URL_1: traders.url, AUTH_MODE: 'open' }
  service = await startService({ ...env, REQUEST_TIMEOUT_MS: '600000' })
  const random = createSeededRandom(7n)
  for (let block = 0; block < blocks; block++) {
    const trades: (Trade & { router: string })[] = []
    const reserves = await reservesOf(traders.node, v2PairAddress('uniswap-v2', weth, usdc))
    const [frontIn, victimIn] = [150n * ether, 20n * ether]
    const isSandwiched = sandwichedBlocks.includes(block)
    if (isSandwiched) {
      const sell = { tokenIn: weth, tokenOut: usdc }
      const got = outputOf(frontIn, reserves)
      const buy = { from: attacker, tokenIn: usdc, tokenOut: weth, amountIn: got }
      trades.push(
        { ...byV2Router({ from: attacker, ...sell, amountIn: frontIn }), router: 'V2 router' },
        { ...byV2Router({ from: victim, ...sell, amountIn: victimIn }), router: 'V2 router' },
        { ...byUniversalRouter(buy), router: 'Universal Router' },
      )
    }
    while (trades.length < perBlock) trades.push(await randomTrade(random, await traders.head()))
    const hashes = await traders.mine(trades)
    mined.push(await traders.head())
    for (const [index, trade] of trades.entries()) {
      sent.push({ ...trade, hash: hashes[index] ?? '0x' })
    }
    if (isSandwiched) {
      const [front = '0x', hash = '0x', back = '0x'] = hashes
      const [ethers, dollars] = reserves
      const behind = [ethers + frontIn, dollars - outputOf(frontIn, reserves)] as const
      const loss = outputOf(victimIn, reserves) - outputOf(victimIn, behind)
      planted.push({ hash, front, back, loss })
    }
  }
}, 900_000)
afterAll(async () => {
  await service?.stop()
  await traders?.stop()
})

/** A small swap between ether, USDC and DAI by one of the routers. */
async function randomTrade(
  random: ReturnType<typeof createSeededRandom>,
  head: number,
): Promise<Trade & { router: string }> {
  const way = random(5)
  const isSale = way === 3 || random(2) === 0
  const from = pick(isSale ? sellers : buyers, random)
  const size = BigInt(1 + random(40))
  const [tokenIn, tokenOut, amountIn] = isSale
    ? ([weth, usdc, (size * ether) / 10n] as const)
    : ([usdc, weth, size * 300n * dollar] as const)
  const wanted = { from, tokenIn, tokenOut, amountIn }
  if (way === 0) return { ...byV2Router(wanted), router: 'V2 router' }
  if (way === 1) return { ...byUniversalRouter(wanted), router: 'Universal Router' }
  if (way === 2) return { ...bySwapRouter(wanted, 500), router: 'SwapRouter02' }
  if (way === 3) {
    const amount = (size * ether) / 10n
    const asEther = { from, tokenIn: weth, tokenOut: usdc, amountIn: amount }
    return { ...bySwapRouter(asEther, 3000, amount), router: 'SwapRouter02' }
  }
  const query = {
    fromAddress: from,
    executionMode: 'backend',
    slippage: '1000',
    blockNumber: String(head),
    tokenIn,
    tokenOut: random(2) === 0 ? tokenOut : dai,
    amountIn: String(amountIn),
  }
  const { status, body, text } = await service.get('/api/v1/shortcuts/route', query)
  expect(status, text).toBe(200)
  const { to, data, value } = body.tx
  return { from, to, data, value: BigInt(value), router: 'forkroute' }
}

interface Receipt {
  readonly status: Hex
  readonly logs: readonly { address: Hex; topics: readonly Hex[]; data: Hex }[]
}

/** What the sender gave and got by token, by the receipt alone. */
async function byReceipt({
  hash,
  from,
  value = 0n,
}: Pick<Sent, 'hash' | 'from' | 'value'>): Promise<Record<string, string> | null> {
  const receipt = await traders.node.request<Receipt>('eth_getTransactionReceipt', [hash])
  if (receipt.status !== '0x1') return null
  const sums = new Map<Address, bigint>(value > 0n ? [[nativeToken, -value]] : [])
  for (const { address, topics, data } of receipt.logs) {
    if (topics[0] !== transfer || topics.length !== 3) continue
    const token = toAddress(address)
    const party = (topic: Hex | undefined) => toAddress(`0x${topic?.slice(-40)}`)
    const add = (amount: bigint) => sums.set(token, (sums.get(token) ?? 0n) + amount)
    if (party(topics[1]) === from) add(-BigInt(data))
    if (party(topics[2]) === from) add(BigInt(data))
  }
  return Object.fromEntries([...sums].map(([token, amount]) => [token, String(amount)]))
}

function asRead({ swap }: Found): Record<string, string> | null {
  if (!swap) return null
  return { [swap.tokenIn]: `-${swap.amountIn}`, [swap.tokenOut]: swap.amountOut }
}

async function hindsightOf(block: number): Promise<Found[]> {
  const answer = await service.post('/api/v1/hindsight', { chainId: 1, fromBlock: block })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.warnings).toBeUndefined()
  return answer.body.transactions
}

test('300 swaps are read as their receipts say, and planted sandwiches are found to the unit', async () => {
  for (const block of mined) {
    for (const one of await hindsightOf(block)) found.set(one.hash, one)
  }
  expect(sent).toHaveLength(blocks * perBlock)
  for (const one of sent) {
    const told = found.get(one.hash)
    const expected = await byReceipt(one)
    expect(asRead(told), one.hash).toEqual(expected)
    expect(told.status).toBe(expected ? 'success' : 'reverted')
    if (told.swap && !isNative(told.swap.tokenOut)) expect(told.atItsPlace.result).not.toBeNull()
  }
  const sandwiched = [...found.values()].filter(({ sandwich }) => sandwich)
  expect(sandwiched.map(({ hash, sandwich }) => ({ hash, ...sandwich }))).toMatchObject(
    planted.map(({ hash, front, back, loss }) => {
      return { hash, attacker, fronts: [front], backs: [back], loss: String(loss) }
    }),
  )
}, 1_800_000)

test('each block of the sandbox before the newest has swaps of traders, read as their receipts say', async () => {
  const accounts: readonly string[] = historyTraders.map(({ address }) => address)
  for (let block = history.from; block <= history.to; block++) {
    const told = await hindsightOf(block)
    const swaps = told.filter(({ from, to }) => accounts.includes(from) && contractsOfHistory[to])
    expect(swaps.length, `block ${block}`).toBeGreaterThan(0)
    for (const one of swaps) {
      const params = [one.hash]
      const tx = await traders.node.request<{ value: Hex }>('eth_getTransactionByHash', params)
      const { [nativeToken]: ether, ...tokens } = asRead(one) ?? {}
      // No event tells of ether that comes out.
      const read = ether?.startsWith('-') ? { ...tokens, [nativeToken]: ether } : tokens
      const { hash, from } = one
      expect(read, hash).toEqual(await byReceipt({ hash, from, value: BigInt(tx.value) }))
    }
    ofHistory.push(...swaps)
  }
}, 1_800_000)

test('the figures are those of the document', async () => {
  const text = pageOf([...found.values()])
  if (process.env.UPDATE_DOCS) await writeFile(document, text)
  expect(await readFile(document, 'utf8')).toBe(text)
})

function rows(found: readonly Found[], keyOf: (one: Found) => string): string {
  const keys = [...new Set(found.map(keyOf))].sort()
  return keys
    .map((key) =>
      rowOf(
        key,
        found.filter((one) => keyOf(one) === key),
      ),
    )
    .join('\n')
}

function pageOf(found: readonly Found[]): string {
  const routerOf = new Map(sent.map(({ hash, router }) => [hash, router]))
  const venues = (one: Found) =>
    [...new Set(one.through.map(({ protocol }: Found) => protocol))].sort().join(', ') || 'none'
  const losses = found.filter(({ sandwich }) => sandwich)
  return `${heading}
## By router

${head('router')}
${rows(found, ({ hash }) => routerOf.get(hash) ?? '')}

## By venue

${head('venue')}
${rows(found, venues)}

## Sandwiches

| swap | it got | without the front | loss | loss, bps |
| --- | ---: | ---: | ---: | ---: |
${losses.map(lossRow).join('\n')}

## In the history of the sandbox

[Traders](../how-to/sandbox.md#prices) swap in every block of the sandbox's history but the newest. These are their ${ofHistory.length} swaps in blocks
${history.from} to ${history.to}, by the contract that they called. Each moves one pool, and takes whatever it gives.

${head('contract')}
${rows(ofHistory, ({ to }) => contractsOfHistory[to] ?? '')}
`
}

const head = (
  name: string,
) => `| ${name} | transactions | swaps | won | tied | lost | none of ours | median, bps |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |`

function rowOf(key: string, list: readonly Found[]): string {
  const swaps = list.filter(({ swap }) => swap)
  const count = (result: string) =>
    swaps.filter(({ atItsPlace }) => atItsPlace.result === result).length
  const bps = swaps.flatMap(({ atItsPlace }): number[] =>
    typeof atItsPlace.netBps === 'number' ? [atItsPlace.netBps] : [],
  )
  const median = bps.sort((a, b) => a - b)[Math.floor(bps.length / 2)] ?? '–'
  const none = swaps.filter(({ atItsPlace }) => !atItsPlace.amountOut).length
  const results = [count('won'), count('tied'), count('lost'), none, median]
  return `| ${[key, list.length, swaps.length, ...results].join(' | ')} |`
}

function lossRow({ swap, sandwich }: Found): string {
  const inDollars = (raw: string) => (Number(raw) / Number(dollar)).toFixed(6)
  const alone = String(BigInt(swap.amountOut) + BigInt(sandwich.loss))
  const amounts = [swap.amountOut, alone, sandwich.loss].map(inDollars)
  const sold = `${BigInt(swap.amountIn) / ether} WETH for USDC`
  return `| ${[sold, ...amounts, sandwich.lossBps].join(' | ')} |`
}

const heading = `# Hindsight of 300 swaps

Written by test/e2e/history/hindsight.slow.ts (\`UPDATE_DOCS=1 npx vitest run test/e2e/history/hindsight.slow.ts\`), which fails when
these figures are not what it finds. On the sandbox chain traders swap ether, USDC and DAI, by Uniswap's V2 router, SwapRouter02, the
Universal Router and forkroute, ten transactions in each of 30 blocks. Three swaps are sandwiched. What [hindsight](../how-to/hindsight.md)
reads is equal to the receipts in all of them. The loss of the sandwiched ones is equal to the formula of the pair, to the unit.

Results are those of our transaction behind the transactions before it in its block, after the gas of both. The median is of the difference
in basis points of what they got.
`
