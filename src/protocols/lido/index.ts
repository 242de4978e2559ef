/**
 * Lido: native ether into stETH (`submit`), and stETH into wstETH and back. Withdrawals into ether take days and are
 * no edge. Two pools: the token stETH with native, and the token wstETH with stETH.
 * Venue parameters: `stETH`, `wstETH`. Pool parameters: none.
 */
import type { VenueParameters } from '../../chains/chain.js'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import { isNative, nativeToken, toAddress, zeroAddress } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import { type Direction, defineProtocol } from '../protocol.js'
import { isGiven, poolsOfPairs } from '../shared/given-pools.js'
import { addressesOf } from '../shared/parameters.js'
import {
  afterStaking,
  type StakedState,
  staked,
  unwrapped,
  wrapped,
} from '../shared/staked-shares/math.js'
import { lidoActions, submitAbi, unwrapAbi, wrapAbi } from './actions.js'
import { loadLido } from './load.js'
import { lidoPositions } from './positions.js'

const slug = 'lido'
const gasPerStake = 100_000n
const gasPerWrap = 75_000n

export const lido = defineProtocol<StakedState>({
  slug,
  name: 'Lido',
  project: 'lido',
  category: 'staking',
  url: 'https://lido.fi',
  description: 'Staking of ether, and wrapping and unwrapping of staked ether.',
  swaps: {
    paysRecipient: false,
    async discover({ venue, pairs, chain }) {
      return { pools: poolsOfPairs(chain, poolsOf(venue), pairs), unreadable: [] }
    },
    async load({ reader, venue, pools }) {
      const isKnown = isGiven(poolsOf(venue))
      const state = await loadLido(reader, toAddress(String(venue.stETH)))
      return pools.map((pool) => {
        const unreadable = (message: string) => ({ protocol: slug, subject: pool.id, message })
        if (!isKnown(pool)) return unreadable('It is not one of the pools of the chain.')
        if ('message' in state) return unreadable(state.message)
        return { pool, state, partial: !state.proven }
      })
    },
    swap(pool, state, direction, amountIn) {
      const { tokenIn, tokenOut } = direction
      // A balance of stETH is rounded together with what else its owner holds, which is not known.
      const exact = state.proven && tokenOut === pool.address && !isNative(tokenIn)
      const after = () => (isNative(tokenIn) ? afterStaking(state, amountIn) : state)
      return { amountOut: output(pool, state, direction, amountIn), exact, after }
    },
    action: (pool, tokenIn) =>
      isNative(tokenIn) ? 'deposit' : tokenIn === pool.address ? 'unwrap' : 'wrap',
    gasEstimate: (pool) => (isStaking(pool) ? gasPerStake : gasPerWrap),
    cautions: () =>
      cautionsWhere([
        true,
        'rebase',
        'Balances of stETH, and what wstETH stands for, follow the reports of an oracle.',
      ]),
    rebasingTokens: ({ stETH }) => addressesOf(stETH),
    encodeSwap({ pool, tokenIn, amountIn }) {
      const target = pool.address
      if (isNative(tokenIn)) {
        return [{ kind: 'call', target, abi: submitAbi, args: [zeroAddress], value: amountIn }]
      }
      if (tokenIn === target) return [{ kind: 'call', target, abi: unwrapAbi, args: [amountIn] }]
      return [
        { kind: 'approve', token: tokenIn, spender: target, amount: amountIn },
        { kind: 'call', target, abi: wrapAbi, args: [amountIn] },
      ]
    },
  },
  trust: {
    probes: ({ stETH, wstETH }) => [
      ...addressesOf(stETH).map((to) =>
        probe(
          'stETH of Lido',
          to,
          { signature: 'getPooledEthByShares(uint256)', args: [10n ** 18n] },
          'positive',
        ),
      ),
      ...addressesOf(wstETH).map((to) =>
        probe('wstETH of Lido', to, 'stETH()', addressesOf(stETH)[0] ?? 'address'),
      ),
    ],
  },
  positions: lidoPositions(slug),
  actions: { definitions: lidoActions },
})

/** The token that comes out last is the contract that is called, and the id. */
function poolsOf(venue: VenueParameters): Pool[] {
  const [stETH, wstETH] = [toAddress(String(venue.stETH)), toAddress(String(venue.wstETH))]
  return [
    { protocol: slug, id: stETH, address: stETH, tokens: [nativeToken, stETH], parameters: {} },
    { protocol: slug, id: wstETH, address: wstETH, tokens: [stETH, wstETH], parameters: {} },
  ]
}

function isStaking({ tokens }: Pool): boolean {
  return tokens.includes(nativeToken)
}

function output(
  pool: Pool,
  state: StakedState,
  { tokenIn, tokenOut }: Direction,
  amountIn: bigint,
): bigint {
  if (amountIn <= 0n || isNative(tokenOut)) return 0n
  if (isNative(tokenIn)) return staked(state, amountIn)
  return tokenIn === pool.address ? unwrapped(state, amountIn) : wrapped(state, amountIn)
}
