/**
 * A JSON-RPC node that makes a chain up: blocks without transactions whose hashes follow from their numbers, and events
 * of new pools as a script says. It can be as narrow as the nodes of providers, lose its events, and change its branch.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeAbiParameters, keccak256, parseAbiParameters, toEventSelector } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address, Hex } from '../../../src/domain/primitives.js'
import { listenOnLoopback } from './loopback-server.js'

/** A pool as its event tells of it. */
export interface ScriptedPool {
  readonly block: number
  readonly protocol: 'uniswap-v2' | 'uniswap-v3' | 'uniswap-v4'
  readonly id: Hex
  readonly tokens: readonly [Address, Address]
}

interface Log {
  readonly block: number
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
}

export interface ScriptedNode {
  readonly url: string
  /** Of the newest block; may be changed. */
  head: number
  /** Blocks of one request for events at most; null: any number. */
  mostBlocks: number | null
  /** Events of one answer at most; null: any number. */
  mostLogs: number | null
  /** What a request for events is refused with where it is too wide. */
  refusal: { readonly code: number; readonly message: string }
  /** False: no method for events. */
  hasLogs: boolean
  /** Of each request for events. */
  delayMs: number
  /** Ranges that were asked for and answered. */
  readonly ranges: { readonly from: number; readonly to: number }[]
  /** Replaces the blocks from this one on, with their pools. */
  branch(from: number, pools: readonly ScriptedPool[]): void
  close(): Promise<void>
}

