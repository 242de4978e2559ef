/**
 * The index of pools: building it from a scripted chain of 20,000 pools by the command that users run, looking a
 * request's pools up in it, and what it costs and gives the routes of the sandbox.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { ethereum } from '../src/chains/ethereum.js'
import { type Address, type BlockPin, nativeToken } from '../src/domain/primitives.js'
import { indexFile } from '../src/pool-index/database.js'
import { openIndexReader } from '../src/pool-index/lookup.js'
import { sourcesOf } from '../src/pool-index/sources.js'
import { MarketView } from '../src/routing/market/market-view.js'
import { findCandidates } from '../src/routing/search/candidates.js'
import { cliEntry } from '../test/support/cli.js'
import { scriptedPools, startScriptedNode } from '../test/support/nodes/scripted-chain.js'
import { createLaneCurves } from '../test/support/optimum/lane-curves.js'
import { openSandbox } from '../test/support/optimum/quality-contexts.js'
import { makeRequests } from '../test/support/optimum/requests.js'
import { startService, type TestService } from '../test/support/service/service.js'
import { quantile, type Section } from './section.js'

const poolCount = 20_000
const blocks = 2_000_000
const lookUps = 400
const quotes = 200
const requests = Number(process.env.BENCH_QUALITY_REQUESTS ?? 200)

export async function indexBench(): Promise<Section[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-bench-index-'))
  try {
    const rows = [await build(dataDir, null), await build(join(dataDir, 'narrow'), 10_000)]
    return [
      {
        name: `building the index: ${poolCount} pools in ${blocks} blocks`,
        about:
          'By `forkroute pools sync` in a process of its own, from a node on the same machine.',
        rows,
      },
      {
        name: 'looking up the pools of a request',
        about:
          'Candidates before they are ranked by the words of storage that are then read of each.',
        rows: look(dataDir),
      },
      { name: 'quotes over HTTP on the sandbox, index off and on in turns', rows: await http() },
      {
        name: 'outputs on the sandbox by math alone, index on against off',
        about:
          'The sandbox has no pool that look-ups between connectors miss; what is more comes of tokens in between.',
        rows: [await outputs()],
      },
    ]
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function build(dataDir: string, mostBlocks: number | null): Promise<Section['rows'][number]> {
  const node = await startScriptedNode(scriptedPools(poolCount, blocks), blocks)
  node.mostBlocks = mostBlocks
  node.refusal = { code: -32600, message: 'block range too large' }
  try {
    const first = await sync(node.url, dataDir)
    const again = await sync(node.url, dataDir)
    return {
      'blocks of a request': mostBlocks ?? 'any',
      seconds: round(first.seconds, 1),
      'pools/s': Math.round(poolCount / first.seconds),
      requests: node.ranges.length,
      'peak memory MB': first.peakMb,
      'file MB': round(statSync(indexFile(dataDir)).size / 1e6, 1),
      'bytes per pool': Math.round(statSync(indexFile(dataDir)).size / poolCount),
      'again, seconds': round(again.seconds, 1),
    }
  } finally {
    await node.close()
  }
}

/** Peak memory is that of Linux's own count, null elsewhere. */
export async function sync(nodeUrl: string, dataDir: string) {
  const started = performance.now()
  const child = spawn(process.execPath, [cliEntry, 'pools', 'sync', '--json'], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      RPC_URL_1: nodeUrl,
      HEADER_HASH_CHECK: 'off',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let peakKb = 0
  const watch = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      peakKb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? peakKb)
    } catch {
      // Gone, or not Linux.
    }
  }, 50)
  const code = await new Promise((resolve) => child.once('exit', resolve))
  clearInterval(watch)
  if (code !== 0) throw new Error(`pools sync ended with ${code}`)
  return { seconds: (performance.now() - started) / 1_000, peakMb: Math.round(peakKb / 1_024) }
}

function look(dataDir: string): Section['rows'] {
  const reader = openIndexReader(dataDir)
  if (!reader) throw new Error('there is no index')
  const sources = sourcesOf(ethereum).sources.map(({ key }) => key)
  const hubs = ethereum.connectorTokens
  const strangers = scriptedPools(poolCount, blocks)
    .flatMap(({ tokens }) => tokens)
    .filter((token) => !hubs.includes(token))
  const pin = {
    chainId: 1,
    number: BigInt(blocks),
    hash: `0x${'00'.repeat(32)}`,
  } as Partial<BlockPin> as BlockPin
  const spell = (token: Address) =>
    token === ethereum.wrappedNative ? [token, nativeToken] : [token]
  const kinds: Readonly<Record<string, (k: number) => readonly [Address, Address]>> = {
    'two connectors': (k) => [hubs[k % 4] ?? nativeToken, hubs[(k + 1) % 4] ?? nativeToken],
    'a token and a connector': (k) => [
      strangers[k * 37] ?? nativeToken,
      hubs[k % 4] ?? nativeToken,
    ],
    'two tokens': (k) => [strangers[k * 37] ?? nativeToken, strangers[k * 53 + 1] ?? nativeToken],
  }
  const rows = Object.entries(kinds).map(([kind, pairOf]) => {
    let candidates = 0
    const times = Array.from({ length: lookUps }, (_, k) => {
      const [tokenIn, tokenOut] = pairOf(k)
      const started = performance.now()
      const { pools } = reader.find(pin, {
        sources,
        tokensIn: [spell(tokenIn)],
        tokensOut: [spell(tokenOut)],
        connectors: hubs.map(spell),
        maxHops: 3,
        gates: [],
        runsHooks: false,
      })
      candidates += pools.length
      return performance.now() - started
    }).sort((a, b) => a - b)
    return {
      between: kind,
      'p50 ms': round(quantile(times, 0.5), 2),
      'p95 ms': round(quantile(times, 0.95), 2),
      'candidates, mean': round(candidates / lookUps, 1),
    }
  })
  reader.close()
  return rows
}

