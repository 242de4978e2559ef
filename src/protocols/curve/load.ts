/**
 * State of Curve pools in bulk. Three rounds of reads for all pools together: getters; one quote per pool
 * that checks the maths here; samples of quotes where there is no maths or the check failed.
 */
import type { ChainDefinition } from '../../chains/chain.js'
import type { Hex } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { LoadedPool, Pool, Unreadable } from '../protocol.js'
import { encodeBalances, encodeGetDy, wordOf } from './abi.js'
import { getterCalls, nativeState } from './native-state.js'
import { type CurveParameters, curveParameters } from './parameters.js'
import { direction, type Sample, type SampledPoolState, sampleSizes } from './sampled.js'
import { type CurveState, type NativeState, outputOf } from './state.js'

type Loaded = LoadedPool<CurveState> | Unreadable

/** One pool on its way. */
interface Entry {
  readonly pool: Pool
  readonly parameters: CurveParameters
  /** Null: the getter did not answer. */
  readonly balances: readonly (bigint | null)[]
  /** Null: the maths here lacks a number. */
  readonly native: NativeState | null
}

/** What the pool's own quote says of the maths here. */
type Verdict = 'agrees' | 'contradicts' | 'unknown'

/** Reads words of many pools in one bulk request; the answers come back per pool. */
async function readWords(
  reader: StateReader,
  wanted: readonly { readonly pool: Pool; readonly data: readonly Hex[] }[],
): Promise<(bigint | null)[][]> {
  const results = await reader.call(
    wanted.flatMap(({ pool, data }) => data.map((item) => ({ to: pool.address, data: item }))),
  )
  let next = 0
  return wanted.map(({ data }) => data.map(() => wordOf(results[next++])))
}

export async function loadCurve(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly pools: readonly Pool[]
}): Promise<Loaded[]> {
  const { reader, chain, pools } = args
  const parsed = pools.map((pool) => parse(pool))
  const valid = parsed.filter((item) => 'parameters' in item)
  const words = await readWords(
    reader,
    valid.map(({ pool, parameters }) => ({
      pool,
      data: [
        ...parameters.decimals.map((_d, k) => encodeBalances(parameters.getterIndexType, k)),
        ...getterCalls(parameters),
      ],
    })),
  )
  // The simulated block is the next one: a ramp of A has gone on by then.
  const timestamp = reader.block.timestamp + BigInt(chain.blockTimeSeconds)
  const entries = valid.map((item, k): Entry => {
    const n = item.parameters.decimals.length
    const balances = words[k]?.slice(0, n) ?? []
    const getters = words[k]?.slice(n) ?? []
    const native = nativeState(item.parameters, balances, getters, timestamp)
    return { ...item, balances, native }
  })
  const loaded = await loadEntries(reader, entries)
  return parsed.map((item) =>
    'parameters' in item
      ? (loaded.get(item.pool) ?? unreadable(item.pool, 'The state could not be read.'))
      : item,
  )
}

function parse(pool: Pool): { pool: Pool; parameters: CurveParameters } | Unreadable {
  try {
    return { pool, parameters: curveParameters(pool) }
  } catch (error) {
    return unreadable(pool, (error as Error).message)
  }
}

async function loadEntries(
  reader: StateReader,
  entries: readonly Entry[],
): Promise<Map<Pool, Loaded>> {
  const loaded = new Map<Pool, Loaded>()
  const verdicts = await checkNative(reader, entries)
  const others: Entry[] = []
  for (const [k, entry] of entries.entries()) {
    const { pool, native } = entry
    const verdict = verdicts[k]
    if (!native || verdict === 'contradicts') others.push(entry)
    else if (verdict === 'agrees') loaded.set(pool, { pool, state: native, partial: false })
    else loaded.set(pool, { pool, state: { ...native, exact: false }, partial: true })
  }
  for (const [{ pool }, state] of await sample(reader, others)) {
    const isQuoted = Object.keys(state.curves).length > 0
    loaded.set(
      pool,
      isQuoted
        ? { pool, state, partial: true }
        : unreadable(pool, 'Neither its state nor get_dy can be read.'),
    )
  }
  return loaded
}

/**
 * An imported pool may be of a kind with other rates, fees or roundings than its parameters say, so each
 * pool's own `get_dy` is asked once, for a thousandth of the balance of coin 0.
 */
async function checkNative(reader: StateReader, entries: readonly Entry[]): Promise<Verdict[]> {
  const sizes = entries.map(({ balances }) => ((balances[0] ?? 0n) + 999n) / 1000n)
  const words = await readWords(
    reader,
    entries.map(({ pool, parameters, native }, k) => ({
      pool,
      data: native ? [encodeGetDy(parameters.indexType, 0, 1, sizes[k] ?? 0n)] : [],
    })),
  )
  return entries.map(({ native }, k): Verdict => {
    const quoted = words[k]?.[0] ?? null
    if (!native || quoted === null) return 'unknown'
    const computed = outputOf(native, 0, 1, sizes[k] ?? 0n)
    const difference = quoted > computed ? quoted - computed : computed - quoted
    // get_dy may round in another order, and does not know of the next block's ramp of A.
    const tolerance = 2n + quoted / (native.kind === 'stable' ? 10_000_000n : 10_000n)
    return difference <= tolerance ? 'agrees' : 'contradicts'
  })
}

async function sample(
  reader: StateReader,
  entries: readonly Entry[],
): Promise<[Entry, SampledPoolState][]> {
  const plans = entries.map((entry) => ({ entry, questions: questionsOf(entry) }))
  const words = await readWords(
    reader,
    plans.map(({ entry, questions }) => ({
      pool: entry.pool,
      data: questions.map(({ i, j, amountIn }) =>
        encodeGetDy(entry.parameters.indexType, i, j, amountIn),
      ),
    })),
  )
  return plans.map(({ entry, questions }, k) => {
    const curves: Record<string, Sample[]> = {}
    for (const [position, { i, j, amountIn }] of questions.entries()) {
      const amountOut = words[k]?.[position]
      if (!amountOut) continue
      const key = direction(i, j)
      curves[key] ??= []
      curves[key].push({ amountIn, amountOut })
    }
    return [entry, { kind: 'sampled', curves, spent: {} }]
  })
}

function questionsOf({ parameters, balances }: Entry) {
  const coins = parameters.decimals.map((decimals, k) => ({ decimals, k }))
  return coins.flatMap(({ decimals, k: i }) =>
    sampleSizes(balances[i] ?? null, decimals).flatMap((amountIn) =>
      coins.filter(({ k }) => k !== i).map(({ k: j }) => ({ i, j, amountIn })),
    ),
  )
}

function unreadable(pool: Pool, message: string): Unreadable {
  return { protocol: pool.protocol, subject: pool.id, message }
}
