/** How long a node takes to answer, by kind of request. No I/O. */
import { quantileSorted } from 'd3-array'

export interface Latencies {
  /** @param calls - in the request. @param ms - from the sending to the last byte. */
  note(method: string, calls: number, ms: number): void
  /**
   * Nobody waited for the answer any longer: it would have taken more than that. Without these a node that becomes slow as
   * a whole would have all its answers given up as late as before.
   */
  givenUp(method: string, calls: number, ms: number): void
  /** Milliseconds after which an answer is late: nineteen of twenty came sooner. */
  late(method: string, calls: number): number
  /** Milliseconds after which it will hardly come. */
  lost(method: string, calls: number): number
  /** Median of the latest answers of all kinds, milliseconds; null before the first. */
  median(): number | null
  /** Milliseconds of the answers since it was last asked, the latest of them where there were very many. */
  take(): readonly number[]
}

/** Answers that are remembered, of one kind and of all. */
const maxSamples = 64
const fewestSamples = 16
/** Answers that are kept until they are taken. */
const maxTaken = 2_048
/** What is late before there are samples: the way to a distant node, and its work for each call. */
const lateAtFirstMs = 1_000
const msPerCall = 5
/** The clock of a busy thread ticks no finer. */
const leastLateMs = 50
/** What takes so many times longer than nearly all before it is lost. */
const lostFactor = 4
const leastLostMs = 1_500
/** Of a node whose answers all take the same time, half would be a little late. */
const jitter = 1.2
const jitterMs = 20

export function createLatencies(): Latencies {
  const kinds = new Map<string, number[]>()
  const all: number[] = []
  let untaken: number[] = []

  function add(samples: number[], ms: number, most = maxSamples): number[] {
    samples.push(ms)
    if (samples.length > most) samples.shift()
    return samples
  }

  function late(method: string, calls: number): number {
    const samples = kinds.get(kindOf(method, calls)) ?? []
    if (samples.length >= fewestSamples) {
      return Math.max(leastLateMs, jitter * quantile(samples, 0.95) + jitterMs)
    }
    const work = msPerCall * calls
    if (all.length < fewestSamples) return lateAtFirstMs + work
    return Math.max(leastLateMs, 2 * quantile(all, 0.95)) + work
  }

  function sample(method: string, calls: number, ms: number): void {
    const kind = kindOf(method, calls)
    kinds.set(kind, add(kinds.get(kind) ?? [], ms))
    add(all, ms)
  }

  return {
    note(method, calls, ms) {
      sample(method, calls, ms)
      add(untaken, ms, maxTaken)
    },
    givenUp: sample,
    late,
    lost: (method, calls) => Math.max(leastLostMs, lostFactor * late(method, calls)),
    median: () => (all.length > 0 ? quantile(all, 0.5) : null),
    take() {
      const taken = untaken
      untaken = []
      return taken
    },
  }
}

/** Large batches take longer than small ones, and headers, calls and events each their own time. */
function kindOf(method: string, calls: number): string {
  return `${method.startsWith('eth_get') && calls > 1 ? 'batch' : method} ${Math.ceil(Math.log2(calls + 1) / 2)}`
}

function quantile(samples: readonly number[], share: number): number {
  return (
    quantileSorted(
      [...samples].sort((a, b) => a - b),
      share,
    ) ?? 0
  )
}
