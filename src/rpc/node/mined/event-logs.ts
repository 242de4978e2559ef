/** Finds the events of contracts by their topics, in ranges as large as the nodes accept. */
import { numberToHex } from 'viem'
import type { Address, Hex } from '../../../domain/primitives.js'
import type { Answer } from '../answer.js'
import { type BlockSpan, inRanges } from '../log-ranges.js'
import type { NodeRequest } from '../node-request.js'

export interface LogsQuestion extends BlockSpan {
  /** Lower-case; of several contracts any. */
  readonly address: Address | readonly Address[]
  /** Lower-case; null: any; a list: one of these. */
  readonly topics: readonly (Hex | readonly Hex[] | null)[]
  /** The only block, where it may still be replaced by another of its number. */
  readonly blockHash?: Hex
}

export interface EventLog {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: bigint
  readonly transactionHash: Hex
  /** Unix seconds of its block; null: the node does not say. */
  readonly timestamp: number | null
}

/** Blocks in one request at first: many nodes take so many where a contract is named. */
const mostBlocks = 10_000n
/** Requests of one search: a range that needs more is given up. */
const mostRequests = 64

/**
 * All of the range in the order of their blocks.
 *
 * @param ask - one range.
 * @returns null where one block alone is refused, or the nodes take so little at a time that the search has no end.
 * @throws what `ask` throws.
 */
export async function findLogs(
  { from, to, ...filter }: LogsQuestion,
  ask: (range: LogsQuestion) => Promise<Answer<readonly EventLog[]>>,
): Promise<EventLog[] | null> {
  const found: EventLog[] = []
  const askRange = (range: BlockSpan) => ask({ ...filter, ...range })
  for await (const part of inRanges({ from, to }, { mostBlocks, mostRequests }, askRange)) {
    if (!part.ok) return null
    found.push(...part.value)
  }
  return found
}

/** One range as a request to a node; its value is a list of EventLog. */
export function logsRequest(question: LogsQuestion): NodeRequest {
  const { from, to, address, topics, blockHash } = question
  const range = blockHash
    ? { blockHash }
    : { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  return {
    call: { method: 'eth_getLogs', params: [{ ...range, address, topics: [...topics] }] },
    judge(value) {
      const logs = Array.isArray(value) ? value.map(toEventLog) : [null]
      const right = logs.filter((log): log is EventLog => log !== null && answers(log, question))
      return right.length === logs.length
        ? { kind: 'value', value: right }
        : { kind: 'odd', message: 'the answer of the node is not a list of such events' }
    },
  }
}

/** Null: no log of a block. */
export function toEventLog(value: unknown): EventLog | null {
  if (typeof value !== 'object' || value === null) return null
  const { address, topics, data, blockNumber, transactionHash } = value as Record<string, unknown>
  if (!isHex(address, 40) || !isHex(transactionHash, 64)) return null
  if (!Array.isArray(topics) || !topics.every((topic) => isHex(topic, 64))) return null
  if (typeof data !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(data)) return null
  if (!isQuantity(blockNumber)) return null
  const { blockTimestamp } = value as Record<string, unknown>
  return {
    address: lower(address),
    topics: topics.map(lower),
    data: lower(data),
    blockNumber: BigInt(blockNumber),
    transactionHash: lower(transactionHash),
    timestamp: isQuantity(blockTimestamp) ? Number(blockTimestamp) : null,
  }
}

function isQuantity(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value)
}

function answers(log: EventLog, { from, to, address, topics }: LogsQuestion): boolean {
  const isOfThese = (found: Hex | undefined, asked: Hex | readonly Hex[] | null) =>
    asked === null || [asked].flat().some((one) => one === found)
  const isThere =
    log.blockNumber >= from && log.blockNumber <= to && isOfThese(log.address, address)
  return isThere && topics.every((topic, index) => isOfThese(log.topics[index], topic))
}

function isHex(value: unknown, digits: number): value is string {
  return typeof value === 'string' && new RegExp(`^0x[0-9a-f]{${digits}}$`, 'i').test(value)
}

function lower(text: string): Hex {
  return text.toLowerCase() as Hex
}
