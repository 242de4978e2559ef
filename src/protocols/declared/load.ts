/**
 * Curves of declared pools in two rounds of reads for all of them: what their holders have, then quotes of geometric
 * sizes in both directions of each pair of their tokens.
 */
import { decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { argumentValues, namesOf } from '../../domain/declared-venue.js'
import type { Address } from '../../domain/primitives.js'
import type { ReadCall, ReadResult, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { Direction, LoadedPool } from '../protocol.js'
import { readWord } from '../shared/read-word.js'
import { type Curve, concaveCurve, type Sample } from './curve.js'
import { type DeclaredEntry, declaredSlug, entriesOf, type Venue } from './venue.js'

export interface DeclaredState {
  readonly entry: DeclaredEntry
  /** By `directionKey`; a direction that could not be quoted has none. */
  readonly curves: ReadonlyMap<string, Curve>
  /** By `directionKey`: what earlier swaps of the same search have put in, raw units. */
  readonly spent: ReadonlyMap<string, bigint>
}

type Loaded = LoadedPool<DeclaredState> | Unreadable

const sizes = 13
const sizeRatio = 3n

export function directionKey({ tokenIn, tokenOut }: Direction): string {
  return `${tokenIn}>${tokenOut}`
}

export async function loadDeclared(args: {
  readonly reader: StateReader
  readonly venue: VenueParameters
  readonly pools: readonly Pool[]
}): Promise<Loaded[]> {
  const { reader, venue, pools } = args
  const known = entriesOf(venue)
  const entries = pools.map(({ id }) => known.get(id))
  const largest = await largestAmounts(
    reader,
    entries.flatMap((entry) => entry ?? []),
  )
  const quotes = entries.map((entry) => (entry ? quotesOf(entry, largest) : []))
  const results = await reader.call(quotes.flat().map(({ call }) => call))
  let next = 0
  return pools.map((pool, index) => {
    const own = quotes[index] ?? []
    const answers = results.slice(next, next + own.length)
    next += own.length
    const entry = entries[index]
    if (!entry) return unreadable(pool, 'The file of VENUES has no such pool.')
    const curves = curvesOf(entry.venue, own, answers)
    const unread = answers.find((answer) => !answer.ok && answer.reason === 'unreadable')
    // A quote that reverts is the venue's answer: it swaps nothing at this block.
    if (curves.size === 0 && unread && !unread.ok) return unreadable(pool, unread.message)
    return { pool, state: { entry, curves, spent: new Map() }, partial: true }
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

interface Quote {
  readonly key: string
  readonly amountIn: bigint
  readonly call: ReadCall
}

function quotesOf(entry: DeclaredEntry, largest: ReadonlyMap<string, bigint>): Quote[] {
  const { venue, declared } = entry
  const owner = contractOf(venue.holder, declared.address)
  return declared.tokens.flatMap((tokenIn, index) => {
    const stated = declared.largest?.[index]
    const most = stated ? BigInt(stated) : (largest.get(`${owner}:${tokenIn}`) ?? 0n)
    return declared.tokens.flatMap((tokenOut) =>
      tokenIn === tokenOut
        ? []
        : geometric(most).map((amountIn) => ({
            key: directionKey({ tokenIn, tokenOut }),
            amountIn,
            call: quoteCall(entry, { tokenIn, tokenOut }, amountIn),
          })),
    )
  })
}

/** Descending, without zeros. */
function geometric(largest: bigint): bigint[] {
  return Array.from({ length: sizes }, (_, k) => largest / sizeRatio ** BigInt(k)).filter(
    (size) => size > 0n,
  )
}

/** The call that quotes an amount. */
export function quoteCall(
  { venue, declared }: DeclaredEntry,
  { tokenIn, tokenOut }: Direction,
  amountIn: bigint,
): ReadCall {
  const { quote, quoteAbi } = venue
  const names = { ...namesOf(declared, tokenIn, tokenOut), amountIn }
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

function curvesOf(
  venue: Venue,
  quotes: readonly Quote[],
  answers: readonly ReadResult[],
): ReadonlyMap<string, Curve> {
  const samples = new Map<string, Sample[]>()
  for (const [index, { key, amountIn }] of quotes.entries()) {
    const amountOut = quotedAmount(venue, answers[index])
    if (amountOut === null || amountOut <= 0n) continue
    samples.set(key, [...(samples.get(key) ?? []), { amountIn, amountOut }])
  }
  return new Map([...samples].map(([key, list]) => [key, concaveCurve(list)]))
}

export function contractOf(stated: Address | 'pool', pool: Address): Address {
  return stated === 'pool' ? pool : stated
}

function unreadable(pool: Pool, message: string): Unreadable {
  return { protocol: declaredSlug, subject: pool.id, message }
}
