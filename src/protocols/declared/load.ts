/**
 * Curves of declared pools in a few rounds of reads for all of them: what their holders have, quotes of geometric sizes in
 * both directions of each pair of their tokens, and more quotes where larger sizes give nothing.
 */
import { decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { argumentValues, namesOf } from '../../domain/declared-venue.js'
import { zip } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { ReadCall, ReadResult, StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { Direction, LoadedPool } from '../protocol.js'
import { readAll } from '../shared/read-all.js'
import { readWord } from '../shared/read-word.js'
import {
  type Ask,
  curvesOf,
  type Quoted,
  type SampledDirection,
  type SampledState,
  sampleAll,
  unreadQuote,
} from '../shared/sampled/sample.js'
import { type DeclaredEntry, entryOf, type Venue } from './venue.js'

export interface DeclaredState extends SampledState {
  readonly entry: DeclaredEntry
}

type Loaded = LoadedPool<DeclaredState> | Unreadable

export async function loadDeclared(args: {
  readonly reader: StateReader
  readonly venue: VenueParameters
  readonly pools: readonly Pool[]
}): Promise<Loaded[]> {
  const { reader, venue, pools } = args
  const known = new Map(pools.map((pool) => [pool, entryOf(venue, pool)]))
  const entries = [...known.values()].flatMap((entry) => entry ?? [])
  const largest = await largestAmounts(reader, entries)
  const directions = entries.flatMap((entry) => directionsOf(entry, largest))
  const samplings = await sampleAll(askThrough(reader), directions)
  return pools.map((pool) => {
    const entry = known.get(pool)
    if (!entry) return unreadablePool(pool, 'The file of VENUES has no such pool.')
    const own = samplings.filter(({ subject }) => subject === entry)
    const sampled = curvesOf(own)
    const unread = unreadQuote(own)
    // A quote that reverts is the venue's answer: it swaps nothing at this block.
    if (sampled.curves.size === 0 && unread !== null) return unreadablePool(pool, unread)
    return { pool, state: { entry, ...sampled }, partial: true }
  })
}

/** By holder and token; raw units. */
async function largestAmounts(
  reader: StateReader,
  entries: readonly DeclaredEntry[],
): Promise<ReadonlyMap<string, bigint>> {
  const wanted = new Map<string, ReadCall>()
  for (const { venue, declared } of entries) {
    for (const token of declared.largest ? [] : declared.tokens) {
      const owner = contractOf(venue.holder, declared.address)
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
      wanted.set(`${owner}:${token}`, { to: token, data })
    }
  }
  const results = wanted.size > 0 ? await reader.call([...wanted.values()]) : []
  return new Map(
    [...wanted.keys()].map((key, index) => [key, ((readWord(results[index]) ?? 0n) * 3n) / 2n]),
  )
}

function directionsOf(
  entry: DeclaredEntry,
  largest: ReadonlyMap<string, bigint>,
): SampledDirection<DeclaredEntry>[] {
  const { tokens } = entry.declared
  return tokens.flatMap((tokenIn) =>
    tokens
      .filter((tokenOut) => tokenOut !== tokenIn)
      .map((tokenOut) => {
        const direction = { tokenIn, tokenOut }
        const most = largestOf(entry, direction, largest)
        return { subject: entry, direction, largest: quotable(entry, direction, most) }
      }),
  )
}

function largestOf(
  { venue, declared }: DeclaredEntry,
  { tokenIn }: Direction,
  largest: ReadonlyMap<string, bigint>,
): bigint {
  const stated = declared.largest?.[declared.tokens.indexOf(tokenIn)]
  if (stated !== undefined) return BigInt(stated)
  return largest.get(`${contractOf(venue.holder, declared.address)}:${tokenIn}`) ?? 0n
}

/** Halves the amount until the function takes it: what a token says of a balance may be more. 0: it takes none. */
export function quotable(entry: DeclaredEntry, direction: Direction, amount: bigint): bigint {
  if (amount === 0n) return 0n
  try {
    quoteCall(entry, direction, amount)
    return amount
  } catch {
    return quotable(entry, direction, amount / 2n)
  }
}

/** Each quote is a call. */
function askThrough(reader: StateReader): Ask<DeclaredEntry> {
  return async (wanted) => {
    const calls = wanted.map(({ subject, direction, sizes }) =>
      sizes.map((amountIn) => quoteCall(subject, direction, amountIn)),
    )
    const answers = await readAll(reader, calls)
    return zip(wanted, answers).map(([{ subject }, own]) =>
      own.map((answer): Quoted => {
        const isUnread = !answer.ok && answer.reason === 'unreadable'
        return {
          amountOut: quotedAmount(subject.venue, answer),
          unread: isUnread ? answer.message : null,
        }
      }),
    )
  }
}

/**
 * The call that quotes an amount.
 * @throws where the function does not take so much, or not what a factory's event says.
 */
export function quoteCall(
  { venue, declared }: DeclaredEntry,
  { tokenIn, tokenOut }: Direction,
  amountIn: bigint,
): ReadCall {
  const { quote, quoteAbi } = venue
  const names = { ...namesOf(venue, declared, tokenIn, tokenOut), amountIn }
  const args = argumentValues(quoteAbi.inputs, quote.args, names)
  return {
    to: contractOf(quote.contract, declared.address),
    data: encodeFunctionData({ abi: [quoteAbi], functionName: quoteAbi.name, args }),
    gas: BigInt(quote.gasLimit),
  }
}

/** Raw units; null where the call failed, or did not return what its signature says. */
export function quotedAmount(
  { quote, quoteAbi }: Venue,
  result: ReadResult | undefined,
): bigint | null {
  if (!result?.ok) return null
  let value: unknown
  try {
    value = decodeFunctionResult({
      abi: [quoteAbi],
      functionName: quoteAbi.name,
      data: result.value,
    })
  } catch {
    return null
  }
  if (quoteAbi.outputs.length === 1) value = [value]
  for (const index of quote.output) value = Object.values(Object(value))[index]
  if (typeof value !== 'bigint' && typeof value !== 'number') return null
  return quote.negated ? -BigInt(value) : BigInt(value)
}

export function contractOf(stated: Address | 'pool', pool: Address): Address {
  return stated === 'pool' ? pool : stated
}
