/**
 * A proxy in front of a real node that makes it as bad as operators' nodes are: a share of its requests fails in one
 * of eleven ways, it limits what it takes, lacks methods, is one of several behind a balancer, or tells the state of
 * another block.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { seeded } from '../synthetic-market.js'
import { listenOnLoopback } from './loopback-server.js'

/** What is wrong with the node; `{}`: nothing. */
export interface Badness {
  /** Share of the HTTP requests that fail, 0 to 1, evenly in each of the ways below. */
  readonly share?: number
  /** Default: all of them. */
  readonly ways?: readonly FailureWay[]
  /** Takes requests and never answers. */
  readonly hangs?: boolean
  /** Closes every connection. */
  readonly isDead?: boolean
  /** What is above it gets 429 with `retry-after: 1`; a batch counts as its calls. */
  readonly callsPerSecond?: number
  readonly requestsPerSecond?: number
  /** A larger batch is refused whole, as geth does: one error, with the id of the first call. 1: no batches at all. */
  readonly maxBatch?: number
  /** A larger body gets 413. */
  readonly maxBodyBytes?: number
  readonly lacks?: readonly ('blockHash' | 'proofs' | 'overrides' | 'logs')[]
  /** Each request is served by one of several nodes that are behind by up to so many blocks. */
  readonly lag?: number
  /** The answer to a request with one of these methods has no end. */
  readonly endless?: readonly string[]
  /** What it tells of blocks more than 128 below the head: zeros, or the state of the newest block. */
  readonly oldState?: 'zeros' | 'newest'
}

export const failureWays = [
  'limited',
  'unavailable',
  'dropped',
  'truncated',
  'html',
  'error',
  'empty',
  'late',
  'silent',
  'wrong-id',
  'null',
] as const
export type FailureWay = (typeof failureWays)[number]

export interface BadNode {
  readonly url: string
  /** HTTP requests and JSON-RPC calls that reached it, and bytes of answers without end. */
  readonly counts: { requests: number; calls: number; endlessBytes: number }
  /** May be changed at any time. */
  badness: Badness
  stop(): Promise<void>
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

interface Reply {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

const lateMs = 400
/** A full node keeps the state of so many blocks. */
const keptBlocks = 128

/** @param seed - the same seed gives the same failures in the order of the requests. */
export async function startBadNode(
  nodeUrl: string,
  badness: Badness = {},
  seed = 1,
): Promise<BadNode> {
  const upstream = new Pool(new URL(nodeUrl).origin, { connections: 64 })
  const { pathname } = new URL(nodeUrl)
  const random = seeded(seed)
  const limits = { calls: createWindow(), requests: createWindow() }
  let isStopped = false

  async function ask(body: string): Promise<string> {
    const headers = { 'content-type': 'application/json' }
    const answer = await upstream.request({ method: 'POST', path: pathname, headers, body })
    return answer.body.text()
  }
  const askOne = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const text = await ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return (JSON.parse(text) as Reply).result
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const parsed = JSON.parse(body) as Call | Call[]
    const calls = Array.isArray(parsed) ? parsed : [parsed]
    node.counts.requests += 1
    node.counts.calls += calls.length
    const bad = node.badness
    if (bad.isDead) return void request.socket.destroy()
    if (bad.hangs) return
    if (isAboveLimit(bad, calls.length)) {
      response.writeHead(429, { 'retry-after': '1' }).end('slow down')
      return
    }
    if (bad.maxBodyBytes && body.length > bad.maxBodyBytes) {
      response.writeHead(413).end('request entity too large')
      return
    }
    if (Array.isArray(parsed) && bad.maxBatch && calls.length > bad.maxBatch) {
      send(response, [failure(calls[0]?.id, -32600, 'batch too large')])
      return
    }
    if (calls.some(({ method }) => bad.endless?.includes(method))) {
      response.writeHead(200, { 'content-type': 'application/json' })
      await pipeline(Readable.from(endless(calls[0]?.id, node.counts)), response)
      return
    }
    const ways = bad.ways ?? failureWays
    const way = random() < (bad.share ?? 0) ? ways[Math.floor(random() * ways.length)] : undefined
    if (way === 'late') await sleep(lateMs)
    else if (way) return fail(way, parsed, body, request, response)
    if (!bad.lag && !bad.lacks && !bad.oldState) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(await ask(body))
      return
    }
    const replies = await edited(calls, bad)
    send(response, Array.isArray(parsed) ? replies : replies[0])
  }

  function isAboveLimit(bad: Badness, calls: number): boolean {
    const { callsPerSecond, requestsPerSecond } = bad
    if (callsPerSecond && !limits.calls.takes(calls, callsPerSecond)) return true
    return requestsPerSecond !== undefined && !limits.requests.takes(1, requestsPerSecond)
  }

