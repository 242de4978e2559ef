/** What the Route view asks: the address bar has it whole, so that a link repeats it. */
import type { ForkrouteClient, Route, RouteInput } from '../../client/client.js'
import { toRaw } from '../app/numbers.js'
import { tokenFor } from '../app/tokens.js'

/** Texts as they are in the address. */
export interface Question {
  readonly chain: string
  readonly in: string
  readonly out: string
  /** In units of tokenIn. */
  readonly amount: string
  /** Chain on which tokenOut is received; empty: the same. */
  readonly to: string
  /** Block or time; empty: the newest. */
  readonly at: string
  /** A second one to compare with; empty: none. */
  readonly vs: string
  /** Sender; empty: a stand-in. */
  readonly from: string
  /** Pools to leave out, by commas. */
  readonly exclude: string
}

export interface Answered {
  readonly request: RouteInput
  readonly route: Route
}

const names = ['chain', 'in', 'out', 'amount', 'to', 'at', 'vs', 'from', 'exclude'] as const

/** Funds of the sender do not matter, so any address without code will do. */
const standIn = '0x000000000000000000000000000000000000f0c5'

export function readQuestion(query: URLSearchParams, defaultChain: string): Question {
  const given = Object.fromEntries(names.map((name) => [name, query.get(name) ?? '']))
  return { ...(given as unknown as Question), chain: query.get('chain') || defaultChain }
}

/** Whether there is enough to ask. */
export function isWhole(question: Question): boolean {
  return Boolean(question.in && question.out && question.amount && question.chain)
}

export const excludedPools = ({ exclude }: Question) => exclude.split(',').filter(Boolean)
export const outChainOf = ({ chain, to }: Question) => Number(to || chain)

/** @param at - block or time as the service reads it; empty: the newest. @throws what the service says, or Error. */
export async function askRoute(
  client: ForkrouteClient,
  question: Question,
  at: string,
  signal: AbortSignal,
): Promise<Answered> {
  const chainId = Number(question.chain)
  const token = await tokenFor(chainId, question.in, signal)
  const amount = toRaw(question.amount, token?.decimals ?? 0)
  if (!amount) throw new Error(`“${question.amount}” is no amount of this token.`)
  const block = at ? await client.block({ chainId, at }, { signal }) : null
  const excludePools = excludedPools(question)
  const request: RouteInput = {
    chainId,
    fromAddress: question.from || standIn,
    executionMode: 'backend',
    tokenIn: [question.in],
    tokenOut: [question.out],
    amountIn: [amount.toString()],
    ...(question.to &&
      question.to !== question.chain && { destinationChainId: outChainOf(question) }),
    ...(block && { blockNumber: block.number }),
    ...(excludePools.length > 0 && { excludePools }),
  }
  const more = { explain: 'true', trace: true, includeTransactionCost: true } as const
  return { request, route: await client.route({ ...request, ...more }, { signal }) }
}
