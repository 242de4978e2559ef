/**
 * Pools by their number at the factory, and their state by Fluid's own resolver at the time of the simulated block: what
 * is supplied and owed accrues, and the middle of the price range may move by time or be asked of another contract.
 */
import { encodeFunctionData, getContractAddress, parseAbi } from 'viem'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { type Address, nativeToken, toAddress } from '../../domain/primitives.js'
import type { ReadCall, ReadResult } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs, LoadedPool, Swaps } from '../protocol.js'
import { toWord } from '../shared/storage-slots.js'
import { type FluidState, swapIn } from './math.js'

const resolverAbi = parseAbi([
  'function getPoolTokens(address pool) view returns (address token0, address token1)',
  'function getPoolReservesAdjusted(address pool)',
  'function getPoolConstantsView2(address pool)',
  'function estimateSwapIn(address dex, bool swap0to1, uint256 amountIn, uint256 amountOutMin) payable returns (uint256)',
])

/** Factory storage: the number of pools. Pool storage: the packed price, and the packed configuration. */
const totalSlot = toWord(4n)
const poolSlots = [0n, 1n].map(toWord)
/** More than any factory has; a number beyond it is no such contract. */
const maxPools = 1_000n

/**
 * Divisors of the input's imaginary reserve: the pool is asked for such inputs as a proof, for smaller ones where its
 * limits are low.
 */
const provenShares = [10_000n, 1_000_000n, 100_000_000n] as const

function addressOfPool(factory: Address, dexId: bigint): Address {
  return toAddress(getContractAddress({ from: factory, nonce: dexId }))
}

