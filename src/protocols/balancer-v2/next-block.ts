/**
 * What moves with time in a stable pool, as the simulated block will find it: token rates, which a swap takes
 * from a cache until that expires, and an amplification on its ramp.
 */
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import type { Address } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'

const abi = parseAbi([
  'function getTokenRateCache(address) view returns (uint256, uint256, uint256, uint256)',
  'function getPriceRateCache(address) view returns (uint256, uint256, uint256)',
  'function getRate() view returns (uint256)',
])

const encodeRate = encodeFunctionData({ abi, functionName: 'getRate' })
const readsPerToken = 3

/** Pools keep their ramp in one of their first slots; which one differs between versions. */
const rampSlots = Array.from({ length: 24 }, (_item, slot) => numberToHex(slot, { size: 32 }))

export interface TimeDependentPool {
  readonly contract: Address
  /** A token and the contract that gives its rate; only those that have one. */
  readonly rated: readonly { readonly token: Address; readonly provider: Address }[]
  /** Times 1000, at the block read. */
  readonly amp: bigint
  readonly isRamping: boolean
}

export interface NextBlockPool {
  /** E18, in the order of `rated`; null: neither cache nor provider can be read. */
  readonly rates: readonly (bigint | null)[]
  readonly amp: bigint
  /** False: a rate is renewed by the swap itself, or the ramp cannot be read. */
  readonly isCertain: boolean
}

/**
 * One round of reads for all pools together.
 *
 * @param timestamp - Unix seconds of the block in which swaps are simulated.
 */
export async function readNextBlock(
  reader: StateReader,
  timestamp: bigint,
  pools: readonly TimeDependentPool[],
): Promise<NextBlockPool[]> {
  const calls = pools.flatMap(({ contract, rated }) =>
    rated.flatMap(({ token, provider }) => [
      { to: contract, data: encodeCache('getTokenRateCache', token) },
      { to: contract, data: encodeCache('getPriceRateCache', token) },
      { to: provider, data: encodeRate },
    ]),
  )
  const slots = pools.flatMap(({ contract, isRamping }) =>
    isRamping ? rampSlots.map((slot) => ({ address: contract, slot })) : [],
  )
  const [answers, words] = await Promise.all([
    calls.length > 0 ? reader.call(calls) : [],
    slots.length > 0 ? reader.storage(slots) : [],
  ])
  let nextCall = 0
  let nextSlot = 0
  return pools.map((pool) => {
    const rates = pool.rated.map(() => {
      const reads = answers.slice(nextCall, nextCall + readsPerToken)
      nextCall += readsPerToken
      return rateAt(timestamp, reads)
    })
    const held = pool.isRamping ? words.slice(nextSlot, nextSlot + rampSlots.length) : []
    nextSlot += held.length
    const amp = pool.isRamping ? ampAt(timestamp, reader.block.timestamp, pool.amp, held) : pool.amp
    return {
      rates: rates.map((rate) => rate?.value ?? null),
      amp: amp ?? pool.amp,
      isCertain: amp !== null && rates.every((rate) => rate?.isCached),
    }
  })
}

function encodeCache(functionName: 'getTokenRateCache' | 'getPriceRateCache', token: Address): Hex {
  return encodeFunctionData({ abi, functionName, args: [token] })
}

function rateAt(
  timestamp: bigint,
  [tokenRead, priceRead, rateRead]: readonly ReadResult[],
): { readonly value: bigint; readonly isCached: boolean } | null {
  const cache = wordsOf(tokenRead) ?? wordsOf(priceRead)
  const [cached = null] = cache ?? []
  // Both forms end with the time until which the rate is good.
  const expires = cache?.at(-1)
  if (cached !== null && expires !== undefined && timestamp <= expires) {
    return { value: cached, isCached: true }
  }
  const fresh = wordsOf(rateRead)?.[0] ?? cached
  return fresh === null ? null : { value: fresh, isCached: false }
}

function wordsOf(result: ReadResult | undefined): bigint[] | null {
  if (!result?.ok || result.value.length < 66) return null
  return (result.value.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))
}

/**
 * Start and end value and their times are packed by 64 bits into one word; it is known by giving the
 * amplification that the pool itself states for the block read.
 */
function ampAt(
  timestamp: bigint,
  readAt: bigint,
  stated: bigint,
  held: readonly ReadResult[],
): bigint | null {
  for (const word of held) {
    if (!word.ok) continue
    const packed = BigInt(word.value)
    const field = (index: bigint) => (packed >> (64n * index)) & (2n ** 64n - 1n)
    const [start, end, startTime, endTime] = [field(0n), field(1n), field(2n), field(3n)]
    if (startTime > readAt || endTime <= readAt) continue
    const at = (time: bigint) => {
      if (time >= endTime) return end
      const passed = time - startTime
      const duration = endTime - startTime
      return end > start
        ? start + ((end - start) * passed) / duration
        : start - ((start - end) * passed) / duration
    }
    if (at(readAt) === stated) return at(timestamp)
  }
  return null
}
