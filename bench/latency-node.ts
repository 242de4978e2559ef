/** A node as far away as we like: every HTTP request to it takes this long more, and is noted. */
import { createServer } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { listenOnLoopback } from '../test/support/nodes/loopback-server.js'

export interface NodeRequest {
  /** Milliseconds of the monotonic clock. */
  readonly from: number
  readonly to: number
  /** JSON-RPC body as it came. */
  readonly body: string
}

export interface LatencyNode {
  readonly url: string
  /** HTTP requests that ended since the last reset. */
  readonly requests: readonly NodeRequest[]
  reset(): void
  stop(): Promise<void>
}

/**
 * @param latencyMs - per HTTP request, a batch being one; concurrent requests do not wait for each other.
 * @param pose.client - what it calls itself in place of the name of an Anvil.
 * @param pose.refused - methods that it does not know; `overrides`: eth_call with state overrides.
 */
export async function startLatencyNode(
  nodeUrl: string,
  latencyMs: number,
  pose: { readonly client?: string; readonly refused?: readonly string[] } = {},
): Promise<LatencyNode> {
  const upstream = new Pool(nodeUrl, { connections: 64 })
  let requests: NodeRequest[] = []
  const server = createServer(async (request, response) => {
    const from = performance.now()
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const asked = Buffer.concat(parts).toString()
    const { client, refused } = pose
    const body = refused?.length ? withoutMethods(asked, refused) : asked
    const [answer] = await Promise.all([
      upstream.request({
        method: 'POST',
        path: '/',
        headers: { 'content-type': 'application/json' },
        body,
      }),
      delay(latencyMs),
    ])
    const answered = await answer.body.text()
    const isNamed = client !== undefined && asked.includes('"web3_clientVersion"')
    const reply = isNamed ? answered.replace(/anvil\/[^"]*/, client) : answered
    requests.push({ from, to: performance.now(), body: asked })
    response.writeHead(answer.statusCode, { 'content-type': 'application/json' })
    response.end(reply)
  })
  const { url, stop } = await listenOnLoopback(server)
  return {
    url,
    get requests() {
      return requests
    },
    reset() {
      requests = []
    },
    async stop() {
      await stop()
      await upstream.close()
    },
  }
}

interface Call {
  readonly method: string
  readonly params?: readonly unknown[]
}

/** The body with a method that no node has in place of the refused ones. */
function withoutMethods(body: string, refused: readonly string[]): string {
  const asked = JSON.parse(body) as Call | readonly Call[]
  const isRefused = ({ method, params = [] }: Call) =>
    refused.includes(method === 'eth_call' && params.length > 2 ? 'overrides' : method)
  const calls = [asked].flat().map((call) => {
    return isRefused(call) ? { ...call, method: 'eth_unknown' } : call
  })
  return JSON.stringify(Array.isArray(asked) ? calls : calls[0])
}

/**
 * Sequential round trips: the most requests of which each began after the one before had ended.
 * Requests that overlap in time are one round.
 */
export function sequentialRounds(requests: readonly NodeRequest[]): number {
  let rounds = 0
  let end = Number.NEGATIVE_INFINITY
  for (const { from, to } of requests.toSorted((a, b) => a.to - b.to)) {
    if (from < end) continue
    rounds += 1
    end = to
  }
  return rounds
}
