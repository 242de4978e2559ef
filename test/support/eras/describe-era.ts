/** What holds at a block of any rules: the amounts of the venues' own contracts, and a word about gas where it is due. */
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openCatalog } from '../../../src/catalog/store.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address, Hex } from '../../../src/domain/primitives.js'
import { ForkPool } from '../../../src/forks/pool.js'
import { simulate } from '../../../src/forks/simulate.js'
import { readPin } from '../pin.js'
import { startService, type TestService } from '../service/service.js'
import {
  type Era,
  type EraMarket,
  type Example,
  examples,
  importedCurvePool,
  nodeOf,
  startEraMarket,
  tokens,
} from './era-market.js'
import type { EraNode } from './era-node.js'

const { WETH, USDC, USDT, DAI } = tokens
const ether = 10n ** 18n

export interface EraContext {
  readonly market: EraMarket
  readonly node: EraNode
  readonly service: TestService
  stop(): Promise<void>
}

export async function startEra(
  era: Era,
  codes: Readonly<Record<Address, Hex>>,
): Promise<EraContext> {
  const market = await startEraMarket(era, codes)
  const node = await nodeOf(market, era)
  const service = await startEraService(node)
  return {
    market,
    node,
    service,
    async stop() {
      await service.stop()
      await node.stop()
      await market.anvil.stop()
    },
  }
}

export async function startEraService(node: EraNode): Promise<TestService> {
  const service = await startService({
    RPC_URL_1: node.url,
    WORKERS: '1',
    FORKS_PER_BLOCK: '1',
    AUTH_MODE: 'open',
  })
  const catalog = openCatalog(service.dataDir)
  catalog.importPools(1, [importedCurvePool])
  catalog.close()
  return service
}

/** The words that an answer's warnings have about rules; null: none. */
export function rulesIn(body: { readonly warnings?: readonly string[] }): string | null {
  const found = body.warnings?.find((warning) => warning.startsWith('Gas by the rules'))
  return found ?? null
}

const venues = { v2: 'uniswap-v2', v3: 'uniswap-v3', curve: 'curve' } as const

/** @param older - how the warning calls the block's own rules; null: none is due. */
export function testEra(context: () => EraContext, older: string | null): void {
  const ask = (path: string, query: Record<string, string>) => {
    const { market, service } = context()
    return service.get(`/api/v1/shortcuts/${path}`, { fromAddress: market.trader, ...query })
  }
  const only = (venue: keyof typeof venues) =>
    Object.entries(venues).flatMap(([name, slug]) => (name === venue ? [] : [slug]))
  const expectWarning = (body: { readonly warnings?: readonly string[] }) => {
    const rules = rulesIn(body)
    if (older === null) expect(body.warnings).toBeUndefined()
    else {
      expect(rules).toContain(`of Cancun: those of this block are older (${older})`)
      const isPriced = older !== 'before London'
      const unpriced =
        'Blocks before London state no price of gas: it is valued with the tip alone.'
      expect(body.warnings).toEqual([rules, ...(isPriced ? [] : [unpriced])])
    }
  }

  test.each([
    { venue: 'v2', tokenIn: WETH, tokenOut: DAI, amountIn: 7n * ether + 1n },
    { venue: 'v2', tokenIn: DAI, tokenOut: USDC, amountIn: 12_345n * ether },
    { venue: 'v3', tokenIn: WETH, tokenOut: USDC, amountIn: 31n * ether },
    { venue: 'v3', tokenIn: USDC, tokenOut: WETH, amountIn: 45_678_901_234n },
    { venue: 'curve', tokenIn: USDC, tokenOut: DAI, amountIn: 98_765_432_109n },
    { venue: 'curve', tokenIn: USDT, tokenOut: USDC, amountIn: 5_000_000_001n },
  ] as const)(
    'a quote and a route by $venue give what its own contract gives',
    async ({ venue, tokenIn, tokenOut, amountIn }) => {
      const { market } = context()
      const expected =
        venue === 'v2'
          ? await market.v2([tokenIn, tokenOut], amountIn)
          : await market[venue](tokenIn, tokenOut, amountIn)
      const query = { tokenIn, tokenOut, amountIn: String(amountIn) }
      const ignored = { ignoreStandards: only(venue).join(',') }
      const quote = await ask('quote', { ...query, ...ignored })
      expect(quote).toMatchObject({ status: 200, body: { amountOut: String(expected) } })
      expectWarning(quote.body)
      for (const routingStrategy of ['router', 'delegate', 'svcwallet-v2']) {
        const route = await ask('route', { ...query, ...ignored, routingStrategy })
        expect(route, route.text).toMatchObject({ status: 200 })
        expect(route.body.amountOut).toBe(String(expected))
        expectWarning(route.body)
      }
    },
  )

  test('a path of two pairs gives what the router gives', async () => {
    const { market } = context()
    const amountIn = 3n * ether
    const expected = await market.v2([WETH, DAI, USDC], amountIn)
    const query = { tokenIn: WETH, tokenOut: USDC, amountIn: String(amountIn) }
    const answer = await ask('quote', { ...query, ignoreStandards: only('v2').join(',') })
    expect(answer).toMatchObject({ status: 200, body: { amountOut: String(expected) } })
  })

  test('ether is wrapped and unwrapped on the way', async () => {
    const { market } = context()
    const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
    const ignored = { ignoreStandards: only('v2').join(',') }
    const bought = await market.v2([WETH, DAI], ether)
    const buy = { tokenIn: native, tokenOut: DAI, amountIn: String(ether), ...ignored }
    expect((await ask('route', buy)).body).toMatchObject({ amountOut: String(bought) })
    const sold = await market.v2([DAI, WETH], 1_000n * ether)
    const sell = { tokenIn: DAI, tokenOut: native, amountIn: String(1_000n * ether), ...ignored }
    expect((await ask('route', sell)).body).toMatchObject({ amountOut: String(sold) })
  })
}

