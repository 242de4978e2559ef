/** Where overlays of one chain come from: a file, a node that answers by JSON-RPC, or a socket that sends them. */
import { readFileSync, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import WebSocket from 'ws'
import { overlayOf, type StateOverlay } from '../domain/changes/overlay.js'
import { createRpcClient } from '../rpc/node/json-rpc.js'
import { quietly } from '../telemetry/quietly.js'

export interface OverlayFeed {
  /** The newest one that was understood; null: none so far. */
  current(): StateOverlay | null
  close(): Promise<void>
}

export interface FeedOptions {
  readonly chainId: number
  /** A path, or a URL of http(s) or ws(s); it may carry a secret. */
  readonly source: string
  /** Between two questions to a node. */
  readonly pollMs: number
  /** Gets a sentence once when a source fails or says what cannot be read, and again after it was well. */
  onProblem(message: string): void
}

/** The method by which builders give what makers publish. @see docs.titanbuilder.xyz */
const method = 'titan_getPammStateOverrides'
const mostBytes = 2_000_000
const timeoutMs = 2_000
/** Between two attempts to connect. */
const [firstPauseMs, longestPauseMs] = [250, 10_000]

export function openFeed(options: FeedOptions): OverlayFeed {
  if (/^https?:/.test(options.source)) return askNode(options)
  if (/^wss?:/.test(options.source)) return listen(options)
  return readFile(options)
}

/** Says each state of a source once. */
function createNews({ onProblem, chainId }: FeedOptions) {
  let isWell = true
  return {
    well: () => {
      isWell = true
    },
    ill(reason: string) {
      if (isWell) onProblem(`The overlay of chain ${chainId} cannot be read: ${reason}`)
      isWell = false
    },
  }
}

/** @returns undefined where it cannot be read, which is told. */
function understood(
  { chainId }: FeedOptions,
  news: ReturnType<typeof createNews>,
  read: () => unknown,
): StateOverlay | undefined {
  const problems: string[] = []
  try {
    const overlay = overlayOf(chainId, read(), problems)
    if (overlay) {
      news.well()
      return overlay
    }
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  }
  news.ill(problems.slice(0, 3).join('; '))
  return undefined
}

/** Read when it is asked for and has changed since. A file that is gone is no overlay. */
function readFile(options: FeedOptions): OverlayFeed {
  const news = createNews(options)
  let seen = ''
  let overlay: StateOverlay | null = null
  return {
    current() {
      const stats = statSync(options.source, { throwIfNoEntry: false, bigint: true })
      const version = stats ? `${stats.mtimeNs} ${stats.size} ${stats.ino}` : ''
      if (version !== seen) {
        const read = () => JSON.parse(readFileSync(options.source, 'utf8'))
        overlay = stats ? (understood(options, news, read) ?? null) : null
        seen = version
      }
      return overlay
    },
    close: async () => undefined,
  }
}

function askNode(options: FeedOptions): OverlayFeed {
  const news = createNews(options)
  const client = createRpcClient(options.source, { timeoutMs, mostBytes: () => mostBytes })
  const stopping = new AbortController()
  const { signal } = stopping
  let overlay: StateOverlay | null = null
  async function poll(): Promise<void> {
    while (!signal.aborted) {
      try {
        const document = await client.request(method, [], signal)
        overlay = understood(options, news, () => document) ?? overlay
      } catch (error) {
        if (signal.aborted) return
        news.ill(error instanceof Error ? error.message : String(error))
      }
      await pause(options.pollMs, undefined, { signal, ref: false })
    }
  }
  const polling = quietly(poll(), 'The pause ends when the feed is closed.')
  return {
    current: () => overlay,
    async close() {
      stopping.abort()
      await polling
      await client.close()
    },
  }
}

/** A frame has only the venues that changed, so those of earlier frames for the same block stay. */
function listen(options: FeedOptions): OverlayFeed {
  const news = createNews(options)
  const stopping = new AbortController()
  const { signal } = stopping
  let overlay: StateOverlay | null = null
  let pauseMs = firstPauseMs
  function take(frame: WebSocket.RawData): void {
    const next = understood(options, news, () => JSON.parse(String(frame)))
    if (!next) return
    pauseMs = firstPauseMs
    const earlier = overlay?.blockNumber === next.blockNumber ? overlay.published : {}
    overlay = { ...next, published: { ...earlier, ...next.published } }
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
    current: () => overlay,
    async close() {
      stopping.abort()
      await staying
    },
  }
}
