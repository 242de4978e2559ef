/** Finds the blocks in which contracts emitted events, in ranges as large as the nodes accept. */
import { ForkrouteError } from '../../domain/errors.js'
import type { Address } from '../../domain/primitives.js'
import type { NodeRequest } from './node-request.js'

/** Both ends included. */
export interface ChangesQuestion {
  readonly from: bigint
  readonly to: bigint
  /** Lower-case. */
  readonly addresses: readonly Address[]
}

/** `ok: false`: every node refuses the range. */
type RangeAnswer =
  | { readonly ok: true; readonly value: readonly bigint[] }
  | { readonly ok: false; readonly message: string }

/** Blocks in one request at first; public nodes take between 500 and 10,000. */
const mostBlocks = 2_000n
/** Ranges that must pass in a row before twice the length is tried: every refusal is a wasted request. */
const passesToGrow = 8

/**
 * Ascending, each once. A range that is refused is halved, down to one block, and grows again where ranges pass.
 *
 * @param ask - one range.
 * @throws ForkrouteError STATE_UNAVAILABLE when one block alone is refused; what `ask` throws.
 */
export async function findChangedBlocks(
  { from, to, addresses }: ChangesQuestion,
  ask: (range: ChangesQuestion) => Promise<RangeAnswer>,
): Promise<bigint[]> {
  const found = new Set<bigint>()
  let size = mostBlocks
  let passes = 0
  for (let start = from; start <= to; ) {
    const end = start + size - 1n < to ? start + size - 1n : to
    const answer = await ask({ from: start, to: end, addresses })
    if (answer.ok) {
      for (const number of answer.value) found.add(number)
      start = end + 1n
      passes += 1
      if (passes % passesToGrow === 0 && size < mostBlocks) size *= 2n
    } else if (end > start) {
      size = (end - start + 1n) / 2n
      passes = 0
    } else {
      throw new ForkrouteError(
        'STATE_UNAVAILABLE',
        `The events of block ${start} are not available: ${answer.message}.`,
        { blockNumber: start.toString() },
      )
    }
  }
  return [...found].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

/** One range as a request to a node; its value is the numbers of the blocks. */
export function changesRequest({ from, to, addresses }: ChangesQuestion): NodeRequest {
  const range = { fromBlock: quantity(from), toBlock: quantity(to) }
  const asked: ReadonlySet<unknown> = new Set(addresses)
  return {
    call: { method: 'eth_getLogs', params: [{ ...range, address: addresses }] },
    judge(value) {
      const numbers = Array.isArray(value) ? value.map((log) => numberOf(log, asked)) : [null]
      const isRight = numbers.every((number) => number !== null && number >= from && number <= to)
      return isRight
        ? { kind: 'value', value: [...new Set(numbers)] }
        : { kind: 'odd', message: 'the answer of the node is not a list of such events' }
    },
  }
}

function numberOf(log: unknown, addresses: ReadonlySet<unknown>): bigint | null {
  if (typeof log !== 'object' || log === null) return null
  const { blockNumber, address } = log as { blockNumber?: unknown; address?: unknown }
  const isAsked = typeof address === 'string' && addresses.has(address.toLowerCase())
  const isNumber = typeof blockNumber === 'string' && /^0x[0-9a-f]{1,16}$/i.test(blockNumber)
  return isAsked && isNumber ? BigInt(blockNumber) : null
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`
}
