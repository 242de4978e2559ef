/** Ten times the quotes that the service can answer, from clients of every kind, against the same at capacity. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { quantile } from '../../bench/section.js'
import { batchBody, quotePath } from './market.js'
import { memoryOf, type Running } from './processes.js'

const overload = 10
const quietMs = 30_000
const cheapEveryMs = 100
const cheapPaths = ['/api/v1/networks', '/api/v1/tokens?chainId=1&pageSize=100', '/ready']
/** Of a hundred requests: those that read slowly, that leave half-way, and that are batches. */
const shares = { slow: 5, leaving: 5, batch: 2 }
const quotesPerBatch = 200

interface Tally {
  readonly accepted: number[]
  readonly shed: number[]
  /** Refused without the header `retry-after`, and answers that are neither 200 nor 503. */
  readonly wrong: string[]
  readonly cheap: number[]
  batches: number
  left: number
}

const emptyTally = (): Tally => {
  return { accepted: [], shed: [], wrong: [], cheap: [], batches: 0, left: 0 }
}

/** @param inFlight - quotes in flight when the service is at its capacity. */
export async function proveLoad(
  service: Running,
  { seconds, inFlight }: { readonly seconds: number; readonly inFlight: number },
): Promise<boolean> {
  const clients = new Agent({ connections: 512 })
  let serial = 0

  async function ask(tally: Tally, body: string | null, signal?: AbortSignal): Promise<void> {
    const begun = performance.now()
    serial += 1
    const path = body ? '/api/v1/shortcuts/quotes' : quotePath(serial)
    const post = body && { method: 'POST' as const, body, headers: jsonHeaders }
    const url = `${service.url}${path}`
    const answer = await request(url, { dispatcher: clients, signal, ...post })
    await answer.body.dump({ limit: 100_000_000 })
    const ms = performance.now() - begun
    const { statusCode, headers } = answer
    if (statusCode === 503 && headers['retry-after']) tally.shed.push(ms)
    else if (statusCode !== 200) tally.wrong.push(`${statusCode} to ${path}`)
    else if (body) tally.batches += 1
    else tally.accepted.push(ms)
  }

  async function leave(tally: Tally): Promise<void> {
    const stop = new AbortController()
    const asked = ask(tally, null, stop.signal).catch(() => undefined)
    await sleep(Math.random() * 300)
    stop.abort()
    tally.left += 1
    await asked
  }

  /** Reads one chunk in a second, until a minute is over. */
  async function readSlowly(stopped: () => boolean): Promise<void> {
    const { hostname, port } = new URL(service.url)
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('error', () => undefined)
    serial += 1
    // A quote fits into the buffers of the system, all tokens do not.
    const path = serial % 2 ? quotePath(serial) : '/api/v1/tokens?pageSize=1000'
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    const closed = once(socket, 'close')
    socket.pause()
    for (let turn = 0; turn < 60 && !stopped() && !socket.destroyed; turn++) {
      socket.read(512)
      await sleep(1_000)
    }
    socket.destroy()
    await closed
  }

  async function cheap(tally: Tally, stopped: () => boolean): Promise<void> {
    const own = new Agent({ connections: 1 })
    for (let turn = 0; !stopped(); turn++) {
      const begun = performance.now()
      const path = cheapPaths[turn % cheapPaths.length]
      const { statusCode, body } = await request(`${service.url}${path}`, { dispatcher: own })
      await body.dump({ limit: 10_000_000 })
      if (statusCode !== 200) tally.wrong.push(`${statusCode} to ${path}`)
      tally.cheap.push(performance.now() - begun)
      await sleep(cheapEveryMs)
    }
    await own.destroy()
  }

  async function atCapacity(ms: number): Promise<Tally> {
    const tally = emptyTally()
    const end = performance.now() + ms
    const isOver = () => performance.now() >= end
    const client = async () => {
      while (!isOver()) await ask(tally, null)
    }
    await Promise.all([...Array.from({ length: inFlight }, client), cheap(tally, isOver)])
    return tally
  }

  async function atOverload(ms: number, perSecond: number): Promise<Tally> {
    const tally = emptyTally()
    const begun = performance.now()
    const isOver = () => performance.now() >= begun + ms
    const running = new Set<Promise<void>>([cheap(tally, isOver)])
    for (let asked = 0; !isOver(); asked++) {
      const kind = asked % 100
      const one = (
        kind < shares.slow
          ? readSlowly(isOver)
          : kind < shares.slow + shares.leaving
            ? leave(tally)
            : ask(tally, kind >= 100 - shares.batch ? batchBody(asked, quotesPerBatch) : null)
      ).catch((error: unknown) => void tally.wrong.push(String(error)))
      running.add(one)
      void one.finally(() => running.delete(one))
      const due = begun + ((asked + 1) * 1_000) / perSecond - performance.now()
      if (due > 0) await sleep(due)
    }
    await Promise.all(running)
    return tally
  }

  try {
    await atCapacity(10_000)
    const normal = await atCapacity(30_000)
    const before = memoryOf(service.pid)
    const perSecond = (normal.accepted.length / 30) * overload
    const busy = await atOverload(seconds * 1_000, perSecond)
    await sleep(quietMs)
    await atCapacity(10_000)
    const after = memoryOf(service.pid)
    const p99 = { normal: at(normal.accepted, 0.99), busy: at(busy.accepted, 0.99) }
    console.log(
      [
        `at capacity: ${(normal.accepted.length / 30).toFixed(1)} quotes/s, p50 ${at(normal.accepted, 0.5)} ms, p99 ${p99.normal} ms, cheap p99 ${at(normal.cheap, 0.99)} ms`,
        `asked ${perSecond.toFixed(0)} a second for ${seconds} s: ${busy.accepted.length} accepted, p50 ${at(busy.accepted, 0.5)} ms, p99 ${p99.busy} ms (${(p99.busy / p99.normal).toFixed(1)} times), ${busy.batches} batches of ${quotesPerBatch}, ${busy.left} left`,
        `shed ${busy.shed.length}, p99 ${at(busy.shed, 0.99)} ms, most ${at(busy.shed, 1)} ms; cheap and /ready p99 ${at(busy.cheap, 0.99)} ms`,
        `service ${before.serviceMb} MB before, ${after.serviceMb} MB after; Anvils ${before.forks} with ${before.forksMb} MB before, ${after.forks} with ${after.forksMb} MB after`,
        `${busy.wrong.length} wrong answers`,
        ...busy.wrong.slice(0, 10),
      ].join('\n'),
    )
    return busy.wrong.length === 0
  } finally {
    await clients.destroy()
  }
}

const jsonHeaders = { 'content-type': 'application/json' }

function at(times: readonly number[], q: number): number {
  return Math.round(
    quantile(
      times.toSorted((a, b) => a - b),
      q,
    ),
  )
}
