/**
 * What it changes that routes on rollups are compared after the L1 data fee: the same requests, at three prices of L1, to a
 * service that ranks by it and to one that only shows it. What came out stands in docs/reference/l1-data-fees.md, which this
 * test writes with UPDATE_DOCS=1 and compares otherwise. Each answer that changes is carried out on a separate Anvil.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Hex, hexToBytes } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { dataFeeOf, readDataFee } from '../../../src/routing/block/data-fee.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import type { SandboxPlan } from '../../../src/sandbox/plans/plan.js'
import { sandboxPlan } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import {
  arbitrumPrices,
  basePrices,
  setArbitrumPrice,
  setOpStackPrice,
} from '../../support/chains/l1-prices.js'
import { executeOnFork } from '../../support/execute.js'
import { nodeReader } from '../../support/nodes/node-reader.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { startService, type TestService } from '../../support/service/service.js'

const document = fileURLToPath(new URL('../../../docs/reference/l1-data-fees.md', import.meta.url))
const marks = ['<!-- generated: UPDATE_DOCS=1 -->', '<!-- end of generated -->'] as const
const alice = sandboxAccount('alice').address
const levels = ['low', 'usual', 'very high'] as const
const chains = [
  {
    plan: sandboxPlan(8453),
    pairs: ['WETH/USDC', 'USDC/WETH', 'WETH/USDbC', 'AERO/USDC', 'cbBTC/USDC', 'DAI/WETH'],
    setPrice: (node: NodeWriter, level: (typeof levels)[number]) =>
      setOpStackPrice(node, basePrices[level]),
  },
  {
    plan: sandboxPlan(42_161),
    pairs: ['WETH/USDC', 'USDC/WETH', 'WETH/USDC.e', 'ARB/USDC', 'WBTC/USDC', 'DAI/WETH'],
    setPrice: (node: NodeWriter, level: (typeof levels)[number]) =>
      setArbitrumPrice(node, arbitrumPrices[level]),
  },
] as const
/** USD of each request. */
const sizes = [300, 3_000, 30_000, 300_000]

const sandboxes: Sandbox[] = []
let services: Record<'ranked' | 'shown', TestService>
/** Number of the block by chain and price of L1. */
const blocks = new Map<string, number>()

beforeAll(async () => {
  for (const { plan, setPrice } of chains) {
    const { id } = plan.market.chain
    const sandbox = await startSandbox({ chainId: id })
    sandboxes.push(sandbox)
    const node = await new NodeWriter(sandbox.url).start()
    for (const level of levels) {
      blocks.set(`${id} ${level}`, await setPrice(node, level))
    }
    await node.close()
  }
  const nodes = Object.fromEntries(sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url]))
  // The account of a key stands in the transaction.
  const env = { ...nodes, FORKS_PER_BLOCK: '1', WORKERS: '1', AUTH_MODE: 'open' }
  services = {
    ranked: await startService(env),
    shown: await startService({ ...env, L1_DATA_FEE: 'shown' }),
  }
})
afterAll(async () => {
  await Promise.all(Object.values(services ?? {}).map((service) => service.stop()))
  await Promise.all(sandboxes.map((sandbox) => sandbox.stop()))
})

function tokenOf({ market }: SandboxPlan, symbol: string) {
  const token = market.tokens.find((one) => one.symbol === symbol)
  if (!token) throw new Error(`no token ${symbol}`)
  const priceUsd = Number(token.priceUsdE12) / 1e12
  return { address: token.address, decimals: token.decimals, priceUsd }
}

interface RouteBody {
  readonly amountOut: string
  readonly gas: string
  readonly gasCost: { readonly native: string }
  readonly tx: { readonly from: Address; readonly to: Address; readonly data: Hex; value: string }
  readonly route: readonly { readonly internalRoutes?: readonly unknown[] }[]
}

interface Asked {
  readonly plan: SandboxPlan
  readonly level: (typeof levels)[number]
  readonly pair: string
  readonly usd: number
}

