/** A node as far away as we like: every HTTP request to it takes this long more, and is counted. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'

export interface LatencyNode {
  readonly url: string
  /** HTTP requests since the last reset. */
  readonly requests: number
  reset(): void
  stop(): Promise<void>
}

/** @param latencyMs - per HTTP request, a batch being one; concurrent requests do not wait for each other. */
export async function startLatencyNode(nodeUrl: string, latencyMs: number): Promise<LatencyNode> {
  const upstream = new Pool(nodeUrl, { connections: 64 })
  let requests = 0
  const server = createServer(async (request, response) => {
    requests += 1
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const [answer] = await Promise.all([
      upstream.request({
        method: 'POST',
        path: '/',
        headers: { 'content-type': 'application/json' },
        body: Buffer.concat(parts),
      }),
      delay(latencyMs),
    ])
    response.writeHead(answer.statusCode, { 'content-type': 'application/json' })
    response.end(Buffer.from(await answer.body.arrayBuffer()))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests
    },
    reset() {
      requests = 0
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await upstream.close()
    },
  }
}
