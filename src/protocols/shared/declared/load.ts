/**
 * Curves of declared pools in a few rounds of reads for all of them: limits and what their holders have, quotes of
 * geometric sizes in both directions of each pair of their tokens, and more quotes where larger sizes give nothing.
 */
import { type AbiFunction, decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem'
import { argumentValues, namesOf } from '../../../domain/declared-venue.js'
import { smaller, zip } from '../../../domain/lists.js'
import type { Address } from '../../../domain/primitives.js'
import type { ReadCall, ReadResult, StateReader } from '../../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../../pool.js'
import type { Direction, LoadedPool } from '../../protocol.js'
import { readAll } from '../read-all.js'
import { readWord } from '../read-word.js'
import {
  type Ask,
  curvesOf,
  type Quoted,
  type SampledDirection,
  type SampledState,
  sampleAll,
  unreadQuote,
} from '../sampled/sample.js'
import { type Calls, callsOf, type DeclaredEntry } from './entry.js'

export interface DeclaredState extends SampledState {
  readonly entry: DeclaredEntry
}

type Loaded = LoadedPool<DeclaredState> | Unreadable

/**
 * @param entryOf - of a pool; null: there is no such pool.
 * @param absent - a sentence that says so.
 */
export async function loadDeclared(args: {
  readonly reader: StateReader
  readonly pools: readonly Pool[]
  readonly entryOf: (pool: Pool) => DeclaredEntry | null
  readonly absent: string
}): Promise<Loaded[]> {
  const { reader, pools } = args
  const known = new Map(pools.map((pool) => [pool, args.entryOf(pool)]))
  const entries = [...known.values()].flatMap((entry) => entry ?? [])
  const bounded = await boundDirections(reader, entries.flatMap(directionsOf))
  const samplings = await sampleAll(askThrough(reader, bounded), bounded.map(toSampled))
  return pools.map((pool) => {
    const entry = known.get(pool)
    if (!entry) return unreadablePool(pool, args.absent)
    const own = samplings.filter(({ subject }) => subject === entry)
    const sampled = curvesOf(own)
    const ofBounds = bounded.find(({ subject, unread }) => subject === entry && unread !== null)
    const unread = ofBounds?.unread ?? unreadQuote(own)
    // A quote that reverts is the venue's answer: it swaps nothing at this block.
    if (sampled.curves.size === 0 && unread !== null) return unreadablePool(pool, unread)
    return { pool, state: { entry, ...sampled }, partial: true }
  })
}

export interface OfDirection {
  readonly subject: DeclaredEntry
  readonly direction: Direction
}

/** With what is quoted at most, and what the pool pays at most, raw units; null: its limits do not say. */
export interface Bounded extends OfDirection {
  readonly mostIn: bigint
  readonly mostOut: bigint | null
  /** What the node said of a limit that it could not read. */
  readonly unread: string | null
}

function directionsOf(entry: DeclaredEntry): OfDirection[] {
  const { tokens } = entry.pool
  return tokens.flatMap((tokenIn) =>
    tokens
      .filter((tokenOut) => tokenOut !== tokenIn)
      .map((tokenOut) => ({ subject: entry, direction: { tokenIn, tokenOut } })),
  )
}

/** Limits, and what holders have of each token, in one read that asks nothing twice. */
export async function boundDirections(
  reader: Pick<StateReader, 'call'>,
  directions: readonly OfDirection[],
): Promise<Bounded[]> {
  const wanted = directions.map((one) => [balanceCalls(one), limitCalls(one)] as const)
  const calls = new Map(wanted.flat(2).map((call) => [`${call.to}:${call.data}`, call]))
  const results = calls.size > 0 ? await reader.call([...calls.values()]) : []
  const found = new Map(zip([...calls.keys()], results))
  const read = (asked: readonly ReadCall[]) =>
    asked.flatMap(({ to, data }) => found.get(`${to}:${data}`) ?? [])
  return zip(directions, wanted).map(([one, [balances, limits]]) =>
    boundsOf(one, read(limits), readWord(read(balances)[0]) ?? 0n),
  )
}

function boundsOf(one: OfDirection, read: readonly ReadResult[], held: bigint): Bounded {
  const { subject, direction } = one
  const unread = read.find((result) => !result.ok && result.reason === 'unreadable')
  let mostIn: bigint | null = null
  let mostOut: bigint | null = null
  let isOpen = true
  for (const [{ limit, abi }, result] of zip(callsOf(subject, direction).limits, read)) {
    const value = resultAt(abi, limit.output, result)
    if (typeof value !== 'bigint') isOpen = isOpen && value === !limit.negated
    else if (limit.of === 'tokenIn') mostIn = least(mostIn, value)
    else mostOut = least(mostOut, value)
  }
  const stated = statedLargest(one)
  const most = stated ?? mostIn ?? (held * 3n) / 2n
  return {
    ...one,
    mostIn: isOpen ? least(mostIn, most) : 0n,
    mostOut,
    unread: unread && !unread.ok ? unread.message : null,
  }
}

function least(bound: bigint | null, amount: bigint): bigint {
  return bound === null ? amount : smaller(bound, amount)
}

function statedLargest({ subject, direction }: OfDirection): bigint | null {
  const { largest, tokens } = subject.declared
  const stated = largest?.[tokens.indexOf(direction.tokenIn)]
  return stated === undefined ? null : BigInt(stated)
}

/** None where the size of quotes follows from something else. */
function balanceCalls(one: OfDirection): ReadCall[] {
  const { subject, direction } = one
  const isKnown =
    statedLargest(one) !== null ||
    callsOf(subject, direction).limits.some(({ limit }) => limit.of === 'tokenIn')
  if (isKnown) return []
  const owner = contractOf(subject.venue.holder, subject.declared.address)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  return [{ to: direction.tokenIn, data }]
}

function limitCalls({ subject, direction }: OfDirection): ReadCall[] {
  return callsOf(subject, direction).limits.map((limit) => limitCall(subject, direction, limit))
}

export function limitCall(
  entry: DeclaredEntry,
  direction: Direction,
  { limit, abi }: Calls['limits'][number],
): ReadCall {
  const { venue, declared } = entry
  const names = namesOf(venue, declared, direction.tokenIn, direction.tokenOut)
  return {
    to: contractOf(limit.contract, declared.address),
    data: encodeFunctionData({
      abi: [abi],
      functionName: abi.name,
      args: argumentValues(abi.inputs, limit.args, names),
    }),
    gas: BigInt(callsOf(entry, direction).quote.gasLimit),
  }
}

function toSampled({ subject, direction, mostIn }: Bounded): SampledDirection<DeclaredEntry> {
  const largest = quotable(subject, direction, mostIn)
  return { subject, direction, largest, byDepth: subject.venue.sizesByDepth === true }
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

/** Each quote is a call. What is above the bound of the output counts for nothing. */
function askThrough(reader: StateReader, bounded: readonly Bounded[]): Ask<DeclaredEntry> {
  return async (wanted) => {
    const calls = wanted.map(({ subject, direction, sizes }) =>
      sizes.map((amountIn) => quoteCall(subject, direction, amountIn)),
    )
    const answers = await readAll(reader, calls)
    return zip(zip(wanted, bounded), answers).map(([[{ subject, direction }, { mostOut }], own]) =>
      own.map((answer): Quoted => {
        const isUnread = !answer.ok && answer.reason === 'unreadable'
        const amountOut = quotedAmount(subject, direction, answer)
        const isPayable = amountOut !== null && (mostOut === null || amountOut <= mostOut)
        return { amountOut: isPayable ? amountOut : null, unread: isUnread ? answer.message : null }
      }),
    )
  }
}

/**
 * The call that quotes an amount.
 * @throws where the function does not take so much, or not what a factory's event says.
 */
export function quoteCall(entry: DeclaredEntry, direction: Direction, amountIn: bigint): ReadCall {
  const { venue, declared } = entry
  const { quote, quoteAbi } = callsOf(entry, direction)
  const names = { ...namesOf(venue, declared, direction.tokenIn, direction.tokenOut), amountIn }
  const args = argumentValues(quoteAbi.inputs, quote.args, names)
  return {
    to: contractOf(quote.contract, declared.address),
    data: encodeFunctionData({ abi: [quoteAbi], functionName: quoteAbi.name, args }),
    gas: BigInt(quote.gasLimit),
  }
}

/** Raw units; null where the call failed, or did not return what its signature says. */
export function quotedAmount(
  entry: DeclaredEntry,
  direction: Direction,
  result: ReadResult | undefined,
): bigint | null {
  const { quote, quoteAbi } = callsOf(entry, direction)
  const value = resultAt(quoteAbi, quote.output, result)
  if (typeof value !== 'bigint') return null
  return quote.negated ? -value : value
}

/** The number, or true or false, that the path leads to; null where there is none. */
function resultAt(
  abi: AbiFunction,
  path: readonly number[],
  result: ReadResult | undefined,
): bigint | boolean | null {
  if (!result?.ok) return null
  let value: unknown
  try {
    value = decodeFunctionResult({ abi: [abi], functionName: abi.name, data: result.value })
  } catch {
    return null
  }
  if (abi.outputs.length === 1) value = [value]
  for (const index of path) value = Object.values(Object(value))[index]
  if (typeof value === 'bigint' || typeof value === 'boolean') return value
  return typeof value === 'number' ? BigInt(value) : null
}

export function contractOf(stated: Address | 'pool', pool: Address): Address {
  return stated === 'pool' ? pool : stated
}
