/** Venues of a file without code: the example files do what the adapters of the same pools do. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseVenues } from '../../../src/config/venues.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { alice, deliveredByRoute, joinedExamples } from '../../support/declared-venues.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'
import { isPaidByPools } from '../../support/strategies.js'

const token = (symbol: string) => sandboxToken(symbol).address
const ether = 10n ** 18n

let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'forkroute-declared-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

describe('an example file', () => {
  let service: TestService
  /** Slugs of all exchanges but the declared ones. */
  let adapters: string[]

  beforeAll(async () => {
    const file = join(dataDir, 'examples.yaml')
    await writeFile(file, joinedExamples())
    // The sandbox of a service without nodes: adapters know its pools of Curve and Balancer.
    service = await startService({ VENUES: file })
    const { body } = await service.get('/api/v1/aggregators')
    expect(body).toContain('declared')
    adapters = body.filter((slug: string) => slug !== 'declared')
  })
  afterAll(() => service?.stop())

  const trades = [
    ['uniswap-v2', 'WETH', 'USDC', ether, '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc'],
    ['curve', 'DAI', 'sUSD', 5_000n * ether, '0xa5407eae9ba41422680e2e00537571bcc53efbfd'],
    [
      'balancer-v2',
      'LINK',
      'UNI',
      50n * ether,
      '0x3a19030ed746bd1c3f2b0f996ff9479af04c5f0a000100000000000000000004',
    ],
  ] as const

  test.each(trades)(
    'of %s swaps %s for %s as the adapter does, to the wei',
    async (name, a, b, amountIn, onlyPools) => {
      const trade = { tokenIn: token(a), tokenOut: token(b), amountIn: String(amountIn) }
      const route = (more: Record<string, string | string[]>): Promise<Answer> =>
        service.get('/api/v1/shortcuts/route', {
          fromAddress: alice,
          executionMode: 'backend',
          ...trade,
          onlyPools,
          ...more,
        })
      const declared = await route({ ignoreAggregators: adapters })
      expect(declared.status, declared.text).toBe(200)
      expect(declared.text).toContain('"protocol":"declared"')
      const own = await route({
        ignoreAggregators: 'declared',
        blockNumber: String(declared.body.createdAt),
      })
      expect(own.status, own.text).toBe(200)
      expect(own.text).toContain(`"protocol":"${name}"`)
      expect(declared.body.amountOut).toBe(own.body.amountOut)
      // Nobody vouches for a declared pool: what counts is what the Executor paid.
      expect(isPaidByPools(declared)).toBe(false)
      const got = await deliveredByRoute(service.nodeUrl, declared, trade)
      expect(got).toBe(BigInt(declared.body.amountOut))
    },
  )

  test('has no mistake', () => {
    expect(parseVenues(joinedExamples()).problems).toEqual([])
  })
})
