/**
 * A node of one chain made of local Anvil chains, each under rules of its own and for a range of blocks. Its headers are
 * as in the world: Anvil's blocks before Paris lack work, its first block has fields of later rules. Every header
 * hashes to its hash, and to the parent hash of the next.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { numberToHex } from 'viem'
import type { Hex } from '../../../src/domain/primitives.js'
import type { BlockJson } from '../../../src/rpc/node/header.js'
import { headerHash } from '../../../src/verify/header.js'
import type { TestAnvil } from '../anvil.js'
import { listenOnLoopback } from '../nodes/loopback-server.js'

export interface Segment {
  readonly anvil: TestAnvil
  /** First and last block taken from it. */
  readonly from: number
  readonly to: number
  readonly isProofOfWork: boolean
}

export interface EraNode {
  readonly url: string
  /** A header as clients see it. */
  header(number: number): BlockJson
  stop(): Promise<void>
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

/** Of mainnet's block 12,965,000. */
const difficulty = '0x1b81c1fe05b218'

/** Where a method names its block. */
const blockPlace: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_call: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
}

export async function startEraNode(segments: readonly Segment[]): Promise<EraNode> {
  const headers = await readHeaders(segments)
  const last = Math.max(...headers.keys())
  const numberOf = new Map([...headers].map(([number, { hash }]) => [hash, number]))

  function resolve(block: unknown): number | undefined {
    if (block === 'latest' || block === 'pending' || block === undefined) return last
    if (typeof block === 'object' && block !== null) {
      const { blockHash, blockNumber } = block as { blockHash?: string; blockNumber?: string }
      return blockHash ? numberOf.get(blockHash) : Number(blockNumber)
    }
    return Number(block)
  }

  async function answer({ method, params = [] }: Call): Promise<unknown> {
    switch (method) {
      case 'web3_clientVersion':
        return 'Geth/v1.13.15-stable/linux-amd64/go1.21.9'
      case 'eth_chainId':
        return '0x1'
      case 'eth_blockNumber':
        return numberToHex(last)
      case 'eth_getBlockByNumber':
        return headers.get(resolve(params[0]) ?? -1) ?? null
      case 'eth_getBlockByHash':
        return headers.get(numberOf.get(params[0]) ?? -1) ?? null
    }
    const place = blockPlace[method]
    if (place === undefined) throw new Error(`the method ${method} does not exist/is not available`)
    const number = resolve(params[place])
    const segment = segments.find(({ from, to }) => {
      return number !== undefined && from <= number && number <= to
    })
    if (!segment || number === undefined) throw new Error('header not found')
    return segment.anvil.rpc(method, params.with(place, numberToHex(number)))
  }

  async function reply(call: Call): Promise<object> {
    const head = { jsonrpc: '2.0', id: call.id }
    try {
      return { ...head, result: await answer(call) }
    } catch (error) {
      return { ...head, error: { code: -32000, message: (error as Error).message } }
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const asked = JSON.parse(Buffer.concat(parts).toString()) as Call | readonly Call[]
    const replies = await Promise.all([asked].flat().map((call) => reply(call as Call)))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(asked) ? replies : replies[0]))
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  const { url, stop } = await listenOnLoopback(server)
  return {
    url,
    header(number) {
      const found = headers.get(number)
      if (!found) throw new RangeError(`There is no block ${number}.`)
      return found
    },
    stop,
  }
}

async function readHeaders(segments: readonly Segment[]): Promise<Map<number, BlockJson>> {
  const headers = new Map<number, BlockJson>()
  let parentHash: Hex = `0x${'0'.repeat(64)}`
  for (const { anvil, from, to, isProofOfWork } of segments) {
    for (let number = from; number <= to; number++) {
      const params = [numberToHex(number), false]
      const block = await anvil.rpc<Record<string, unknown>>('eth_getBlockByNumber', params)
      const header: Record<string, unknown> = { ...block, parentHash }
      if (!('parentBeaconBlockRoot' in block)) {
        delete header.blobGasUsed
        delete header.excessBlobGas
      }
      if (isProofOfWork) Object.assign(header, { difficulty, nonce: '0x05f5c1c2a7a3b8d1' })
      parentHash = headerHash(header)
      headers.set(number, { ...header, hash: parentHash })
    }
  }
  return headers
}
