/**
 * Makers that sign when they are asked: their levels are followed, and one is asked for its signature with the amount that
 * a route needs of it.
 */
import { Agent, request } from 'undici'
import type { MakerSource } from '../config/makers.js'
import type { MakerDemand, MakerLevels, Makers, SignedOrder } from '../domain/signed-order.js'
import { createNews, type Feed, mostBytes, openFeed, timeoutMs } from './feed.js'
import { levelsOf } from './levels.js'

export interface MakerOptions {
  /** Between two questions for levels. */
  readonly pollMs: number
  /** How long a maker may take to sign. */
  readonly signMs: number
  /** Reads an order as makers give it away. @throws what is wrong with it. */
  readOrder(chainId: number, row: unknown): Promise<SignedOrder>
  /** Gets sentences without addresses. */
  onProblem(message: string): void
  /** Told of each question for a signature: signed, refused, or late. */
  onAsked(name: string, outcome: 'signed' | 'refused' | 'late'): void
}

export interface OpenMakers extends Makers {
  /** Fulfilled once each of them was asked for its levels; never rejects. */
  readonly asked: Promise<unknown>
  close(): Promise<void>
}

interface OpenMaker {
  readonly source: MakerSource
  readonly feed: Feed<readonly MakerLevels[]>
  /** Of its signatures. */
  readonly news: ReturnType<typeof createNews>
}

export function openMakers(sources: readonly MakerSource[], options: MakerOptions): OpenMakers {
  const agent = new Agent({ maxResponseSize: mostBytes, connections: 16 })
  const open = sources.map((source): OpenMaker => {
    const subject = `What the maker ${source.name} signs on chain ${source.chainId}`
    const news = createNews({ subject, onProblem: options.onProblem })
    return { source, feed: openLevels(source, agent, options), news }
  })
  const byName = new Map(open.map((one) => [keyOf(one.source), one]))
  return {
    levels: (chainId) =>
      open.flatMap(({ source, feed }) =>
        source.chainId === chainId ? (feed.current() ?? []) : [],
      ),
    async sign(demand, { ms, signal }) {
      const maker = byName.get(keyOf(demand))
      const timeout = Math.min(options.signMs, ms)
      return maker ? signedBy(maker, demand, { agent, options, timeout, signal }) : null
    },
    asked: Promise.all(open.map(({ feed }) => feed.asked)),
    async close() {
      await Promise.all(open.map(({ feed }) => feed.close()))
      await agent.close()
    },
  }
}

function keyOf({ chainId, name }: { readonly chainId: number; readonly name: string }): string {
  return `${chainId} ${name}`
}

function openLevels(
  source: MakerSource,
  agent: Agent,
  { pollMs, onProblem }: MakerOptions,
): Feed<readonly MakerLevels[]> {
  return openFeed({
    source: source.levels,
    subject: `What the maker ${source.name} offers on chain ${source.chainId}`,
    pollMs,
    ask: (signal) => answerOf(source.levels, { agent, source, timeout: timeoutMs, signal }),
    read: (document, problems) => levelsOf(source, document, problems),
    merge: (_earlier, next) => next,
    onProblem,
  })
}

/** Asked once, for exactly what the route needs. */
async function signedBy(
  { source, news }: OpenMaker,
  { chainId, tokenIn, tokenOut, amountIn }: MakerDemand,
  {
    agent,
    options,
    timeout,
    signal,
  }: {
    readonly agent: Agent
    readonly options: MakerOptions
    readonly timeout: number
    readonly signal: AbortSignal
  },
): Promise<SignedOrder | null> {
  const { name } = source
  const body = { chainId, tokenIn, tokenOut, amountIn: String(amountIn) }
  try {
    const row = await answerOf(source.quote, { agent, source, timeout, signal, body })
    const order = await options.readOrder(chainId, row)
    if (order.tokenIn !== tokenIn || order.tokenOut !== tokenOut) {
      throw new Error('it is of another pair than was asked for')
    }
    news.well()
    options.onAsked(name, 'signed')
    return order
  } catch (error) {
    signal.throwIfAborted()
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    options.onAsked(name, isLate ? 'late' : 'refused')
    if (!isLate) news.ill(error instanceof Error ? error.message : String(error))
    return null
  }
}

/** @throws Error without the address. */
async function answerOf(
  url: string,
  asked: {
    readonly agent: Agent
    readonly source: MakerSource
    readonly timeout: number
    readonly signal: AbortSignal
    readonly body?: object
  },
): Promise<unknown> {
  const { agent, source, timeout, signal, body } = asked
  const { statusCode, body: answer } = await request(url, {
    dispatcher: agent,
    method: body ? 'POST' : 'GET',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(source.authorization !== null && { authorization: source.authorization }),
    },
    body: body ? JSON.stringify(body) : null,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
  })
  const text = await answer.text()
  if (statusCode !== 200) throw new Error(`it answered with status ${statusCode}`)
  return JSON.parse(text)
}
