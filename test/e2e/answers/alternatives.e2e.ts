/** Further transactions beside the best; each that is returned is executed on an Anvil of the test's own. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type AnswerTransaction, executeOnFork } from '../../support/execute.js'
import type { Answer } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
]
const ether = 10n ** 18n
const stranger: Address = '0x00000000000000000000000000000000000a11ce'
const route = '/api/v1/shortcuts/route'
const quote = '/api/v1/shortcuts/quote'

interface Told {
  readonly amountOut: string
  readonly minAmountOut: string
  readonly gas: string
  readonly route: readonly {
    readonly internalRoutes?: readonly { readonly pool: string }[]
  }[]
  readonly tx: AnswerTransaction
}
interface Alternative extends Told {
  readonly lossBps: number | null
  readonly sharedPools: readonly string[]
}
type Query = Record<string, string | readonly string[]>

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

async function ask(query: Query): Promise<Answer> {
  const sender = { fromAddress: stranger, executionMode: 'backend' }
  const answer = await service.get(route, { ...sender, ...query })
  expect(answer.status, answer.text).toBe(200)
  return answer
}

function poolsOf({ route: steps }: Told): string[] {
  return steps.flatMap(({ internalRoutes = [] }) => internalRoutes.map(({ pool }) => pool))
}

/** Pays what it says, to the unit, with the gas that it says. */
async function expectKept(body: { readonly createdAt: number }, one: Told, amountIn: bigint) {
  const done = await executeOnFork({
    nodeUrl: service.nodeUrl,
    blockNumber: body.createdAt,
    tx: one.tx,
    watch: [{ token: usdc, owner: stranger }],
    fund: [{ token: weth, amount: amountIn }],
    approve: contractAddress('Router'),
  })
  expect(done.status).toBe('success')
  expect(done.deltas).toEqual([BigInt(one.amountOut)])
  expect(done.gasUsed).toBe(BigInt(one.gas))
}

