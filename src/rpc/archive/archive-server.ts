/**
 * The loopback server of state at a block: `/<chainId>/<blockNumber>[/<blockHash>[/fork][/<changed state>]]`, single
 * calls and batches, over HTTP. With the hash in the path, answers come from exactly that block; without it, from the
 * block that has the number at the time of the request. `/standby/<id>` stands for a block that is decided later. Forks
 * of the pool use `/standby` and `/fork`, where single parts of an account are answered with a small delay (see
 * `partsLateMs`). They read word by word, and so over WebSocket, which costs a third less than requests by HTTP.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ChangedAccounts } from '../../domain/changes/what-if.js'
import type { Hex } from '../../domain/primitives.js'
import { inTraceOf } from '../../telemetry/tracing.js'
import type { VerifiedBlock } from '../node/block-check.js'
import { JsonRpcError } from '../node/json-rpc.js'
import type { StandbyBlock } from './archive-messages.js'
import { answerCall, toJsonRpcError } from './archive-methods.js'
import type { ChainSource } from './chain-source.js'
import { ChangedSource, type ChangedValues, changedValues } from './changed-state.js'

export interface ArchiveServer {
  readonly port: number
  readonly counters: { readonly served: number }
  /** Decides the block of `/standby/<id>`; requests there wait until then. Null: the address is given up. */
  standby(id: string, block: StandbyBlock | null): void
  /** Has addresses that end with the id answer from the changed state; null: the id is given up. */
  change(id: string, accounts: ChangedAccounts | null): void
  close(): Promise<void>
}

const maxBodyBytes = 4 * 1024 * 1024
/**
 * Anvil requests its first account both as a whole and in three parts, and keeps to whichever is answered first. The
 * parts are delayed so that the whole wins: one request per account is a third of the work, for Anvil and for us.
 */
const partsLateMs = 2
const accountParts = new Set<unknown>(['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'])
/** Chain, block number, hash, `/fork`, changed state. */
const pathForm = /^\/(\d{1,16})\/(\d{1,16})(?:\/(0x[0-9a-f]{64})(\/fork)?(?:\/([0-9a-f]{32}))?)?$/
const standbyForm = /^\/standby\/([0-9a-f]{32})$/
/** Longer than a fork stays idle between requests, so that no connection is closed just as a fork uses it. */
const keepAliveTimeoutMs = 120_000

interface Call {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

export async function startArchiveServer(
  sources: ReadonlyMap<number, ChainSource>,
  port: number,
): Promise<ArchiveServer> {
  const counters = { served: 0 }
  const standbys = createStandbys(sources)

  /**
   * Answers a request, or a batch of them.
   * @param text - JSON-RPC.
   * @returns null: the address is given up.
   */
  async function reply(find: FindAddress, text: string): Promise<string | null> {
    counters.served += 1
    let calls: unknown
    try {
      calls = JSON.parse(text)
    } catch {
      return JSON.stringify(failure(null, new JsonRpcError(-32700, 'parse error')))
    }
    const address = await find()
    if (!address) return null
    if (Array.isArray(calls) && calls.length === 0) return JSON.stringify(failure(null, invalid()))
    const found = await pinnedBlock(address, sourceOf).catch(toJsonRpcError)
    const ask = (call: Call | null) => answer(address, found, call)
    if (Array.isArray(calls)) return JSON.stringify(await Promise.all(calls.map(ask)))
    const call = calls as Call | null
    if (address.isForks && accountParts.has(call?.method)) await sleep(partsLateMs)
    return JSON.stringify(await ask(call))
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const find = request.method === 'POST' ? finderOf(request) : null
    const answered = find && (await reply(find, await readBody(request)))
    if (answered === null) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(answered)
  }

  /** Null: nobody may ask there. */
  function finderOf({ url = '', headers }: IncomingMessage): FindAddress | null {
    // A web page in a browser must not spend the operator's node requests. Browsers send an origin, forks do not.
    if (headers.origin !== undefined) return null
    const path = pathForm.exec(url)
    if (path) {
      const address = addressOf(path)
      return () => Promise.resolve(address)
    }
    const [, standbyId] = standbyForm.exec(url) ?? []
    return standbyId ? () => standbys.get(standbyId) : null
  }

  const changed = new Map<string, ChangedValues>()

  function addressOf([
    ,
    chainId = '',
    number = '',
    hash,
    fork,
    stateId,
  ]: RegExpExecArray): BlockAddress {
    const source = sources.get(Number(chainId))
    const isForks = fork !== undefined
    return { source, number: BigInt(number), hash: hash as Hex | undefined, isForks, stateId }
  }

  /** @throws JsonRpcError where the address stands for nothing, rather than answers from another state. */
  function sourceOf({ source, stateId }: BlockAddress): ChainSource {
    if (!source) throw new JsonRpcError(-32602, 'the chain is not configured here')
    if (!stateId) return source
    const values = changed.get(stateId)
    if (values) return new ChangedSource(source, values)
    throw new JsonRpcError(-32002, 'upstream unavailable: the changed state is not known here')
  }

  const server = createServer((request, response) => {
    const { traceparent } = request.headers
    const parent = typeof traceparent === 'string' ? traceparent : undefined
    inTraceOf(parent, 'archive', () => handle(request, response), { kind: 'server' }).catch(() =>
      response.destroy(),
    )
  })
  server.keepAliveTimeout = keepAliveTimeoutMs
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxBodyBytes })
  server.on('upgrade', (request, socket, head) => {
    const find = finderOf(request)
    if (find) {
      sockets.handleUpgrade(request, socket, head, (fork) => serveFork(fork, find))
    } else socket.destroy()
  })

  function serveFork(fork: WebSocket, find: FindAddress): void {
    // A connection that fails is closed, and the fork opens another one.
    fork.on('error', () => fork.terminate())
    fork.on('message', (data) => {
      reply(find, String(data)).then(
        (answered) => (answered === null ? fork.close() : fork.send(answered)),
        () => fork.terminate(),
      )
    })
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })

  return {
    port: (server.address() as AddressInfo).port,
    counters,
    standby: standbys.decide,
    change(id, accounts) {
      if (accounts) changed.set(id, changedValues(accounts))
      else changed.delete(id)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        for (const fork of sockets.clients) fork.terminate()
      }),
  }
}

