/**
 * The words of many pools with ticks by one `eth_call`: see `tick-code.ts`. Pure but for the random token of each call.
 */
import type { Address, Hex } from '../../../domain/primitives.js'
import type { TickPlaces } from '../../../domain/state.js'
import type { NodeRequest } from '../node-request.js'
import { type ItemKey, storageKey } from '../state-item.js'
import { asWord, type BlockParam, dispatcher, newToken, requestOf } from './bulk-plan.js'
import type { State } from './prestate.js'
import { tickDispatcherCode, tickReaderCode, tickStubCode } from './tick-code.js'

/** Pools of one call: with 50,000 words or so it is below what nodes allow, and most pools are not there. */
export const poolsPerCall = 48

/** Nobody's: holds the code that all pools run. */
const reader: Address = '0x7f1d2b4c9a3e5d6f8091a2b3c4d5e6f708192a3d'
const wordDigits = 64

/** The value is a State: the words of the pools that are there, as far as the gas of the call went. */
export function ticksRequest(pools: readonly TickPlaces[], at: BlockParam): NodeRequest {
  const token = newToken()
  const overrides: Record<Address, { readonly code: Hex }> = {
    [reader]: { code: tickReaderCode(token) },
    [dispatcher]: { code: tickDispatcherCode(token, pools.map(toArguments)) },
  }
  for (const { address } of pools) overrides[address] = { code: tickStubCode(reader) }
  const { call, judge } = requestOf(at, overrides, token, null)
  return {
    call,
    bringsState: true,
    judge: (answer) => {
      const judgement = judge(answer)
      if (judgement.kind !== 'value') return { ...judgement, kind: 'refused' }
      return { kind: 'value', value: toState(judgement.value as Hex, token, pools) }
    },
  }
}

function toArguments({ address, ...places }: TickPlaces) {
  const { slot0, liquidity, tickBitmap, ticks, tickSpacing, wordsPerSide, recordWord } = places
  return {
    address,
    words: [
      ...[slot0, liquidity, tickBitmap, ticks].map((slot) => slot.slice(2)),
      ...[tickSpacing, wordsPerSide, recordWord].map((number) => number.toString(16)),
    ],
  }
}

/** Zeros count beside a word of the account that is not zero: a node may empty accounts whose code it replaces. */
function toState(answer: Hex, token: string, pools: readonly TickPlaces[]): State {
  const wordAt = (place: number): Hex =>
    `0x${answer.slice(2 + place * wordDigits, 2 + (place + 1) * wordDigits)}`
  const found = new Map<Address, [ItemKey, Hex][]>()
  const shown = new Set<Address>()
  let place = 1
  for (const { address } of pools) {
    const words = Math.ceil(Number(BigInt(wordAt(place))) / 32)
    const first = place + 1
    place = first + words
    if (words === 0 || wordAt(first) !== asWord(token)) continue
    const own = found.get(address) ?? []
    found.set(address, own)
    for (let at = first + 1; at + 1 < place; at += 2) {
      const value = shortened(wordAt(at + 1))
      if (value !== '0x0') shown.add(address)
      own.push([storageKey(address, wordAt(at)), value])
    }
  }
  return new Map([...found].flatMap(([address, own]) => (shown.has(address) ? own : [])))
}

function shortened(word: Hex): Hex {
  return `0x${word.slice(2).replace(/^0+(?=.)/, '')}`
}