export async function discoverPools(
  slug: string,
  { reader, chain, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  if (pairs.length === 0) return { pools: [], unreadable: [] }
  const factory = toAddress(String(venue.factory))
  const resolver = toAddress(String(venue.resolver))
  const [total] = await reader.storage([{ address: factory, slot: totalSlot }])
  if (!total?.ok) {
    const message = total?.message ?? 'Not read.'
    return {
      pools: [],
      unreadable: pairs.map((pair) => ({ protocol: slug, subject: 'pools', message, pair })),
    }
  }
  const count = BigInt(total.value)
  const known = count > maxPools ? 0n : count
  const addresses = Array.from({ length: Number(known) }, (_, index) =>
    addressOfPool(factory, BigInt(index + 1)),
  )
  const answers = await reader.call(
    addresses.map((pool) => ({
      to: resolver,
      data: encodeFunctionData({
        abi: resolverAbi,
        functionName: 'getPoolTokens',
        args: [pool],
      }),
    })),
  )
  // Pools hold ether itself.
  const asNative = (token: Address) => (token === chain.wrappedNative ? nativeToken : token)
  const wanted = new Set(pairs.flatMap((pair) => [pairKey(pair), pairKey(pair.map(asNative))]))
  const pools: Pool[] = []
  const unreadable: Unreadable[] = []
  for (const [index, address] of addresses.entries()) {
    const words = wordsOf(answers[index])
    const [token0, token1] = words.map(addressOf)
    if (!token0 || !token1) {
      const answer = answers[index]
      const message = answer && !answer.ok ? answer.message : 'The resolver tells no tokens.'
      unreadable.push({ protocol: slug, subject: address, message })
    } else if (wanted.has(pairKey([token0, token1]))) {
      const parameters = { dexId: index + 1 }
      pools.push({ protocol: slug, id: address, address, tokens: [token0, token1], parameters })
    }
  }
  return { pools, unreadable }
}

export const loadPools: Swaps<FluidState>['load'] = async (args) => {
  const { reader, chain, venue, pools } = args
  if (pools.length === 0) return []
  const factory = toAddress(String(venue.factory))
  const resolver = toAddress(String(venue.resolver))
  const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
  const ask = (
    functionName: 'getPoolReservesAdjusted' | 'getPoolConstantsView2',
    pool: Address,
  ) => ({
    to: resolver,
    data: encodeFunctionData({ abi: resolverAbi, functionName, args: [pool] }),
    timestamp,
  })
  const [words, answers] = await Promise.all([
    reader.storage(pools.flatMap(({ address }) => poolSlots.map((slot) => ({ address, slot })))),
    reader.call(
      pools.flatMap(({ address }) => [
        ask('getPoolReservesAdjusted', address),
        ask('getPoolConstantsView2', address),
      ]),
    ),
  ])
  const states = pools.map((pool, index): FluidState | string => {
    const { address, parameters } = pool
    const dexId = parameters.dexId
    const isListed =
      Number.isInteger(dexId) &&
      Number(dexId) > 0 &&
      addressOfPool(factory, BigInt(Number(dexId))) === address
    if (!isListed) return 'The pool is not the one of its number at the factory.'
    const failed = [words, answers]
      .flatMap((list) => list.slice(index * 2, index * 2 + 2))
      .find((result) => !result.ok)
    if (failed && !failed.ok) return failed.message
    const [variables, configuration] = words
      .slice(index * 2, index * 2 + 2)
      .map((result) => (result.ok ? BigInt(result.value) : 0n))
    return stateOf(
      pool,
      [variables ?? 0n, configuration ?? 0n],
      wordsOf(answers[index * 2]),
      wordsOf(answers[index * 2 + 1]),
    )
  })
  const proofs = states.map((state) => (typeof state === 'string' ? [] : proofsOf(state)))
  const estimates = await reader.call(
    proofs.flatMap((list, index) =>
      list.map(({ zeroForOne, amountIn }): ReadCall => {
        const pool = pools[index]?.address ?? resolver
        const data = encodeFunctionData({
          abi: resolverAbi,
          functionName: 'estimateSwapIn',
          args: [pool, zeroForOne, amountIn, 0n],
        })
        return { to: resolver, data, timestamp }
      }),
    ),
  )
  let next = 0
  return states.map((state, index): LoadedPool<FluidState> | Unreadable => {
    const pool = pools[index] as Pool
    if (typeof state === 'string') {
      return { protocol: pool.protocol, subject: pool.id, message: state }
    }
    const agreed = (proofs[index] ?? []).map(({ amountOut }) => {
      const answer = estimates[next++]
      return answer?.ok && answer.value !== '0x' && BigInt(answer.value) === amountOut
    })
    const exact = agreed.length > 0 && agreed.every(Boolean)
    return { pool, state: { ...state, exact }, partial: false }
  })
}

interface Proof {
  readonly zeroForOne: boolean
  readonly amountIn: bigint
  readonly amountOut: bigint
}

/** A swap each way that the pool should serve, and what it should give. */
function proofsOf(state: FluidState): Proof[] {
  return [true, false].flatMap((zeroForOne) => {
    const i = zeroForOne ? 0 : 1
    const [up, down] = state.scales[i]
    const reserve = (state.collateral?.imaginary[i] ?? 0n) + (state.debt?.imaginary[i] ?? 0n)
    for (const share of provenShares) {
      const amountIn = (reserve * down) / (up * share)
      const swap = swapIn(state, zeroForOne, amountIn)
      if (swap) return [{ zeroForOne, amountIn, amountOut: swap.amountOut }]
    }
    return []
  })
}

/** @returns a sentence where the answers are not those of Fluid's contracts. */
function stateOf(
  pool: Pool,
  [variables, configuration]: readonly [bigint, bigint],
  reserves: readonly bigint[],
  scales: readonly bigint[],
): FluidState | string {
  const [token0, token1] = [reserves[1], reserves[2]].map(addressOf)
  if (reserves.length !== 27 || scales.length !== 4) return 'The resolver answers in another form.'
  if (token0 !== pool.tokens[0] || token1 !== pool.tokens[1]) return 'The tokens are others.'
  const word = (index: number) => reserves[index] ?? 0n
  const pair = (first: number, second: number) => [word(first), word(second)] as const
  const [up0 = 0n, down0 = 0n, up1 = 0n, down1 = 0n] = scales
  if (up0 * down0 * up1 * down1 === 0n) return 'The pool has no scales.'
  const price = BigInt.asUintN(40, variables >> 41n)
  return {
    scales: [
      [up0, down0],
      [up1, down1],
    ],
    collateral: (configuration & 1n) === 1n ? { real: pair(5, 6), imaginary: pair(7, 8) } : null,
    debt: (configuration & 2n) === 2n ? { real: pair(11, 12), imaginary: pair(13, 14) } : null,
    feePips: BigInt.asUintN(17, configuration >> 2n),
    revenueCut: BigInt.asUintN(7, configuration >> 19n),
    centerPrice: word(4),
    // Thirty-two bits of a coefficient above eight of an exponent.
    lastPrice: (price >> 8n) << (price & 0xffn),
    withdrawable: pair(15, 18),
    borrowable: pair(21, 24),
    isPaused: configuration >> 255n === 1n,
    exact: false,
  }
}

function wordsOf(answer: ReadResult | undefined): bigint[] {
  if (!answer?.ok) return []
  const count = Math.floor((answer.value.length - 2) / 64)
  return Array.from({ length: count }, (_, index) =>
    BigInt(`0x${answer.value.slice(2 + index * 64, 66 + index * 64)}`),
  )
}

function addressOf(word: bigint | undefined): Address | undefined {
  if (word === undefined || word === 0n || word >> 160n !== 0n) return undefined
  return toAddress(`0x${word.toString(16).padStart(40, '0')}`)
}

function pairKey(tokens: readonly string[]): string {
  return [...tokens].sort().join(' ')
}
