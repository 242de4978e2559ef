/**
 * Slipstream: the concentrated liquidity of Velodrome and Aerodrome, which is Uniswap V3's with a fee that the factory
 * tells. Venue parameters: `factories`, and `feesByOrder` where a fee that a swap ahead in the block raises counts. Pool
 * parameters: `factory`, `tickSpacing`.
 */

import { encodeFunctionData, parseAbi } from 'viem'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { zip } from '../../domain/lists.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { ReadCall, StateReader } from '../../domain/state.js'
import type { Pool } from '../pool.js'
import { defineProtocol, type SwapAdapter } from '../protocol.js'
import { concentratedParts } from '../shared/concentrated/adapter-parts.js'
import type { ConcentratedSource } from '../shared/concentrated/load.js'
import type { ConcentratedState } from '../shared/concentrated/swap.js'
import { observationsSlot, v3Swap, v3SwapSlots } from '../shared/concentrated/v3-swap.js'
import { addressesOf } from '../shared/parameters.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord } from '../shared/storage-slots.js'
import { withDearerFees } from './ahead.js'
import { discoverPools, factoriesOf } from './discover.js'
import { slipstreamPoolEvents } from './pool-events.js'

interface SlipstreamRow {
  readonly slug: string
  readonly name: string
  readonly project: string
  readonly url: string
  readonly forkOf?: string
}

const poolSlots: ConcentratedSource['slots'] = {
  slot0: 6n,
  liquidity: 16n,
  ticks: 17n,
  tickBitmap: 18n,
}
/** Liquidity, that in gauges, fee growth twice, growth of rewards, the oracle's values. */
const wordsPerTick = 6n

/** Gas of a swap like V3's, with the fee module that is asked for the fee and the accounts of the gauge. */
const gasPerSwap = 105_000n

const feeByOrder =
  'A module may let the fee follow how far the price is from its average: it falls with time, and the first swap of a block pays by the price before it, each later one by what the others left.'

const feeAbi = parseAbi(['function getSwapFee(address pool) view returns (uint24)'])
const moduleAbi = parseAbi(['function swapFeeModule() view returns (address)'])

function defineSlipstreamLike(row: SlipstreamRow): SwapAdapter<ConcentratedState> {
  const parts = concentratedParts(({ address, parameters }, venue) => {
    const { tickSpacing, factory } = parameters
    if (!Number.isInteger(tickSpacing) || Number(tickSpacing) < 1) {
      return 'The pool lacks the parameter tickSpacing.'
    }
    if (!factoriesOf(venue).some((each) => each === factory)) {
      return 'The parameter factory of the pool is no factory of the exchange.'
    }
    return {
      address,
      slots: poolSlots,
      tickSpacing: Number(tickSpacing),
      hasOracle: true,
      // Asked of the factory.
      feePips: () => [0n, 0n],
    }
  })
  return defineProtocol<ConcentratedState>({
    ...row,
    category: 'dex',
    description: `Concentrated-liquidity pools of ${row.name}.`,
    swaps: {
      discover: (args) => discoverPools(row.slug, args),
      ...parts,
      ...v3Swap,
      async load(args) {
        const { reader, chain, venue, pools } = args
        if (pools.length === 0) return []
        // A fee that follows the price depends on the time of the swap.
        const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
        const feeCall = ({ address, parameters }: Pool): ReadCall => {
          const data = encodeFunctionData({ abi: feeAbi, args: [address] })
          return { to: toAddress(String(parameters.factory)), data, timestamp }
        }
        const known = pools.filter(({ parameters }) =>
          factoriesOf(venue).some((each) => each === parameters.factory),
        )
        const [loads, answers, modules] = await Promise.all([
          parts.load(args),
          reader.call(known.map(feeCall)),
          venue.feesByOrder === undefined ? new Map() : readModules(reader, factoriesOf(venue)),
        ])
        const fees = new Map(known.map(({ address }, index) => [address, readWord(answers[index])]))
        const told = loads.map((load) => {
          if (!('state' in load)) return load
          const { protocol, id, address } = load.pool
          const fee = fees.get(address) ?? null
          if (fee === null) {
            return { protocol, subject: id, message: 'The factory tells no fee of the pool.' }
          }
          const feePips: ConcentratedState['feePips'] = [fee, fee]
          return { ...load, state: { ...load.state, feePips } }
        })
        const slots = { slot0: poolSlots.slot0, observations: observationsSlot(poolSlots) }
        const order = { reader, modules, slots, timestamp, feeCall }
        return withDearerFees(order, told)
      },
      swap(...args) {
        const { amountOut, exact, after } = parts.swap(...args)
        return { amountOut, exact, after: () => ({ ...after(), isFeeOld: true }) }
      },
      swapSlots: (_pool, state) => v3SwapSlots(poolSlots, wordsPerTick, state),
      gasEstimate: () => gasPerSwap,
      // Without observations the module knows no average.
      cautions: (_pool, { oracle }) =>
        cautionsWhere([(oracle?.cardinality ?? 0) > 1, 'fee', feeByOrder]),
    },
    trust: {
      probes: ({ factories }) =>
        addressesOf(factories).map((to) =>
          probe(`factory of ${row.name}`, to, 'allPoolsLength()', 'positive'),
        ),
    },
    index: slipstreamPoolEvents(row.slug, poolSlots),
  })
}

/** Modules that tell the fees, by factory; one that has none, or does not tell it, has no entry. */
async function readModules(
  reader: StateReader,
  factories: readonly Address[],
): Promise<ReadonlyMap<string, Address>> {
  const data = encodeFunctionData({ abi: moduleAbi })
  const answers = await reader.call(factories.map((to) => ({ to, data })))
  return new Map(
    zip(factories, answers).flatMap(([factory, answer]) => {
      const module = answer.ok && readWord(answer) !== null ? addressInWord(answer.value) : null
      return module ? [[factory, module] as const] : []
    }),
  )
}

export const velodromeSlipstream = defineSlipstreamLike({
  slug: 'velodrome-slipstream',
  name: 'Velodrome Slipstream',
  project: 'velodrome',
  url: 'https://velodrome.finance',
})

export const aerodromeSlipstream = defineSlipstreamLike({
  slug: 'aerodrome-slipstream',
  name: 'Aerodrome Slipstream',
  project: 'aerodrome',
  url: 'https://aerodrome.finance',
  forkOf: 'velodrome-slipstream',
})
