/**
 * Venues that the operator's file declares: quotes and swaps are calls that the file names, and no code here knows what
 * is behind them. What they promise ranks candidates; what is answered was carried out.
 * Venue parameters: `declarations`, see venue.ts. Pool parameters: `venue`, the name of the venue.
 */
import { canonicalToken } from '../../chains/chain.js'
import { argumentValues, namesOf } from '../../domain/declared-venue.js'
import type { ExecutorStep } from '../../domain/order.js'
import { type Address, isNative, maxUint256 } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import { type DiscoverArgs, defineProtocol, type EncodeSwapArgs } from '../protocol.js'
import { sampledSwap } from '../shared/sampled/sample.js'
import { contractOf, type DeclaredState, loadDeclared } from './load.js'
import { declaredEvents } from './pool-events.js'
import { declaredSlug, entriesOf } from './venue.js'

export const declaredVenues = defineProtocol<DeclaredState>({
  slug: declaredSlug,
  name: 'Declared venues',
  project: declaredSlug,
  category: 'dex',
  url: 'https://eips.ethereum.org/EIPS/eip-20',
  description: 'Pools that the operator declares in a file, by the calls that quote and swap.',
  swaps: {
    paysRecipient: true,
    // Native comes to the Executor, which wraps it where a token is wanted.
    canPay: (_pool, { entry }, tokenOut) => entry.venue.paysRecipient && !isNative(tokenOut),
    discover: async (args) => ({ pools: poolsAmong(args), unreadable: [] }),
    load: loadDeclared,
    swap: (_pool, state, direction, amountIn) => sampledSwap(state, direction, amountIn),
    gasEstimate: (_pool, { entry }) => BigInt(entry.venue.gas),
    encodeSwap,
  },
  index: declaredEvents,
  trust: {
    // A quote is the venue's own word.
    isNoPriceSource: () => true,
    foreignCode: ({ address }, { entry }) => (entry.venue.trust === 'operator' ? null : address),
  },
})

function poolsAmong({ chain, venue, pairs }: DiscoverArgs): Pool[] {
  const wanted = new Set(pairs.flatMap(([a, b]) => [`${a}-${b}`, `${b}-${a}`]))
  const isWanted = (tokens: readonly Address[]) =>
    tokens.some((a) => tokens.some((b) => wanted.has(`${a}-${b}`)))
  return [...entriesOf(venue).values()]
    .map(({ pool }) => pool)
    .filter(({ tokens }) => isWanted(tokens.map((token) => canonicalToken(chain, token))))
}

/** The input is allowed or sent as the file says, then the call is made; native goes with it. */
function encodeSwap(args: EncodeSwapArgs<DeclaredState>): ExecutorStep[] {
  const { pool, state, tokenIn, tokenOut, amountIn, recipient, executor } = args
  const { venue, declared } = state.entry
  const { swap, swapAbi } = venue
  const target = contractOf(swap.contract, pool.address)
  const payee = swap.to === 'contract' ? target : contractOf(swap.to, pool.address)
  const names = {
    ...namesOf(venue, declared, tokenIn, tokenOut),
    amountIn,
    recipient,
    executor,
    deadline: args.deadline ?? maxUint256,
  }
  const values = argumentValues(swapAbi.inputs, swap.args, names)
  const call = { kind: 'call', target, abi: swapAbi, args: values } as const
  if (isNative(tokenIn)) return [{ ...call, value: amountIn }]
  if (swap.pay === 'callback') return [{ ...call, payToken: tokenIn }]
  const paid = { token: tokenIn, amount: amountIn }
  return swap.pay === 'approve'
    ? [{ kind: 'approve', spender: payee, ...paid }, call]
    : [{ kind: 'transfer', to: payee, ...paid }, call]
}