const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`
const hashOf = (text: string): Hex => `0x${createHash('sha256').update(text).digest('hex')}`
const addressOf = (text: string): Address => hashOf(text).slice(0, 42) as Address
const word = (address: Address): Hex => `0x${address.slice(2).padStart(64, '0')}`
const venue = (slug: string, key: string) => ethereum.venues[slug]?.[key] as Address

const topics = {
  'uniswap-v2': toEventSelector('PairCreated(address,address,address,uint256)'),
  'uniswap-v3': toEventSelector('PoolCreated(address,address,uint24,int24,address)'),
  'uniswap-v4': toEventSelector(
    'Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)',
  ),
}
const [fee, spacing] = [123, 7]
const noHooks: Address = '0x0000000000000000000000000000000000000000'

/** Pools of tokens in turn with four hubs, spread evenly over the blocks: six in ten of V2, three of V3, one of V4. */
export function scriptedPools(
  count: number,
  blocks: number,
  options: { readonly from?: number; readonly name?: string } = {},
): ScriptedPool[] {
  const { from = 1, name = 'pool' } = options
  const hubs = ethereum.connectorTokens.slice(0, 4)
  return Array.from({ length: count }, (_, k) => {
    const token = addressOf(`${name} token ${Math.floor(k / 2)}`)
    const other = k % 5 === 4 ? addressOf(`${name} token ${k % 97}`) : (hubs[k % 4] ?? noHooks)
    const tokens = (token < other ? [token, other] : [other, token]) as [Address, Address]
    const block = from + Math.floor((k * blocks) / count)
    const kind = k % 10
    const protocol = kind < 6 ? 'uniswap-v2' : kind < 9 ? 'uniswap-v3' : 'uniswap-v4'
    const id = protocol === 'uniswap-v4' ? keyHash(tokens) : addressOf(`${name} ${k}`)
    return { block, protocol, id, tokens }
  })
}

function keyHash([a, b]: readonly [Address, Address]): Hex {
  return keccak256(
    encodeAbiParameters(parseAbiParameters('address, address, uint24, int24, address'), [
      ...([a, b, fee, spacing, noHooks] as const),
    ]),
  )
}

function toLog({ block, protocol, id, tokens: [a, b] }: ScriptedPool): Log {
  const own = [topics[protocol], word(a), word(b)] as const
  if (protocol === 'uniswap-v2') {
    const data = encodeAbiParameters(parseAbiParameters('address, uint256'), [id as Address, 1n])
    return { block, address: venue(protocol, 'factory'), topics: own, data }
  }
  if (protocol === 'uniswap-v3') {
    const data = encodeAbiParameters(parseAbiParameters('int24, address'), [60, id as Address])
    const feeTopic = word(hex(3_000) as Address)
    return { block, address: venue(protocol, 'factory'), topics: [...own, feeTopic], data }
  }
  const values = [fee, spacing, noHooks, 2n ** 96n, 0] as const
  return {
    block,
    address: venue(protocol, 'poolManager'),
    topics: [own[0], id, own[1], own[2]],
    data: encodeAbiParameters(parseAbiParameters('uint24, int24, address, uint160, int24'), values),
  }
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

export async function startScriptedNode(
  pools: readonly ScriptedPool[],
  head: number,
): Promise<ScriptedNode> {
  let logs = pools.map(toLog)
  let branches: readonly number[] = []
  const blockHash = (number: number) =>
    hashOf(`${branches.filter((from) => from <= number).length} ${number}`)
  const blockOf = (number: number) => ({
    number: hex(number),
    hash: blockHash(number),
    parentHash: number === 0 ? hashOf('none') : blockHash(number - 1),
    timestamp: hex(1_600_000_000 + 12 * number),
    baseFeePerGas: '0x3b9aca00',
    gasUsed: '0x0',
    gasLimit: '0x1c9c380',
    miner: noHooks,
    extraData: '0x',
    difficulty: '0x0',
    transactions: [],
  })
  const toJson = (log: Log, index: number) => ({
    address: log.address,
    topics: log.topics,
    data: log.data,
    blockNumber: hex(log.block),
    blockHash: blockHash(log.block),
    transactionHash: hashOf(`transaction ${log.block}`),
    transactionIndex: '0x0',
    logIndex: hex(index),
    removed: false,
  })

  async function logsOf(filter: Record<string, unknown>): Promise<unknown> {
    const numbered = (value: unknown) => Number(BigInt(String(value)))
    let [from, to] = [0, 0]
    if (filter.blockHash === undefined) {
      ;[from, to] = [numbered(filter.fromBlock), numbered(filter.toBlock)]
    } else {
      const found = Array.from({ length: 300 }, (_, k) => node.head - k).find(
        (number) => number >= 0 && blockHash(number) === filter.blockHash,
      )
      if (found === undefined) throw { code: -32000, message: 'unknown block' }
      ;[from, to] = [found, found]
    }
    if (!node.hasLogs) throw { code: -32601, message: 'the method eth_getLogs does not exist' }
    await sleep(node.delayMs)
    if (node.mostBlocks !== null && to - from + 1 > node.mostBlocks) throw node.refusal
    const addresses = new Set([filter.address].flat())
    const [first] = (filter.topics ?? []) as unknown[]
    const wanted = new Set([first].flat())
    const found = logs.filter(
      (log) =>
        log.block >= from &&
        log.block <= to &&
        addresses.has(log.address) &&
        (first === undefined || wanted.has(log.topics[0])),
    )
    if (node.mostLogs !== null && found.length > node.mostLogs) throw node.refusal
    node.ranges.push({ from, to })
    return found.map(toJson)
  }

  async function answer({ id, method, params }: Call): Promise<unknown> {
    const ok = (result: unknown) => ({ jsonrpc: '2.0', id, result })
    try {
      if (method === 'eth_chainId') return ok('0x1')
      if (method === 'web3_clientVersion') return ok('scripted/1.0')
      if (method === 'eth_blockNumber') return ok(hex(node.head))
      if (method === 'eth_getLogs') return ok(await logsOf(params[0] as Record<string, unknown>))
      if (method === 'eth_getBlockByNumber') {
        const number = params[0] === 'latest' ? node.head : Number(BigInt(String(params[0])))
        return ok(number > node.head ? null : blockOf(number))
      }
      if (method === 'eth_getCode') return ok('0x00')
      if (method === 'eth_getBalance' || method === 'eth_getTransactionCount') return ok('0x0')
      if (method === 'eth_getStorageAt') return ok(`0x${'00'.repeat(32)}`)
      throw { code: -32601, message: `the method ${method} does not exist` }
    } catch (error) {
      return { jsonrpc: '2.0', id, error }
    }
  }

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
    const body = JSON.parse(Buffer.concat(parts).toString()) as Call | Call[]
    const reply = Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  const { url, stop } = await listenOnLoopback(server)
  const node: ScriptedNode = {
    url,
    head,
    mostBlocks: null,
    mostLogs: null,
    refusal: { code: -32005, message: 'query returned more than 10000 results' },
    hasLogs: true,
    delayMs: 0,
    ranges: [],
    branch(from, own) {
      branches = [...branches, from]
      logs = [...logs.filter(({ block }) => block < from), ...own.map(toLog)]
    },
    close: stop,
  }
  return node
}
