/**
 * Turns reads of state at one block into few `eth_call`s with overrides, and their answers into values. Pure but for
 * the random token of each call.
 *
 * Slots and nonces are read by code in the place of the account's own. Balances and hashes of code are read by other
 * calls, in which the accounts are as they are: no node can give the override's code, or an account emptied by it.
 */
import { randomBytes } from 'node:crypto'
import type { Address, Hex } from '../../../domain/primitives.js'
import type { NodeRequest, Outcome } from '../node-request.js'
import { addressOf, balanceKey, codeKey, type ItemKey, isSlot, nonceKey } from '../state-item.js'
import { accountsCode, dispatcherCode, type Reader, readerCode, wordsOf } from './bulk-code.js'

export interface BulkCall {
  /** The value is the whole answer, in lower case. */
  readonly request: NodeRequest
  /** What is read, without what was only added as an anchor. */
  readonly keys: readonly ItemKey[]
  readonly isAnchored: boolean
  readonly parse: (answer: Hex) => BulkWords
}

export interface BulkWords {
  /** 32-byte words by key, the anchor among them; a nonce's is the created address, a code's the hash. */
  readonly words: ReadonlyMap<ItemKey, Hex>
  /** Accounts whose own code ran in place of ours. */
  readonly stubborn: readonly Address[]
}

/** The block as the node takes it, and its number. */
export interface BlockParam {
  readonly block: unknown
  readonly number: bigint
}

/** Bounds one call. */
export interface BulkLimits {
  readonly slots: number
  /** Length of the body of the request. */
  readonly chars: number
  readonly gas: number
}

/** Far below what nodes allow: 10 to 50 million gas, bodies of 128 kB and more. */
const fullLimits: BulkLimits = { slots: 1_000, chars: 64_000, gas: 6_000_000 }
/** About what a cold account, a cold slot and a CREATE cost. */
const accountGas = 4_000
const slotGas = 2_200
const nonceGas = 32_500
const accountChars = 220
/** More than a 64th of what any reader may use. */
const enoughGas = 200_000n
/** Accounts of a call for balances and hashes, by the same limits. */
const accountsShare = 1 / 4
const otherBlock = 'the call ran in block'

/** Nobody's: the account that calls, and the one that is called. */
export const sender: Address = '0x7f1d2b4c9a3e5d6f8091a2b3c4d5e6f708192a3b'
export const dispatcher: Address = '0x7f1d2b4c9a3e5d6f8091a2b3c4d5e6f708192a3c'
/** Below lie precompiles and system contracts, whose code no override replaces everywhere. */
const firstPlain = 0x10000n

/** Whether other code may stand in for that of the account. */
export function isReplaceable(address: Address): boolean {
  return BigInt(address) >= firstPlain && address !== sender && address !== dispatcher
}

/** @param share - 0 to 1, of the full limits. */
export function limitsOf(share: number): BulkLimits {
  const part = (full: number) => Math.max(1, Math.floor(full * share))
  return {
    slots: part(fullLimits.slots),
    chars: part(fullLimits.chars),
    gas: part(fullLimits.gas),
  }
}

/**
 * Calls that read slots and nonces, keys of one account side by side.
 *
 * @param anchorFor - a slot to read with these ones; null: none is needed or known.
 */
export function slotCalls(
  keys: readonly ItemKey[],
  at: BlockParam,
  limits: BulkLimits,
  anchorFor: (keys: readonly ItemKey[]) => ItemKey | null,
): BulkCall[] {
  return chunksWithin(keys, limits).map((own) => {
    const anchor = anchorFor(own)
    return slotCall(own, anchor === null ? own : [...own, anchor], at)
  })
}

/** Calls that read balances and hashes of code; the word of a code key is the hash. */
export function accountCalls(
  keys: readonly ItemKey[],
  at: BlockParam,
  limits: BulkLimits,
): BulkCall[] {
  const addresses = [...new Set(keys.map(addressOf))]
  const size = Math.max(1, Math.floor(limits.slots * accountsShare))
  const calls: BulkCall[] = []
  for (let start = 0; start < addresses.length; start += size) {
    const own = addresses.slice(start, start + size)
    calls.push(accountCall(own, at))
  }
  return calls
}

function chunksWithin(keys: readonly ItemKey[], limits: BulkLimits): ItemKey[][] {
  const chunks: ItemKey[][] = []
  let used = { slots: 0, chars: 0, gas: 0 }
  let last: Address | null = null
  for (const key of keys.toSorted(byAccount)) {
    const address = addressOf(key)
    const isNew = address !== last
    const cost = costOf(key)
    const account = { slots: 1, chars: accountChars, gas: accountGas }
    const next = sum(used, cost, ...(isNew ? [account] : []))
    const isFull = next.slots > limits.slots || next.chars > limits.chars || next.gas > limits.gas
    if (isFull || chunks.length === 0) {
      chunks.push([])
      used = sum(cost, account)
    } else used = next
    chunks.at(-1)?.push(key)
    last = address
  }
  return chunks
}

function byAccount(a: ItemKey, b: ItemKey): number {
  const [left, right] = [a.slice(1, 41), b.slice(1, 41)]
  if (left === right) return 0
  return left < right ? -1 : 1
}

