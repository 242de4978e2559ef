/**
 * The first answer at a block that a service was never asked for, in a process of its own: how long it takes, how often
 * the node is asked, and how many of these requests wait for each other.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { createRpcClient } from '../src/rpc/node/json-rpc.js'
import { usageOf } from './compare/processes.js'
import { type MeasuredService, startMeasured } from './compare/service.js'
import { type LatencyNode, sequentialRounds } from './latency-node.js'

export interface FirstCost {
  readonly ms: number
  /** Processor time. */
  readonly serviceMs: number
  readonly forksMs: number
  readonly requests: number
  /** Of the requests, so many one after the other. */
  readonly rounds: number
}

export interface AskedChain {
  /** A token that was not met before, and one to get for it. */
  readonly other: Quote
  /** Number of a block that the service has not seen. */
  newBlock(head: number): Promise<number>
}

interface Quote {
  readonly tokenIn: string
  readonly amountIn: bigint
  readonly tokenOut: string
}

const [weth, usdc, uni, link] = [
  '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984',
  '0x514910771af9ca656af840dff83e8264ecf986ca',
] as const
const example: Quote = { tokenIn: weth, amountIn: 10n ** 18n, tokenOut: usdc }
/** At the head, before the new block: code that has run before is compiled. */
const quotesBefore = 20n
const idleMs = 3_000

/** A chain that mines when it is told to. */
export function sandboxChain(nodeUrl: string): AskedChain {
  return {
    other: { tokenIn: uni, amountIn: 10n ** 19n, tokenOut: link },
    async newBlock(head) {
      const client = createRpcClient(nodeUrl)
      await client.request('evm_mine', [])
      await client.close()
      return head + 1
    },
  }
}

/** Of its last two blocks, whose state it gives, the one before the newest. */
export const givenChain: AskedChain = {
  other: { ...example, tokenOut: link },
  newBlock: async (head) => head - 1,
}

export const firsts = [
  'known pools',
  'another pair',
  'another pair, at the head',
  'first of all',
] as const

/**
 * Of a new service at the node.
 * @param folder - of a built forkroute.
 */
export async function firstAnswer(
  folder: string,
  node: LatencyNode,
  chain: AskedChain,
  what: (typeof firsts)[number],
): Promise<FirstCost> {
  // It does not see the new block by itself.
  const service = await startMeasured(folder, { RPC_URL_1: node.url, HEAD_POLL_MS: '600000' })
  try {
    if (what !== 'first of all') {
      for (let more = 0n; more < quotesBefore; more++) {
        await quote(service, { ...example, amountIn: example.amountIn + more })
      }
    }
    // Blocks come seconds apart: what is prepared for the next one is ready by then.
    await setTimeout(idleMs)
    const [network] = JSON.parse(await service.get('/api/v1/networks'))
    const blockNumber = isAtHead(what) ? undefined : await chain.newBlock(network.blockNumber)
    node.reset()
    const before = usageOf(service.pid)
    const started = performance.now()
    await quote(service, what === 'known pools' ? example : chain.other, blockNumber)
    const ms = performance.now() - started
    const after = usageOf(service.pid)
    return {
      ms,
      serviceMs: after.serviceMs - before.serviceMs,
      forksMs: after.forksMs - before.forksMs,
      requests: node.requests.length,
      rounds: sequentialRounds(node.requests),
    }
  } finally {
    await service.stop()
  }
}

/** Others were quoted at that block. */
function isAtHead(what: (typeof firsts)[number]): boolean {
  return what === 'another pair, at the head'
}

function quote(
  service: MeasuredService,
  { tokenIn, amountIn, tokenOut }: Quote,
  blockNumber?: number,
): Promise<string> {
  const asked = { chainId: '1', tokenIn, amountIn: String(amountIn), tokenOut }
  const at = blockNumber === undefined ? {} : { blockNumber: String(blockNumber) }
  return service.get(`/api/v1/shortcuts/quote?${new URLSearchParams({ ...asked, ...at })}`)
}

/** The middle of several, figure by figure, and the least time. */
export function toRow(costs: readonly FirstCost[]) {
  const middle = (of: (cost: FirstCost) => number) =>
    Math.round(costs.map(of).sort((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0)
  return {
    ms: middle(({ ms }) => ms),
    'least ms': Math.round(Math.min(...costs.map(({ ms }) => ms))),
    requests: middle(({ requests }) => requests),
    'round trips': middle(({ rounds }) => rounds),
    'service ms': middle(({ serviceMs }) => serviceMs),
    'forks ms': middle(({ forksMs }) => forksMs),
  }
}
