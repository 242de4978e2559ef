/** Quotes at every new head, as rows; listening while it is not paused. */
import { useEffect, useState } from 'preact/hooks'
import { toRaw } from '../app/numbers.js'
import { client, key, noteRefusal } from '../app/session.js'
import { tokenFor } from '../app/tokens.js'

/** Texts as they are in the address. */
export interface Question {
  readonly chain: string
  readonly in: string
  readonly out: string
  readonly amount: string
}

export interface Head {
  readonly blockNumber: number
  /** Null: this block has no quote. */
  readonly amountOut: bigint | null
  readonly gas: bigint | null
  readonly venues: string
  readonly problem: string | null
}

export interface Listening {
  /** In the order of blocks. */
  readonly heads: readonly Head[]
  readonly amountIn: bigint | null
  /** Why the latest block has none; null: it has. The stream goes on. */
  readonly problem: string | null
  /** Why it ended for good. */
  readonly error: unknown
}

const names = ['chain', 'in', 'out', 'amount'] as const
/** Earlier ones are let go. */
const mostHeads = 3_000
/** The most milliseconds of work before the page gets to draw. */
const longestMs = 12
const nothing: Listening = { heads: [], amountIn: null, problem: null, error: null }

export function readQuestion(query: URLSearchParams, defaultChain: string): Question {
  const given = Object.fromEntries(names.map((name) => [name, query.get(name) ?? '']))
  return { ...(given as unknown as Question), chain: query.get('chain') || defaultChain }
}

export const isWhole = (question: Question) =>
  Boolean(question.in && question.out && question.amount)

/** @param turn - another number begins anew after an error. */
export function useHeads(question: Question, isPaused: boolean, turn: number): Listening {
  const [state, setState] = useState<Listening>(nothing)
  const words = JSON.stringify(question)
  const whose = key.value
  useEffect(() => setState(nothing), [words])
  useEffect(() => {
    if (isPaused || !isWhole(question)) return
    const left = new AbortController()
    setState((now) => ({ ...now, error: null }))
    listen(question, left.signal, (change) => setState(change)).catch((error: unknown) => {
      if (left.signal.aborted) return
      noteRefusal(error)
      setState((now) => ({ ...now, error }))
    })
    return () => left.abort()
  }, [words, whose, isPaused, turn])
  return state
}

async function listen(
  question: Question,
  signal: AbortSignal,
  tell: (change: (now: Listening) => Listening) => void,
): Promise<void> {
  const chainId = Number(question.chain)
  const token = await tokenFor(chainId, question.in, signal)
  const amountIn = toRaw(question.amount, token?.decimals ?? 0)
  if (!amountIn) throw new Error(`“${question.amount}” is no amount of this token.`)
  tell((now) => ({ ...now, amountIn }))
  const quotes = [{ tokenIn: [question.in], tokenOut: [question.out], amountIn: [`${amountIn}`] }]
  let waiting: Head[] = []
  let problem: string | null = null
  let since = performance.now()
  const flush = () => {
    const heads = waiting
    waiting = []
    if (signal.aborted) return
    tell((now) => ({ ...now, problem, heads: withHeads(now.heads, heads) }))
  }
  for await (const event of client.peek().streamQuotes({ chainId, quotes }, { signal })) {
    if (signal.aborted) return
    problem = event.event === 'error' ? event.error.message : null
    // What comes in one go, as after a break, is shown in one go.
    if (waiting.length === 0) setTimeout(flush)
    if (event.event !== 'error') waiting.push(toHead(event.data))
    // Many at once must not hold up the page.
    if (performance.now() - since > longestMs) {
      await new Promise((done) => setTimeout(done))
      since = performance.now()
    }
  }
}

type Batch = Awaited<ReturnType<typeof client.value.quotes>>

function toHead({ blockNumber, quotes: [quote] }: Batch): Head {
  if (!quote || !('amountOut' in quote)) {
    const text = quote && 'error' in quote ? [quote.error.message].flat().join(' ') : 'No answer.'
    return { blockNumber, amountOut: null, gas: null, venues: '', problem: text }
  }
  const pools = quote.route.flatMap(({ internalRoutes = [] }) => internalRoutes)
  const venues = [...new Set(pools.map(({ protocol }) => protocol))].join(', ')
  return { blockNumber, amountOut: quote.amountOut, gas: quote.gas, venues, problem: null }
}

/** A block that comes again, after a reorganisation, takes the place of those from it on. */
function withHeads(heads: readonly Head[], more: readonly Head[]): readonly Head[] {
  const all = [...heads]
  for (const head of more) {
    while ((all.at(-1)?.blockNumber ?? -1) >= head.blockNumber) all.pop()
    all.push(head)
  }
  return all.slice(-mostHeads)
}
