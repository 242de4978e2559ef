/** Hooks of pools that take part in swaps, run by the Vault. Our BalancerV3Quoter does it. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import { at } from '../../domain/lists.js'
import { type Address, zeroAddress } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { LoadedPool } from '../protocol.js'
import { one } from '../shared/balancer-math/fixed-point.js'
import { gasOfSwap, mostPairs, type PoolSwap, placed, servedRows } from '../shared/hooks/quoter.js'
import { runHooks } from '../shared/hooks/run.js'
import { type BalancerV3State, vaultSwap } from './math.js'

const abi = parseAbi([
  'struct Wanted { address tokenIn; address tokenOut; uint256 amountIn; }',
  'struct Result { uint256 spent; uint256 amountOut; uint256 gasUsed; }',
  'function quote(address vault, address pool, Wanted[][] rows, uint256 gasOfSwap) returns (Result[][] results)',
])

/** Of pools of no more tokens all pairs are run in both orders, which are twelve directions. */
export const mostTokensOfAllPairs = 4

/** The pools in the order given, each as it may be used, or why it is left out. */
export function runBalancerHooks(
  args: {
    readonly reader: StateReader
    readonly chain: ChainDefinition
    readonly venue: VenueParameters
  },
  pools: readonly LoadedPool<BalancerV3State>[],
) {
  const { reader, chain, venue } = args
  const most = mostPairs(venue)
  return runHooks<BalancerV3State>(
    {
      reader,
      chain,
      describe: async (wanted) =>
        wanted.map(({ pool: { tokens }, state: { balances, swapHooks } }) => ({
          contract: swapHooks ?? zeroAddress,
          codeHash: null,
          largest: balances.map((balance) => (balance * 3n) / 2n),
          ...(most !== null &&
            tokens.length > mostTokensOfAllPairs && {
              pairs: pairsThatMatter(tokens, chain.connectorTokens, most),
            }),
        })),
      quoteCall(pool, rows, { sender, timestamp }) {
        const wanted = rows.map((swaps) =>
          swaps.map(({ tokenIn, tokenOut, amountIn }) => ({
            tokenIn: at(pool.tokens, tokenIn),
            tokenOut: at(pool.tokens, tokenOut),
            amountIn,
          })),
        )
        const quoted = [pool.address, pool.id as typeof pool.address, wanted, gasOfSwap] as const
        const data = encodeFunctionData({ abi, functionName: 'quote', args: quoted })
        return { ...placed(venue, sender), data, timestamp }
      },
      quotedRows: (value) =>
        servedRows(decodeFunctionResult({ abi, functionName: 'quote', data: value })),
      withoutHooks,
      secondAfter,
    },
    pools,
  )
}

/**
 * So many pairs, by the places of their tokens: those of two connectors, then those of one, the earlier connectors first. A
 * route leads through tokens of which it is not told by connectors alone, so those of none matter least.
 */
export function pairsThatMatter(
  tokens: readonly Address[],
  connectors: readonly Address[],
  most: number,
): (readonly [number, number])[] {
  const ranks = tokens.map((token) => {
    const rank = connectors.indexOf(token)
    return rank < 0 ? connectors.length : rank
  })
  const pairs = tokens.flatMap((_token, a) =>
    tokens.slice(a + 1).map((_other, k) => {
      const b = a + 1 + k
      const known = [at(ranks, a), at(ranks, b)].sort((x, y) => x - y) as [number, number]
      const ofConnectors = known.filter((rank) => rank < connectors.length).length
      return { places: [a, b] as const, order: [2 - ofConnectors, ...known, a, b] }
    }),
  )
  return pairs
    .sort((x, y) => compareLists(x.order, y.order))
    .slice(0, most)
    .map(({ places }) => places)
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  const place = a.findIndex((value, k) => value !== b[k])
  return place < 0 ? 0 : at(a, place) - at(b, place)
}

/** Fees stay in the pool in part, so that another fee leaves another pool: it is the largest that gives no less. */
function secondAfter(
  state: BalancerV3State,
  { tokenIn, tokenOut, amountIn }: PoolSwap,
  first: bigint,
): bigint | null {
  const swapped = (swapFee: bigint) => vaultSwap({ ...state, swapFee }, tokenIn, tokenOut, amountIn)
  let [low, high] = [0n, one]
  while (high - low > 1n) {
    const fee = (low + high) / 2n
    if ((swapped(fee)?.amountOut ?? 0n) >= first) low = fee
    else high = fee
  }
  const { balances } = swapped(low) ?? state
  const second = vaultSwap({ ...state, swapFee: low, balances }, tokenIn, tokenOut, amountIn)
  return second?.amountOut ?? null
}

function withoutHooks(from: BalancerV3State, swaps: readonly PoolSwap[]): readonly bigint[] | null {
  let state = from
  const amounts: bigint[] = []
  for (const { tokenIn, tokenOut, amountIn } of swaps) {
    const swap = vaultSwap(state, tokenIn, tokenOut, amountIn)
    if (!swap || swap.amountOut === 0n) return null
    amounts.push(swap.amountOut)
    state = { ...state, balances: swap.balances }
  }
  return amounts
}
