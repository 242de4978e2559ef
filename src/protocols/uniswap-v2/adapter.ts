/** Builds the adapter of one V2-style exchange from its row of parameters; see `index.ts`. */
import { parseAbiItem } from 'viem'
import type { Step } from '../../domain/plan.js'
import type { Address } from '../../domain/primitives.js'
import { toAddress } from '../../domain/primitives.js'
import { helperAddress } from '../helper-address.js'
import {
  type DiscoverArgs,
  defineProtocol,
  type LoadedPool,
  type Pool,
  type ProtocolAdapter,
  type Unreadable,
} from '../protocol.js'
import { addressInWord, nestedMappingSlot, toWord } from '../storage-slots.js'
import { orderedPairs } from '../token-pairs.js'
import { constantProductOut, type UniswapV2State } from './maths.js'

interface UniswapV2Row {
  readonly slug: string
  readonly name: string
  readonly project: string
  readonly url: string
  readonly forkOf?: string
  /** Slots at which the factory's `getPair` mapping may lie; the first entry found counts. */
  readonly getPairSlots: readonly bigint[]
}

/** Pair storage: reserve0, reserve1 (uint112 each) and a timestamp share slot 8. */
const reservesSlot = toWord(8n)

/** token0, token1, the two oracle accumulators and the lock. */
const swapSlots = [6n, 7n, 9n, 10n, 12n].map(toWord)

/** Transfer, swap with one oracle update, warm and cold storage mixed. */
const gasPerSwap = 60_000n

const helperName = 'UniswapV2Swapper'

const swapAbi = parseAbiItem(
  'function swap(address pair, address tokenIn, bool zeroForOne, uint256 feeBps, address recipient) returns (uint256 amountOut)',
)

/** @returns Adapter for pairs of the original bytecode or one with the same storage and `swap`. */
export function defineUniswapV2Like(row: UniswapV2Row): ProtocolAdapter<UniswapV2State> {
  const { getPairSlots, ...identity } = row

  async function discover({ reader, venue, pairs }: DiscoverArgs) {
    const factory = toAddress(String(venue.factory))
    const feeBps = Number(venue.feeBps)
    const wanted = orderedPairs(pairs)
    const reads = wanted.flatMap(([token0, token1]) =>
      getPairSlots.map((base) => ({
        address: factory,
        slot: toWord(nestedMappingSlot([BigInt(token0), BigInt(token1)], base)),
      })),
    )
    const results = reads.length === 0 ? [] : await reader.storage(reads)
    const pools: Pool[] = []
    const unreadable: Unreadable[] = []
    wanted.forEach(([token0, token1], index) => {
      const entries = results.slice(index * getPairSlots.length, (index + 1) * getPairSlots.length)
      const found = entries.map((entry) => (entry.ok ? addressInWord(entry.value) : null))
      const address = found.find((entry): entry is Address => entry !== null)
      if (address) {
        pools.push({
          protocol: row.slug,
          id: address,
          address,
          tokens: [token0, token1],
          parameters: { feeBps },
        })
        return
      }
      const failed = entries.find((entry) => !entry.ok)
      if (failed && !failed.ok) {
        const subject = `getPair ${token0} ${token1}`
        const pair = [token0, token1] as const
        unreadable.push({ protocol: row.slug, subject, message: failed.message, pair })
      }
    })
    return { pools, unreadable }
  }

  const load: ProtocolAdapter<UniswapV2State>['load'] = async ({ reader, pools }) => {
    const reads = pools.map(({ address }) => ({ address, slot: reservesSlot }))
    const results = reads.length === 0 ? [] : await reader.storage(reads)
    return pools.map((pool, index): LoadedPool<UniswapV2State> | Unreadable => {
      const result = results[index]
      const unreadable = (message: string) => ({ protocol: row.slug, subject: pool.id, message })
      if (!isFee(pool.parameters.feeBps)) return unreadable('The pool lacks the parameter feeBps.')
      if (!result?.ok) return unreadable(result?.message ?? 'The reserves were not read.')
      const word = BigInt(result.value)
      const state = {
        reserve0: BigInt.asUintN(112, word),
        reserve1: BigInt.asUintN(112, word >> 112n),
      }
      return { pool, state, partial: false }
    })
  }

  function output(pool: Pool, state: UniswapV2State, tokenIn: Address, amountIn: bigint): bigint {
    const { reserve0, reserve1 } = state
    const feeBps = BigInt(Number(pool.parameters.feeBps))
    return tokenIn === pool.tokens[0]
      ? constantProductOut(amountIn, reserve0, reserve1, feeBps)
      : constantProductOut(amountIn, reserve1, reserve0, feeBps)
  }

  return defineProtocol<UniswapV2State>({
    ...identity,
    category: 'dex',
    description: `Constant-product pairs of ${row.name}.`,
    paysRecipient: true,
    helperContracts: [helperName],
    discover,
    load,
    amountOut: (pool, state, tokenIn, _tokenOut, amountIn) => ({
      amountOut: output(pool, state, tokenIn, amountIn),
      exact: true,
    }),
    applySwap: (pool, state, tokenIn, _tokenOut, amountIn) => {
      const amountOut = output(pool, state, tokenIn, amountIn)
      if (amountOut === 0n) return state
      return tokenIn === pool.tokens[0]
        ? { reserve0: state.reserve0 + amountIn, reserve1: state.reserve1 - amountOut }
        : { reserve0: state.reserve0 - amountOut, reserve1: state.reserve1 + amountIn }
    },
    swapSlots: () => swapSlots,
    gasEstimate: () => gasPerSwap,
    prepaidAt: ({ address }) => address,
    encodeSwap({ pool, tokenIn, amountIn, helpers, recipient, isPrepaid }) {
      const swap: Step = {
        kind: 'call',
        target: helperAddress(helpers, helperName),
        abi: swapAbi,
        args: [
          pool.address,
          tokenIn,
          tokenIn === pool.tokens[0],
          BigInt(Number(pool.parameters.feeBps)),
          recipient,
        ],
      }
      if (isPrepaid) return [swap]
      return [{ kind: 'transfer', token: tokenIn, to: pool.address, amount: amountIn }, swap]
    },
  })
}

function isFee(feeBps: unknown): boolean {
  return Number.isInteger(feeBps) && Number(feeBps) >= 0 && Number(feeBps) <= 10_000
}
