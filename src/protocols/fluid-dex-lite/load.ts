/**
 * Pools by the list of the one contract, whose words are read, and their prices and reserves by Fluid's own resolver at the
 * time of the simulated block: ranges and their middle shift by time, or are asked of another contract.
 */
import { encodeAbiParameters, encodeFunctionData, type Hex, keccak256, parseAbi } from 'viem'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { type Address, nativeToken, toAddress } from '../../domain/primitives.js'
import type { ReadCall, ReadResult } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs, LoadedPool, Swaps } from '../protocol.js'
import { namedAddresses } from '../shared/parameters.js'
import { addressInWord, mappingSlot, toWord } from '../shared/storage-slots.js'
import { type FluidLiteState, imaginaryReserves, swapIn } from './math.js'

const abi = parseAbi([
  'struct DexKey { address token0; address token1; bytes32 salt; }',
  'function getPricesAndReserves(DexKey key)',
  'function estimateSwapSingle(DexKey key, bool swap0To1, int256 amountSpecified)',
])

/** Storage of the contract: the list of keys, and the packed variables by id. */
const listSlot = 1n
const variablesSlot = 2n
const wordsOfKey = 3
/** More than the contract has; a number beyond it is no such contract. */
const mostPools = 1_000n
/** Divisors of the input's imaginary reserve: the contract is asked for such inputs as a proof. */
const provenShares = [10_000n, 1_000_000n] as const

interface DexKey {
  readonly token0: Address
  readonly token1: Address
  readonly salt: Hex
}

/** What names a pool: the hash of its key, whose first eight bytes the contract goes by. */
export function poolIdOf({ token0, token1, salt }: DexKey): Hex {
  const types = [{ type: 'address' }, { type: 'address' }, { type: 'bytes32' }] as const
  return keccak256(encodeAbiParameters(types, [token0, token1, salt]))
}

/** @returns null for a record that is of no pool of the contract. */
export function keyOf({ id, tokens: [token0, token1], parameters: { salt } }: Pool): DexKey | null {
  if (!token0 || !token1 || typeof salt !== 'string' || !/^0x[0-9a-f]{64}$/.test(salt)) return null
  const key = { token0, token1, salt: salt as Hex }
  return poolIdOf(key) === id ? key : null
}

