/**
 * Backtests on the sandbox: block-requests (one request at one block) per minute by workers and by where the state
 * comes from, and how that grows with the range.
 * BENCH_BLOCKS sets the blocks of the short range (default 20); the long one is ten times that.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { loadConfig } from '../src/config/config.js'
import type { PlanRequest } from '../src/domain/backtest.js'
import { noAccount } from '../src/domain/engine.js'
import type { Address } from '../src/domain/primitives.js'
import type { ArchiveMode } from '../src/rpc/archive/archive-messages.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { createService, type Service } from '../src/service/service.js'
import { createLogger } from '../src/telemetry/log.js'
import { type LatencyNode, startLatencyNode } from './latency-node.js'
import { makeDataDir } from './plain-fork.js'
import { exampleQuote, type Section } from './section.js'

const shortRange = Number(process.env.BENCH_BLOCKS ?? 20)
const longFactor = 10

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdt: Address = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const wbtc: Address = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const uni: Address = '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984'
const link: Address = '0x514910771af9ca656af840dff83e8264ecf986ca'
const ether = 10n ** 18n

const pairs: readonly (readonly [Address, bigint, Address])[] = [
  [weth, ether, usdc],
  [usdc, 20_000_000_000n, weth],
  [wbtc, 250_000_000n, usdt],
  [link, 500n * ether, dai],
  [uni, 100n * ether, link],
]
const requests: readonly PlanRequest[] = pairs.map(([tokenIn, amountIn, tokenOut], index) => ({
  name: `request ${index + 1}`,
  request: {
    ...exampleQuote,
    inputs: [{ token: tokenIn, amount: amountIn }],
    tokensOut: [tokenOut],
  },
}))

interface BenchContext {
  readonly node: LatencyNode
  /** Of the last block that is worked on: the one before the sandbox's head. */
  readonly last: bigint
}

export async function backtestBench(): Promise<Section[]> {
  const sandbox = await startSandbox({})
  // The archive keeps nothing of a development node on disk.
  const node = await startLatencyNode(sandbox.url, 0, { client: 'node/1' })
  try {
    const context = { node, last: (await headOf(node.url)) - 1n }
    return [
      {
        name: `backtests of ${requests.length} requests per block, default candidates`,
        about:
          'Jobs as `forkroute backtest` runs them, one variant, no delays. Cold: new folder, state from a node without latency; disk: the same folder again; cassette: replay of what was recorded, by a service that has done a job before.',
        rows: await jobs(context),
      },
    ]
  } finally {
    await node.stop()
    await sandbox.stop()
  }
}

async function jobs(context: BenchContext): Promise<Section['rows']> {
  const rows: Section['rows'] = []
  const folders: string[] = []
  const newFolder = () => {
    const folder = makeDataDir()
    folders.push(folder)
    return folder
  }
  const cassetteFolder = newFolder()
  const file = join(cassetteFolder, 'walk.sqlite')
  const replay: ArchiveMode = { kind: 'replay', file }
  try {
    await job(context, {
      folder: cassetteFolder,
      workers: 2,
      blocks: shortRange * longFactor,
      count: 5,
      mode: { kind: 'record', file },
    })
    const add = async (
      state: string,
      args: Omit<JobArgs, 'count'> & { readonly count?: number },
    ): Promise<number> => {
      const { count = requests.length, workers, blocks } = args
      const perMinute = await job(context, { ...args, count })
      rows.push({
        workers,
        state,
        blocks,
        'requests per block': count,
        'block-requests / s': Number((perMinute / 60).toFixed(1)),
        'block-requests / min': Math.round(perMinute),
      })
      return perMinute
    }
    for (const workers of [1, 2]) {
      const folder = newFolder()
      await add('cold', { folder, workers, blocks: shortRange })
      await add('disk', { folder, workers, blocks: shortRange })
      const warm = { folder: newFolder(), workers, mode: replay, isWarm: true }
      const short = await add('cassette', { ...warm, blocks: shortRange })
      if (workers === 1) continue
      await add('cassette', { ...warm, blocks: shortRange, count: 1 })
      const long = await add('cassette', { ...warm, blocks: shortRange * longFactor })
      rows.push({
        workers,
        state: 'cassette, time per block of the long range / short',
        blocks: '',
        'requests per block': '',
        'block-requests / s': Number((short / long).toFixed(2)),
        'block-requests / min': '',
      })
    }
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
  return rows
}

interface JobArgs {
  readonly folder: string
  readonly workers: number
  readonly blocks: number
  /** Requests per block. */
  readonly count: number
  readonly mode?: ArchiveMode
  /** True: the service has done a job of the oldest blocks of the long range before. */
  readonly isWarm?: boolean
}

/** Runs one job on a new service. @returns block-requests per minute, from its creation to its end. */
async function job({ node, last }: BenchContext, args: JobArgs): Promise<number> {
  const service = await serviceOn(node.url, args)
  try {
    if (args.isWarm) {
      const oldest = last - BigInt(shortRange * longFactor) + 1n
      await jobOf(service, { ...args, from: oldest, to: oldest + BigInt(shortRange) - 1n })
    }
    const from = last - BigInt(args.blocks) + 1n
    const minutes = await jobOf(service, { ...args, from, to: last })
    return (args.blocks * args.count) / minutes
  } finally {
    await service.close()
  }
}

/** @returns minutes. */
async function jobOf(
  service: Service,
  args: { readonly from: bigint; readonly to: bigint; readonly count: number },
): Promise<number> {
  const started = performance.now()
  const { id } = await service.backtests.create(
    {
      name: 'bench',
      chainId: 1,
      range: { kind: 'step', from: args.from, to: args.to, step: 1n },
      requests: requests.slice(0, args.count),
      variants: [{ name: 'default', router: {}, ignoreStandards: [] }],
      baseline: 'default',
      delays: [],
    },
    noAccount,
  )
  let state = 'running'
  const never = new AbortController().signal
  for await (const progress of service.backtests.watch(id, never)) state = progress.state
  const minutes = (performance.now() - started) / 60_000
  if (state !== 'finished') throw new Error(`The job is ${state}.`)
  for await (const block of service.backtests.results(id)) {
    const failed = block.kind === undefined && block.rows.find(({ outcome }) => !outcome.ok)
    if (failed) throw new Error(`No route at block ${block.blockNumber}: ${failed.request}.`)
  }
  return minutes
}

function serviceOn(
  nodeUrl: string,
  { folder, workers, mode }: Pick<JobArgs, 'folder' | 'workers' | 'mode'>,
): Promise<Service> {
  const config = loadConfig({
    DATA_DIR: folder,
    LOG_LEVEL: 'error',
    RPC_URL_1: nodeUrl,
    HEAD_POLL_MS: '600000',
    WORKERS: String(workers),
  })
  return createService(config, { logger: createLogger('error'), ...(mode && { mode }) })
}

async function headOf(url: string): Promise<bigint> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body })
  return BigInt(((await answer.json()) as { result: string }).result)
}
