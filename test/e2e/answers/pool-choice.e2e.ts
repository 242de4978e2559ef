/** Pools and tokens that a request leaves out, or keeps to; what is returned is executed on an Anvil of the test's own. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { executeOnFork } from '../../support/execute.js'
import type { Answer } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const [weth, usdc, link] = ['WETH', 'USDC', 'LINK'].map(
  (symbol) => sandboxToken(symbol).address,
) as [Address, Address, Address]
const ether = 10n ** 18n
const stranger: Address = '0x00000000000000000000000000000000000a11ce'
const amountIn = (500n * ether).toString()

interface Step {
  readonly tokenIn: readonly string[]
  readonly tokenOut: readonly string[]
  readonly internalRoutes?: readonly { readonly pool: string; readonly primary: string }[]
}
type Query = Record<string, string | readonly string[]>

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

function ask(query: Query): Promise<Answer> {
  const sender = { fromAddress: stranger, executionMode: 'backend' }
  return service.get('/api/v1/shortcuts/route', { ...sender, ...query })
}

function poolsOf(answer: Answer): string[] {
  expect(answer.status, answer.text).toBe(200)
  return answer.body.route.flatMap((step: Step) => step.internalRoutes ?? []).map(poolOf)
}

/** Pools of the best route that swap the one token into the other. */
async function directPools(): Promise<string[]> {
  const { body } = await ask({ tokenIn: weth, tokenOut: usdc, amountIn })
  const steps: Step[] = body.route
  return steps
    .filter(({ tokenIn, tokenOut }) => tokenIn[0] === weth && tokenOut[0] === usdc)
    .flatMap(({ internalRoutes = [] }) => internalRoutes.map(poolOf))
}

const poolOf = ({ pool }: { readonly pool: string }) => pool

describe('excludePools', () => {
  test('round after round, no pool that was used comes back, until nothing is left', async () => {
    const excluded = new Set<string>()
    const outputs: bigint[] = []
    for (let round = 0; round < 4; round++) {
      const excludePools = [...excluded]
      const answer = await ask({ tokenIn: weth, tokenOut: usdc, amountIn, excludePools })
      if (answer.status !== 200) {
        expect(answer.body.code).toBe('NO_ROUTE')
        break
      }
      const used = poolsOf(answer)
      expect(used.length).toBeGreaterThan(0)
      expect(used.filter((pool) => excluded.has(pool))).toEqual([])
      for (const pool of used) {
        expect(pool).toMatch(/^0x([0-9a-f]{40}|[0-9a-f]{64})$/)
        excluded.add(pool)
      }
      outputs.push(BigInt(answer.body.amountOut))
    }
    expect(outputs.length).toBeGreaterThan(1)
    expect(outputs).toEqual(outputs.toSorted((a, b) => (a > b ? -1 : 1)))
  })

  test('what is returned runs without the excluded contracts, and pays what it says', async () => {
    const first = await ask({ tokenIn: weth, tokenOut: usdc, amountIn })
    const excluded = poolsOf(first).filter((pool) => pool.length === 42)
    expect(excluded.length).toBeGreaterThan(1)
    const query = { tokenIn: weth, tokenOut: usdc, amountIn, excludePools: excluded.join() }
    const { body } = await ask(query)
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: body.createdAt,
      tx: body.tx,
      watch: [{ token: usdc, owner: stranger }],
      fund: [{ token: weth, amount: 500n * ether }],
      approve: contractAddress('Router'),
    })
    expect(done.deltas).toEqual([BigInt(body.amountOut)])
    expect(done.gasUsed).toBe(BigInt(body.gas))
    const touched = new Set(done.logs.map(({ address }) => address))
    expect(excluded.filter((pool) => touched.has(pool as Address))).toEqual([])
  })

  test('an id leaves out one pool of a contract, the address of the contract all of them', async () => {
    const only = { tokenIn: weth, tokenOut: usdc, amountIn: (20n * ether).toString() }
    const others = (await service.get('/api/v1/aggregators')).body.filter(
      (slug: string) => slug !== 'uniswap-v4',
    )
    const answer = await ask({ ...only, ignoreAggregators: others })
    const [step] = answer.body.route.filter((one: Step) => one.internalRoutes)
    const [{ pool, primary }] = step.internalRoutes
    expect(pool).toMatch(/^0x[0-9a-f]{64}$/)
    const without = await ask({ ...only, ignoreAggregators: others, excludePools: pool })
    if (without.status === 200) expect(poolsOf(without)).not.toContain(pool)
    const none = await ask({ ...only, ignoreAggregators: others, excludePools: primary })
    expect(none.body.code, none.text).toBe('NO_ROUTE')
  })

  test('holds for quotes, bodies and the routes of bundles alike', async () => {
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn }
    const excludePools = poolsOf(await ask(trade))
    const answers = await Promise.all([
      service.get('/api/v1/shortcuts/quote', { ...trade, excludePools }),
      service.post('/api/v1/shortcuts/route', {
        ...trade,
        excludePools,
        fromAddress: stranger,
        executionMode: 'backend',
      }),
      service.post(
        `/api/v1/shortcuts/bundle?fromAddress=${stranger}&excludePools=${excludePools}`,
        [{ protocol: 'svc', action: 'route', args: trade }],
      ),
    ])
    for (const answer of answers) {
      const used = poolsOf(answer)
      expect(used.length).toBeGreaterThan(0)
      expect(used.filter((pool) => excludePools.includes(pool))).toEqual([])
    }
  })
})

