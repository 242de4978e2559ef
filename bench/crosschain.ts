/**
 * Routes over a bridge against routes on one chain with as many candidates: warm, one in flight, in turns; and the first
 * at blocks of both chains that were never asked for, with nodes 50 ms away.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { openCatalog } from '../src/catalog/store.js'
import { loadConfig } from '../src/config/config.js'
import { noAccount, type QuoteRequest } from '../src/domain/engine.js'
import { nativeToken } from '../src/domain/primitives.js'
import { sandboxPools } from '../src/sandbox/market/catalog.js'
import { type Sandbox, startSandboxes } from '../src/sandbox/sandbox.js'
import { createService, type Service } from '../src/service/service.js'
import { createLogger } from '../src/telemetry/log.js'
import { startLatencyNode } from './latency-node.js'
import { exampleQuote, quantile, type Section } from './section.js'

/** Quotes of each before those that count: code is compiled well only once it has run often. */
const warmUps = [40, 250]
const warmQuotes = 60
const latencyMs = 50
const quotesBefore = 10
/** Blocks come seconds apart: what is prepared for the next one is ready by then. */
const idleMs = 3_000
const coldBlocks = 9
const there = 8453

const onOneChain: QuoteRequest = {
  ...exampleQuote,
  inputs: [{ token: nativeToken, amount: 10n ** 18n }],
}
const overABridge: QuoteRequest = {
  ...onOneChain,
  // Aerodrome.
  tokensOut: ['0x940181a94a35a4569e4529a3cdfb74e38fd98631'],
  crosschain: { destinationChainId: there, mode: 'full', ignoreBridges: [] },
}

export async function crosschainBench(): Promise<Section[]> {
  const sandboxes = await startSandboxes([1, there])
  try {
    return [
      ...(await warm(sandboxes, 'warm, one in flight, in turns')),
      ...(await warm(sandboxes, 'the same with a list of pools imported on Ethereum', (dataDir) => {
        const catalog = openCatalog(dataDir)
        catalog.importPools(1, sandboxPools())
        catalog.close()
      })),
      { name: `first at new blocks, nodes ${latencyMs} ms away`, rows: await cold(sandboxes) },
    ]
  } finally {
    await Promise.all(sandboxes.map((sandbox) => sandbox.stop()))
  }
}

async function withService<T>(
  nodes: Readonly<Record<string, string>>,
  work: (service: Service) => Promise<T>,
  prepare: (dataDir: string) => void = () => undefined,
): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-bench-'))
  prepare(dataDir)
  const config = loadConfig({
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    HEAD_POLL_MS: '600000',
    ...nodes,
  })
  const service = await createService(config, { logger: createLogger('error') })
  try {
    return await work(service)
  } finally {
    await service.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Milliseconds of one quote; never the same amount twice. */
async function timed(service: Service, request: QuoteRequest, serial: number): Promise<number> {
  const context = { accountId: noAccount, signal: AbortSignal.timeout(120_000) }
  const inputs = request.inputs.map(({ token, amount }) => {
    return { token, amount: amount + BigInt(serial) * 10n ** 12n }
  })
  const begun = performance.now()
  await service.engine.quote({ ...request, inputs }, context)
  return performance.now() - begun
}

async function warm(
  sandboxes: readonly Sandbox[],
  name: string,
  prepare?: (dataDir: string) => void,
): Promise<Section[]> {
  const nodes = Object.fromEntries(sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url]))
  const work = async (service: Service) => {
    const sections: Section[] = []
    let serial = 0
    for (const before of warmUps) {
      const times: { one: number[]; over: number[] } = { one: [], over: [] }
      for (const end = before + warmQuotes; serial < end; serial++) {
        const one = await timed(service, onOneChain, serial)
        const over = await timed(service, overABridge, serial)
        if (serial < before) continue
        times.one.push(one)
        times.over.push(over)
      }
      sections.push({ name: `${name}, after ${before} of each`, rows: rowsOf(times) })
    }
    return sections
  }
  return withService(nodes, work, prepare)
}

async function cold(sandboxes: readonly Sandbox[]): Promise<Section['rows']> {
  const nodes = await Promise.all(sandboxes.map(({ url }) => startLatencyNode(url, latencyMs)))
  const urls = Object.fromEntries(
    sandboxes.map(({ chainId }, index) => [`RPC_URL_${chainId}`, nodes[index]?.url ?? '']),
  )
  try {
    return await withService(urls, async (service) => {
      for (let serial = 0; serial < quotesBefore; serial++) {
        await timed(service, onOneChain, serial)
        await timed(service, overABridge, serial)
      }
      await setTimeout(idleMs)
      const times: { one: number[]; over: number[] } = { one: [], over: [] }
      for (let back = 1; back <= 2 * coldBlocks; back += 2) {
        times.one.push(await timed(service, atBlocks(service, onOneChain, back), 0))
        times.over.push(await timed(service, atBlocks(service, overABridge, back + 1), 0))
      }
      return rowsOf(times)
    })
  } finally {
    for (const node of nodes) await node.stop()
  }
}

/** At blocks that were not asked for before, after the same quotes at the newest ones. */
function atBlocks(service: Service, request: QuoteRequest, back: number): QuoteRequest {
  const block = (chainId: number) => {
    const network = service.engine.networks().find(({ id }) => id === chainId)
    return BigInt((network?.blockNumber ?? 0) - back)
  }
  const { crosschain } = request
  return {
    ...request,
    blockNumber: block(1),
    ...(crosschain && {
      crosschain: { ...crosschain, destinationBlockNumber: block(there) },
    }),
  }
}

function rowsOf({ one, over }: { one: number[]; over: number[] }): Section['rows'] {
  const [a, b] = [one, over].map((times) => times.toSorted((x, y) => x - y)) as [number[], number[]]
  const at = (times: number[], q: number) => Math.round(quantile(times, q) * 10) / 10
  return [
    { what: 'one chain', 'p50 ms': at(a, 0.5), 'p99 ms': at(a, 0.99), 'times one chain': 1 },
    {
      what: 'over a bridge',
      'p50 ms': at(b, 0.5),
      'p99 ms': at(b, 0.99),
      'times one chain': Math.round((quantile(b, 0.5) / quantile(a, 0.5)) * 100) / 100,
    },
  ]
}
