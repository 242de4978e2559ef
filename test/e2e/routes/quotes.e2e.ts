/** Many quotes in one call, ladders and streams over HTTP on the sandbox chain, each held against the single quote. */
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nativeToken } from '../../../src/domain/primitives.js'
import { backgroundPriority } from '../../../src/platform/priority.js'
import { createRpcClient, type RpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { openStream } from '../../support/event-stream.js'
import { startService, type TestService } from '../../support/service/service.js'

const weth = sandboxToken('WETH').address
const usdc = sandboxToken('USDC').address
const dai = sandboxToken('DAI').address
const wbtc = sandboxToken('WBTC').address
const ether = 10n ** 18n
/** More than any pool can count with. */
const absurd = (2n ** 255n).toString()
const one = { tokenIn: weth, tokenOut: usdc, amountIn: ether.toString() }

let service: TestService
let node: RpcClient
/** Of services that tests of other files have started in this process. */
let loweredBefore: ReadonlySet<string>

beforeAll(async () => {
  loweredBefore = new Set(loweredThreads())
  service = await startService({
    HEAD_POLL_MS: '250',
    RATE_LIMIT_PER_MINUTE: '100000',
    MAX_STREAMS_PER_KEY: '3',
    WORKERS: '2',
  })
  node = createRpcClient(service.nodeUrl)
})
afterAll(async () => {
  await node?.close()
  await service?.stop()
})

const batch = (body: object) => service.post('/api/v1/shortcuts/quotes', body)
const single = (query: object) =>
  service.get('/api/v1/shortcuts/quote', query as Record<string, string>)

function loweredThreads(): string[] {
  return readdirSync('/proc/self/task').filter((thread) => {
    try {
      return getPriority(Number(thread)) === backgroundPriority
    } catch {
      // It has ended since it was listed.
      return false
    }
  })
}

async function newestBlock(): Promise<number> {
  return (await service.get('/api/v1/networks')).body[0].blockNumber
}

async function metric(name: string): Promise<number> {
  const { text } = await service.get('/metrics')
  const lines = text.split('\n').filter((line) => line.startsWith(`forkroute_${name}`))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

describe('POST /api/v1/shortcuts/quotes', () => {
  test('every quote has the bytes of the single endpoint at that block, errors included', async () => {
    const blockNumber = String((await newestBlock()) - 3)
    const quotes = [
      one,
      { ...one, tokenIn: nativeToken },
      { tokenIn: dai, tokenOut: wbtc, amountIn: (2_000n * ether).toString(), priceImpact: 'false' },
      { tokenIn: [usdc, dai], amountIn: ['1000000000', ether.toString()], tokenOut: [weth] },
      { tokenIn: weth, amountIn: ether.toString(), tokenOut: [usdc, dai] },
      { ...one, fee: '30', ignoreAggregators: ['uniswap-v3'] },
      { ...one, amountIn: '0' },
      { ...one, tokenOut: weth, fee: '101' },
      { tokenIn: weth },
      { ...one, chainId: '77' },
      { ...one, tokenOut: '0x00000000000000000000000000000000000a11ce' },
      { ...one, amountIn: absurd },
      ...Array.from({ length: 8 }, (_, index) => ({
        ...one,
        amountIn: (ether * BigInt(index + 2)).toString(),
      })),
    ]
    const answer = await batch({ blockNumber, quotes })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toMatchObject({ chainId: 1, blockNumber: Number(blockNumber) })
    expect(answer.body.quotes).toHaveLength(quotes.length)
    const codes: (string | undefined)[] = []
    const singles = await Promise.all(quotes.map((quote) => single({ blockNumber, ...quote })))
    for (const [index, alone] of singles.entries()) {
      const found = answer.body.quotes[index]
      if (alone.status === 200) {
        expect(JSON.stringify(found)).toBe(alone.text)
      } else {
        const { requestId: _, ...facts } = alone.body
        expect(JSON.stringify(found)).toBe(JSON.stringify({ error: facts }))
      }
      codes.push(found.error?.code)
    }
    expect(codes.slice(0, 12)).toEqual([
      ...Array.from({ length: 6 }),
      'INVALID_REQUEST',
      'INVALID_REQUEST',
      'INVALID_REQUEST',
      'UNKNOWN_CHAIN',
      'NO_ROUTE',
      'NO_ROUTE',
    ])
  })

  test('a ladder gives at each amount what the single quote gives', async () => {
    const blockNumber = await newestBlock()
    const amounts = [ether, 20n * ether, 5n * ether, absurd, 300n * ether].map(String)
    const answer = await batch({ blockNumber, quotes: [{ ...one, amountIn: amounts, fee: '10' }] })
    expect(answer.status, answer.text).toBe(200)
    const [{ ladder, ...rest }] = answer.body.quotes
    expect(rest).toEqual({ blockNumber })
    expect(ladder.map((rung: { amountIn: string }) => rung.amountIn)).toEqual(amounts)
    const at = { ...one, fee: '10', blockNumber: String(blockNumber) }
    const singles = await Promise.all(amounts.map((amountIn) => single({ ...at, amountIn })))
    for (const [index, alone] of singles.entries()) {
      const amountIn = amounts[index]
      const { blockNumber: _block, requestId: _id, ...facts } = alone.body
      expect(ladder[index]).toEqual(
        alone.status === 200 ? { amountIn, ...facts } : { amountIn, error: facts },
      )
    }
    expect(ladder[3]).toHaveProperty('error')
  })

  test('what the deadline leaves undone is its own error', async () => {
    const amountIn = Array.from({ length: 200 }, (_, index) => (ether + BigInt(index)).toString())
    const answer = await batch({ deadlineMs: 50, quotes: [{ ...one, amountIn }] })
    expect(answer.status, answer.text).toBe(200)
    const codes: unknown[] = answer.body.quotes[0].ladder.map(
      (rung: { error?: { code: string } }) => rung.error?.code,
    )
    expect(new Set(codes.filter((code) => code))).toEqual(new Set(['DEADLINE_EXCEEDED']))
    expect(codes.at(-1)).toBe('DEADLINE_EXCEEDED')
  })

  test('a client that leaves stops the work', async () => {
    const before = await metric('simulations_total')
    const amountIn = Array.from({ length: 200 }, (_, index) => (ether + BigInt(index)).toString())
    const client = new AbortController()
    const call = fetch(new URL('/api/v1/shortcuts/quotes', service.url), {
      method: 'POST',
      signal: client.signal,
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ quotes: [{ ...one, amountIn }] }),
    })
    await expect.poll(() => metric('simulations_total')).toBeGreaterThan(before)
    client.abort()
    await expect(call).rejects.toThrow()
    await expect.poll(() => metric('calculations_in_flight'), { timeout: 20_000 }).toBe(0)
    expect((await metric('simulations_total')) - before).toBeLessThan(200 * 24)
  })
})