export async function discoverPools(
  slug: string,
  { reader, chain, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  if (pairs.length === 0) return { pools: [], unreadable: [] }
  const { dex } = namedAddresses(venue, ['dex'])
  const failed = (message: string) => ({
    pools: [],
    unreadable: pairs.map((pair) => ({ protocol: slug, subject: 'pools', message, pair })),
  })
  const [total] = await reader.storage([{ address: dex, slot: toWord(listSlot) }])
  if (!total?.ok) return failed(total?.message ?? 'Not read.')
  const count = BigInt(total.value)
  const first = BigInt(keccak256(toWord(listSlot)))
  const known = count > mostPools ? 0 : Number(count)
  const words = await reader.storage(
    Array.from({ length: known * wordsOfKey }, (_, place) => ({
      address: dex,
      slot: toWord(first + BigInt(place)),
    })),
  )
  const unread = words.find((word) => !word.ok)
  if (unread && !unread.ok) return failed(unread.message)
  // Pools hold ether itself.
  const asNative = (token: Address) => (token === chain.wrappedNative ? nativeToken : token)
  const wanted = new Set(pairs.flatMap((pair) => [pairKey(pair), pairKey(pair.map(asNative))]))
  const pools = Array.from({ length: known }, (_, index): Pool[] => {
    const [word0, word1, salt] = words
      .slice(index * wordsOfKey, (index + 1) * wordsOfKey)
      .map((word) => (word.ok ? word.value : toWord(0n)))
    const [token0, token1] = [word0, word1].map((word) => addressInWord(word ?? toWord(0n)))
    if (!token0 || !token1 || !salt || !wanted.has(pairKey([token0, token1]))) return []
    const id = poolIdOf({ token0, token1, salt })
    return [{ protocol: slug, id, address: dex, tokens: [token0, token1], parameters: { salt } }]
  })
  return { pools: pools.flat(), unreadable: [] }
}

export const loadPools: Swaps<FluidLiteState>['load'] = async ({ reader, chain, venue, pools }) => {
  if (pools.length === 0) return []
  const { dex, resolver } = namedAddresses(venue, ['dex', 'resolver'])
  const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
  const keys = pools.map((pool) => (pool.address === dex ? keyOf(pool) : null))
  const known = pools.flatMap((pool, k) => {
    const key = keys[k]
    return key ? [{ pool, key }] : []
  })
  const [words, answers] = await Promise.all([
    reader.storage(
      known.map(({ pool: { id } }) => ({ address: dex, slot: toWord(variablesSlotOf(id)) })),
    ),
    reader.call(
      known.map(({ key }): ReadCall => {
        const data = encodeFunctionData({
          abi,
          functionName: 'getPricesAndReserves',
          args: [key],
        })
        return { to: resolver, data, timestamp }
      }),
    ),
  ])
  const states = known.map((_item, k) => toState(words[k], answers[k]))
  const proofs = states.map((state) => (typeof state === 'string' ? [] : proofsOf(state)))
  const estimates = await reader.call(
    proofs.flatMap((list, k) =>
      list.map(({ zeroForOne, amountIn }): ReadCall => {
        const key = known[k]?.key as DexKey
        const data = encodeFunctionData({
          abi,
          functionName: 'estimateSwapSingle',
          args: [key, zeroForOne, amountIn],
        })
        return { to: resolver, data, timestamp }
      }),
    ),
  )
  let next = 0
  const loaded = new Map(
    known.map(({ pool }, k): [Pool, LoadedPool<FluidLiteState> | Unreadable] => {
      const state = states[k]
      if (state === undefined || typeof state === 'string') {
        return [pool, failure(pool, state ?? 'It was not read.')]
      }
      const agreed = (proofs[k] ?? []).map(({ amountOut }) => {
        const answer = estimates[next++]
        return answer?.ok && answer.value.length === 66 && BigInt(answer.value) === amountOut
      })
      const exact = agreed.length > 0 && agreed.every(Boolean)
      return [pool, { pool, state: { ...state, exact }, partial: false }]
    }),
  )
  return pools.map(
    (pool) => loaded.get(pool) ?? failure(pool, 'The record is of no pool of the contract.'),
  )
}

function failure({ protocol, id }: Pool, message: string): Unreadable {
  return { protocol, subject: id, message }
}

/** The contract goes by the first eight bytes of the id, which Solidity keeps at the left of a word. */
function variablesSlotOf(id: string): bigint {
  return mappingSlot(BigInt(id.slice(0, 18)) << 192n, variablesSlot)
}

interface Proof {
  readonly zeroForOne: boolean
  readonly amountIn: bigint
  readonly amountOut: bigint
}

/** A swap each way that the pool should serve, and what it should give. */
function proofsOf(state: FluidLiteState): Proof[] {
  return [true, false].flatMap((zeroForOne) => {
    const i = zeroForOne ? 0 : 1
    for (const share of provenShares) {
      const amountIn = (state.imaginary[i] * 10n ** BigInt(state.decimals[i])) / (10n ** 9n * share)
      const swap = amountIn > 0n ? swapIn(state, zeroForOne, amountIn) : null
      if (swap) return [{ zeroForOne, amountIn, amountOut: swap.amountOut }]
    }
    return []
  })
}

/** @returns a sentence where the answers are not those of Fluid's contracts. */
function toState(
  word: ReadResult | undefined,
  answer: ReadResult | undefined,
): FluidLiteState | string {
  if (!word?.ok) return word?.message ?? 'It was not read.'
  const variables = BigInt(word.value)
  if (variables === 0n) return 'The contract has no such pool.'
  if (!answer?.ok) return answer?.message ?? 'It was not read.'
  const values = wordsOf(answer)
  if (values.length !== 10) return 'The resolver answers in another form.'
  const at = (index: number) => values[index] ?? 0n
  const bits = (place: number, count: number) => BigInt.asUintN(count, variables >> BigInt(place))
  const [rebalancing, isShifting, centerContract] = [bits(20, 2), bits(22, 1), bits(63, 19)]
  const state: FluidLiteState = {
    decimals: [Number(bits(126, 5)), Number(bits(131, 5))],
    real: [bits(136, 60), bits(196, 60)],
    imaginary: [at(8), at(9)],
    feePips: bits(0, 13),
    revenueCut: bits(13, 7),
    centerPrice: at(1),
    upperPrice: at(2),
    lowerPrice: at(3),
    moves: rebalancing > 0n || isShifting > 0n || centerContract > 0n,
    exact: false,
  }
  const { upperPrice, lowerPrice, centerPrice, imaginary } = state
  if (!(lowerPrice > 0n && lowerPrice < centerPrice && centerPrice < upperPrice)) {
    return 'The pool has no range.'
  }
  return imaginary.join() === imaginaryReserves(state).join()
    ? state
    : 'The resolver tells other reserves than those of the range.'
}

function wordsOf(answer: ReadResult | undefined): bigint[] {
  if (!answer?.ok) return []
  const count = Math.floor((answer.value.length - 2) / 64)
  return Array.from({ length: count }, (_, index) =>
    BigInt(`0x${answer.value.slice(2 + index * 64, 66 + index * 64)}`),
  )
}

function pairKey(tokens: readonly string[]): string {
  return [...tokens]
    .map((token) => toAddress(token))
    .sort()
    .join(' ')
}
