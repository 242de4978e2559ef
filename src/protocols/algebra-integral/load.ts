/** State of Integral's pools: ticks and price as of any concentrated pool, then the fees of those with a plugin in swaps. */

import { nextBlockTime } from '../../domain/changes/what-if.js'
import { defined } from '../../domain/defined.js'
import { toAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { Unreadable } from '../pool.js'
import type { LoadedPool, Swaps } from '../protocol.js'
import { quoteAnswer, quoteCall } from '../shared/algebra/quoter.js'
import type { ConcentratedState } from '../shared/concentrated/swap.js'
import { toWord } from '../shared/storage-slots.js'
import { feeOfSwaps, tellingAmounts } from './fee.js'

export interface IntegralState extends ConcentratedState {
  /** Whether a plugin runs in swaps, which may change the fee of the next one. */
  readonly isHooked?: boolean
}

type Load = Swaps<ConcentratedState>['load']

/** Bits of `pluginConfig`: the plugin runs before swaps, after swaps. */
const [beforeSwap, afterSwap] = [1n, 2n]

/**
 * @param version.hasDeployers - whether pools of other deployers exist, as since 1.1, and the quoter asks for them.
 * @param version.mayAddFees - whether plugins can have a swap pay a fee that the pool does not keep, as since 1.2.
 */
export function integralLoad(
  loadState: Load,
  slot0: bigint,
  version: { readonly hasDeployers: boolean; readonly mayAddFees: boolean },
): Swaps<IntegralState>['load'] {
  return async (args) => {
    const { reader, chain, venue, pools } = args
    if (pools.length === 0) return []
    const quoter = toAddress(String(venue.quoter))
    const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
    const [loads, words] = await Promise.all([
      loadState(args),
      reader.storage(pools.map(({ address }) => ({ address, slot: toWord(slot0) }))),
    ])
    const wanted = loads.map((load, index) => {
      if (!('state' in load) || (pluginConfigOf(words[index]) & beforeSwap) === 0n) return []
      const [token0 = quoter, token1 = quoter] = load.pool.tokens
      return [true, false].flatMap((zeroForOne) =>
        (tellingAmounts(load.state, zeroForOne) ?? []).map((amountIn) => {
          const [tokenIn, tokenOut] = zeroForOne ? [token0, token1] : [token1, token0]
          return { zeroForOne, amountIn, tokenIn, tokenOut }
        }),
      )
    })
    const answers = await reader.call(
      wanted
        .flat()
        .map((way) => quoteCall({ quoter, hasDeployers: version.hasDeployers, ...way, timestamp })),
    )
    let next = 0
    return loads.map((load, index): LoadedPool<IntegralState> | Unreadable => {
      const quotes = (wanted[index] ?? []).map((way) => {
        const answer = quoteAnswer(answers[next++])
        return answer && { ...way, ...answer }
      })
      if (!('state' in load)) return load
      const config = pluginConfigOf(words[index])
      const isHooked = (config & (beforeSwap | afterSwap)) !== 0n
      const state: IntegralState = {
        ...load.state,
        ...defined({ isHooked: isHooked || undefined }),
      }
      if ((config & beforeSwap) === 0n) return { ...load, state }
      // Without liquidity at the price no swap is quoted that tells the fee.
      if (quotes.length === 0) return { ...load, state: { ...state, isFeeOld: true } }
      const [zeroForOne, oneForZero] = [true, false].map((way) => {
        const all = quotes.filter((quote) => quote?.zeroForOne === way)
        const known = all.flatMap((quote) => (quote ? [quote] : []))
        return known.length === shareCount ? feeOfSwaps(state, known, version.mayAddFees) : null
      })
      if (!zeroForOne || !oneForZero) {
        const message = 'The quoter tells no fee of the pool.'
        return { protocol: load.pool.protocol, subject: load.pool.id, message }
      }
      const isProven = zeroForOne.isProven && oneForZero.isProven
      const feePips = [zeroForOne.fee, oneForZero.fee] as const
      return { ...load, state: { ...state, feePips, ...(!isProven && { isFeeOld: true }) } }
    })
  }
}

/** Quotes of each direction. */
const shareCount = 2

function pluginConfigOf(word: ReadResult | undefined): bigint {
  return word?.ok ? BigInt.asUintN(8, BigInt(word.value) >> 200n) : 0n
}
