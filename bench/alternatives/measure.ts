/** Times, upstream requests and memory of every contestant, and what each chose. */
import { ethereum } from '../../src/chains/ethereum.js'
import type { BlockPin } from '../../src/domain/primitives.js'
import { gasPriceAfter } from '../../src/forks/block-environment.js'
import { startLatencyNode } from '../latency-node.js'
import { quantile } from '../section.js'
import {
  type Asked,
  type Contestant,
  type ServiceContestant,
  startScript,
  startServiceContestant,
} from './contestants.js'
import type { Question, Role, Trade } from './contract.js'
import { makeTrades } from './trades.js'
import { type Codes, factories } from './venues.js'

export const warmLatencyMs = 0
export const coldLatencyMs = 50
/** Of the trades, each at a fresh start of everything. */
export const coldTrades = [1, 8, 14]

const scripts = ['quoter', 'naive', 'plain'] as const satisfies readonly Role[]
/** The service, the service with the venues of the scripts alone, and the scripts. */
export type Way = Role | 'ours' | 'sameVenues'

export interface BenchContext {
  readonly nodeUrl: string
  readonly isSandbox: boolean
  /** The node has no eth_call. */
  readonly viaFork: boolean
  readonly head: BlockPin
  readonly previous: BlockPin
  readonly codes: Codes
  readonly script: string
}

export interface Warm {
  readonly trades: readonly Trade[]
  readonly asked: Readonly<Record<Way, readonly Asked[]>>
  readonly memoryMb: Readonly<Partial<Record<Way, number>>>
}

/** Medians. */
export interface Cold {
  readonly ms: number
  readonly requests: number
}

const start = (context: BenchContext, role: Role, nodeUrl: string): Promise<Contestant> =>
  startScript(context.script, role, { nodeUrl, viaFork: context.viaFork, codes: context.codes })

function question(pin: BlockPin, trade: Trade, paths: Question['paths']): Question {
  return { trade, pin, gasPrice: gasPriceAfter(pin, ethereum), paths }
}

/**
 * Every trade twice: the first answer warms, the second is timed. The naive loop once: at each revert Anvil forgets
 * what it has read from the node, so that nothing ever gets warm.
 */
export async function runWarm(context: BenchContext): Promise<Warm> {
  const node = await startLatencyNode(context.nodeUrl, warmLatencyMs)
  const memoryMb: Partial<Record<Way, number>> = {}
  const asked: Record<Way, Asked[]> = { ours: [], sameVenues: [], quoter: [], naive: [], plain: [] }
  const paths = (index: number) => asked.quoter[index]?.choice?.paths ?? []
  try {
    const service = await startServiceContestant(node.url)
    const trades = await makeTrades(service.url, context.isSandbox)
    const ignored = await otherVenues(service)
    for (const trade of trades) {
      const one = question(context.head, trade, [])
      await service.ask(one)
      asked.ours.push(await service.ask(one))
      await service.askWithout(one, ignored)
      asked.sameVenues.push(await service.askWithout(one, ignored))
    }
    memoryMb.ours = service.memoryMb()
    await service.stop()
    for (const role of scripts) {
      const script = await start(context, role, node.url)
      for (const [index, trade] of trades.entries()) {
        const one = question(context.head, trade, paths(index))
        if (role !== 'naive') await script.ask(one)
        asked[role].push(await script.ask(one))
      }
      memoryMb[role] = script.memoryMb()
      await script.stop()
    }
    return { trades, asked, memoryMb }
  } finally {
    await node.stop()
  }
}

async function otherVenues({ url }: ServiceContestant): Promise<string[]> {
  const response = await fetch(`${url}/api/v1/aggregators`)
  const slugs = (await response.json()) as string[]
  return slugs.filter((slug) => !(slug in factories))
}

/** The first answer at a block, after one at its neighbour; all processes and caches fresh for each trade. */
export async function runCold(
  context: BenchContext,
  warm: Warm,
): Promise<Record<Role | 'ours', Cold>> {
  const measured: Record<Role | 'ours', Cold[]> = { ours: [], quoter: [], naive: [], plain: [] }
  const node = await startLatencyNode(context.nodeUrl, coldLatencyMs)
  try {
    for (const [turn, index] of coldTrades.entries()) {
      const trade = warm.trades[index]
      if (!trade) continue
      const paths = warm.asked.quoter[index]?.choice?.paths ?? []
      for (const way of ['ours', ...scripts] as const) {
        // It takes a minute, and carries nothing from block to block.
        if (way === 'naive' && turn > 0) continue
        const contestant = await (way === 'ours'
          ? startServiceContestant(node.url)
          : start(context, way, node.url))
        if (way !== 'naive') await contestant.time(question(context.head, trade, paths))
        node.reset()
        const ms = await contestant.time(question(context.previous, trade, paths))
        measured[way].push({ ms, requests: node.requests.length })
        await contestant.stop()
      }
    }
  } finally {
    await node.stop()
  }
  const median = (values: number[]) =>
    quantile(
      values.sort((a, b) => a - b),
      0.5,
    )
  const summary = (list: readonly Cold[]): Cold => ({
    ms: median(list.map(({ ms }) => ms)),
    requests: median(list.map(({ requests }) => requests)),
  })
  return {
    ours: summary(measured.ours),
    quoter: summary(measured.quoter),
    naive: summary(measured.naive),
    plain: summary(measured.plain),
  }
}
