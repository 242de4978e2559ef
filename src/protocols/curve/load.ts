/**
 * State of Curve pools in bulk. Three rounds of reads for all pools together: getters; a few quotes per pool
 * that prove the math here; samples of quotes where there is no math or the quotes contradict it.
 */
import type { ChainDefinition } from '../../chains/chain.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import type { StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import { readAll } from '../shared/read-all.js'
import { wordOf } from './abi.js'
import { balancesOf, type Candidate, candidates, readings } from './native-state.js'
import { type CurveParameters, curveParameters } from './parameters.js'
import { proven, questionsOf, quoteReading } from './proof.js'
import { direction, type Sample, type SampledPoolState, sampleSizes } from './sampled.js'
import type { CurveState } from './state.js'

type Loaded = LoadedPool<CurveState> | Unreadable

/** One pool on its way. */
interface Entry {
  readonly pool: Pool
  readonly parameters: CurveParameters
  /** Null: the getter did not answer. */
  readonly balances: readonly (bigint | null)[]
  /** Empty: the math here lacks a number. */
  readonly candidates: readonly Candidate[]
}

export async function loadSwaps(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly pools: readonly Pool[]
}): Promise<Loaded[]> {
  const { reader, chain, pools } = args
  const parsed = pools.map((pool) => parse(pool))
  const valid = parsed.filter((item) => 'parameters' in item)
  const wanted = valid.map(({ pool, parameters }) => readings(pool, parameters))
  const results = await readAll(
    reader,
    wanted.map((item) => [...item.values()]),
  )
  // The simulated block is the next one: a ramp of A has gone on by then.
  const times = {
    read: reader.block.timestamp,
    simulated: nextBlockTime(reader.block, chain.blockTimeSeconds),
  }
  const entries = valid.map((item, k): Entry => {
    const names = [...(wanted[k]?.keys() ?? [])]
    const answers = new Map(
      (results[k] ?? []).map((result, place) => [names[place] ?? '', result] as const),
    )
    const balances = balancesOf(item.parameters, answers)
    return { ...item, balances, candidates: candidates(item.parameters, answers, times) }
  })
  const loaded = await loadEntries(reader, entries)
  return parsed.map((item) =>
    'parameters' in item
      ? (loaded.get(item.pool) ?? unreadablePool(item.pool, 'The state could not be read.'))
      : item,
  )
}

function parse(pool: Pool): { pool: Pool; parameters: CurveParameters } | Unreadable {
  try {
    return { pool, parameters: curveParameters(pool) }
  } catch (error) {
    return unreadablePool(pool, (error as Error).message)
  }
}

async function loadEntries(
  reader: StateReader,
  entries: readonly Entry[],
): Promise<Map<Pool, Loaded>> {
  const loaded = new Map<Pool, Loaded>()
  const questions = entries.map(({ pool, parameters, balances, candidates: [first] }) =>
    first ? questionsOf(pool, parameters, balances, first) : [],
  )
  const answers = await readAll(
    reader,
    questions.map((list) => list.map(({ reading }) => reading)),
  )
  const others: Entry[] = []
  for (const [k, entry] of entries.entries()) {
    const { pool } = entry
    const proof = proven(entry.candidates, questions[k] ?? [], answers[k] ?? [])
    if (proof) loaded.set(pool, { pool, state: proof.state, partial: !proof.isProven })
    else others.push(entry)
  }
  for (const [{ pool }, state] of await sample(reader, others)) {
    const isQuoted = Object.keys(state.curves).length > 0
    loaded.set(
      pool,
      isQuoted
        ? { pool, state, partial: true }
        : unreadablePool(pool, 'Neither its state nor get_dy can be read.'),
    )
  }
  return loaded
}

async function sample(
  reader: StateReader,
  entries: readonly Entry[],
): Promise<[Entry, SampledPoolState][]> {
  const plans = entries.map((entry) => ({ entry, samples: samplesOf(entry) }))
  const answers = await readAll(
    reader,
    plans.map(({ samples }) => samples.map(({ reading }) => reading)),
  )
  return plans.map(({ entry, samples }, k) => {
    const curves: Record<string, Sample[]> = {}
    for (const [position, { i, j, amountIn }] of samples.entries()) {
      const amountOut = wordOf(answers[k]?.[position])
      if (!amountOut) continue
      const key = direction(i, j)
      curves[key] ??= []
      curves[key].push({ amountIn, amountOut })
    }
    return [entry, { kind: 'sampled', curves, spent: {} }]
  })
}

function samplesOf({ pool, parameters, balances }: Entry) {
  const coins = parameters.decimals.map((decimals, k) => ({ decimals, k }))
  return coins.flatMap(({ decimals, k: i }) =>
    sampleSizes(balances[i] ?? null, decimals).flatMap((amountIn) =>
      coins.flatMap(({ k: j }) => {
        const reading = i === j ? null : quoteReading(pool, parameters, { i, j, amountIn })
        return reading ? [{ i, j, amountIn, reading }] : []
      }),
    ),
  )
}
