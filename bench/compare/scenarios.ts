/** What is asked of both services, in slices that take a few seconds each. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { openStream } from '../../test/support/event-stream.js'
import type { MeasuredService } from './service.js'

/** Milliseconds of each answer. */
export type Slice = (service: MeasuredService) => Promise<readonly number[]>

const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const dai = '0x6b175474e89094c44da98b954eedeac495271d0f'
const usdt = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const wbtc = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
/** Of the sandbox: it has ether, and the chain holds its key. */
const rich = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** Pairs that a desk keeps asking for, each with the first of its amounts. */
const pairs: readonly (readonly [string, string, bigint])[] = [
  [weth, usdc, 10n ** 18n],
  [usdc, weth, 2_000_000_000n],
  [wbtc, usdt, 10n ** 7n],
  [weth, dai, 3n * 10n ** 18n],
]

let serial = 0n

/** Never the same amount twice: nothing may be answered from what is remembered of answers. */
function quotePath(pair = 0, more = ''): string {
  serial += 1n
  const [tokenIn, tokenOut, amount] = pairs[pair % pairs.length] ?? [weth, usdc, 10n ** 18n]
  const amountIn = amount + serial * (amount / 10n ** 6n)
  return `/api/v1/shortcuts/quote?tokenIn=${tokenIn}&tokenOut=${tokenOut}&amountIn=${amountIn}${more}`
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** A still head, one pair. */
export function warm(count: number, parallel: number, more = ''): Slice {
  return async (service) => {
    const times: number[] = []
    let left = count
    const lane = async () => {
      while (left-- > 0) times.push(await timed(() => service.get(quotePath(0, more))))
    }
    await Promise.all(Array.from({ length: parallel }, lane))
    return times
  }
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const { body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await body.json()) as { result?: unknown; error?: unknown }
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

const trades = new WeakMap<MeasuredService, object>()

/** A block with a trade in it, so that pools differ from block to block. */
async function trade(service: MeasuredService): Promise<void> {
  const known = trades.get(service)
  const tx = known ?? (await tradeOf(service))
  trades.set(service, tx)
  await ask(service.nodeUrl, 'eth_sendTransaction', [tx])
  await ask(service.nodeUrl, 'evm_mine', [])
}

async function tradeOf(service: MeasuredService): Promise<object> {
  const path = `/api/v1/shortcuts/route?fromAddress=${rich}&tokenIn=${native}&tokenOut=${usdc}`
  const answer = await service.get(`${path}&amountIn=${10n ** 17n}&slippage=5000`)
  const { tx } = JSON.parse(answer) as { tx: { to: string; data: string; value: string } }
  const value = `0x${BigInt(tx.value).toString(16)}`
  return { from: rich, to: tx.to, data: tx.data, value, gas: '0x1e8480' }
}

/** Quotes at an even pace while blocks come; a quote that is late is sent at once. */
export function movingHead(options: {
  readonly blockMs: number
  readonly seconds: number
  readonly more?: string
}): Slice {
  const { blockMs, seconds, more } = options
  const [perSecond, lanes] = [16, 4]
  return async (service) => {
    const end = performance.now() + seconds * 1_000
    const times: number[] = []
    const mining = (async () => {
      while (performance.now() < end) {
        await trade(service)
        await sleep(blockMs)
      }
    })()
    const lane = async (first: number) => {
      const begun = performance.now()
      for (let index = first; ; index += lanes) {
        const wait = begun + (index * 1_000) / perSecond - performance.now()
        if (performance.now() + Math.max(0, wait) >= end) return
        if (wait > 0) await sleep(wait)
        times.push(await timed(() => service.get(quotePath(index, more))))
      }
    }
    await Promise.all([mining, ...Array.from({ length: lanes }, (_, index) => lane(index))])
    return times
  }
}

/** Amounts of one pair in one call. */
export function ladder(
  rungs: number,
  count: number,
  more: { readonly proof?: string } = {},
): Slice {
  return async (service) => {
    const times: number[] = []
    for (let round = 0; round < count; round++) {
      serial += 1n
      const amountIn = Array.from(
        { length: rungs },
        (_, rung) => `${(10n ** 17n + serial * 10n ** 11n) * BigInt(rung + 1)}`,
      )
      const quotes = [{ tokenIn: weth, tokenOut: usdc, amountIn, ...more }]
      times.push(await timed(() => service.post('/api/v1/shortcuts/quotes', { quotes })))
    }
    return times
  }
}

/** From the answer that a block is mined to the event with all quotes at it. */
export function stream(
  quotes: number,
  blocks: number,
  more: { readonly proof?: string } = {},
): Slice {
  return async (service) => {
    const asked = Array.from({ length: quotes }, (_, index) => {
      const [tokenIn, tokenOut, amount] = pairs[index % pairs.length] ?? []
      return {
        tokenIn,
        tokenOut,
        amountIn: `${((amount ?? 0n) * BigInt(index + 1)) / 10n}`,
        ...more,
      }
    })
    const events = await openStream(`${service.url}/api/v1/stream/quotes`, {
      body: { quotes: asked },
    })
    const event = async (block: number) => {
      for (;;) {
        const { id } = await events.next()
        if (Number(id) === block) return performance.now()
      }
    }
    const times: number[] = []
    try {
      const head = async () => Number(await ask(service.nodeUrl, 'eth_blockNumber', []))
      await event(await head())
      for (let block = 0; block < blocks; block++) {
        await sleep(1_500)
        await trade(service)
        const mined = performance.now()
        times.push((await event(await head())) - mined)
      }
    } finally {
      events.close()
    }
    return times
  }
}

const nextBlock = new WeakMap<MeasuredService, number>()

/**
 * A job of each pair at blocks that were not asked for before. The time of a block-request is its share of the job's,
 * from its creation to its end.
 */
export function backtest(blocks: number): Slice {
  return async (service) => {
    const head = Number(await ask(service.nodeUrl, 'eth_blockNumber', []))
    const from = nextBlock.get(service) ?? head - 250
    const to = from + blocks - 1
    nextBlock.set(service, to + 1)
    const requests = pairs.map(([tokenIn, tokenOut, amount], index) => ({
      name: `${index}`,
      tokenIn,
      tokenOut,
      amountIn: `${amount}`,
    }))
    const count = blocks * requests.length
    const each = await timed(async () => {
      const plan = { blocks: { from, to }, requests, variants: [{ name: 'all' }] }
      const { id } = JSON.parse(await service.post('/api/v1/backtests', plan))
      const events = await openStream(`${service.url}/api/v1/backtests/${id}/events`, {})
      try {
        for (let state = 'queued'; state !== 'finished'; ) {
          state = (await events.next()).body.state
          if (state === 'failed') throw new Error('The backtest failed.')
        }
      } finally {
        events.close()
      }
    })
    return Array.from({ length: count }, () => each / count)
  }
}