async function http(): Promise<Section['rows']> {
  const settings = { AUTH_MODE: 'open', RATE_LIMIT_PER_MINUTE: '10000000' }
  const services = [
    ['off', await startService(settings)],
    ['on', await startService({ ...settings, POOL_INDEX: 'on' })],
  ] as const
  try {
    const times = new Map<string, number[]>(services.map(([name]) => [name, []]))
    const firsts = new Map<string, number>()
    for (const [name, service] of services) firsts.set(name, await quote(service, 0))
    for (let serial = 1; serial <= quotes; serial++) {
      for (const [name, service] of services) {
        const ms = await quote(service, serial)
        // The first ones warm threads and forks.
        if (serial > quotes / 10) times.get(name)?.push(ms)
      }
    }
    return [...times].map(([name, all]) => {
      const sorted = all.sort((a, b) => a - b)
      return {
        index: name,
        'first ms': Math.round(firsts.get(name) ?? 0),
        'p50 ms': round(quantile(sorted, 0.5), 1),
        'p95 ms': round(quantile(sorted, 0.95), 1),
      }
    })
  } finally {
    for (const [, service] of services) await service.stop()
  }
}

/** One WETH and a little into USDC. */
async function quote(service: TestService, serial: number): Promise<number> {
  const started = performance.now()
  const answer = await service.get('/api/v1/shortcuts/quote', {
    tokenIn: ethereum.wrappedNative,
    tokenOut: ethereum.stableAnchors[0] ?? nativeToken,
    amountIn: (10n ** 18n + BigInt(serial) * 10n ** 12n).toString(),
  })
  if (answer.status !== 200) throw new Error(answer.text)
  return performance.now() - started
}

async function outputs(): Promise<Section['rows'][number]> {
  const off = await openSandbox()
  const on = await openSandbox({ hasIndex: true })
  try {
    const made = await makeRequests(off.context, createLaneCurves(), { count: requests, seed: 1n })
    const more: number[] = []
    const ms = { off: 0, on: 0 }
    const pools = { off: 0, on: 0 }
    for (const request of made.requests) {
      const { tokenIn, tokenOut } = request
      const best = async (name: 'off' | 'on') => {
        const { context } = name === 'off' ? off : on
        const all = await context.poolsBetween(tokenIn, tokenOut)
        pools[name] += all.length
        const started = performance.now()
        const { candidates } = findCandidates({
          market: new MarketView({ pools: all }),
          wrappedNative: context.wrappedNative,
          inputs: [{ token: tokenIn, amount: request.amountIn }],
          tokensOut: [tokenOut],
          maxHops: context.maxHops,
          count: 24,
          gasCost: (token) => (token === tokenOut ? request.gasCostOut : request.gasCostIn),
        })
        ms[name] += performance.now() - started
        const net = candidates
          .filter(({ exact }) => exact)
          .map(({ amountOut, gas }) => amountOut - (gas * (request.gasCostOut ?? 0n)) / 1_000_000n)
        let most = 0n
        for (const one of net) if (one > most) most = one
        return most
      }
      const [without, with_] = [await best('off'), await best('on')]
      if (without > 0n) more.push((Number(with_) / Number(without) - 1) * 10_000)
    }
    more.sort((a, b) => a - b)
    const count = made.requests.length
    return {
      requests: more.length,
      better: more.filter((bps) => bps > 0.001).length,
      worse: more.filter((bps) => bps < -0.001).length,
      'worst bps': round(more[0] ?? 0, 3),
      'median bps': round(quantile(more, 0.5), 3),
      'p90 bps': round(quantile(more, 0.9), 3),
      'best bps': round(more.at(-1) ?? 0, 3),
      'pools, off': round(pools.off / count, 1),
      'pools, on': round(pools.on / count, 1),
      'search ms, off': round(ms.off / count, 1),
      'search ms, on': round(ms.on / count, 1),
    }
  } finally {
    await off.close()
    await on.close()
  }
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits)) + 0
}