describe('onlyPools', () => {
  test('nothing else is used, and excludePools wins over it', async () => {
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn }
    const [first = '', second = ''] = await directPools()
    const both = poolsOf(await ask({ ...trade, onlyPools: [first, second] }))
    expect(both.filter((pool) => pool !== first && pool !== second)).toEqual([])
    const one = await ask({ ...trade, onlyPools: [first, second], excludePools: first })
    expect(new Set(poolsOf(one))).toEqual(new Set([second]))
  })

  test('a pool that is not known for the tokens is named', async () => {
    const [pool = ''] = await directPools()
    const absent = `0x${'12'.repeat(20)}`
    // An amount that the pool takes alone.
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn: '100000000000000000000' }
    const some = await ask({ ...trade, onlyPools: [pool, absent] })
    expect(some.body.warnings.join()).toContain(absent)
    const none = await ask({ ...trade, onlyPools: absent })
    expect([none.status, none.body.code]).toEqual([422, 'NO_ROUTE'])
    expect(JSON.stringify(none.body.details)).toContain(absent)
  })
})

describe('excludeTokens', () => {
  test.each([
    ['the wrapped token, which stands for native too', weth],
    ['native, which stands for the wrapped token too', nativeToken],
  ])('%s: no step stops there', async (_name, token) => {
    const trade = { tokenIn: usdc, tokenOut: link, amountIn: '1000000000000' }
    const stops = ({ body }: Answer) =>
      new Set(body.route.flatMap((step: Step) => [...step.tokenIn, ...step.tokenOut]))
    const free = stops(await ask(trade))
    expect(free.has(weth) || free.has(nativeToken)).toBe(true)
    const answer = await ask({ ...trade, excludeTokens: token })
    if (answer.status === 200) {
      expect(stops(answer).has(weth)).toBe(false)
      expect(stops(answer).has(nativeToken)).toBe(false)
    } else {
      expect(answer.body.code).toBe('NO_ROUTE')
    }
  })

  test('ends of the route are never excluded', async () => {
    const trade = { tokenIn: nativeToken, tokenOut: usdc, amountIn: ether.toString() }
    const [free, asked] = await Promise.all([
      ask(trade),
      ask({ ...trade, excludeTokens: [weth, usdc] }),
    ])
    expect(poolsOf(asked)).toEqual(poolsOf(free))
  })
})

test('what is no pool and no token is refused, each by its name', async () => {
  const trade = { tokenIn: weth, tokenOut: usdc, amountIn }
  const answer = await ask({ ...trade, excludePools: 'x', onlyPools: '0x12', excludeTokens: '7' })
  expect(answer.status).toBe(400)
  const text = [answer.body.message].flat().join()
  for (const name of ['excludePools', 'onlyPools', 'excludeTokens']) expect(text).toContain(name)
})
