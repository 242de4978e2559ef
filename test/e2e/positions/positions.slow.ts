/** Positions of the sandbox as the whole service lists them: read from the chain, and kept. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { protocols } from '../../../src/protocols/registry.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { vaultSpecs } from '../../../src/sandbox/venues/erc-4626.js'
import { startContractProxy } from '../../support/nodes/contract-proxy.js'
import { startService, type TestService } from '../../support/service/service.js'

interface Row {
  readonly id: string
  readonly tvl: number | null
  readonly apy: number | null
  readonly apyBase: number | null
  readonly tokenAddress: string | null
  readonly primaryAddress: string
  readonly underlyingTokens: readonly string[]
  readonly token: { readonly symbol: string | null; readonly decimals: number | null } | null
  readonly protocol: { readonly slug: string } | null
}

let dataDir: string
let service: TestService

const env = () => ({ DATA_DIR: dataDir, HEAD_POLL_MS: '250', WORKERS: '1' })

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'forkroute-positions-'))
  service = await startService({ ...env(), POSITIONS_MAX_AGE_SECONDS: '86400' })
})
afterAll(async () => {
  await service.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function positions(): Promise<Row[]> {
  const { status, text, body } = await service.get('/api/v1/positions', { chainId: '1' })
  expect(status, text).toBe(200)
  return body
}

/** Times that positions were read from the chain in this process. */
async function collections(): Promise<number> {
  const { text } = await service.get('/metrics')
  return Number(/stage_seconds_count\{stage="positions"\} (\d+)/.exec(text)?.[1] ?? 0)
}

/** Tested on contracts of their own: converters.itest.ts and liquidity-gauge.itest.ts of test/integration/protocols, and pendle.slow.ts of test/e2e/pool-index. */
const elsewhere = ['rocket-pool', 'ether-fi', 'frax-ether', 'sky', 'curve-gauge', 'pendle']

describe('the first snapshot', () => {
  test('every protocol with positions has some, each with its own id', async () => {
    const rows = (await positions()).filter(({ protocol }) => protocol)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    const listed = new Set(rows.map(({ protocol }) => protocol?.slug))
    for (const adapter of protocols) {
      // Not every fork of a protocol is on the sandbox; of others it has no contracts, or they are no positions.
      const { slug, forkOf } = adapter
      if (!adapter.positions || forkOf || elsewhere.includes(slug)) continue
      expect(listed, slug).toContain(slug)
    }
    for (const row of rows) {
      expect(row.underlyingTokens.length, row.id).toBeGreaterThan(0)
      if (row.tokenAddress) expect(row.token?.decimals, row.id).not.toBeNull()
      expect(row.id).toBe(`1:${row.primaryAddress}:${row.tokenAddress ?? row.id.split(':')[2]}`)
    }
  })

  test('vaults are worth what lies in them, and earn what they are paid', async () => {
    const rows = await positions()
    for (const plan of vaultSpecs) {
      const row = rows.find(({ tokenAddress }) => tokenAddress === plan.address)
      expect(row?.apyBase, plan.symbol).not.toBeNull()
      // Paid simply, in parts; listed with the interest on it.
      const rate = Number(plan.yieldBps) / 100
      expect(row?.apy, plan.symbol).toBeGreaterThanOrEqual(rate * 0.9)
      expect(row?.apy, plan.symbol).toBeLessThanOrEqual((Math.expm1(rate / 100) * 100 + 0.01) * 1.1)
      if (!row?.tvl) continue
      expect(row.tvl / plan.depositUsd, plan.symbol).toBeGreaterThan(0.9)
      expect(row.tvl / plan.depositUsd, plan.symbol).toBeLessThan(1.1)
    }
    expect(rows.filter(({ tvl }) => tvl).length).toBeGreaterThan(3)
  })

  test('pages of all tokens have each token once, whatever their size', async () => {
    const all = (await service.get('/api/v1/tokens', { chainId: '1' })).body
    const seen: string[] = []
    let cursor: string | undefined = '0'
    while (cursor !== undefined) {
      const query: Record<string, string> = { chainId: '1', pageSize: '150', cursor }
      const { body } = await service.get('/api/v1/tokens', query)
      seen.push(...body.data.map(({ address }: { address: string }) => address))
      cursor = body.meta.cursor === null ? undefined : String(body.meta.cursor)
    }
    expect(seen).toEqual(all.data.map(({ address }: { address: string }) => address))
    expect(seen).toHaveLength(all.meta.total)
  })

  test('every metadata endpoint answers as documented', async () => {
    const proxy = await startContractProxy(service.url)
    const headers = { authorization: `Bearer ${service.key}` }
    const slugs = protocols.map(({ slug }) => slug).filter((slug) => ethereum.venues[slug])
    const paths = [
      '/networks',
      '/aggregators',
      '/tokens?includeMetadata=true',
      '/tokens?type=defi&includeUnderlying=false&tvlFrom=1',
      '/tokens?type=base&pageSize=5&page=2',
      '/positions',
      '/defiTokens?chainId=1',
      '/baseTokens',
      '/tokenless-positions',
      '/nontokenized?pageSize=3',
      '/projects',
      '/projects/uniswap/protocols',
      '/protocols?chainId=1',
      '/standards',
      '/actions',
      '/actions/svc',
      '/shortcuts/actions',
      ...slugs.flatMap((slug) => [`/standards/${slug}`, `/actions/${slug}`]),
      `/prices/1/${sandboxToken('WETH').address}`,
    ]
    try {
      const ask = async (path: string) => {
        const response = await fetch(`${proxy.url}/api/v1${path}`, { headers })
        expect(response.status, `${path}: ${await response.text()}`).toBe(200)
      }
      await Promise.all(paths.map(ask))
    } finally {
      await proxy.stop()
    }
  })
})

test('a restart lists what was stored, with the same ids, without reading the chain', async () => {
  const query = { type: 'defi', includeMetadata: 'true' }
  const before = await service.get('/api/v1/tokens', query)
  const read = await collections()
  await service.stop()
  service = await startService({ ...env(), POSITIONS_MAX_AGE_SECONDS: '86400' })
  const after = await service.get('/api/v1/tokens', query)
  expect(after.body).toEqual(before.body)
  expect(await collections()).toBe(read)
  const price = await service.get(`/api/v1/prices/1/${sandboxToken('WETH').address}`)
  expect(price.status).toBe(200)
})
