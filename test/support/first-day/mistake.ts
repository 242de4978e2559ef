/**
 * Mistakes of a first day as data: each a request to the sandbox, and what its answer tells. `docs/reference/first-day.md` is
 * written from them, and the end-to-end test sends each.
 */
import type { NextStep } from '../../../src/domain/next-step.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { vaultSpecs } from '../../../src/sandbox/venues/erc-4626.js'
import type { Action } from '../bundle.js'

export interface Mistake {
  /** Number in the list of the first trial; letters for those that came later, and for bundles. */
  readonly number: string
  /** What the user did. */
  readonly mistake: string
  /** What a person thought of an earlier version's answer. */
  readonly before: string
  /** Its answer tells what gas costs, which depends on the account: asked in open mode, where everybody is the same. */
  readonly isInOpenMode?: true
  readonly request: MistakenRequest
  readonly answer: ExpectedAnswer
}

export interface MistakenRequest {
  /** Default: GET. */
  readonly method?: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  /** Besides those of a client with a key. */
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, unless it is a text. */
  readonly body?: unknown
}

export interface ExpectedAnswer {
  readonly status: number
  /** Absent for an answer that is no error. */
  readonly code?: string
  /** The sentences of the message; of an answer that is no error its warnings. */
  readonly says: readonly string[]
  /** `details.next`; absent: there is none. */
  readonly next?: readonly NextStep[]
}

export const address = (symbol: string): Address => sandboxToken(symbol).address
export const usdc = address('USDC')
export const weth = address('WETH')
export const alice = sandboxAccount('alice').address
export const bob = sandboxAccount('bob').address
export const carol = sandboxAccount('carol').address
/** Holds nothing. */
export const stranger = '0x00000000000000000000000000000000000a11ce'
export const ether = '1000000000000000000'
export const router = contractAddress('Router')

/** A vault of the sandbox by what is odd about it. */
export function vault(suffix: string): string {
  const found = vaultSpecs.find((one) => one.suffix === suffix)
  if (!found) throw new RangeError(`The sandbox has no vault that is ${suffix}.`)
  return found.address
}

type Changes = Readonly<Record<string, string | readonly string[] | undefined>>

/** A thousand USDC of Alice for WETH, with the changes of the mistake; undefined takes a parameter away. */
export function route(changes: Changes = {}): MistakenRequest {
  return { path: '/api/v1/shortcuts/route', query: trade({ fromAddress: alice, ...changes }) }
}

/** The same as a quote. */
export function quote(changes: Changes = {}): MistakenRequest {
  return { path: '/api/v1/shortcuts/quote', query: trade(changes) }
}

function trade(changes: Changes): Record<string, string | readonly string[]> {
  const all = { tokenIn: usdc, tokenOut: weth, amountIn: '1000000000', ...changes }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** A quote of ether for USDC with its parameters in the body. */
export function postedQuote(amountIn: unknown): MistakenRequest {
  const body = { tokenIn: nativeToken, tokenOut: usdc, amountIn }
  return { method: 'POST', path: '/api/v1/shortcuts/quote', body }
}

/** Actions that Alice bundles. */
export function bundle(actions: readonly Action[]): MistakenRequest {
  const query = { fromAddress: alice }
  return { method: 'POST', path: '/api/v1/shortcuts/bundle', query, body: actions }
}

/** What to do, as `details.next` has it. */
export const backendMode = { parameter: 'executionMode', value: 'backend' }
export const quoteInstead = { endpoint: 'GET /api/v1/shortcuts/quote' }
export const withKey = { header: 'authorization', value: 'Bearer <key>' }
