/** One peer against the service: every trade asked and judged, then both timed. */

import { ethereum } from '../../src/chains/ethereum.js'
import { defined } from '../../src/domain/defined.js'
import type { MarketPool } from '../../src/routing/market/market-view.js'
import { memoryOf } from '../compare/processes.js'
import { lostTo, type Match, type Side } from './compare.js'
import type { Question } from './contract.js'
import type { Executable, Judge, Verdict } from './judge.js'
import { type LeagueMarket, trader } from './market.js'
import { allBut, askOurs, type OurAnswer, timeOurs } from './ours.js'
import { type Peer, peers, startPeer } from './peers/peer.js'
import { settle } from './settle.js'
import type { Trade } from './trades.js'

export interface Times {
  /** Ascending, milliseconds. */
  readonly alone: readonly number[]
  readonly eight: readonly number[]
}

export interface Played {
  /** We may use the peer's venues alone. */
  readonly restricted: readonly Match[]
  readonly free: readonly Match[]
  /** Messages of the peer's errors, by how often. */
  readonly failures: ReadonlyMap<string, number>
  readonly times: Readonly<Record<'theirs' | 'restricted' | 'free', Times>> | null
  readonly memoryMb: { readonly theirs: number; readonly ours: number; readonly forks: number }
}

export interface PlayOptions {
  readonly peer: string
  readonly market: LeagueMarket
  readonly judge: Judge
  readonly trades: readonly Trade[]
  /** Gives the peer every pool of its venues, not only those between the trade's tokens and the connector tokens. */
  readonly allPools?: boolean
  /** Whether both are timed as well; default true. */
  readonly isTimed?: boolean
}

const inFlight = 8

export async function play(options: PlayOptions): Promise<Played> {
  const { market } = options
  const kind = peers[options.peer]
  if (!kind) throw new Error(`there is no peer ${options.peer}`)
  const venues = kind.venues[market.name]
  if (!venues) throw new Error(`${options.peer} is not played on ${market.name}`)
  const pools = await market.pools(venues)
  const peer = await startPeer(options.peer, await market.toldOf(pools.values()))
  try {
    const ignored = await allBut(market, venues)
    const played: Record<'restricted' | 'free', Match[]> = { restricted: [], free: [] }
    const failures = new Map<string, number>()
    for (const trade of options.trades) {
      const execute = once(options.judge, trade)
      const { side: theirs, failure } = await askPeer({ options, peer, pools, trade, execute })
      if (failure) failures.set(failure, (failures.get(failure) ?? 0) + 1)
      const answer = async (left: readonly string[]) =>
        sideOf(await askOurs(market, trade, left), execute)
      played.restricted.push({ trade, theirs, ...(await answer(ignored)) })
      played.free.push({ trade, theirs, ...(await answer([])) })
    }
    const restricted = await explain(options, played.restricted, ignored)
    const free = await explain(options, played.free, [])
    const times = options.isTimed === false ? null : await timeAll(options, peer, ignored)
    const { serviceMb, forksMb } = memoryOf(market.service.pid)
    const memoryMb = { theirs: peer.memoryMb(), ours: serviceMb, forks: forksMb }
    return { restricted, free, failures, times, memoryMb }
  } finally {
    await peer.stop()
  }
}

async function sideOf(
  answer: OurAnswer | string,
  execute: (answer: Executable) => Promise<Verdict>,
): Promise<Pick<Match, 'ours' | 'noAnswer'>> {
  if (typeof answer === 'string') return { ours: null, noAnswer: answer }
  return { ours: { promised: answer.amountOut, ...(await execute(answer)) } }
}

/** Where the peer leads, with what a search of four hops in place of three gives. */
async function explain(
  { market, judge }: PlayOptions,
  matches: readonly Match[],
  ignored: readonly string[],
): Promise<Match[]> {
  const lost = new Set(lostTo(matches))
  const explained: Match[] = []
  for (const match of matches) {
    if (!lost.has(match)) {
      explained.push(match)
      continue
    }
    const { trade } = match
    const service = await market.fourHopService()
    const answer = await askOurs({ service, pin: market.pin }, trade, ignored)
    const { ours: fourHops } = await sideOf(answer, (each) => judge.execute(trade, each))
    explained.push({ ...match, fourHops })
  }
  return explained
}

/**
 * The peer's plan, executed. Where it needs state that is not there, the peer is asked again without the pools at fault, as
 * our own search goes on without the candidates that need them.
 */
async function askPeer(args: {
  readonly options: PlayOptions
  readonly peer: Peer
  readonly pools: ReadonlyMap<string, MarketPool>
  readonly trade: Trade
  readonly execute: (answer: Executable) => Promise<Verdict>
}): Promise<{ side: Side | null; failure?: string | undefined }> {
  const { options, peer, pools, trade, execute } = args
  const { tokens } = options.market
  const without: string[] = []
  let first: Side | null = null
  for (;;) {
    const { plan, failure } = await peer.ask({ ...questionOf(options, trade), without })
    if (!plan) return first ? { side: first } : { side: null, failure }
    const side = {
      promised: plan.amountOut,
      ...(await execute({
        tx: settle({ plan, trade, pools, tokens, from: trader }),
        amountIn: plan.amountIn,
      })),
    }
    if (!side.unjudged)
      return { side: first ? { ...side, ...defined({ unjudged: first.unjudged }) } : side }
    first ??= side
    const missing = new Set(side.unjudged.map(({ address }) => address))
    const atFault = plan.legs.flatMap(({ pool }) => {
      const address = pools.get(pool)?.loaded.pool.address
      return address && missing.has(address) ? [pool] : []
    })
    if (atFault.length === 0) return { side: first }
    without.push(...atFault)
  }
}

function questionOf({ allPools }: PlayOptions, trade: Trade): Question {
  const { tokenIn, tokenOut, exact, amount, perEther } = trade
  const near = [...new Set([tokenIn, tokenOut, ...ethereum.connectorTokens])]
  const among = allPools ? null : near
  return { tokenIn, tokenOut, exact, amount, perEther, among, without: [] }
}

/** The same transaction is executed once. */
function once(judge: Judge, trade: Trade) {
  const done = new Map<string, Verdict>()
  return async (answer: Executable): Promise<Verdict> => {
    const key = answer.tx.to + answer.tx.data
    const known = done.get(key)
    if (known) return known
    const verdict = await judge.execute(trade, answer)
    done.set(key, verdict)
    return verdict
  }
}

/** Everything was asked once before. */
async function timeAll(options: PlayOptions, peer: Peer, ignored: readonly string[]) {
  const { market, trades } = options
  const ways = {
    theirs: async (trade: Trade) => (await peer.ask(questionOf(options, trade))).ms,
    restricted: (trade: Trade) => timeOurs(market, trade, ignored),
    free: (trade: Trade) => timeOurs(market, trade, []),
  }
  const timed = async (ask: (trade: Trade) => Promise<number>): Promise<Times> => ({
    alone: await timesOf(trades, 1, ask),
    eight: await timesOf(trades, inFlight, ask),
  })
  return {
    theirs: await timed(ways.theirs),
    restricted: await timed(ways.restricted),
    free: await timed(ways.free),
  }
}

async function timesOf(
  trades: readonly Trade[],
  parallel: number,
  ask: (trade: Trade) => Promise<number>,
): Promise<number[]> {
  const times: number[] = []
  const left = trades[Symbol.iterator]()
  const work = async () => {
    for (const trade of left) times.push(await ask(trade))
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return times.sort((a, b) => a - b)
}