/** Finds what an address stands for at the time of a request; null: it is given up. */
type FindAddress = () => Promise<BlockAddress | null>

interface BlockAddress {
  readonly source: ChainSource | undefined
  readonly number: bigint
  readonly hash: Hex | undefined
  readonly isForks: boolean
  readonly stateId: string | null | undefined
  /** Holds what `StandbyBlock.forkedAt` says. */
  readonly forkedAt?: bigint | undefined
}

/** Blocks of standby addresses by id, once decided. A restarted thread receives them from the main thread. */
function createStandbys(sources: ReadonlyMap<number, ChainSource>) {
  const decided = new Map<string, BlockAddress>()
  const waiting = new Map<string, ((address: BlockAddress | null) => void)[]>()
  return {
    get(id: string): Promise<BlockAddress | null> {
      const address = decided.get(id)
      if (address) return Promise.resolve(address)
      return new Promise((resolve) => waiting.set(id, [...(waiting.get(id) ?? []), resolve]))
    },
    decide(id: string, block: StandbyBlock | null): void {
      const address = block && {
        source: sources.get(block.chainId),
        number: block.number,
        hash: block.hash,
        isForks: true,
        stateId: block.changes?.stateId,
        forkedAt: block.forkedAt,
      }
      if (address) decided.set(id, address)
      else decided.delete(id)
      for (const resolve of waiting.get(id) ?? []) resolve(address)
      waiting.delete(id)
    },
  }
}

/**
 * Answers from memory without a promise, because forks read thousands of words at every block.
 * @param found - what the address stands for, or why it stands for nothing.
 */
function answer(
  { isForks, forkedAt }: BlockAddress,
  found: FoundBlock | JsonRpcError,
  call: Call | null,
): unknown | Promise<unknown> {
  const id = call?.id ?? null
  const fail = (error: unknown) => failure(id, toJsonRpcError(error))
  const succeed = (result: unknown) => ({ jsonrpc: '2.0', id, result })
  try {
    if (typeof call?.method !== 'string') throw invalid()
    if (found instanceof JsonRpcError) throw found
    const params = Array.isArray(call.params) ? call.params : []
    const { method } = call
    const result = answerCall(found.source, found.block, { method, params, isForks, forkedAt })
    return result instanceof Promise ? result.then(succeed, fail) : succeed(result)
  } catch (error) {
    return fail(error)
  }
}

interface FoundBlock {
  readonly source: ChainSource
  readonly block: VerifiedBlock
}

async function pinnedBlock(
  address: BlockAddress,
  sourceOf: (address: BlockAddress) => ChainSource,
): Promise<FoundBlock> {
  const { number, hash } = address
  const source = sourceOf(address)
  const block = await source.block(hash ?? number)
  if (!block.ok) {
    throw new JsonRpcError(-32001, `state unreadable: block ${number}: ${block.message}`)
  }
  if (block.value.pin.number !== number) {
    throw new JsonRpcError(-32602, `block ${hash} does not have the number ${number}`)
  }
  return { source, block: block.value }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBodyBytes) throw new RangeError('body too large')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function failure(id: unknown, { code, message }: JsonRpcError): unknown {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

function invalid(): JsonRpcError {
  return new JsonRpcError(-32600, 'invalid request')
}
