/** The record of a search, against what its candidates do when they are carried out by themselves. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { executeOnFork } from '../../support/execute.js'
import type { Answer } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const [weth, usdc, dai] = ['WETH', 'USDC', 'DAI'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
  Address,
]
const ether = 10n ** 18n
const stranger: Address = '0x00000000000000000000000000000000000a11ce'
const trade = { tokenIn: weth, tokenOut: usdc, amountIn: (300n * ether).toString() }
const sender = { fromAddress: stranger, executionMode: 'backend' }

interface Candidate {
  readonly action?: number
  readonly path: readonly {
    readonly tokenIn: string
    readonly tokenOut: string
    readonly protocol: string
    readonly pool?: string
    readonly share: number
  }[]
  readonly estimatedAmountOut: string
  readonly amountOut: string | null
  readonly gas: string | null
  readonly valueAfterGas: string | null
  readonly status: string
  readonly step?: string
  readonly reason?: string
}

let service: SharedService
let block: string

beforeAll(async () => {
  service = await sharedService()
  block = `${(await service.get('/api/v1/shortcuts/quote', trade)).body.blockNumber}`
})

function ask(query: Record<string, string | readonly string[]>): Promise<Answer> {
  return service.get('/api/v1/shortcuts/route', { ...sender, blockNumber: block, ...query })
}

async function candidatesOf(query: Record<string, string>): Promise<Candidate[]> {
  const answer = await ask({ ...query, explain: 'true' })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.candidates
}

describe('explain', () => {
  test('what it says of a candidate is what the candidate pays when it is all that is allowed', async () => {
    const measured = (await candidatesOf(trade)).filter(({ status }) => status === 'measured')
    const single = measured.filter(({ path }) => path.length === 1)
    expect(single.length).toBeGreaterThan(2)
    for (const { path, amountOut, gas } of single.slice(0, 4)) {
      const { body } = await ask({ ...trade, onlyPools: path[0]?.pool ?? '' })
      const done = await executeOnFork({
        nodeUrl: service.nodeUrl,
        blockNumber: body.createdAt,
        tx: body.tx,
        watch: [{ token: usdc, owner: stranger }],
        fund: [{ token: weth, amount: 300n * ether }],
        approve: contractAddress('Router'),
      })
      expect(done.deltas).toEqual([BigInt(amountOut ?? '0')])
      // The candidate ran without a minimum, whose bytes cost a little.
      expect(Math.abs(Number(done.gasUsed) - Number(gas))).toBeLessThan(1_000)
    }
  })

  test('the chosen one is the answer, stands first, and the others follow by value', async () => {
    const { body } = await ask({ ...trade, explain: 'true' })
    const [chosen, ...others]: Candidate[] = body.candidates
    expect(chosen).toMatchObject({
      status: 'chosen',
      amountOut: body.amountOut,
      gas: body.gas,
    })
    expect(chosen?.path.flatMap(({ pool }) => pool ?? [])).toEqual(
      body.route.flatMap((step: { internalRoutes?: { pool: string }[] }) =>
        (step.internalRoutes ?? []).map(({ pool }) => pool),
      ),
    )
    const values = [chosen, ...others]
      .filter((one) => one?.status === 'chosen' || one?.status === 'measured')
      .map((one) => BigInt(one?.valueAfterGas ?? '0'))
    expect(values).toEqual(values.toSorted((a, b) => (a > b ? -1 : 1)))
    for (const { status, step, reason, amountOut, gas } of others) {
      expect([step !== undefined, status === 'skipped']).toSatisfy(([a, b]) => a === b)
      if (status === 'skipped') expect([amountOut, gas]).toEqual([null, null])
      if (status === 'skipped' || status === 'reverted') expect(reason).toBeTruthy()
    }
  })

  test.each([
    ['a split', trade],
    ['native in', { ...trade, tokenIn: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' }],
    ['over several tokens', { ...trade, tokenOut: sandboxToken('LINK').address }],
  ])('%s: shares of one token add up in every candidate', async (_name, query) => {
    const candidates = await candidatesOf(query)
    expect(candidates.some(({ path }) => path.length > 2)).toBe(true)
    for (const { path } of candidates) {
      const sums = new Map<string, number>()
      for (const { tokenIn, share } of path) {
        sums.set(tokenIn, (sums.get(tokenIn) ?? 0) + share)
      }
      expect([...sums.values()]).toEqual([...sums].map(() => 10_000))
    }
  })

  test('the same request at a block gives the same bytes; times only on request', async () => {
    const [first, second, plain, timed] = await Promise.all([
      ask({ ...trade, explain: 'true' }),
      ask({ ...trade, explain: 'true' }),
      ask(trade),
      ask({ ...trade, explain: 'timed' }),
    ])
    expect(first.text).toBe(second.text)
    const { candidates, candidatesOmitted, pools, ...rest } = first.body
    expect(rest).toEqual(plain.body)
    const { times, ...others } = timed.body
    expect(others).toEqual(first.body)
    expect(Object.keys(times)).toEqual(
      expect.arrayContaining(['state', 'search', 'simulate', 'finalise']),
    )
  })

  test('pools that the request leaves out are named with the reason, and in no candidate', async () => {
    const { body } = await ask(trade)
    const used: string[] = body.route[0].internalRoutes.map(({ pool }: { pool: string }) => pool)
    const query = { ...trade, excludePools: used.join(), ignoreStandards: 'curve' }
    const answer = await ask({ ...query, explain: 'true' })
    const { pools, candidates } = answer.body
    for (const pool of used) {
      const refused = pools.refused.filter((one: { pool: string }) => one.pool === pool)
      expect(refused.map(({ reason }: { reason: string }) => reason)).toContain(
        'the request excludes it',
      )
    }
    expect(pools.refused).toContainEqual(
      expect.objectContaining({ protocol: 'curve', reason: 'the request ignores its protocol' }),
    )
    const named = candidates.flatMap(({ path }: Candidate) => path.map(({ pool }) => pool))
    expect(named.filter((pool: string) => used.includes(pool))).toEqual([])
    expect(pools.considered).toBeGreaterThan(0)
  })

  test('a bundle tells of each of its routes, by the action', async () => {
    const actions = [
      { protocol: 'svc', action: 'route', args: { ...trade, slippage: '50' } },
      {
        protocol: 'svc',
        action: 'route',
        args: { tokenIn: usdc, tokenOut: dai, amountIn: { useOutputOfCallAt: 0 } },
      },
    ]
    const path = `/api/v1/shortcuts/bundle?fromAddress=${stranger}&blockNumber=${block}` as const
    const [first, second, plain] = await Promise.all([
      service.post(`${path}&explain=true`, actions),
      service.post(`${path}&explain=true`, actions),
      service.post(path, actions),
    ])
    expect(first.status, first.text).toBe(200)
    expect(first.text).toBe(second.text)
    expect(plain.body.candidates).toBeUndefined()
    const chosen = first.body.candidates.filter(({ status }: Candidate) => status === 'chosen')
    expect(chosen.map(({ action }: Candidate) => action)).toEqual([0, 1])
  })

  test('an error tells what was looked at, and is the same without it', async () => {
    const nowhere = `0x${'12'.repeat(20)}`
    const unreachable = { ...trade, minAmountOut: (10n ** 18n).toString() }
    const [absent, failed, plain] = await Promise.all([
      ask({ ...trade, onlyPools: nowhere, explain: 'true' }),
      ask({ ...unreachable, explain: 'true' }),
      ask(unreachable),
    ])
    expect([absent.body.code, failed.body.code]).toEqual(['NO_ROUTE', 'SIMULATION_REVERTED'])
    const { candidates, pools } = absent.body.details.explanation
    expect(candidates).toEqual([])
    expect(pools.refused.length).toBeGreaterThan(5)
    expect(new Set(pools.refused.map(({ reason }: { reason: string }) => reason))).toEqual(
      new Set(['it is not one of onlyPools']),
    )
    const { explanation, ...details } = failed.body.details
    expect(details).toEqual(plain.body.details)
    expect(failed.body.message).toEqual(plain.body.message)
    const all: Candidate[] = explanation.candidates
    expect(all.length).toBeLessThanOrEqual(100)
    const reverted = all.filter(({ status }) => status === 'reverted')
    expect(reverted).toHaveLength(details.candidates.length)
    for (const { reason, amountOut } of reverted) {
      expect(reason).toContain('as the final transaction: InsufficientOutput(')
      expect(amountOut).toMatch(/^\d+$/)
    }
    const others = new Set(all.map(({ status }) => status))
    expect(others).toEqual(new Set(['reverted', 'measured', 'skipped']))
  })

  test('a bundle that fails tells of the routes before, and of the one that is not there', async () => {
    const route = (args: object) => ({ protocol: 'svc', action: 'route', args })
    const path = `/api/v1/shortcuts/bundle?fromAddress=${stranger}&blockNumber=${block}&explain=true`
    const { body } = await service.post(path as '/api/v1/shortcuts/bundle', [
      route(trade),
      route({ tokenIn: usdc, tokenOut: stranger, amountIn: { useOutputOfCallAt: 0 } }),
    ])
    expect(body).toMatchObject({ code: 'NO_ROUTE', details: { action: 1 } })
    const { candidates, pools } = body.details.explanation
    const chosen = candidates.filter(({ status }: Candidate) => status === 'chosen')
    expect(chosen.map(({ action }: Candidate) => action)).toEqual([0])
    expect(pools.considered).toBeGreaterThan(0)
    const call = { protocol: 'svc', action: 'call', args: { address: weth, method: 'withdraw' } }
    const reverts = {
      ...call,
      args: { ...call.args, abi: 'function withdraw(uint256)', args: [1] },
    }
    const reverted = await service.post(path as '/api/v1/shortcuts/bundle', [route(trade), reverts])
    expect(reverted.body).toMatchObject({ code: 'SIMULATION_REVERTED', details: { action: 1 } })
    // The bound on all is shared among the routes that were searched.
    const own = candidates.filter(({ action }: Candidate) => action === 0)
    expect(reverted.body.details.explanation.candidates.slice(0, own.length)).toEqual(own)
  })

  test('a quote tells the same as the route', async () => {
    const query = { ...trade, fromAddress: stranger, blockNumber: block, explain: 'true' }
    const quote = await service.get('/api/v1/shortcuts/quote', query)
    const route = await ask({ ...trade, explain: 'true' })
    expect(quote.body.candidates).toEqual(route.body.candidates)
    const wrong = await ask({ ...trade, explain: 'maybe' })
    expect([wrong.status, [wrong.body.message].flat().join()]).toEqual([
      400,
      expect.stringContaining('explain'),
    ])
  })
})
