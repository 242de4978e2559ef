/** Routes through pools that are declared, by an operator's file or by a protocol of this repository. */
import { parseAbi } from 'viem'
import { canonicalToken, type VenueParameters } from '../../../chains/chain.js'
import { argumentValues, namesOf, usesName, wordOf } from '../../../domain/declared-venue.js'
import type { Amount, AmountRef, ExecutorStep } from '../../../domain/order.js'
import { type Address, isNative, maxUint256 } from '../../../domain/primitives.js'
import type { Pool } from '../../pool.js'
import type { DiscoverArgs, EncodeSwapArgs, Swaps } from '../../protocol.js'
import { helperAddress } from '../helper-address.js'
import { sampledSwap } from '../sampled/sample.js'
import { type Calls, callsOf, type DeclaredEntry } from './entry.js'
import { contractOf, type DeclaredState, loadDeclared } from './load.js'

const helper = 'Values'
const [proportionAbi] = parseAbi([
  'function proportion(uint256 a, uint256 b, uint256 c) pure returns (uint256)',
])

/** Where the entries of pools are. */
export interface Declarations {
  /** Of all pools that need no look-up. */
  entries(venue: VenueParameters): readonly DeclaredEntry[]
  /** Null: there is no such pool. */
  entryOf(venue: VenueParameters, pool: Pool): DeclaredEntry | null
  /** A sentence that says so. */
  readonly absent: string
}

export function declaredSwaps({ entries, entryOf, absent }: Declarations): Swaps<DeclaredState> {
  return {
    paysRecipient: true,
    helperContracts: [helper],
    // Native comes to the Executor, which wraps it where a token is wanted.
    canPay: ({ tokens }, { entry }, tokenOut) =>
      !isNative(tokenOut) &&
      tokens.every(
        (tokenIn) => tokenIn === tokenOut || callsOf(entry, { tokenIn, tokenOut }).paysRecipient,
      ),
    discover: async (args) => ({
      pools: poolsAmong(entries(args.venue), args),
      unreadable: [],
    }),
    load: ({ reader, venue, pools }) =>
      loadDeclared({ reader, pools, entryOf: (pool) => entryOf(venue, pool), absent }),
    swap: (_pool, state, direction, amountIn) => sampledSwap(state, direction, amountIn),
    gasEstimate: (_pool, { entry }) => BigInt(entry.venue.gas),
    encodeSwap,
  }
}

function poolsAmong(
  entries: readonly DeclaredEntry[],
  { chain, pairs }: Pick<DiscoverArgs, 'chain' | 'pairs'>,
): Pool[] {
  const wanted = new Set(pairs.flatMap(([a, b]) => [`${a}-${b}`, `${b}-${a}`]))
  const isWanted = (tokens: readonly Address[]) =>
    tokens.some((a) => tokens.some((b) => wanted.has(`${a}-${b}`)))
  return entries
    .map(({ pool }) => pool)
    .filter(({ tokens }) => isWanted(tokens.map((token) => canonicalToken(chain, token))))
}

/**
 * The input is allowed or sent as the declaration says, then the call is made; native goes with it. A call that takes what
 * the quote gives is made after the quote.
 */
function encodeSwap(args: EncodeSwapArgs<DeclaredState>): ExecutorStep[] {
  const { pool, state, tokenIn, tokenOut, amountIn, recipient, executor, firstStep = 0 } = args
  const { venue, declared } = state.entry
  const calls = callsOf(state.entry, { tokenIn, tokenOut })
  const { swap, swapAbi } = calls
  const target = contractOf(swap.contract, pool.address)
  const payee = swap.to === 'contract' ? target : contractOf(swap.to, pool.address)
  const quotedOut: AmountRef = { ref: 'output', step: firstStep }
  const names = {
    ...namesOf(venue, declared, tokenIn, tokenOut),
    amountIn,
    recipient,
    executor,
    deadline: args.deadline ?? maxUint256,
    quotedOut,
  }
  const quotes = usesName(swap.args, 'quotedOut') ? [quoteStep(calls, pool, names)] : []
  const isSentBefore = !isNative(tokenIn) && swap.pay === 'transfer'
  // Nothing is left of the amount after the transfer, so the order keeps it before.
  const isKept = isSentBefore && usesName(swap.args, 'amountIn')
  const before = isKept ? [...quotes, keepStep(args)] : quotes
  const amount: Amount = isKept ? { ref: 'output', step: firstStep + quotes.length } : amountIn
  const values = argumentValues(swapAbi.inputs, swap.args, { ...names, amountIn: amount })
  const call = { kind: 'call', target, abi: swapAbi, args: values } as const
  if (isNative(tokenIn)) return [...before, { ...call, value: amountIn }]
  if (swap.pay === 'callback') return [...before, { ...call, payToken: tokenIn }]
  const paid = { token: tokenIn, amount }
  return swap.pay === 'approve'
    ? [...before, { kind: 'approve', spender: payee, ...paid }, call]
    : [...before, { kind: 'transfer', to: payee, ...paid }, call]
}

function keepStep({ amountIn, helpers }: EncodeSwapArgs<DeclaredState>): ExecutorStep {
  return {
    kind: 'call',
    target: helperAddress(helpers, helper),
    abi: proportionAbi,
    args: [amountIn, 1n, 1n],
    output: { kind: 'word', index: 0 },
  }
}

function quoteStep(
  { quote, quoteAbi }: Calls,
  pool: Pool,
  names: Parameters<typeof argumentValues>[2],
): ExecutorStep {
  return {
    kind: 'call',
    target: contractOf(quote.contract, pool.address),
    abi: quoteAbi,
    args: argumentValues(quoteAbi.inputs, quote.args, names),
    output: { kind: 'word', index: wordOf(quoteAbi.outputs, quote.output) ?? 0 },
  }
}
