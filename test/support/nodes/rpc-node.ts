/**
 * A node that misbehaves on demand: a real HTTP server that passes calls on to a real node,
 * after asking the test what to do with each HTTP request.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import type { ListenAddress } from '../../../src/forks/listen-address.js'

export interface NodeCall {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

type Reply = Record<string, unknown>

/** null passes the request on; `edit` changes the answers, `rewrite` the calls; a promise holds the request back. */
export type Fault =
  | null
  | 'hang'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | { readonly edit: (call: NodeCall, reply: Reply) => Reply }
  | { readonly rewrite: (call: NodeCall) => NodeCall }

export type Behaviour = (calls: readonly NodeCall[], isBatch: boolean) => Fault | Promise<Fault>

export interface FaultyNode {
  /** Carries a key in its path, as the URLs of providers do. */
  readonly url: string
  /** Methods of every call, one list per HTTP request. */
  readonly requests: string[][]
  behave: Behaviour
  close(): Promise<void>
}

/** The part of every node URL that must never be seen. */
export const secretKey = 'k3y-that-nobody-may-see'

export async function startFaultyNode(
  upstreamUrl: string,
  options: { behave?: Behaviour; place?: ListenAddress } = {},
): Promise<FaultyNode> {
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = []
    for await (const part of incoming as AsyncIterable<Buffer>) parts.push(part)
    const body = JSON.parse(Buffer.concat(parts).toString()) as NodeCall | NodeCall[]
    const calls = Array.isArray(body) ? body : [body]
    node.requests.push(calls.map((call) => call.method))
    const fault = await node.behave(calls, Array.isArray(body))
    if (fault === 'hang') return
    if (fault && 'status' in fault) {
      response.writeHead(fault.status, fault.headers)
      response.end(JSON.stringify(fault.body ?? 'no'))
      return
    }
    if (!fault) {
      const answer = await forward(upstreamUrl, body)
      return answer ? send(response, answer) : void response.destroy()
    }
    const replies = await Promise.all(
      calls.map(async (call) => {
        const isRewritten = 'rewrite' in fault
        const reply = await pass(upstreamUrl, isRewritten ? fault.rewrite(call) : call)
        return 'edit' in fault ? fault.edit(call, reply) : reply
      }),
    ).catch(() => null)
    // The node behind is gone: so is this one.
    if (!replies) return void response.destroy()
    send(response, Array.isArray(body) ? replies : replies[0])
  })
  const { host, port: wanted } = options.place ?? { host: '127.0.0.1', port: 0 }
  server.listen(wanted, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const node: FaultyNode = {
    url: `http://${host}:${port}/v2/${secretKey}`,
    requests: [],
    behave: options.behave ?? (() => null),
    async close() {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
  return node
}

/** Behaves as `first` for the first requests of which a call has the method, then passes everything on. */
export function faultFor(method: string, times: number, fault: Fault): Behaviour {
  let left = times
  return (calls) => {
    if (left === 0 || !calls.some((call) => call.method === method)) return null
    left -= 1
    return fault
  }
}

/** As a node that takes no state overrides. */
export const withoutOverrides: Behaviour = () => ({
  edit: (call, reply) =>
    isWithOverrides(call)
      ? { id: call.id, error: { code: -32602, message: 'too many arguments, want at most 2' } }
      : reply,
})

/** As a node that gives no events. */
export const withoutEvents: Behaviour = () => ({
  edit: (call, reply) =>
    call.method === 'eth_getLogs'
      ? { id: call.id, error: { code: -32601, message: 'the method does not exist' } }
      : reply,
})

export const isWithOverrides = ({ method, params }: NodeCall): boolean =>
  method === 'eth_call' && params.length > 2

export const count = (node: FaultyNode, method: string): number =>
  node.requests.flat().filter((name) => name === method).length

/** Null: the node is gone. */
async function forward(url: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const sent = request(url, { method: 'POST', headers, body: JSON.stringify(body), reset: true })
  return sent.then((answer) => answer.body.json()).catch(() => null)
}

async function pass(url: string, call: NodeCall): Promise<Reply> {
  // A connection of its own: one kept open may be that of a node of an earlier test, on the same port.
  const { body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', ...call }),
    reset: true,
  })
  return (await body.json()) as Reply
}

function send(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Different calls from now on: what is answered late is asked for twice. */
export function differentCalls(node: FaultyNode): Set<string> {
  const { behave } = node
  const found = new Set<string>()
  node.behave = (calls, isBatch) => {
    for (const { method, params } of calls) found.add(JSON.stringify([method, params]))
    return behave(calls, isBatch)
  }
  return found
}
