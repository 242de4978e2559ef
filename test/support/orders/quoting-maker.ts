/** A maker over HTTP that offers WETH against USDC, signs what a test says, and remembers what it was asked. */
import { createServer } from 'node:http'
import type { PrivateKeyAccount } from 'viem/accounts'
import { WebSocketServer } from 'ws'
import { toTypedOrder } from '../../../src/executor/order-settlement.js'
import { listenOnLoopback } from '../nodes/loopback-server.js'
import { ether, usdc, weth } from './order-market.js'

export interface Terms {
  readonly amountIn: bigint
  readonly amountOut: bigint
}

export interface QuotingMaker {
  readonly levelsUrl: string
  /** Of a socket that sends the levels when it is opened, and whenever they change. */
  readonly socketUrl: string
  readonly quoteUrl: string
  /** Amounts that it was asked to sign, in their order. */
  readonly asked: bigint[]
  /** Headers `authorization` that it got, by path. */
  readonly authorizations: Map<string, string | undefined>
  offer(levels: readonly Terms[], expiry: number): void
  /** What it answers from now on; absent: it signs its levels' price. */
  answers(reply: ((asked: Terms) => Promise<unknown>) | null): void
  /** An order that it signs. */
  signed(terms: Terms, expiry: number): Promise<object>
  stop(): Promise<void>
}

export async function startQuotingMaker(account: PrivateKeyAccount): Promise<QuotingMaker> {
  const asked: bigint[] = []
  const authorizations = new Map<string, string | undefined>()
  let document: object = { expiry: 1, pairs: [] }
  let levels: readonly Terms[] = []
  let until = 1
  let reply: ((asked: Terms) => Promise<unknown>) | null = null
  let nonce = Date.now()
  async function signed({ amountIn, amountOut }: Terms, expiry: number) {
    nonce += 1
    const terms = {
      maker: account.address.toLowerCase() as `0x${string}`,
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: String(amountIn),
      amountOut: String(amountOut),
      expiry,
      nonce: String(nonce),
      partialFill: true,
    }
    const signature = await account.signTypedData(toTypedOrder({ chainId: 1, ...terms }))
    return { ...terms, signature }
  }
  const http = createServer(async (request, response) => {
    authorizations.set(request.url ?? '', request.headers.authorization)
    let text = ''
    for await (const part of request) text += part
    const answer = async () => {
      if (request.method !== 'POST') return document
      const amountIn = BigInt(JSON.parse(text).amountIn)
      asked.push(amountIn)
      const [level = { amountIn: ether, amountOut: 0n }] = levels
      const terms = { amountIn, amountOut: (amountIn * level.amountOut) / level.amountIn }
      return reply ? reply(terms) : signed(terms, until)
    }
    const body = await answer()
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const sockets = new WebSocketServer({ server: http })
  sockets.on('connection', (socket) => socket.send(JSON.stringify(document)))
  const { url, stop } = await listenOnLoopback(http)
  return {
    levelsUrl: `${url}/levels`,
    socketUrl: `${url.replace('http', 'ws')}/stream`,
    quoteUrl: `${url}/quote`,
    asked,
    authorizations,
    offer(given, expiry) {
      levels = given
      until = expiry
      const texts = given.map(({ amountIn, amountOut }) => [String(amountIn), String(amountOut)])
      const pairs = given.length ? [{ tokenIn: weth, tokenOut: usdc, levels: texts }] : []
      document = { expiry, pairs }
      for (const socket of sockets.clients) socket.send(JSON.stringify(document))
    },
    answers(next) {
      reply = next
    },
    signed,
    async stop() {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      await stop()
    },
  }
}
