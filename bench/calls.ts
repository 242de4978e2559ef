/**
 * What a new block costs at a provider that bills calls: two requests at each of some blocks, one block after the
 * other, from nodes with and without state overrides and proofs. The answers must be the same.
 */
import { rmSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { loadConfig } from '../src/config/config.js'
import { noAccount, type RouteRequest } from '../src/domain/engine.js'
import { bigintToString } from '../src/domain/primitives.js'
import { createService } from '../src/service/service.js'
import { createLogger } from '../src/telemetry/log.js'
import { startLatencyNode } from './latency-node.js'
import { makeDataDir } from './plain-fork.js'
import { exampleQuote, type Section } from './section.js'

/** One WETH into USDC, and 20,000 USDC back. */
const requests: readonly RouteRequest[] = [
  exampleQuote,
  {
    ...exampleQuote,
    inputs: [{ token: exampleQuote.tokensOut[0] ?? '0x', amount: 20_000_000_000n }],
    tokensOut: exampleQuote.inputs.map(({ token }) => token),
  },
]
const countedBlocks = 8n
const latenciesMs = [0, 50]

interface Abilities {
  readonly overrides: boolean
  readonly proofs: boolean
}

const nodes: readonly Abilities[] = [
  { overrides: true, proofs: true },
  { overrides: true, proofs: false },
  { overrides: false, proofs: true },
  { overrides: false, proofs: false },
]

interface BlockCost {
  readonly http: number
  readonly calls: number
  readonly ms: number
}

/** @param last - the last of the blocks; the node has the state of all of them. */
export async function callsPerBlock(nodeUrl: string, last: bigint): Promise<Section> {
  const rows: Section['rows'] = []
  const answers = new Set<string>()
  for (const latencyMs of latenciesMs) {
    for (const abilities of nodes) {
      const walked = await walk(nodeUrl, last, latencyMs, abilities)
      answers.add(walked.answers)
      rows.push(toRow(walked.costs, latencyMs, abilities))
    }
  }
  if (answers.size !== 1) throw new Error('The answers depend on what the node can do.')
  return {
    name: 'calls to the node, block after block',
    about:
      'Two requests per block as a backtest asks them, one block at a time; HTTP requests / calls in them, which is what providers bill. The answers of all rows are the same.',
    rows,
  }
}

async function walk(
  nodeUrl: string,
  last: bigint,
  latencyMs: number,
  { overrides, proofs }: Abilities,
): Promise<{ readonly costs: readonly BlockCost[]; readonly answers: string }> {
  const refused = [...(proofs ? [] : ['eth_getProof']), ...(overrides ? [] : ['overrides'])]
  const node = await startLatencyNode(nodeUrl, latencyMs, { refused })
  const folder = makeDataDir()
  const config = loadConfig({
    DATA_DIR: folder,
    LOG_LEVEL: 'error',
    RPC_URL_1: node.url,
    HEAD_POLL_MS: '600000',
    WORKERS: '1',
  })
  const service = await createService(config, { logger: createLogger('error') })
  const costs: BlockCost[] = []
  const answers: unknown[] = []
  try {
    for (let blockNumber = last - countedBlocks + 1n; blockNumber <= last; blockNumber++) {
      node.reset()
      const started = performance.now()
      const context = {
        accountId: noAccount,
        signal: AbortSignal.timeout(600_000),
        isBackground: true,
      }
      const { quotes } = await service.engine.quotes({ chainId: 1, blockNumber, requests }, context)
      const ms = performance.now() - started
      answers.push(quotes.map((quote) => (quote.ok ? quote.value : null)))
      const calls = node.requests.map(({ body }) => [JSON.parse(body)].flat().length)
      costs.push({ http: calls.length, calls: calls.reduce((sum, n) => sum + n, 0), ms })
    }
  } finally {
    await service.close()
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { costs, answers: JSON.stringify(answers, bigintToString) }
}

function toRow(
  costs: readonly BlockCost[],
  latencyMs: number,
  { overrides, proofs }: Abilities,
): Section['rows'][number] {
  const [first, second, ...rest] = costs
  const text = (cost?: Omit<BlockCost, 'ms'>) =>
    cost ? `${Math.round(cost.http)} / ${Math.round(cost.calls)}` : ''
  const mean = (pick: (cost: BlockCost) => number) =>
    rest.reduce((sum, cost) => sum + pick(cost), 0) / rest.length
  return {
    'latency ms': latencyMs,
    overrides: overrides ? 'yes' : 'no',
    proofs: proofs ? 'yes' : 'no',
    first: text(first),
    second: text(second),
    'mean of the rest': text({ http: mean(({ http }) => http), calls: mean(({ calls }) => calls) }),
    'ms per block': Math.round(mean(({ ms }) => ms)),
  }
}
