/** What others notice: `/health` every 100 ms, a plain quote every 250 ms, and the memory. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { quantile } from '../../bench/section.js'
import { memoryOf } from '../soak/processes.js'

export interface Noticed {
  /** The longest that `/health` took to answer, milliseconds. */
  readonly healthMs: number
  /** Of the quotes, milliseconds. */
  readonly quoteP99: number
  readonly quotes: number
  /** The most of the service and of its processes that read and check, megabytes; Anvils are left out. */
  readonly mostMb: number
  /** What was answered with anything but 200. */
  readonly failed: readonly string[]
}

const healthEveryMs = 100
const quoteEveryMs = 250
const memoryEveryMs = 250

/** What is asked, structured-clonable. */
export interface Watched {
  readonly url: string
  readonly pid: number
  readonly quotePath: string
  /** Of the quotes, in turn. */
  readonly keys: readonly string[]
}

/** Each request begins at its time, whatever has become of those before it. @returns what ends it, and tells. */
export function watch({ url, pid, quotePath, keys }: Watched): () => Promise<Noticed> {
  // Their own connections: a client that waits for a place is no silence of the service.
  const [healths, quotes] = [new Agent({ connections: 64 }), new Agent({ connections: 64 })]
  const over = new AbortController()
  const healthMs: number[] = []
  const quoteMs: number[] = []
  const failed: string[] = []
  let mostMb = 0

  async function timed(agent: Agent, path: string, times: number[], key?: string): Promise<void> {
    const begun = performance.now()
    const headers = key && { authorization: `Bearer ${key}` }
    const options = { dispatcher: agent, ...(headers && { headers }) }
    const { statusCode, body } = await request(`${url}${path}`, options)
    const text = await body.text()
    times.push(performance.now() - begun)
    if (statusCode !== 200) failed.push(`${statusCode} ${text.slice(0, 120)}`)
  }

  async function every(ms: number, ask: (serial: number) => Promise<void> | void): Promise<void> {
    const running = new Set<Promise<void>>()
    const begun = performance.now()
    for (let serial = 0; !over.signal.aborted; serial++) {
      const one = (async () => ask(serial))().catch((error: unknown) => {
        failed.push(String(error))
      })
      running.add(one)
      void one.finally(() => running.delete(one))
      const due = begun + (serial + 1) * ms - performance.now()
      if (due > 0) await sleep(due, undefined, { signal: over.signal }).catch(() => undefined)
    }
    await Promise.all(running)
  }

  const asking = [
    every(healthEveryMs, () => timed(healths, '/health', healthMs)),
    every(quoteEveryMs, (serial) => timed(quotes, quotePath, quoteMs, keys[serial % keys.length])),
    every(memoryEveryMs, () => {
      const { serviceMb, othersMb } = memoryOf(pid)
      mostMb = Math.max(mostMb, serviceMb + othersMb)
    }),
  ]
  return async () => {
    over.abort()
    // What waits for its answer is a silence, too.
    await Promise.all(asking)
    await Promise.all([healths.destroy(), quotes.destroy()])
    return summary()
  }

  function summary(): Noticed {
    const sorted = quoteMs.toSorted((a, b) => a - b)
    return {
      healthMs: Math.max(...healthMs),
      quoteP99: quantile(sorted, 0.99),
      quotes: sorted.length,
      mostMb,
      failed,
    }
  }
}