function costOf(key: ItemKey): BulkLimits {
  if (isSlot(key)) return { slots: 1, chars: key.length - 41 + 14, gas: slotGas }
  return { slots: 1, chars: 30, gas: nonceGas }
}

function sum(...costs: readonly BulkLimits[]): BulkLimits {
  return {
    slots: costs.reduce((total, { slots }) => total + slots, 0),
    chars: costs.reduce((total, { chars }) => total + chars, 0),
    gas: costs.reduce((total, { gas }) => total + gas, 0),
  }
}

function slotCall(
  keys: readonly ItemKey[],
  withAnchor: readonly ItemKey[],
  at: BlockParam,
): BulkCall {
  const accounts = new Map<Address, ItemKey[]>()
  for (const key of withAnchor) {
    const own = accounts.get(addressOf(key))
    if (own) own.push(key)
    else accounts.set(addressOf(key), [key])
  }
  const readers = [...accounts].map(([address, own]): Reader => {
    const slots = own.filter(isSlot).map((key) => key.slice(41))
    return { address, slots, nonce: own.includes(nonceKey(address)) }
  })
  const token = newToken()
  const overrides: Record<Address, { readonly code: Hex }> = {
    [dispatcher]: { code: dispatcherCode(token, readers) },
  }
  for (const reader of readers) overrides[reader.address] = { code: readerCode(token, reader) }
  const length = 3 + readers.reduce((total, reader) => total + wordsOf(reader), 0)
  return {
    request: requestOf(at, overrides, token, length),
    keys,
    isAnchored: withAnchor.length > keys.length,
    parse(answer) {
      const all = wordsIn(answer)
      const words = new Map<ItemKey, Hex>()
      const stubborn: Address[] = []
      let at = 1
      for (const reader of readers) {
        const [first, ...values] = all.slice(at, at + wordsOf(reader))
        at += wordsOf(reader)
        const { address } = reader
        if (first !== asWord(token)) {
          stubborn.push(address)
          continue
        }
        const keys = reader.slots.map((slot) => `s${address.slice(2)}${slot}`)
        if (reader.nonce) keys.unshift(nonceKey(address))
        for (const [index, key] of keys.entries()) words.set(key, values[index] as Hex)
      }
      return { words, stubborn }
    },
  }
}

function accountCall(addresses: readonly Address[], at: BlockParam): BulkCall {
  const token = newToken()
  const overrides = { [dispatcher]: { code: accountsCode(token, addresses) } }
  return {
    request: requestOf(at, overrides, token, 3 + 2 * addresses.length),
    keys: addresses.flatMap((address) => [balanceKey(address), codeKey(address)]),
    isAnchored: false,
    parse(answer) {
      const [, ...values] = wordsIn(answer)
      const words = addresses.flatMap((address, index) => [
        [balanceKey(address), values[2 * index] as Hex] as const,
        [codeKey(address), values[2 * index + 1] as Hex] as const,
      ])
      return { words: new Map(words), stubborn: [] }
    },
  }
}

/**
 * Anything but the token, the right number of words and the right block is refused; nothing at all may pass.
 * @param words - null: any number.
 */
export function requestOf(
  at: BlockParam,
  overrides: object,
  token: string,
  words: number | null,
): NodeRequest {
  const call = { from: sender, to: dispatcher }
  const refused = (message: string) => ({ kind: 'refused', message }) as const
  return {
    call: { method: 'eth_call', params: [call, at.block, overrides] },
    judge(answer) {
      if (answer === null) return { kind: 'odd', message: 'the node gives no answer to a call' }
      const length = typeof answer === 'string' ? answer.length - 2 : 0
      const isWhole = words === null ? length % 64 === 0 : length === 64 * words
      const value =
        isWhole && /^0x[0-9a-f]*$/i.test(String(answer)) ? String(answer).toLowerCase() : ''
      if (!value.startsWith(asWord(token))) {
        return refused('the node does not run code that is given with a call')
      }
      const [number = 0n, gas = 0n] = wordsIn(value as Hex)
        .slice(-2)
        .map(BigInt)
      if (!isOf(number, at.number)) return refused(`${otherBlock} ${number}`)
      // A reader that runs out of gas takes all but a 64th of what is left.
      return gas > enoughGas
        ? { kind: 'value', value }
        : refused('the node allows too little gas for the call')
    },
  }
}

/** Whether the node ran the call in another block than it was asked for. */
export function isOtherBlock(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'refused' && outcome.message.startsWith(otherBlock)
}

/** Rollups count the blocks of another chain inside of calls: far fewer. */
export function isOf(numberInside: bigint, number: bigint): boolean {
  return numberInside === number || numberInside < number / 2n
}

function wordsIn(answer: Hex): Hex[] {
  const words: Hex[] = []
  for (let at = 2; at < answer.length; at += 64) words.push(`0x${answer.slice(at, at + 64)}`)
  return words
}

/** Eight random bytes, the first of which is not zero. */
export function newToken(): string {
  return `a5${randomBytes(7).toString('hex')}`
}

export function asWord(token: string): Hex {
  return `0x${token.padStart(64, '0')}`
}