describe('alternatives', () => {
  test('the best and each alternative are mined as they say, and share no pool', async () => {
    const amountIn = 2n * ether
    const { body } = await ask({
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: `${amountIn}`,
      alternatives: '3',
    })
    const alternatives: Alternative[] = body.alternatives
    expect(alternatives).toHaveLength(3)
    const seen = new Set<string>()
    for (const one of [body, ...alternatives] as Told[]) {
      const pools = poolsOf(one)
      expect(pools.length).toBeGreaterThan(0)
      expect(pools.filter((pool) => seen.has(pool))).toEqual([])
      for (const pool of pools) seen.add(pool)
      await expectKept(body, one, amountIn)
    }
    expect(alternatives.map(({ sharedPools }) => sharedPools)).toEqual([[], [], []])
    for (const { amountOut, minAmountOut } of alternatives) {
      expect(BigInt(minAmountOut)).toBe((BigInt(amountOut) * 9_950n) / 10_000n)
    }
    const losses = alternatives.map(({ lossBps }) => lossBps ?? 0)
    expect(losses[0]).toBeGreaterThan(0)
    expect(losses).toEqual(losses.toSorted((a, b) => a - b))
  })

  test('the answer besides is that of the request without them, to the byte', async () => {
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${20n * ether}`, explain: 'true' }
    const blockNumber = `${(await ask(trade)).body.createdAt}`
    const plain = await ask({ ...trade, blockNumber })
    const { body } = await ask({ ...trade, blockNumber, alternatives: '1' })
    const { alternatives, ...best } = body
    expect(JSON.stringify(best)).toBe(plain.text)
    expect(alternatives).toHaveLength(1)
    const again = await ask({ ...trade, blockNumber, alternatives: '1' })
    expect(JSON.stringify(again.body)).toBe(JSON.stringify(body))
  })

  test('the first is what the request without the pools of the best gives', async () => {
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${20n * ether}` }
    const { body } = await ask({ ...trade, alternatives: '1' })
    const [first]: Alternative[] = body.alternatives
    const blockNumber = `${body.createdAt}`
    const { body: without } = await ask({ ...trade, blockNumber, excludePools: poolsOf(body) })
    expect(first).toMatchObject({
      amountOut: without.amountOut,
      gas: without.gas,
      tx: without.tx,
      route: without.route,
    })
  })

  test('where nothing is left without sharing, as few pools as can be are shared and named', async () => {
    const amountIn = 50n * ether
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${amountIn}` }
    const { body: all } = await ask({ ...trade, alternatives: '2' })
    const onlyPools = [...new Set([all, ...all.alternatives].flatMap(poolsOf))]
    const { body } = await ask({ ...trade, onlyPools, alternatives: '5' })
    const alternatives: Alternative[] = body.alternatives
    const used = new Set(poolsOf(body))
    const sets = new Set([[...used].sort().join()])
    const sharing = alternatives.filter(({ sharedPools }) => sharedPools.length > 0)
    expect(sharing.length).toBeGreaterThan(0)
    for (const one of alternatives) {
      const pools = poolsOf(one)
      expect(one.sharedPools).toEqual([...new Set(pools)].filter((pool) => used.has(pool)).sort())
      expect(sets.has([...new Set(pools)].sort().join())).toBe(false)
      sets.add([...new Set(pools)].sort().join())
      for (const pool of pools) used.add(pool)
      await expectKept(body, one, amountIn)
    }
  })

  test('with one pool there is no other way: the list is empty', async () => {
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${ether}` }
    const [pool = ''] = poolsOf((await ask(trade)).body)
    const { body } = await ask({ ...trade, onlyPools: pool, alternatives: '2' })
    expect(body.alternatives).toEqual([])
    expect(body.warnings).toBeUndefined()
  })

  test('wrapping has no pool, and is not answered twice', async () => {
    const { body } = await ask({
      tokenIn: nativeToken,
      tokenOut: weth,
      amountIn: `${ether}`,
      alternatives: '2',
    })
    expect(body.amountOut).toBe(`${ether}`)
    for (const one of body.alternatives as Alternative[]) {
      expect(poolsOf(one).length).toBeGreaterThan(0)
      expect(one.lossBps).toBeGreaterThan(0)
    }
  })

  test('quotes have them without transactions, by GET and POST alike', async () => {
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${ether}`, alternatives: '2' }
    const asked = await service.get(quote, trade)
    expect(asked.status, asked.text).toBe(200)
    const blockNumber = asked.body.blockNumber
    const posted = await service.post(quote, { ...trade, blockNumber, alternatives: 2 })
    expect(posted.body.alternatives).toEqual(asked.body.alternatives)
    expect(asked.body.alternatives).toHaveLength(2)
    for (const one of asked.body.alternatives) {
      expect(Object.keys(one)).toEqual([
        'amountOut',
        'route',
        'gas',
        'priceImpact',
        'lossBps',
        'sharedPools',
      ])
    }
  })

  test('at the deadline the best is answered with those found by then, and a warning', async () => {
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${200n * ether}` }
    const { body } = await ask({ ...trade, alternatives: '5', deadlineMs: '60000' })
    expect(body.alternatives).toHaveLength(5)
    const blockNumber = `${body.createdAt}`
    const { body: plain } = await ask({ ...trade, blockNumber })
    for (const deadlineMs of ['400', '800']) {
      const query = { ...trade, blockNumber, alternatives: '5', deadlineMs }
      const sender = { fromAddress: stranger, executionMode: 'backend' }
      const answer = await service.get(route, { ...sender, ...query })
      if (answer.status !== 200) {
        expect(answer.body.code).toBe('DEADLINE_EXCEEDED')
        continue
      }
      if (answer.body.alternatives.length < 5) {
        expect(answer.body.warnings.join()).toContain('The deadline was reached')
      }
      if (answer.body.warnings === undefined) expect(answer.body.amountOut).toBe(plain.amountOut)
    }
  })

  test.each([
    [{ alternatives: '0' }, 'alternatives must be an integer from 1 to 5'],
    [{ alternatives: '6' }, 'alternatives must be an integer from 1 to 5'],
    [
      { alternatives: '1', destinationChainId: '8453' },
      'alternatives must not be given with a destinationChainId other than chainId',
    ],
    [
      { alternatives: '1', amountIn: '', amountOut: '1000000' },
      'alternatives must not be given with amountOut',
    ],
  ])('%o is refused: %s', async (more, message) => {
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${ether}` }
    const answer = await service.get(quote, { ...trade, ...more })
    expect(answer.status, answer.text).toBe(400)
    expect([answer.body.message].flat()).toContain(message)
  })
})
