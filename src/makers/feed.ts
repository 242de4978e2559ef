/** Documents that makers publish again and again: in a file, in answers by HTTP, or in frames of a socket. */
import { readFileSync, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import WebSocket from 'ws'
import { quietly } from '../telemetry/quietly.js'

export interface Feed<T> {
  /** The newest document that was understood; null: none so far. */
  current(): T | null
  /** Fulfilled once the source was asked, or has said something, or was waited for long enough; never rejects. */
  readonly asked: Promise<unknown>
  close(): Promise<void>
}

export interface FeedOptions<T> {
  /** A path, or a URL of http(s) or ws(s); it may carry a secret. */
  readonly source: string
  /** What is published, as the beginning of a sentence. */
  readonly subject: string
  /** Between two questions by HTTP. */
  readonly pollMs: number
  /** Asks for the document by HTTP. */
  ask(signal: AbortSignal): Promise<unknown>
  /** @param problems - receives sentences about what is wrong with the document, which then counts as none. */
  read(document: unknown, problems: string[]): T | null
  /** The document with what an earlier frame of the socket said. */
  merge(earlier: T | null, next: T): T
  /** Gets a sentence once when a source fails or says what cannot be read, and again after it was well. */
  onProblem(message: string): void
}

/** Of one document. */
export const mostBytes = 2_000_000
export const timeoutMs = 2_000
/** Between two attempts to connect. */
const [firstPauseMs, longestPauseMs] = [250, 10_000]

export function openFeed<T>(options: FeedOptions<T>): Feed<T> {
  if (/^https?:/.test(options.source)) return poll(options)
  if (/^wss?:/.test(options.source)) return listen(options)
  return readFile(options)
}

/** Says each state of a source once. */
export function createNews({
  onProblem,
  subject,
}: Pick<FeedOptions<unknown>, 'onProblem' | 'subject'>) {
  let isWell = true
  return {
    well: () => {
      isWell = true
    },
    ill(reason: string) {
      if (isWell) onProblem(`${subject} cannot be read: ${reason}`)
      isWell = false
    },
  }
}

/** @returns undefined where it cannot be read, which is told. */
function understood<T>(
  { read }: Pick<FeedOptions<T>, 'read'>,
  news: ReturnType<typeof createNews>,
  document: () => unknown,
): T | undefined {
  const problems: string[] = []
  try {
    const found = read(document(), problems)
    if (found) {
      news.well()
      return found
    }
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  }
  news.ill(problems.slice(0, 3).join('; '))
  return undefined
}

/** Read when it is asked for and has changed since. A file that is gone says nothing. */
function readFile<T>(options: FeedOptions<T>): Feed<T> {
  const news = createNews(options)
  let seen = ''
  let current: T | null = null
  return {
    current() {
      const stats = statSync(options.source, { throwIfNoEntry: false, bigint: true })
      const version = stats ? `${stats.mtimeNs} ${stats.size} ${stats.ino}` : ''
      if (version !== seen) {
        const document = () => JSON.parse(readFileSync(options.source, 'utf8'))
        current = stats ? (understood(options, news, document) ?? null) : null
        seen = version
      }
      return current
    },
    asked: Promise.resolve(),
    close: async () => undefined,
  }
}

function poll<T>(options: FeedOptions<T>): Feed<T> {
  const news = createNews(options)
  const stopping = new AbortController()
  const { signal } = stopping
  let current: T | null = null
  async function ask(): Promise<void> {
    try {
      const document = await options.ask(signal)
      current = understood(options, news, () => document) ?? current
    } catch (error) {
      if (!signal.aborted) news.ill(error instanceof Error ? error.message : String(error))
    }
  }
  const asked = ask()
  async function goOn(): Promise<void> {
    await asked
    while (!signal.aborted) {
      await pause(options.pollMs, undefined, { signal, ref: false })
      await ask()
    }
  }
  const polling = quietly(goOn(), 'The pause ends when the feed is closed.')
  return {
    current: () => current,
    asked,
    async close() {
      stopping.abort()
      await polling
    },
  }
}

function listen<T>(options: FeedOptions<T>): Feed<T> {
  const news = createNews(options)
  const stopping = new AbortController()
  const { signal } = stopping
  let current: T | null = null
  let pauseMs = firstPauseMs
  let hear = () => {}
  const heard = new Promise<void>((resolve) => {
    hear = resolve
  })
  function take(frame: WebSocket.RawData): void {
    const next = understood(options, news, () => JSON.parse(String(frame)))
    if (!next) return
    pauseMs = firstPauseMs
    current = options.merge(current, next)
    hear()
  }
  /** Until the connection ends. */
  function connected(): Promise<void> {
    return new Promise((resolve) => {
      const socket = new WebSocket(options.source, {
        maxPayload: mostBytes,
        handshakeTimeout: timeoutMs,
      })
      const stop = () => socket.terminate()
      signal.addEventListener('abort', stop, { once: true })
      socket.on('message', take)
      socket.on('error', (error) => news.ill(error.message))
      socket.on('close', () => {
        signal.removeEventListener('abort', stop)
        resolve()
      })
    })
  }
  async function stay(): Promise<void> {
    while (!signal.aborted) {
      await connected()
      if (signal.aborted) return
      news.ill('the connection has ended')
      await pause(pauseMs, undefined, { signal, ref: false })
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    }
  }
  const staying = quietly(stay(), 'The pause ends when the feed is closed.')
  return {
    current: () => current,
    asked: Promise.race([heard, staying, pause(timeoutMs, undefined, { ref: false })]),
    async close() {
      stopping.abort()
      await staying
    },
  }
}
