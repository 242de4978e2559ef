/**
 * EVM code that reads the words of pools with ticks by one `eth_call`, although each names the next: the price those of
 * the bitmap, and these the ticks. A node runs it in place of the code of the pools (state overrides). Uses opcodes
 * that every block since Byzantium has. Pure.
 */
import type { Address, Hex } from '../../../domain/primitives.js'
import { op, push, pushNumber } from './bulk-code.js'

/** The places of one pool, each a word: the arguments of the reader. */
export interface TickArguments {
  readonly address: Address
  /** Hexadecimal digits. */
  readonly words: readonly string[]
}

/** Arguments of the reader, in their order. */
const argument = {
  slot0: 0,
  liquidity: 1,
  tickBitmap: 2,
  ticks: 3,
  tickSpacing: 4,
  wordsPerSide: 5,
  recordWord: 6,
}
const argumentBytes = 32 * Object.keys(argument).length

/** Gas for one pool: a thousand ticks, more than any adapter reads. */
const gasPerPool = 2_500_000
/** With less than this left the reader ends, so that the answer of the call is never lost. */
const gasToEnd = 500_000
const wordBits = 256

/** Memory of the reader: two words to hash, its variables, and what it returns. */
const variable = { end: 0x40, word: 0x60, last: 0x80, bits: 0xa0, tick: 0xc0 }
const outputAt = 0xe0

type Part = string | { readonly label: string } | { readonly to: string }

/** A place to jump to, and its number on the stack. */
const label = (name: string): Part => ({ label: name })
const jump = (name: string): Part[] => [{ to: name }, op.jump]
/** Where the top of the stack is not zero. */
const jumpIf = (name: string): Part[] => [{ to: name }, op.jumpi]

const get = (name: keyof typeof variable): string => `${pushNumber(variable[name])}${op.mload}`
/** Works on the top of the stack. */
const set = (name: keyof typeof variable): string => `${pushNumber(variable[name])}${op.mstore}`
const given = (name: keyof typeof argument): string =>
  `${pushNumber(32 * argument[name])}${op.calldataload}`

/** The slot on top of the stack and its word go to the output; the word is left on the stack. */
const read = [
  `${op.dup1}${op.sload}${op.swap1}`,
  `${get('end')}${op.mstore}`,
  `${op.dup1}${get('end')}${pushNumber(32)}${op.add}${op.mstore}`,
  `${get('end')}${pushNumber(64)}${op.add}${set('end')}`,
].join('')
/** Slot of the entry of a mapping, whose key is on the stack. */
const entryOf = (base: 'tickBitmap' | 'ticks'): string =>
  [
    `${pushNumber(0)}${op.mstore}${given(base)}${pushNumber(32)}${op.mstore}`,
    `${pushNumber(64)}${pushNumber(0)}${op.sha3}`,
  ].join('')
const endIfGasIsLow = [`${pushNumber(gasToEnd)}${op.gas}${op.lt}`, ...jumpIf('end')]

/** Returns the token, then of each word that was read the slot and the word. */
export function tickReaderCode(token: string): Hex {
  return assemble([
    `${push(token)}${pushNumber(outputAt)}${op.mstore}`,
    `${pushNumber(outputAt + 32)}${set('end')}`,
    ...endIfGasIsLow,
    `${given('slot0')}${read}`,
    // A pool that is not there, or has no price yet.
    `${op.dup1}${op.iszero}`,
    ...jumpIf('end'),
    `${given('liquidity')}${read}${op.pop}`,
    // The tick lies behind the 160 bits of the price.
    `${push(`1${'0'.repeat(40)}`)}${op.swap1}${op.div}${pushNumber(2)}${op.signextend}`,
    // Its word of the bitmap: divided by the ticks of a word, rounded down.
    `${given('tickSpacing')}${pushNumber(wordBits)}${op.mul}${op.dup1}${op.dup3}${op.sdiv}`,
    `${op.swap2}${op.smod}${pushNumber(0)}${op.swap1}${op.slt}${op.swap1}${op.sub}`,
    `${op.dup1}${given('wordsPerSide')}${op.add}${set('last')}`,
    `${given('wordsPerSide')}${op.swap1}${op.sub}${set('word')}`,
    label('word'),
    `${get('word')}${get('last')}${op.slt}`,
    ...jumpIf('end'),
    ...endIfGasIsLow,
    `${get('word')}${entryOf('tickBitmap')}${read}${set('bits')}`,
    `${get('word')}${pushNumber(wordBits)}${op.mul}${given('tickSpacing')}${op.mul}${set('tick')}`,
    `${get('word')}${pushNumber(1)}${op.add}${set('word')}`,
    label('bit'),
    `${get('bits')}${op.iszero}`,
    ...jumpIf('word'),
    // Words are sparse: eight bits at a time where none is set.
    `${get('bits')}${pushNumber(255)}${op.and}`,
    ...jumpIf('some'),
    `${pushNumber(256)}${get('bits')}${op.div}${set('bits')}`,
    `${given('tickSpacing')}${pushNumber(8)}${op.mul}${get('tick')}${op.add}${set('tick')}`,
    ...jump('bit'),
    label('some'),
    `${get('bits')}${pushNumber(1)}${op.and}${op.iszero}`,
    ...jumpIf('next'),
    ...endIfGasIsLow,
    `${get('tick')}${entryOf('ticks')}${given('recordWord')}${op.add}${read}${op.pop}`,
    label('next'),
    `${pushNumber(2)}${get('bits')}${op.div}${set('bits')}`,
    `${given('tickSpacing')}${get('tick')}${op.add}${set('tick')}`,
    ...jump('bit'),
    label('end'),
    `${pushNumber(outputAt)}${get('end')}${op.sub}${pushNumber(outputAt)}${op.return}`,
  ])
}

