/** Streams as async iterators that outlive a broken connection. */
import { ForkrouteApiError, isTemporary, toError, UnexpectedAnswerError } from './errors.js'
import { shapes } from './generated/endpoints.js'
import { type Endpoint, withAmounts } from './shape.js'
import type { CallOptions, Event, Input, Transport } from './transport.js'

/** Pause before the first new try; doubled while tries fail. */
const firstPauseMs = 250
const longestPauseMs = 10_000

export type StreamEvent<Name extends string, Data> =
  | {
      readonly event: Name
      /** The block, or the blocks that are done. */
      readonly id: string | null
      readonly data: Data
    }
  /** Takes the place of one that could not be made; the stream goes on. */
  | { readonly event: 'error'; readonly error: ForkrouteApiError | UnexpectedAnswerError }

/** An event of a stream that has several, each with data of its own. */
export type EventOf<Events extends Readonly<Record<string, unknown>>> = {
  readonly [Name in keyof Events & string]: StreamEvent<Name, Events[Name]>
}[keyof Events & string]

export interface StreamOptions extends CallOptions {
  /** Time without an event after a break, in milliseconds, after which its error is thrown; default: never. */
  readonly giveUpAfterMs?: number
}

interface Followed<Name extends string> {
  readonly endpoint: Endpoint
  readonly input: object
  readonly names: readonly Name[]
  /** Says by an event that the service ends the stream after it; any other end is a break. */
  readonly isLast?: (data: unknown, name: Name) => boolean
}

/** @typeParam Events - of what the service sends, by names. */
export async function* follow<Events extends Readonly<Record<string, unknown>>>(
  transport: Pick<Transport, 'events'>,
  { endpoint, input, names, isLast }: Followed<keyof Events & string>,
  options: StreamOptions = {},
): AsyncGenerator<EventOf<Events>, void, undefined> {
  const { signal, giveUpAfterMs = Number.POSITIVE_INFINITY } = options
  let last = null as Event | null
  let pauseMs = firstPauseMs
  let heardAt = performance.now()
  while (!signal?.aborted) {
    let waitMs: number | null = null
    try {
      for await (const event of transport.events(
        endpoint,
        input as Input,
        signal ? { signal } : {},
      )) {
        pauseMs = firstPauseMs
        heardAt = performance.now()
        // After a break the service says again where it is.
        if (last?.id === event.id && last.data === event.data && last.name === event.name) continue
        last = event
        const typedEvent = toEvent<Events>(event, names, endpoint)
        yield typedEvent
        if ('data' in typedEvent && isLast?.(typedEvent.data, typedEvent.event)) return
      }
    } catch (error) {
      if (signal?.aborted) return
      if (!isTemporary(error) || performance.now() - heardAt > giveUpAfterMs) throw error
      waitMs = error instanceof ForkrouteApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : null
    }
    await pause(Math.max(waitMs ?? 0, pauseMs), signal)
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
}

function toEvent<Events extends Readonly<Record<string, unknown>>>(
  { name, id, data }: Event,
  expected: readonly (keyof Events & string)[],
  { events }: Endpoint,
): EventOf<Events> {
  const body: unknown = JSON.parse(data)
  if (name === 'error') {
    const { statusCode = 500 } = body as { readonly statusCode?: number }
    return { event: 'error', error: toError(body, statusCode) }
  }
  const known = expected.find((one) => one === name)
  if (known === undefined) {
    throw new UnexpectedAnswerError(200, `An event ${name}, which is not known here.`)
  }
  const whole = withAmounts({ event: name, data: body }, events, shapes) as object
  return { ...whole, event: known, id } as EventOf<Events>
}

/** Shorter when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}
