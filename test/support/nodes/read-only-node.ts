/** A door to a node through which its chain is read and never changed: what files share stays as it is for the next. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Pool } from 'undici'
import { listenOnLoopback } from './loopback-server.js'

export interface ReadOnlyNode {
  readonly url: string
  stop(): Promise<void>
}

/** Neither Anvil's own methods nor transactions. */
const reading = /^(eth_(?!send|sign)|net_|web3_)/

interface Call {
  readonly id: unknown
  readonly method: string
}

export async function startReadOnlyNode(nodeUrl: string): Promise<ReadOnlyNode> {
  const node = new Pool(nodeUrl)

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    response.setHeader('content-type', 'application/json')
    const asked = JSON.parse(body.toString()) as Call | readonly Call[]
    const refused = [asked].flat().find(({ method }) => !reading.test(method))
    if (refused) {
      const message = `${refused.method} is refused: other files read this chain. Start one of your own.`
      const reply = { jsonrpc: '2.0', id: refused.id, error: { code: -32601, message } }
      response.end(JSON.stringify(Array.isArray(asked) ? [reply] : reply))
      return
    }
    const headers = { 'content-type': 'application/json' }
    const answer = await node.request({ method: 'POST', path: '/', headers, body })
    response.writeHead(answer.statusCode).end(await answer.body.text())
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  const { url, stop } = await listenOnLoopback(server)
  return {
    url,
    async stop() {
      await stop()
      await node.destroy()
    },
  }
}