/** Stands in for the code of a pool: runs the reader on its storage with the arguments that it was called with. */
export function tickStubCode(reader: Address): Hex {
  const zero = pushNumber(0)
  return `0x${[
    `${op.calldatasize}${zero}${zero}${op.calldatacopy}`,
    `${zero}${zero}${op.calldatasize}${zero}${push(reader.slice(2))}${op.gas}${op.delegatecall}${op.pop}`,
    `${op.returndatasize}${zero}${zero}${op.returndatacopy}`,
    `${op.returndatasize}${zero}${op.return}`,
  ].join('')}`
}

/**
 * Calls the pools. Returns the token, then of each pool the bytes that it returned and these, filled up to whole words,
 * then the number of the block and the gas that is left.
 */
export function tickDispatcherCode(token: string, pools: readonly TickArguments[]): Hex {
  const end = argumentBytes
  const start = end + 32
  const getEnd = `${pushNumber(end)}${op.mload}`
  const setEnd = `${pushNumber(end)}${op.mstore}`
  const zero = pushNumber(0)
  let before: readonly string[] = []
  const calls = pools.map(({ address, words }) => {
    // Arguments of the pool before stay where they are the same.
    const stores = words.map((word, index) =>
      word === before[index] ? '' : `${push(word)}${pushNumber(32 * index)}${op.mstore}`,
    )
    before = words
    return [
      ...stores,
      `${zero}${zero}${pushNumber(argumentBytes)}${zero}${zero}`,
      `${push(address.slice(2))}${pushNumber(gasPerPool)}${op.call}${op.pop}`,
      `${op.returndatasize}${getEnd}${op.mstore}`,
      `${op.returndatasize}${zero}${getEnd}${pushNumber(32)}${op.add}${op.returndatacopy}`,
      `${pushNumber(31)}${op.not}${op.returndatasize}${pushNumber(63)}${op.add}${op.and}`,
      `${getEnd}${op.add}${setEnd}`,
    ].join('')
  })
  return `0x${[
    `${push(token)}${pushNumber(start)}${op.mstore}${pushNumber(start + 32)}${setEnd}`,
    ...calls,
    `${op.number}${getEnd}${op.mstore}${op.gas}${getEnd}${pushNumber(32)}${op.add}${op.mstore}`,
    `${pushNumber(start)}${getEnd}${pushNumber(64)}${op.add}${op.sub}${pushNumber(start)}${op.return}`,
  ].join('')}`
}

/** Places are pushed as two bytes, so that they do not depend on each other. */
function assemble(parts: readonly Part[]): Hex {
  const places = new Map<string, number>()
  let length = 0
  for (const part of parts) {
    if (typeof part === 'string') length += part.length / 2
    else if ('to' in part) length += 3
    else {
      places.set(part.label, length)
      length += 1
    }
  }
  const code = parts.map((part) => {
    if (typeof part === 'string') return part
    if ('label' in part) return op.jumpdest
    return `61${(places.get(part.to) ?? 0).toString(16).padStart(4, '0')}`
  })
  return `0x${code.join('')}`
}