  async function fail(
    way: FailureWay,
    parsed: Call | Call[],
    body: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const calls = [parsed].flat()
    const isBatch = Array.isArray(parsed)
    const all = (replies: readonly Reply[]) => send(response, isBatch ? replies : replies[0])
    if (way === 'silent') return
    if (way === 'dropped') return void request.socket.destroy()
    if (way === 'unavailable') return void response.writeHead(503).end('unavailable')
    if (way === 'html') return void response.writeHead(200).end('<html>maintenance</html>')
    if (way === 'limited') {
      response.writeHead(429, random() < 0.5 ? { 'retry-after': '1' } : {}).end('slow down')
      return
    }
    if (way === 'null') return all(calls.map(({ id }) => ({ id, result: null })))
    if (way === 'empty') return send(response, isBatch ? [] : {})
    if (way === 'error') {
      const message = random() < 0.5 ? 'header not found' : 'internal error'
      const code = message === 'internal error' ? -32603 : -32000
      return all(calls.map(({ id }) => failure(id, code, message)))
    }
    const answer = await ask(body)
    if (way === 'truncated') {
      response.writeHead(200, { 'content-length': String(answer.length) })
      response.write(answer.slice(0, answer.length / 2), () => request.socket.destroy())
      return
    }
    const replies = [JSON.parse(answer) as Reply | Reply[]].flat()
    all(replies.map((reply) => ({ ...reply, id: 1_000_000 + Number(reply.id) })))
  }

  /** The answers of a node that lacks something, or is at another block than it should be. */
  async function edited(calls: readonly Call[], bad: Badness): Promise<Reply[]> {
    const lag = bad.lag ? Math.floor(random() * (bad.lag + 1)) : 0
    const newest = Number(await askOne('eth_blockNumber', [])) - lag
    return Promise.all(calls.map((call) => editOne(call, newest, bad)))
  }

  async function editOne(call: Call, newest: number, bad: Badness): Promise<Reply> {
    const { id, method, params } = call
    const refused = refusalOf(call, bad)
    if (refused) return failure(id, refused.code, refused.message)
    if (method === 'eth_blockNumber') return { id, result: hex(newest) }
    if (method === 'eth_getBlockByNumber') {
      const number = params[0] === 'latest' ? newest : Number(params[0])
      if (number > newest) return { id, result: null }
      return pass(id, method, [hex(number), ...params.slice(1)])
    }
    if (method === 'eth_getBlockByHash') {
      const reply = await pass(id, method, params)
      const found = reply.result as { number: string } | null
      return found && Number(found.number) > newest ? { id, result: null } : reply
    }
    const at = blockParams[method]
    if (at === undefined) return pass(id, method, params)
    const number = await numberOf(params[at], newest)
    if (number === null || number > newest) return failure(id, -32000, 'header not found')
    if (bad.oldState && number + keptBlocks < newest) {
      if (bad.oldState === 'zeros') return { id, result: zeroOf(method) }
      return pass(id, method, params.with(at, hex(newest)))
    }
    return pass(id, method, params[at] === 'latest' ? params.with(at, hex(number)) : params)
  }

  async function pass(id: unknown, method: string, params: readonly unknown[]): Promise<Reply> {
    const text = await ask(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return JSON.parse(text) as Reply
  }

  async function numberOf(param: unknown, newest: number): Promise<number | null> {
    if (typeof param === 'string') return param.startsWith('0x') ? Number(param) : newest
    if (typeof param !== 'object' || param === null) return newest
    const { blockHash } = param as { blockHash?: string }
    const block = (await askOne('eth_getBlockByHash', [blockHash, false])) as { number: string }
    return block ? Number(block.number) : null
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => (isStopped ? undefined : request.socket.destroy()))
  })
  const { url, stop } = await listenOnLoopback(server)
  const node: BadNode = {
    url: `${url}/`,
    counts: { requests: 0, calls: 0, endlessBytes: 0 },
    badness,
    async stop() {
      isStopped = true
      await stop()
      await upstream.destroy()
    },
  }
  return node
}

/** Where the block stands among the parameters. */
const blockParams: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
  eth_call: 1,
}

function refusalOf({ method, params }: Call, { lacks = [] }: Badness) {
  const lacksMethod = { code: -32601, message: `the method ${method} does not exist` }
  if (lacks.includes('proofs') && method === 'eth_getProof') return lacksMethod
  if (lacks.includes('logs') && method === 'eth_getLogs') return lacksMethod
  if (lacks.includes('overrides') && method === 'eth_call' && params.length > 2) {
    return { code: -32602, message: 'too many arguments, want at most 2' }
  }
  const block = params[blockParams[method] ?? -1]
  if (lacks.includes('blockHash') && typeof block === 'object') {
    return { code: -32602, message: 'invalid argument: hex string expected' }
  }
  return null
}

function zeroOf(method: string): unknown {
  if (method === 'eth_getCode' || method === 'eth_call') return '0x'
  return method === 'eth_getStorageAt' ? `0x${'0'.repeat(64)}` : '0x0'
}

function failure(id: unknown, code: number, message: string): Reply {
  return { id, error: { code, message } }
}

function send(response: ServerResponse, value: unknown): void {
  const withVersion = (reply: object) => ({ jsonrpc: '2.0', ...reply })
  const body = Array.isArray(value) ? value.map(withVersion) : withVersion(value as object)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

/** One string of digits. */
function* endless(id: unknown, counts: BadNode['counts']): Generator<string> {
  yield `{"jsonrpc":"2.0","id":${id},"result":"0x`
  for (const digits = '0'.repeat(65_536); ; counts.endlessBytes += digits.length) yield digits
}

/** What was taken within the last second. */
function createWindow() {
  let taken: { at: number; count: number }[] = []
  return {
    takes(count: number, limit: number): boolean {
      const now = Date.now()
      taken = taken.filter(({ at }) => now - at < 1_000)
      if (taken.reduce((sum, one) => sum + one.count, count) > limit) return false
      taken.push({ at: now, count })
      return true
    },
  }
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
