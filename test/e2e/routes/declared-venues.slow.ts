/** Pools that are declared by a file against the adapters of the same pools: what 200 requests of random sizes give. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parseVenues } from '../../../src/config/venues.js'
import { bpsOf } from '../../../src/domain/primitives.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { joinedExamples } from '../../support/declared-venues.js'
import { startService, type TestService } from '../../support/service/service.js'
import { seeded } from '../../support/synthetic-market.js'

const requests = 200
/** Basis points that 99 of 100 may give less than by the adapters, and that any may. */
const mostBps = { usual: 0.5, ever: 1 }
const symbols = ['WETH', 'USDC', 'USDT', 'DAI', 'WBTC', 'LINK', 'UNI', 'sUSD'] as const
const pools = parseVenues(joinedExamples()).venues.flatMap((venue) => venue.pools)

let dataDir: string
let service: TestService

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'forkroute-declared-'))
  const file = join(dataDir, 'venues.yaml')
  await writeFile(file, joinedExamples())
  service = await startService({
    VENUES: file,
    DATA_DIR: dataDir,
    PRIORITY_FEE_WEI_1: '0',
    HEAD_POLL_MS: '250',
  })
})
afterAll(async () => {
  await service?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** A block after which gas costs nothing, so that the best route is the one that gives most. */
async function blockOfFreeGas(): Promise<string> {
  const node = createRpcClient(service.nodeUrl)
  await node.request('anvil_setNextBlockBaseFeePerGas', ['0x0'])
  await node.request('evm_mine', [])
  const blockNumber = String(Number(await node.request('eth_blockNumber', [])))
  await node.close()
  const known = async () =>
    (await service.get('/api/v1/networks/1/blocks', { at: blockNumber })).status
  await vi.waitFor(async () => expect(await known()).toBe(200), { timeout: 60_000 })
  return blockNumber
}

/** 20 to 2,000,000 USD of a token for another. */
function randomTrades() {
  const random = seeded(36)
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? ''
  return Array.from({ length: requests }, () => {
    const a = pick(symbols)
    const b = pick(symbols.filter((symbol) => symbol !== a))
    const { decimals, priceUsdE12, address } = sandboxToken(a)
    const usdE6 = BigInt(Math.round(20e6 * 10 ** (5 * random())))
    const amountIn = (usdE6 * 10n ** BigInt(decimals + 6)) / priceUsdE12
    const trade = {
      tokenIn: address,
      tokenOut: sandboxToken(b).address,
      amountIn: String(amountIn),
    }
    return { name: `${Number(usdE6) / 1e6} USD ${a} ${b}`, trade }
  })
}

test('200 requests give what they give by the adapters, but for half a basis point', {
  timeout: 3_600_000,
}, async () => {
  const { body: slugs } = await service.get('/api/v1/aggregators')
  const adapters: string[] = slugs.filter((slug: string) => slug !== 'declared')
  const blockNumber = await blockOfFreeGas()
  const onlyPools = pools.map(({ id }) => id)
  const rows: { name: string; bps: number; declared: string; own: string }[] = []
  const cpu = { declared: 0, own: 0 }
  for (const { name, trade } of randomTrades()) {
    const ask = async (kind: keyof typeof cpu, ignoreAggregators: string | string[]) => {
      const before = process.cpuUsage()
      const answer = await service.get('/api/v1/shortcuts/quote', {
        ...trade,
        onlyPools,
        ignoreAggregators,
        blockNumber,
      })
      const { user, system } = process.cpuUsage(before)
      cpu[kind] += (user + system) / 1_000
      return answer
    }
    const own = await ask('own', 'declared')
    const declared = await ask('declared', adapters)
    expect(declared.status, declared.text).toBe(own.status)
    if (own.status !== 200) continue
    const [most, least] = [BigInt(own.body.amountOut), BigInt(declared.body.amountOut)]
    rows.push({
      name,
      bps: bpsOf(most - least, most),
      declared: declared.body.gas,
      own: own.body.gas,
    })
  }
  const lost = rows.map(({ bps }) => bps).sort((a, b) => a - b)
  const at = (part: number) => lost[Math.floor(part * (lost.length - 1))]
  console.log(
    `${lost.length} of ${requests} answered; bps less than by adapters: least ${lost[0]}, median ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, most ${lost.at(-1)}; ` +
      `processor time of the service for a quote: declared ${Math.round(cpu.declared / requests)} ms, adapters ${Math.round(cpu.own / requests)} ms`,
  )
  console.log(rows.filter(({ bps }) => bps > mostBps.usual))
  expect(at(0.99)).toBeLessThanOrEqual(mostBps.usual)
  expect(lost.at(-1)).toBeLessThanOrEqual(mostBps.ever)
})
