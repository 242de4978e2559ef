import { describe, expect, test } from 'vitest'
import { ForkrouteError } from '../domain/errors.js'
import { type Asked, createAdmission } from './admission.js'

const quote: Asked = { kind: 'quote', places: 1, size: 1 }
const batch: Asked = { kind: 'batch', places: 16, size: 200 }

/**
 * A service of which all calculations in flight get an equal part, as of a processor, in steps of a millisecond; `waits`:
 * each takes its time whatever runs beside it, as what waits for a node does.
 */
function simulated({ maxPlaces = 32, threads = 2, waits = false } = {}) {
  let time = 0
  const admission = createAdmission({ maxPlaces, threads, now: () => time })
  const running = new Set<{ left: number; done: () => void }>()
  const seen = { ms: [] as number[], refused: 0 }
  /** Work that is done in a millisecond. */
  let pace = 1
  /** Work of the next calculation, 11 to 29 milliseconds. */
  let serial = 0
  const next = () => 11 + ((serial++ * 7) % 19)
  const flush = () => new Promise<void>((resolve) => setImmediate(resolve))

  function ask(asked: Asked, work: number): Promise<string> {
    const begun = time
    const run = () =>
      new Promise<void>((done) => {
        running.add({ left: work, done })
      })
    return admission.run(asked, run).then(
      () => {
        seen.ms.push(time - begun)
        return 'done'
      },
      (error: unknown) => {
        if (!(error instanceof ForkrouteError)) throw error
        seen.refused += 1
        return error.message
      },
    )
  }

  async function pass(ms: number, each: () => void = () => undefined): Promise<void> {
    for (let step = 0; step < ms; step++) {
      each()
      time += 1
      const part = waits ? 1 : pace / Math.max(1, running.size)
      let isOver = false
      for (const one of running) {
        one.left -= part
        if (one.left > 0) continue
        running.delete(one)
        one.done()
        isOver = true
      }
      if (isOver) await flush()
    }
  }

  /** So many in flight at any time, by clients that ask again as soon as they are answered. */
  function closed(clients: number, times = 1): () => void {
    let open = 0
    return () => {
      for (; open < clients; open++) void ask(quote, times * next()).finally(() => open--)
    }
  }

  return {
    ask,
    pass,
    closed,
    /** Ten times what can be done. */
    overload: () => {
      if (time % 2) void ask(quote, next())
    },
    setPace: (to: number) => {
      pace = to
    },
    take() {
      const taken = { ms: seen.ms.toSorted((a, b) => a - b), refused: seen.refused }
      seen.ms = []
      seen.refused = 0
      return taken
    },
  }
}

const p99 = (sorted: readonly number[]) => sorted[Math.floor(sorted.length * 0.99)] ?? 0

describe('createAdmission', () => {
  test.each([1, 8, 16, 32])('%i in flight on two threads are all let in', async (clients) => {
    const { pass, closed, take } = simulated()
    await pass(5_000, closed(clients))
    const { ms, refused } = take()
    expect(refused).toBe(0)
    expect(ms.length).toBeGreaterThan(200)
  })

  test.each([
    ['as fast as before', 1],
    ['at half of its pace, which refusing takes', 0.5],
  ])(
    'ten times the load: nearly twice as long at most, and no less is done: %s',
    async (_how, pace) => {
      const { pass, closed, take, overload, setPace } = simulated()
      await pass(20_000, closed(8))
      const normal = take()
      setPace(pace)
      // Until the load is known, as many come in as there are places.
      await pass(3_000, overload)
      take()
      await pass(20_000, overload)
      const busy = take()
      expect(busy.refused).toBeGreaterThan(8_000)
      expect(busy.ms.length).toBeGreaterThan(0.95 * pace * normal.ms.length)
      expect(p99(busy.ms)).toBeLessThanOrEqual(2 * p99(normal.ms))
    },
  )

  test('what waits for a node is not cut down to what a processor could do', async () => {
    const { pass, closed, take } = simulated({ waits: true })
    await pass(10_000, closed(16, 10))
    const normal = take()
    await pass(10_000, closed(40, 10))
    expect(take().ms.length).toBeGreaterThan(0.7 * normal.ms.length)
  })

  test('a service that begins under such a load learns what it can do', async () => {
    const { pass, take, overload } = simulated()
    await pass(20_000, overload)
    const { ms } = take()
    expect(ms.length).toBeGreaterThan(900)
  })

  test('two seconds after the last refusal all places may be taken again', async () => {
    const { pass, closed, take, overload } = simulated()
    await pass(5_000, closed(8))
    await pass(3_000, overload)
    await pass(5_000)
    take()
    await pass(3_000, closed(16))
    expect(take().refused).toBe(0)
  })

  test('a batch counts as what it runs at a time; under load it has to wait for quieter times', async () => {
    const { pass, closed, ask, take, overload } = simulated()
    await pass(2_000, closed(8))
    const one = ask(batch, 4_000)
    await pass(1_000, closed(8))
    expect(take().refused).toBe(0)
    await pass(8_000)
    expect(await one).toBe('done')
    await pass(1_000, overload)
    expect(await ask(batch, 4_000)).toMatch(/calculations are running, and \d+ is the limit/)
  })

  test('under load, what cannot be answered by its deadline is refused at once', async () => {
    const { pass, closed, ask, overload } = simulated()
    await pass(5_000, closed(8))
    await pass(3_000, overload)
    await pass(60)
    expect(await ask({ ...quote, deadlineMs: 5 }, 20)).toMatch(/^An answer takes about \d+ ms/)
    const patient = ask({ ...quote, deadlineMs: 10_000 }, 20)
    await pass(1_000)
    expect(await patient).toBe('done')
  })

  test('with nothing in flight anything is let in', async () => {
    const { pass, ask } = simulated({ maxPlaces: 4 })
    const one = ask({ ...batch, places: 4 }, 50)
    expect(await ask(quote, 1)).toContain('4 is the limit')
    await pass(100)
    expect(await one).toBe('done')
    const again = ask({ ...batch, places: 4, deadlineMs: 1 }, 50)
    await pass(100)
    expect(await again).toBe('done')
  })
})