/** Column of docs/how-to/blocks.md whose figures hold for these rules. */
const gasColumns: Readonly<Record<Era, number>> = {
  istanbul: 1,
  berlin: 2,
  london: 3,
  paris: 3,
  shanghai: 4,
  cancun: 5,
  prague: 5,
  osaka: 5,
}
const simulatedColumn = 5

/** The gas of the same transaction by the block's own rules and by those of the simulation is what docs/how-to/blocks.md says. */
export function testGasTable(context: () => EraContext, era: Era): void {
  test.each(Object.keys(examples) as Example[])(
    'the gas of example %s is as documented, and the amount the same',
    async (example) => {
      const { market, node } = context()
      const table = await readFile(
        new URL('../../../docs/how-to/blocks.md', import.meta.url),
        'utf8',
      )
      const cells = table.split('\n').flatMap((line) => {
        const [, name, ...figures] = line.split('|').map((cell) => cell.trim())
        return name === gasRows[example] ? [figures] : []
      })[0]
      const documented = (column: number) => BigInt(cells?.[column - 1]?.replaceAll(',', '') ?? 0)
      const own = await market.gasOf(example)
      const pin = await readPin(node.url)
      const pool = new ForkPool({ archiveUrl: () => node.url, forksPerBlock: 1 })
      onTestFinished(() => pool.close())
      const { urls } = await pool.acquire(pin)
      const { to, data, tokenOut } = examples[example](market.trader)
      const [simulated] = await simulate({ urls, pin, chain: ethereum }, [
        {
          from: market.trader,
          to,
          data,
          value: 0n,
          overrides: {},
          measure: [{ token: tokenOut, owner: market.trader }],
        },
      ])
      expect(simulated).toMatchObject({
        status: 'success',
        deltas: [{ amount: own.gained }],
        gasUsed: documented(Math.max(gasColumns[era], simulatedColumn)),
      })
      expect(own.gas).toBe(documented(gasColumns[era]))
    },
  )
}

const gasRows: Readonly<Record<Example, string>> = {
  v2: 'WETH for DAI by Uniswap V2 Router02',
  v3: 'WETH for USDC by SwapRouter02 through one V3 pool',
  curve: 'USDC for DAI by `exchange` of a Curve pool',
  revoke: 'taking back an allowance of WETH',
}
