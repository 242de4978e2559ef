/** Finds the events of one contract by their topics, in ranges as large as the nodes accept. */
import type { Address, Hex } from '../../../domain/primitives.js'
import type { Answer } from '../answer.js'
import type { NodeRequest } from '../node-request.js'

/** Both ends included. */
export interface LogsQuestion {
  readonly from: bigint
  readonly to: bigint
  /** Lower-case. */
  readonly address: Address
  /** Lower-case; null: any. */
  readonly topics: readonly (Hex | null)[]
}

export interface EventLog {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: bigint
  readonly transactionHash: Hex
}

/** Blocks in one request at first: many nodes take so many where a contract is named. */
const mostBlocks = 10_000n
/** Ranges that must pass in a row before twice the length is tried: every refusal is a wasted request. */
const passesToGrow = 8
/** Requests of one search: a range that needs more is given up. */
const mostRequests = 64

/**
 * All of the range in the order of their blocks; a range that is refused is halved, down to one block.
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
  let size = mostBlocks
  let passes = 0
  let requests = 0
  for (let start = from; start <= to; ) {
    if (requests === mostRequests) return null
    requests += 1
    const end = start + size - 1n < to ? start + size - 1n : to
    const answer = await ask({ ...filter, from: start, to: end })
    if (answer.ok) {
      found.push(...answer.value)
      start = end + 1n
      passes += 1
      if (passes % passesToGrow === 0 && size < mostBlocks) size *= 2n
    } else if (end > start) {
      size = (end - start + 1n) / 2n
      passes = 0
    } else {
      return null
    }
  }
  return found
}

/** One range as a request to a node; its value is a list of EventLog. */
export function logsRequest(question: LogsQuestion): NodeRequest {
  const { from, to, address, topics } = question
  const range = { fromBlock: quantity(from), toBlock: quantity(to) }
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
  if (typeof blockNumber !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(blockNumber)) return null
  return {
    address: lower(address),
    topics: topics.map(lower),
    data: lower(data),
    blockNumber: BigInt(blockNumber),
    transactionHash: lower(transactionHash),
  }
}

function answers(log: EventLog, { from, to, address, topics }: LogsQuestion): boolean {
  const isThere = log.blockNumber >= from && log.blockNumber <= to && log.address === address
  return isThere && topics.every((topic, index) => topic === null || topic === log.topics[index])
}

function isHex(value: unknown, digits: number): value is string {
  return typeof value === 'string' && new RegExp(`^0x[0-9a-f]{${digits}}$`, 'i').test(value)
}

function lower(text: string): Hex {
  return text.toLowerCase() as Hex
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`
}
