/** The curve of a pair over sizes: what is asked, and what the answers say. */
import type { ForkrouteClient, QuoteBatch } from '../../client/client.js'
import { toRaw } from '../app/numbers.js'
import { tokenFor } from '../app/tokens.js'
import { poolsOf, type Quoted, type Size, sizesBetween } from './sizes.js'

/** Texts as they are in the address. */
export interface Question {
  readonly chain: string
  readonly in: string
  readonly out: string
  /** The least and the most that is given, in units. */
  readonly least: string
  readonly most: string
  readonly at: string
}

export interface Venue {
  readonly protocol: string
  readonly sizes: readonly Size[]
}

/** Over all venues together. */
export interface Depth {
  readonly chainId: number
  readonly blockNumber: number
  readonly sizes: readonly Size[]
}

const names = ['chain', 'in', 'out', 'least', 'most', 'at'] as const
/** The most venues, of those that the routes use, that get a curve: each costs as many quotes as there are sizes. */
const mostVenues = 5
/** Less is simulated, and the best found all the same. */
const proof = 'adaptive' as const

export function readQuestion(query: URLSearchParams, defaultChain: string): Question {
  const given = Object.fromEntries(names.map((name) => [name, query.get(name) ?? '']))
  return { ...(given as unknown as Question), chain: query.get('chain') || defaultChain }
}

export const isWhole = (question: Question) =>
  Boolean(question.in && question.out && question.least && question.most)

/** @throws what the service says, or Error. */
export async function askTogether(
  client: ForkrouteClient,
  question: Question,
  signal: AbortSignal,
): Promise<Depth> {
  const chainId = Number(question.chain)
  const token = await tokenFor(chainId, question.in, signal)
  const [least, most] = [question.least, question.most].map((one) =>
    toRaw(one, token?.decimals ?? 0),
  )
  if (!least || !most || least >= most) {
    throw new Error('Enter two sizes, the smaller one first.')
  }
  const { at } = question
  const block = at ? await client.block({ chainId, at }, { signal }) : null
  const amounts = sizesBetween(least, most)
  const answer = await client.quotes(
    {
      chainId,
      ...(block && { blockNumber: block.number }),
      quotes: [{ ...pairOf(question, amounts), proof }],
    },
    { signal },
  )
  const [sizes = []] = laddersOf(answer, amounts)
  return { chainId, blockNumber: answer.blockNumber, sizes }
}

/** The same sizes at the same block in each venue that they use, by itself; none where that is one. */
export async function askVenues(
  client: ForkrouteClient,
  question: Question,
  { chainId, blockNumber, sizes }: Depth,
  signal: AbortSignal,
): Promise<readonly Venue[]> {
  const used = venuesBySize(sizes).slice(0, mostVenues)
  if (used.length < 2) return []
  const amounts = sizes.map(({ amountIn }) => amountIn)
  const all = (await client.aggregators({}, { signal })) as readonly string[]
  const quotes = used.map((venue) => ({
    ...pairOf(question, amounts),
    proof,
    ignoreAggregators: all.filter((one) => one !== venue),
  }))
  const answer = await client.quotes({ chainId, blockNumber, quotes }, { signal })
  return laddersOf(answer, amounts).map((its, index) => ({
    protocol: used[index] ?? '',
    sizes: its,
  }))
}

const pairOf = (question: Question, amounts: readonly bigint[]) => ({
  tokenIn: [question.in],
  tokenOut: [question.out],
  amountIn: amounts.map(String),
})

function laddersOf({ quotes }: QuoteBatch, sizes: readonly bigint[]): readonly (readonly Size[])[] {
  return quotes.map((one) =>
    sizes.map((amountIn, index): Size => {
      const rung = 'ladder' in one ? one.ladder[index] : one
      if (rung && 'amountOut' in rung) return { amountIn, quote: rung as Quoted, problem: null }
      const error = rung && 'error' in rung ? rung.error : null
      return {
        amountIn,
        quote: null,
        problem: error ? [error.message].flat().join(' ') : 'No quote.',
      }
    }),
  )
}

/** The venues of all sizes, those that most sizes use first. */
function venuesBySize(sizes: readonly Size[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const size of sizes) {
    for (const venue of new Set(poolsOf(size).map(({ protocol }) => protocol))) {
      counts.set(venue, (counts.get(venue) ?? 0) + 1)
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([venue]) => venue)
}