async function ask(service: TestService, { plan, level, pair, usd }: Asked): Promise<RouteBody> {
  const { chain } = plan.market
  const [from, to] = pair.split('/').map((symbol) => tokenOf(plan, symbol))
  if (!from || !to) throw new Error(`${pair} is no pair`)
  const answer = await service.get('/api/v1/shortcuts/route', {
    chainId: String(chain.id),
    fromAddress: alice,
    tokenIn: from.address,
    amountIn: String(
      BigInt(Math.round((usd / from.priceUsd) * 1e6)) * 10n ** BigInt(from.decimals - 6),
    ),
    tokenOut: to.address,
    blockNumber: String(blocks.get(`${chain.id} ${level}`)),
    includeTransactionCost: 'true',
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

/** USD of what comes out after gas and the fee that L1 charges for the very transaction. */
async function worth(asked: Asked, body: RouteBody): Promise<number> {
  const { plan, level, pair } = asked
  const { chain } = plan.market
  const to = tokenOf(plan, pair.split('/')[1] ?? '')
  const url = sandboxes.find(({ chainId }) => chainId === chain.id)?.url ?? ''
  const reader = await nodeReader(url, blocks.get(`${chain.id} ${level}`))
  const callNode = async (call: Address, data: Hex) => {
    const [result] = await reader.call([{ to: call, data }])
    return result?.ok ? result.value : null
  }
  const model = await readDataFee(chain, { reader, callNode })
  if (!model) throw new Error(`${chain.name} does not say what L1 charges`)
  const gasWei = BigInt(body.gasCost.native)
  const terms = {
    model,
    chainId: chain.id,
    gasPrice: gasWei / BigInt(body.gas),
    tip: chain.priorityFeePerGas,
  }
  const fee = dataFeeOf(terms, { ...body.tx, value: BigInt(body.tx.value) })
  const [price, ether] = await Promise.all(
    [to.address, chain.wrappedNative].map((token) => priceOf(asked, token)),
  )
  const cost = Number(gasWei + fee) / 1e18
  return (Number(body.amountOut) / 10 ** to.decimals) * (price ?? 0) - cost * (ether ?? 0)
}

/** USD by the service itself at the block, as routes are compared. */
async function priceOf({ plan, level }: Asked, token: Address): Promise<number> {
  const { id } = plan.market.chain
  const answer = await services.ranked.get(`/api/v1/prices/${id}/${token}`, {
    blockNumber: String(blocks.get(`${id} ${level}`)),
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.price
}

interface Row {
  readonly asked: Asked
  readonly saved: number
  readonly bytes: readonly [shown: number, ranked: number]
}

const bytesOf = ({ tx }: RouteBody) => hexToBytes(tx.data).length

async function changeOf(asked: Asked): Promise<Row | null> {
  const [ranked, shown] = [await ask(services.ranked, asked), await ask(services.shown, asked)]
  if (ranked.tx.data === shown.tx.data) return null
  const { chain } = asked.plan.market
  const to = tokenOf(asked.plan, asked.pair.split('/')[1] ?? '')
  const done = await executeOnFork({
    nodeUrl: sandboxes.find(({ chainId }) => chainId === chain.id)?.url ?? '',
    blockNumber: blocks.get(`${chain.id} ${asked.level}`) ?? 0,
    blockTimeSeconds: chain.blockTimeSeconds,
    tx: ranked.tx,
    watch: [{ token: to.address, owner: alice }],
  })
  expect(done).toMatchObject({
    status: 'success',
    gasUsed: BigInt(ranked.gas),
    deltas: [BigInt(ranked.amountOut)],
  })
  const saved = (await worth(asked, ranked)) - (await worth(asked, shown))
  return { asked, saved, bytes: [bytesOf(shown), bytesOf(ranked)] }
}

describe('routes ranked after the L1 data fee', () => {
  test('no answer is worth less than without it, and the page says what changes', async () => {
    const rows: string[] = []
    const changes: Row[] = []
    for (const { plan, pairs } of chains) {
      for (const level of levels) {
        const asked = pairs.flatMap((pair) => sizes.map((usd) => ({ plan, level, pair, usd })))
        const changed: Row[] = []
        for (const each of asked) {
          const change = await changeOf(each)
          if (change) changed.push(change)
        }
        changes.push(...changed)
        rows.push(summaryOf(plan, level, asked.length, changed))
      }
    }
    const text = [
      '| chain | L1 | requests | change | bytes of those | saved in all, USD | most at once, USD |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      ...rows,
      '',
      '| chain | L1 | swap | USD | bytes before | bytes now | saved, USD |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      ...changes.map(lineOf),
    ].join('\n')
    const page = await readFile(document, 'utf8')
    const [head = '', rest = ''] = page.split(marks[0])
    const tail = rest.split(marks[1])[1] ?? ''
    const written = `${head}${marks[0]}\n\n${text}\n\n${marks[1]}${tail}`
    if (process.env.UPDATE_DOCS) await writeFile(document, written)
    else expect(page).toBe(written)
    for (const { saved, asked } of changes) {
      // Shares of a split are found in steps: two searches may end a ten-thousandth of a basis point apart.
      const tolerance = Math.max(0.0001, asked.usd * 1e-8)
      expect(saved, `${asked.level} ${asked.pair} ${asked.usd}`).toBeGreaterThan(-tolerance)
    }
  }, 900_000)
})

function summaryOf(
  plan: SandboxPlan,
  level: string,
  count: number,
  changed: readonly Row[],
): string {
  const saved = changed.reduce((sum, row) => sum + row.saved, 0)
  const most = Math.max(0, ...changed.map((row) => row.saved))
  const bytes = ([0, 1] as const).map((side) =>
    changed.reduce((sum, row) => sum + row.bytes[side], 0),
  )
  const cells = [plan.market.chain.name, level, count, changed.length, bytes.join(' → ')]
  return `| ${[...cells, saved.toFixed(3), most.toFixed(3)].join(' | ')} |`
}

function lineOf({ asked, saved, bytes }: Row): string {
  const { plan, level, pair, usd } = asked
  const cells = [plan.market.chain.name, level, pair.replace('/', ' to '), usd, ...bytes]
  return `| ${[...cells, saved.toFixed(4)].join(' | ')} |`
}