describe('the threads that calculate, and the one that reads for them', () => {
  test('give way to what answers requests', async () => {
    await single(one)
    const own = loweredThreads().filter((thread) => !loweredBefore.has(thread))
    expect(own).toHaveLength(3)
  })
})

describe('GET and POST /api/v1/stream/quotes', () => {
  const authorization = () => ({ authorization: `Bearer ${service.key}` })
  const streamUrl = (query: Record<string, string> = {}) => {
    const url = new URL('/api/v1/stream/quotes', service.url)
    for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value)
    return url
  }

  test('every new block is an event, with the body of the batch at that block', async () => {
    const stream = await openStream(streamUrl({ ...one, amountIn: `${ether},${20n * ether}` }), {
      headers: authorization(),
    })
    expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const many = await openStream(streamUrl(), {
      headers: authorization(),
      body: { quotes: [one, { tokenIn: weth }] },
    })
    const first = [await stream.next(), await many.next()]
    await node.request('evm_mine', [])
    const second = [await stream.next(), await many.next()]
    stream.close()
    many.close()
    for (const event of [...first, ...second]) {
      expect(event.event).toBe('quotes')
      expect(event.id).toBe(String(event.body.blockNumber))
    }
    expect(second.map(({ body }) => body.blockNumber)).toEqual(
      first.map(({ body }) => body.blockNumber + 1),
    )
    for (const [ladder, several] of [first, second]) {
      const amountIn = [ether, 20n * ether].map(String)
      const { blockNumber } = ladder?.body ?? {}
      const again = await batch({ blockNumber, quotes: [{ ...one, amountIn }] })
      expect(ladder?.body).toEqual(again.body)
      const both = await batch({ blockNumber, quotes: [one, { tokenIn: weth }] })
      expect(several?.body).toEqual(both.body)
    }
    await expect.poll(() => metric('streams '), { timeout: 20_000 }).toBe(0)
  })
})
