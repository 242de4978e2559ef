/**
 * The JSON-RPC server of the sandbox: forwards requests to its Anvil, and loads the state of an older block into Anvil
 * before the first request that reads it. It answers proofs without slots of older blocks itself.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { isAddress } from 'viem'
import { ForkrouteError } from '../../domain/errors.js'
import { type Hex, toAddress } from '../../domain/primitives.js'
import { JsonRpcError } from '../../rpc/node/json-rpc.js'
import { createAccountProofs } from './account-proofs.js'
import type { History } from './history.js'
import { attestationsMethod, ownPrefix } from './own-methods.js'
import type { RunningChain } from './running-chain.js'

/** Where a method that reads state takes its block. */
const blockArgument: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getAccount: 1,
  eth_getAccountInfo: 1,
  eth_getProof: 2,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_createAccessList: 1,
  eth_simulateV1: 1,
  debug_traceCall: 1,
}

/** In the form of Circle's service, so that this node may stand for it. */
const attestationPath = /^\/v2\/messages\/(\d{1,9})\?transactionHash=(0x[0-9a-f]{64})$/i

/** A larger body is refused, bytes. */
const maxBodyBytes = 32 * 1024 * 1024

/** Clients here keep theirs for 30 seconds, milliseconds. */
const keepAliveMs = 65_000

export interface HistoryServer {
  readonly port: number
  close(): Promise<void>
}

/**
 * @param args.chain - the running chain; called for each request, since a new one takes the place of one that died.
 * @throws ForkrouteError INVALID_REQUEST when the port cannot be had.
 */
export async function serveHistory(args: {
  /** 0 = a free one. */
  readonly port: number
  readonly chain: () => Promise<RunningChain>
  readonly history: History
  /** Answers methods that are the sandbox's own. @throws JsonRpcError. */
  readonly ask: (method: string, params: unknown) => Promise<unknown>
}): Promise<HistoryServer> {
  const { chain, history, ask } = args
  const proofs = createAccountProofs(history)
  const server = createServer((request, response) => {
    const answer = (status: number, body: string) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(body)
    }
    handle(request).then(
      ({ status, body }) => answer(status, body),
      (error: unknown) => answer(502, failure(error)),
    )
  })

  async function handle(request: IncomingMessage) {
    const asked = request.method === 'GET' ? attestationPath.exec(request.url ?? '') : null
    if (asked) {
      const [, domain, hash] = asked
      const messages = await ask(attestationsMethod, [Number(domain), hash])
      return { status: 200, body: JSON.stringify(messages) }
    }
    if (request.method === 'POST' && !isJson(request)) return notJson
    const body = await readBody(request)
    const answerable = request.method === 'POST' ? ownAnswers(body) : null
    if (!answerable) return forwarded(request.method === 'POST' ? body : null)
    const { calls, isBatch, answers } = answerable
    const others = calls.filter((call) => !answers.has(call))
    const forwardedAnswer = others.length > 0 ? await forwarded(JSON.stringify(others)) : null
    if (forwardedAnswer && forwardedAnswer.status !== 200) return forwardedAnswer
    const rest: unknown = forwardedAnswer ? JSON.parse(forwardedAnswer.body) : []
    const next = (Array.isArray(rest) ? rest : []).values()
    const replies = await Promise.all(
      calls.map(async (call) => answers.get(call) ?? (next.next().value as unknown)),
    )
    return { status: 200, body: JSON.stringify(isBatch ? replies : replies[0]) }
  }

  async function forwarded(body: string | null) {
    const { load, forward } = await chain()
    for (const number of oldBlocks(body ?? '', history)) await load(number)
    return forward(body)
  }

  /** Answers to those calls that Anvil has none for; null where there are none. */
  function ownAnswers(body: string) {
    if (!body.includes('eth_getProof') && !body.includes(ownPrefix)) return null
    const calls = parseCalls(body)
    const answers = new Map<Call, Promise<object>>()
    for (const call of calls) {
      const answer = ownAnswer(call)
      if (answer) answers.set(call, toReply(call, answer))
    }
    return answers.size > 0 ? { calls, isBatch: /^\s*\[/.test(body), answers } : null
  }

  /** To methods of the sandbox, and to a question for a proof without slots of an older block. */
  function ownAnswer({ method, params }: Call): Promise<unknown> | null {
    if (typeof method === 'string' && method.startsWith(ownPrefix)) return ask(method, params)
    const [address, slots, block] = Array.isArray(params) ? params : []
    if (method !== 'eth_getProof' || !isAddress(address)) return null
    if (!Array.isArray(slots) || slots.length > 0) return null
    const number = blockNumber(block, history)
    return number === undefined ? null : proofs.proofAt(toAddress(address), number)
  }

  // Longer than clients keep an idle connection, so that none is closed under a request.
  server.keepAliveTimeout = keepAliveMs
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(portRefused(args.port, cause)))
    server.listen(args.port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The sandbox has no port.')
  return {
    port: address.port,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** Other types of content reach this without a preflight, from any page that a browser on this machine shows. */
const notJson = {
  status: 415,
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32600, message: 'The request must have content-type: application/json.' },
  }),
}

function isJson({ headers }: IncomingMessage): boolean {
  return /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')
}

async function toReply({ id = null }: Call, answer: Promise<unknown>): Promise<object> {
  try {
    return { jsonrpc: '2.0', id, result: await answer }
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } }
  }
}

function failure(error: unknown): string {
  const message =
    error instanceof ForkrouteError ? error.message : 'The sandbox chain did not answer.'
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32603, message } })
}

function portRefused(port: number, cause: Error): ForkrouteError {
  const message = `The sandbox cannot listen on port ${port}: it is in use or not allowed.`
  return new ForkrouteError('INVALID_REQUEST', message, { port }, { cause })
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > maxBodyBytes) throw new RangeError('The request is too large.')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString()
}

/** Numbers of the older blocks whose state a request reads. Malformed requests are left for Anvil to refuse. */
function oldBlocks(body: string, history: History): Set<number> {
  const numbers = new Set<number>()
  for (const { method, params } of parseCalls(body)) {
    const place = typeof method === 'string' ? blockArgument[method] : undefined
    if (place === undefined || !Array.isArray(params)) continue
    const number = blockNumber(params[place], history)
    if (number !== undefined && number >= history.firstBlock && number < history.lastBlock) {
      numbers.add(number)
    }
  }
  return numbers
}

interface Call {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

function parseCalls(body: string): Call[] {
  try {
    const value: unknown = JSON.parse(body)
    return [value].flat().filter((call) => typeof call === 'object' && call !== null)
  } catch {
    return []
  }
}

function blockNumber(tag: unknown, history: History): number | undefined {
  if (typeof tag === 'string') {
    if (/^0x[0-9a-f]{64}$/i.test(tag)) return history.numberOf(tag.toLowerCase() as Hex)
    return /^0x[0-9a-f]{1,12}$/i.test(tag) ? Number(tag) : undefined
  }
  if (typeof tag !== 'object' || tag === null) return undefined
  const { blockNumber: number, blockHash } = tag as { blockNumber?: unknown; blockHash?: unknown }
  return blockNumber(blockHash ?? number, history)
}
