/** A real HTTP server in front of a real node that misbehaves on demand: what operators' nodes do on bad days. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnLoopback } from './loopback-server.js'

export type Fault =
  | 'none'
  /** HTTP 429 with retry-after: 0. */
  | 'rate-limited'
  /** HTTP 502. */
  | 'broken'
  /** Takes the request and never answers. */
  | 'silent'
  /** Every block hash is another one. */
  | 'lying'

export interface FaultyNode {
  readonly url: string
  readonly requests: number
  /** @param count - requests that meet the fault; then the node is well again. */
  fail(fault: Fault, count?: number): void
  stop(): Promise<void>
}

interface Reply {
  result?: { hash?: string; number?: string; parentHash?: string } | unknown
}

export async function startFaultyNode(nodeUrl: string): Promise<FaultyNode> {
  let fault: Fault = 'none'
  let left = 0
  let requests = 0
  const held = new Set<ServerResponse>()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    requests += 1
    const now = left > 0 ? fault : 'none'
    if (now !== 'none') left -= 1
    if (now === 'rate-limited') response.writeHead(429, { 'retry-after': '0' }).end('slow down')
    else if (now === 'broken') response.writeHead(502).end('bad gateway')
    else if (now === 'silent') held.add(response)
    else {
      const answer = await fetch(nodeUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.concat(parts),
      })
      const body: unknown = await answer.json()
      if (now === 'lying') for (const reply of [body].flat() as Reply[]) lie(reply)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  const { url, stop } = await listenOnLoopback(server)
  return {
    url,
    get requests() {
      return requests
    },
    fail(next, count = Number.POSITIVE_INFINITY) {
      fault = next
      left = next === 'none' ? 0 : count
      for (const response of held) response.destroy()
      held.clear()
    },
    async stop() {
      for (const response of held) response.destroy()
      await stop()
    },
  }
}

function lie({ result }: Reply): void {
  if (typeof result !== 'object' || !result || !('hash' in result)) return
  const block = result as { hash?: string; parentHash?: string }
  if (block.parentHash) block.hash = `0x${'ab'.repeat(32)}`
}
