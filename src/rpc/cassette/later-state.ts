/**
 * State that a cassette cannot hold because it belongs to accounts whose address follows from code written after the
 * recording: the accounts themselves, and what other contracts keep about them in mappings. Pure.
 */
import { hexToBytes, keccak256, numberToBytes, padHex } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import { addressOf, type ItemKey, isSlot, slotOf } from '../node/state-item.js'

export interface LaterAccounts {
  /** Hashes of the blocks at which earlier software calculated requests. */
  readonly blocks: readonly Hex[]
  /** Accounts that nobody could name then. */
  readonly addresses: readonly Address[]
  /** Accounts that were there, and that may have approved the later ones. */
  readonly senders: readonly Address[]
}

export interface LaterState {
  /** Whether the block's state can hold nothing but zero there. */
  has(key: ItemKey, block: Hex): boolean
}

/** Places of mappings by one account. OpenZeppelin's upgradeable tokens begin near 51, Aave's near 52. */
const lastBase = 100
/** Fewer bases are tried for mappings by two accounts, whose number grows with the square. */
const pairBases = [...range(0, 15), ...range(50, 54)]

/** Slots tried at most, a few microseconds and some hundred bytes each; one sender takes some ten thousand. */
const maxSlots = 400_000

/**
 * Slots are hashes, so those that mappings give the accounts are tried: Solidity's and Vyper's order, one account or
 * two. A slot of any other layout is not found, and stays unknown.
 * @param contracts - accounts with code that the later ones may have approved; asked for once, when needed.
 */
export function createLaterState(
  { blocks, addresses, senders }: LaterAccounts,
  contracts: () => readonly Address[],
): LaterState {
  const at = new Set(blocks)
  const own = new Set(addresses)
  const slots = new Set<Hex>()
  const untried = slotsAbout(addresses, senders, contracts)

  /** Tries as many as it takes, the likely ones first; they are kept. */
  function hasSlot(slot: Hex): boolean {
    while (!slots.has(slot) && slots.size < maxSlots) {
      const { value, done } = untried.next()
      if (done) return false
      slots.add(value)
    }
    return slots.has(slot)
  }

  return {
    has: (key, block) =>
      own.size > 0 &&
      at.has(block) &&
      (own.has(addressOf(key)) || (isSlot(key) && hasSlot(slotOf(key)))),
  }
}

type Hashed = (key: Uint8Array, place: Uint8Array) => Hex

const orders: readonly Hashed[] = [
  // Solidity.
  (key, place) => hashOf(key, place),
  // Vyper.
  (key, place) => hashOf(place, key),
]

function* slotsAbout(
  addresses: readonly Address[],
  senders: readonly Address[],
  contracts: () => readonly Address[],
): Generator<Hex, undefined> {
  const own = addresses.map(wordOf)
  for (const base of range(0, lastBase)) {
    const place = numberToBytes(base, { size: 32 })
    for (const order of orders) for (const one of own) yield order(one, place)
  }
  const [approvers, others] = [senders.map(wordOf), contracts().map(wordOf)]
  for (const base of pairBases) {
    const place = numberToBytes(base, { size: 32 })
    for (const order of orders) {
      yield* pairs(order, place, approvers, own)
      yield* pairs(order, place, own, [...own, ...others])
    }
  }
}

/** Slots of `mapping(owner => mapping(spender => …))`. */
function* pairs(
  order: Hashed,
  place: Uint8Array,
  owners: readonly Uint8Array[],
  spenders: readonly Uint8Array[],
): Generator<Hex, undefined> {
  for (const owner of owners) {
    const inner = hexToBytes(order(owner, place))
    for (const spender of spenders) yield order(spender, inner)
  }
}

function hashOf(first: Uint8Array, second: Uint8Array): Hex {
  const bytes = new Uint8Array(64)
  bytes.set(first)
  bytes.set(second, 32)
  return keccak256(bytes)
}

const wordOf = (address: Address) => hexToBytes(padHex(address, { size: 32 }))

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_one, index) => from + index)
}
