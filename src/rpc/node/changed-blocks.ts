/** Finds the blocks in which contracts emitted events, in ranges as large as the nodes accept. */
import { numberToHex } from 'viem'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, Hex } from '../../domain/primitives.js'
import { type BlockSpan, inRanges, type RangeAnswer } from './log-ranges.js'
import type { NodeRequest } from './node-request.js'

export interface ChangesQuestion extends BlockSpan {
  /** Lower-case. */
  readonly addresses: readonly Address[]
  /** Only events whose first indexed argument is one of these words, lower-case; absent: all. */
  readonly indexed?: readonly Hex[]
}

/** Blocks in one request at first; public nodes take between 500 and 10,000. */
const mostBlocks = 2_000n
/**
 * Ascending, each once.
 *
 * @param ask - one range.
 * @throws ForkrouteError STATE_UNAVAILABLE when one block alone is refused; what `ask` throws.
 */
export async function findChangedBlocks(
  { from, to, ...events }: ChangesQuestion,
  ask: (range: ChangesQuestion) => Promise<RangeAnswer<readonly bigint[]>>,
): Promise<bigint[]> {
  const found = new Set<bigint>()
  const askRange = (range: BlockSpan) => ask({ ...range, ...events })
  for await (const part of inRanges({ from, to }, { mostBlocks }, askRange)) {
    if (!part.ok) {
      throw new ForkrouteError(
        'STATE_UNAVAILABLE',
        `The events of block ${part.from} are not available: ${part.message}.`,
        { blockNumber: part.from.toString() },
      )
    }
    for (const number of part.value) found.add(number)
  }
  return [...found].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

/** One range as a request to a node; its value is the numbers of the blocks. */
export function changesRequest(question: ChangesQuestion): NodeRequest {
  const { from, to, addresses, indexed } = question
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  const filter = { address: addresses, ...(indexed && { topics: [null, indexed] }) }
  return {
    call: { method: 'eth_getLogs', params: [{ ...range, ...filter }] },
    judge(value) {
      const numbers = Array.isArray(value) ? value.map((log) => numberOf(log, question)) : [null]
      const isRight = numbers.every((number) => number !== null && number >= from && number <= to)
      return isRight
        ? { kind: 'value', value: [...new Set(numbers)] }
        : { kind: 'odd', message: 'the answer of the node is not a list of such events' }
    },
  }
}

/** Null: no event, or none that was asked for. */
function numberOf(log: unknown, { addresses, indexed }: ChangesQuestion): bigint | null {
  if (typeof log !== 'object' || log === null) return null
  const { blockNumber, address, topics } = log as Partial<Record<string, unknown>>
  const isOf = (asked: readonly string[], word: unknown) =>
    typeof word === 'string' && asked.includes(word.toLowerCase())
  const isAsked =
    isOf(addresses, address) && (!indexed || (Array.isArray(topics) && isOf(indexed, topics[1])))
  const isNumber = typeof blockNumber === 'string' && /^0x[0-9a-f]{1,16}$/i.test(blockNumber)
  return isAsked && isNumber ? BigInt(blockNumber) : null
}
