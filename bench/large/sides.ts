/** The two services that are compared, each in a process of its own behind a node of its own, and what is asked of them. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import type { Address } from '../../src/domain/primitives.js'
import { indexFile } from '../../src/pool-index/database.js'
import { sandboxToken } from '../../src/sandbox/tokens.js'
import { here } from '../compare/checkout.js'
import { usageOf } from '../compare/processes.js'
import { type MeasuredService, startMeasured } from '../compare/service.js'
import { sync } from '../pool-index.js'
import type { LargeMarket } from './market.js'
import type { MarketNode } from './market-node.js'

export interface Side {
  readonly name: 'sandbox' | 'large market'
  readonly node: MarketNode
  readonly service: MeasuredService
  /** What building its index took. */
  readonly index: Readonly<Record<string, string | number>>
  memory(): Record<string, string | number>
  stop(): Promise<void>
}

export interface Ask {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
}

/** Requests of one kind. */
export interface Kind {
  readonly between: string
  readonly asks: readonly Ask[]
}

const memoryOfThreads = fileURLToPath(new URL('./thread-memory.mjs', import.meta.url))
const [weth, usdc, usdt, wbtc, link, uni] = ['WETH', 'USDC', 'USDT', 'WBTC', 'LINK', 'UNI'].map(
  (symbol) => sandboxToken(symbol).address,
) as [Address, Address, Address, Address, Address, Address]
/** Places of the added tokens that are asked for, the most popular being the first. */
const ranks = [2, 40, 600, 9_000, 35_000]

export const oneEther: Ask = { tokenIn: weth, tokenOut: usdc, amountIn: 10n ** 18n }

export const ofSandbox: readonly Kind[] = [
  {
    between: 'WETH and USDC',
    asks: [oneEther, { tokenIn: usdc, tokenOut: weth, amountIn: 20_000n * 10n ** 6n }],
  },
  {
    between: 'other tokens of the sandbox',
    asks: [
      { tokenIn: wbtc, tokenOut: usdt, amountIn: 10n ** 7n },
      { tokenIn: link, tokenOut: uni, amountIn: 10n ** 20n },
    ],
  },
]

export function ofAdded({ tokens, pairs }: LargeMarket): readonly Kind[] {
  const added = ranks.flatMap((rank) => tokens[rank] ?? [])
  /** A two-hundredth of what the first pair of the token holds. */
  const amountOf = (token: Address) => {
    const pair = pairs.find((one) => one.tokens.includes(token))
    return (pair?.reserves[pair.tokens.indexOf(token)] ?? 0n) / 200n
  }
  const from = (tokenIn: Address, tokenOut: Address): Ask => {
    return { tokenIn, tokenOut, amountIn: amountOf(tokenIn) }
  }
  return [
    {
      between: 'WETH into an added token',
      asks: added.map((tokenOut) => ({ tokenIn: weth, tokenOut, amountIn: 10n ** 17n })),
    },
    { between: 'an added token into USDC', asks: added.map((token) => from(token, usdc)) },
    {
      between: 'two added tokens',
      asks: added.map((token, index) => from(token, added.at(index - 1) ?? usdc)),
    },
  ]
}

export async function startSide(name: Side['name'], node: MarketNode): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), 'forkroute-bench-large-'))
  const threads = join(folder, 'threads')
  mkdirSync(threads)
  const { seconds, peakMb } = await sync(node.url, folder)
  const service = await startMeasured(here, {
    RPC_URL_1: node.url,
    DATA_DIR: folder,
    POOL_INDEX: 'on',
    // It does not see new blocks by itself.
    HEAD_POLL_MS: '600000',
    THREAD_MEMORY_FOLDER: threads,
    NODE_OPTIONS: `--import=${memoryOfThreads}`,
  })
  return {
    name,
    node,
    service,
    index: {
      side: name,
      seconds: Number(seconds.toFixed(1)),
      'peak memory MB': peakMb,
      'file MB': Number((statSync(indexFile(folder)).size / 1e6).toFixed(1)),
    },
    memory() {
      const routing = readdirSync(threads)
        .filter((file) => file.startsWith('worker-'))
        .map((file) => Number(readFileSync(join(threads, file), 'utf8')))
      const { serviceMb, forksMb } = usageOf(service.pid)
      return {
        side: name,
        'routing threads': routing.length,
        'largest thread MB': Math.round(Math.max(...routing)),
        'service MB': Math.round(serviceMb),
        'forks MB': Math.round(forksMb),
      }
    },
    async stop() {
      await service.stop()
      await node.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

let serial = 0n

/** Never the same amount twice: nothing may be answered from what is remembered of answers. @returns milliseconds. */
export async function quote({ service }: Side, ask: Ask, blockNumber: number): Promise<number> {
  serial += 1n
  const amountIn = ask.amountIn + (serial * ask.amountIn) / 10n ** 6n
  const path = `/api/v1/shortcuts/quote?${toQuery({ ...ask, amountIn }, blockNumber)}`
  const started = performance.now()
  await service.get(path)
  return performance.now() - started
}

export function toQuery(
  { tokenIn, tokenOut, amountIn }: Ask,
  blockNumber: number,
): URLSearchParams {
  const amounts = { amountIn: `${amountIn}`, blockNumber: `${blockNumber}` }
  return new URLSearchParams({ chainId: '1', tokenIn, tokenOut, ...amounts })
}
