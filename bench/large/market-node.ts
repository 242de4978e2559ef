/**
 * A node in front of another that adds a market to its chain, or nothing. It knows no method of which it could not
 * answer in keeping with the market: those are refused with a market and without, so that both cost the same requests.
 */
import { createServer } from 'node:http'
import { Pool } from 'undici'
import type { Address, Hex } from '../../src/domain/primitives.js'
import { contractAddresses } from '../../src/sandbox/addresses.js'
import { listenOnLoopback } from '../../test/support/nodes/loopback-server.js'
import { type AddedEvent, type AddedState, pairCreated } from './state.js'

export interface MarketNode {
  readonly url: string
  stop(): Promise<void>
}

interface Call {
  readonly id?: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

interface Reply {
  readonly jsonrpc: '2.0'
  readonly id?: unknown
  readonly result?: unknown
}

const refused: ReadonlySet<string> = new Set([
  'eth_getProof',
  'eth_getAccount',
  'eth_getAccountInfo',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_simulateV1',
  'debug_traceCall',
])
/** Accounts' methods that take their address first. */
const ofAccount: ReadonlySet<string> = new Set([
  'eth_getCode',
  'eth_getBalance',
  'eth_getTransactionCount',
  'eth_getStorageAt',
])

/** @param added - null: nothing. */
export async function startMarketNode(
  nodeUrl: string,
  added: AddedState | null,
): Promise<MarketNode> {
  const upstream = new Pool(nodeUrl, { connections: 64 })

  async function forward(calls: readonly Call[]): Promise<readonly Reply[]> {
    if (calls.length === 0) return []
    const answer = await upstream.request({
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls),
    })
    return (await answer.body.json()) as Reply[]
  }

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
    const body = JSON.parse(Buffer.concat(parts).toString()) as Call | Call[]
    const calls = [body].flat()
    const own = calls.map((call) => answerOf(call, added))
    const asked = calls.flatMap((call, index) => (own[index] ? [] : templated(call, added)))
    const forwarded = (await forward(asked)).values()
    const replies = calls.map((call, index) => {
      const reply = own[index] ?? forwarded.next().value
      return withEvents(call, { ...reply, jsonrpc: '2.0', id: call.id }, added)
    })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(Array.isArray(body) ? replies : replies[0]))
  })
  const { url, stop } = await listenOnLoopback(server)
  return {
    url,
    async stop() {
      await stop()
      await upstream.close()
    },
  }
}

/** Null: the chain's own node answers. */
function answerOf({ method, params = [] }: Call, added: AddedState | null): object | null {
  if (refused.has(method)) {
    return { error: { code: -32601, message: `the method ${method} does not exist` } }
  }
  if (method === 'eth_call' && params.length > 2) {
    return { error: { code: -32602, message: 'too many arguments, want at most 2' } }
  }
  if (method === 'eth_getStorageAt' && added) {
    const [address, slot] = params as [string, Hex]
    const word = added.wordOf(address.toLowerCase() as Address, BigInt(slot))
    return word === undefined ? null : { result: word }
  }
  const span = spanOf({ method, params })
  if (span && added && !added.events(...span)) {
    return { error: { code: -32005, message: 'query returned more than 10000 results' } }
  }
  return null
}

/** The call to the account whose state the added one shares. */
function templated(call: Call, added: AddedState | null): Call {
  const { method, params = [] } = call
  if (!added || !ofAccount.has(method)) return call
  const [address, ...rest] = params
  const template = added.templateOf(String(address).toLowerCase() as Address)
  return template ? { ...call, params: [template, ...rest] } : call
}

/** The reply with the added events in the order of their blocks. */
function withEvents(call: Call, reply: Reply, added: AddedState | null): Reply {
  const span = spanOf(call)
  const events = span && added?.events(...span)
  if (!events || !Array.isArray(reply.result)) return reply
  const blockOf = ({ blockNumber }: AddedEvent) => Number(blockNumber)
  const all = [...(reply.result as AddedEvent[]), ...events]
  return { ...reply, result: all.sort((a, b) => blockOf(a) - blockOf(b)) }
}

/** Blocks of a question for new pairs of the factory; null: it asks for anything else. */
function spanOf({ method, params = [] }: Pick<Call, 'method' | 'params'>): [number, number] | null {
  if (method !== 'eth_getLogs') return null
  const { address, topics, fromBlock, toBlock } = params[0] as Readonly<Record<string, unknown>>
  const [first] = Array.isArray(topics) ? topics : []
  const asks = [address].flat().includes(contractAddresses.v2Factory)
  if (!asks || ![first].flat().includes(pairCreated) || fromBlock === undefined) return null
  return [Number(fromBlock), Number(toBlock)]
}
