/**
 * Which calculations are let in. As long as all that is asked for finds a place, all of it is. Once one has been
 * refused, the service is under more load than it can answer, and only as many are let in as have their answers in
 * little more than the time that these take when all threads are just busy: by what calculations of their kind have been
 * seen to take. Pure but for what it remembers.
 */
import { ForkrouteError } from '../domain/errors.js'
import { count as countMetric } from '../telemetry/metrics.js'

/** What is to be let in. */
export interface Asked {
  /** Calculations that take alike: those of one endpoint. */
  readonly kind: string
  /** Calculations that run at the same time for it; capped at the number of places there are. */
  readonly places: number
  /** How many of its kind it is made of, such as quotes of a batch. */
  readonly size: number
  /** Milliseconds in which the answer is of use; absent: any. */
  readonly deadlineMs?: number | undefined
}

export interface Admission {
  /** @throws ForkrouteError OVERLOADED at once when it is not let in; there is no queue. */
  run<T>(asked: Asked, work: () => Promise<T>): Promise<T>
  /** Places that are taken. */
  readonly inFlight: number
}

/** A refusal says for so long that more is asked for than can be answered. */
const pressureMs = 2_000
/**
 * Under load an answer may take so many times what it takes while the threads are just busy: what is measured varies,
 * and twice is what shall hold for 99 of 100.
 */
const mostTimes = 1.5
/** Calculations for each thread that keep it busy, since they wait for forks as well; and the least under load. */
const busyPerThread = 4
const leastPerThread = 3
/** Weight of one more calculation in what those of its kind take. */
const baseWeight = 1 / 100
/** Weight of one more calculation in how slow they are at present. */
const nowWeight = 1 / 10

/** Means over calculations of one kind, of a part of size one. */
interface Seen {
  count: number
  /** Wall time. */
  ms: number
  /** Its part of the service's time, were all that run given equal parts; each thread is for one of them at most. */
  shareMs: number
}

/**
 * @param options.maxPlaces - bound whatever was measured.
 * @param options.now - milliseconds of a monotonic clock.
 */
export function createAdmission(options: {
  readonly maxPlaces: number
  readonly threads: number
  readonly now?: () => number
}): Admission {
  const { maxPlaces, threads, now = () => performance.now() } = options
  const kinds = new Map<string, Seen>()
  let inFlight = 0
  let refusedAt = Number.NEGATIVE_INFINITY
  /** Milliseconds that every calculation would have had of the service since its start, had it run all the time. */
  let sharedMs = 0
  let countedAt = now()
  /** What a calculation takes at present, in times of what its kind takes otherwise. */
  let slowness = 1

  /** Call before what is in flight changes. */
  function countShared(): number {
    const at = now()
    sharedMs += (at - countedAt) / Math.max(threads, inFlight)
    countedAt = at
    return sharedMs
  }

  const isPressed = () => now() - refusedAt < pressureMs

  /** Places that may be taken under load. */
  function limit(): number {
    const inTime = (mostTimes * busyPerThread * threads) / Math.max(1, slowness)
    return Math.min(maxPlaces, Math.max(leastPerThread * threads, Math.floor(inTime)))
  }

  function refusal(why: string): ForkrouteError {
    countMetric('refused_total', { limit: 'in_flight' })
    return new ForkrouteError('OVERLOADED', `${why}; try again in a moment.`)
  }

  function check({ kind, size, deadlineMs }: Asked, places: number): void {
    const wanted = inFlight + places
    const most = isPressed() ? limit() : maxPlaces
    if (inFlight > 0 && wanted > most) {
      refusedAt = now()
      throw refusal(`${inFlight} calculations are running, and ${most} is the limit`)
    }
    const seen = kinds.get(kind)
    if (deadlineMs === undefined || !seen || inFlight === 0 || !isPressed()) return
    const expectedMs = seen.shareMs * slowness * size * wanted
    if (expectedMs > deadlineMs) {
      throw refusal(`An answer takes about ${Math.round(expectedMs)} ms at present`)
    }
  }

  function learn({ kind, size }: Asked, took: { readonly ms: number; readonly shareMs: number }) {
    const [ms, shareMs] = [took.ms / size, took.shareMs / size]
    const seen = kinds.get(kind) ?? { count: 0, ms, shareMs }
    kinds.set(kind, seen)
    // What waits for a node takes no longer where more of it runs, so its share says less than its time.
    const times = Math.min(ms / seen.ms, shareMs / seen.shareMs)
    slowness += (times - slowness) * nowWeight
    seen.count += 1
    const weight = Math.max(baseWeight, 1 / seen.count)
    // What load adds is no measure of what a calculation takes without it.
    if (isPressed() && weight === baseWeight) return
    seen.ms += (ms - seen.ms) * weight
    seen.shareMs += (shareMs - seen.shareMs) * weight
  }

  return {
    async run(asked, work) {
      const places = Math.min(asked.places, maxPlaces)
      check(asked, places)
      const begun = { at: now(), sharedMs: countShared() }
      inFlight += places
      try {
        const value = await work()
        learn(asked, { ms: now() - begun.at, shareMs: countShared() - begun.sharedMs })
        return value
      } finally {
        countShared()
        inFlight -= places
      }
    },
    get inFlight() {
      return inFlight
    },
  }
}
