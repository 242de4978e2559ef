/**
 * Camelot V3: Algebra's pools of version 1.9, one for each pair, with an adaptive fee for each direction.
 * Venue parameters: `factory`, `quoter`.
 */

import { encodeFunctionData, parseAbi } from 'viem'
import { probe } from '../../chains/probe.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import { nextBlockTime } from '../../domain/what-if.js'
import { type DiscoverArgs, defineProtocol } from '../protocol.js'
import { concentratedParts } from '../shared/concentrated/adapter-parts.js'
import type { ConcentratedSource } from '../shared/concentrated/load.js'
import type { ConcentratedState } from '../shared/concentrated/swap.js'
import { v3Swap, v3SwapSlots } from '../shared/concentrated/v3-swap.js'
import { poolsInList } from '../shared/factory-lists.js'
import { addressesOf } from '../shared/parameters.js'
import { toWord } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'

const slug = 'camelot-v3'
const poolByPairSlot = 4n

const poolSlots: ConcentratedSource['slots'] = {
  slot0: 2n,
  liquidity: 3n,
  ticks: 5n,
  tickBitmap: 6n,
}
/** The table has a bit for every tick, whatever the spacing of positions. */
const ticksPerBit = 1
/** Liquidity, two fee growths, the oracle's values. */
const wordsPerTick = 4n
/** Fee growth, and the address that counts rewards. */
const otherSlots = [0n, 1n, 4n].map(toWord)

/** As V3's, with the oracle in a contract of its own, which is written and read for the fee. */
const gasPerSwap = 150_000n

const quoterAbi = parseAbi([
  'function quoteExactInputSingle(address tokenIn, address tokenOut, uint256 amountIn, uint160 limitSqrtPrice) returns (uint256 amountOut, uint16 fee)',
])

const parts = concentratedParts(({ address }) => ({
  address,
  slots: poolSlots,
  tickSpacing: ticksPerBit,
  // Asked of the quoter.
  feePips: () => [0n, 0n],
}))

export const camelotV3 = defineProtocol<ConcentratedState>({
  slug,
  name: 'Camelot V3',
  project: 'camelot',
  category: 'dex',
  url: 'https://camelot.exchange',
  description: 'Concentrated-liquidity pools of Camelot, with adaptive fees.',
  probes: ({ factory, quoter }) => [
    ...addressesOf(factory).map((to) =>
      probe('factory of Camelot V3', to, 'poolDeployer()', 'address'),
    ),
    ...addressesOf(quoter).map((to) =>
      probe('quoter of Camelot V3', to, 'factory()', addressesOf(factory)[0] ?? 'address'),
    ),
  ],
  discover: discoverPools,
  ...parts,
  ...v3Swap,
  async load(args) {
    const { reader, chain, venue, pools } = args
    if (pools.length === 0) return []
    const quoter = toAddress(String(venue.quoter))
    // The first swap of a second renews both fees, from the oracle and before it trades.
    const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
    const ask = (tokenIn: Address, tokenOut: Address) => ({
      to: quoter,
      data: encodeFunctionData({ abi: quoterAbi, args: [tokenIn, tokenOut, 1n, 0n] }),
      timestamp,
    })
    const [loads, answers] = await Promise.all([
      parts.load(args),
      reader.call(
        pools.flatMap(({ tokens: [token0 = quoter, token1 = quoter] }) => [
          ask(token0, token1),
          ask(token1, token0),
        ]),
      ),
    ])
    return loads.map((load, index) => {
      if (!('state' in load) || load.state.sqrtPriceX96 === 0n) return load
      const fees = answers.slice(index * 2, index * 2 + 2).map((answer) =>
        // The amount, then the fee.
        answer.ok && answer.value.length === 130 ? BigInt(`0x${answer.value.slice(66)}`) : null,
      )
      const [zeroForOne, oneForZero] = fees
      if (typeof zeroForOne !== 'bigint' || typeof oneForZero !== 'bigint') {
        const message = 'The quoter tells no fee of the pool.'
        return { protocol: slug, subject: load.pool.id, message }
      }
      return { ...load, state: { ...load.state, feePips: [zeroForOne, oneForZero] } }
    })
  },
  swapSlots: (_pool, state) => [...otherSlots, ...v3SwapSlots(poolSlots, wordsPerTick, state)],
  gasEstimate: () => gasPerSwap,
})

function discoverPools({ reader, venue, pairs }: DiscoverArgs) {
  const factory = toAddress(String(venue.factory))
  const list = { factory, name: 'poolByPair', slot: poolByPairSlot }
  const wanted = orderedPairs(pairs).map((pair) => ({ pair, parameters: {} }))
  return poolsInList(slug, reader, list, wanted)
}
