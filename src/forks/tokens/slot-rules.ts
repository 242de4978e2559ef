/**
 * Where a token keeps a balance or an allowance, learnt from the trace of its own read: the storage
 * slot as a formula of the owner (and spender), so that it holds for any other owner. The formula is the
 * hashed bytes themselves, so Solidity's and Vyper's mappings, nested and namespaced (ERC-7201) ones and
 * hand-packed keys are all the same to it. Pure.
 */
import { keccak256, numberToHex } from 'viem'
import { type Address, type Hex, maxUint256 } from '../../domain/primitives.js'

/** Piece of the bytes that are hashed. */
export type Piece =
  | { readonly kind: 'bytes'; readonly hex: string }
  /** 20 bytes each. */
  | { readonly kind: 'owner' }
  | { readonly kind: 'spender' }
  /** 32 bytes: the hash of other pieces plus an offset, which is how nested mappings and structs are built. */
  | { readonly kind: 'hash'; readonly pieces: readonly Piece[]; readonly offset: bigint }

export interface SlotRule {
  /** The contract whose storage it is: the token, or a contract that stores its balances. */
  readonly contract: Address
  readonly slot: Piece & { readonly kind: 'hash' }
}

export interface Parties {
  readonly owner: Address
  /** Present for an allowance. */
  readonly spender?: Address
}

/** A step of a traced call (`slot-trace.ts`). */
export interface TraceStep {
  readonly op: string
  readonly depth: number
  /** Top last. */
  readonly stack: readonly string[]
  /** Words of 32 bytes. */
  readonly memory?: readonly string[]
}

/** Members of a struct lie this close behind its hash. */
const maxOffset = 64n
const wordModulus = maxUint256 + 1n
/** Bytes of the longest key that is looked at. */
const maxPreimageBytes = 512

export function deriveSlot(rule: SlotRule, parties: Parties): Hex {
  return numberToHex(evaluate(rule.slot, parties), { size: 32 })
}

/** What is hashed to get the slot, the outermost first. */
export function preimagesOf({ slot }: SlotRule, parties: Parties): readonly Hex[] {
  const inner = (hash: SlotRule['slot']): Hex[] => [
    preimage(hash, parties),
    ...hash.pieces.flatMap((piece) => (piece.kind === 'hash' ? inner(piece) : [])),
  ]
  return inner(slot)
}

function evaluate(hash: SlotRule['slot'], parties: Parties): bigint {
  return (BigInt(keccak256(preimage(hash, parties))) + hash.offset) % wordModulus
}

function preimage({ pieces }: SlotRule['slot'], parties: Parties): Hex {
  const hex = pieces.map((piece) => {
    if (piece.kind === 'bytes') return piece.hex
    if (piece.kind === 'owner') return parties.owner.slice(2)
    if (piece.kind === 'spender') return (parties.spender ?? parties.owner).slice(2)
    return evaluate(piece, parties).toString(16).padStart(64, '0')
  })
  return `0x${hex.join('')}`
}

/** One slot that a traced call used. */
interface SlotUse {
  readonly contract: Address
  readonly slot: bigint
  /** Null where the slot is no hash of what was hashed before. */
  readonly formula: SlotRule['slot'] | null
}

/** Contracts whose code a traced call ran besides the called one, and the slots that it loaded or wrote, in order. */
function usesOf(
  steps: readonly TraceStep[],
  token: Address,
  parties: Parties,
): { readonly called: ReadonlySet<Address>; readonly slots: readonly SlotUse[] } {
  const preimages = new Map<bigint, string>()
  const storageAt: Address[] = []
  storageAt[1] = token
  const called = new Set<Address>()
  const slots: SlotUse[] = []
  for (const { op, depth, stack, memory } of steps) {
    const here = storageAt[depth] ?? token
    const top = (index: number) => BigInt(stack[stack.length - 1 - index] ?? '0x0')
    const target = () => numberToHex(top(1) % 2n ** 160n, { size: 20 })
    if (op === 'CALL' || op === 'STATICCALL') {
      storageAt[depth + 1] = target()
      called.add(target())
    } else if (op === 'DELEGATECALL' || op === 'CALLCODE') {
      storageAt[depth + 1] = here
      called.add(target())
    } else if (op === 'KECCAK256' || op === 'SHA3') {
      const preimage = memorySlice(memory ?? [], top(0), top(1))
      if (preimage !== null) preimages.set(BigInt(keccak256(`0x${preimage}`)), preimage)
    } else if (op === 'SLOAD' || op === 'SSTORE') {
      slots.push({ contract: here, slot: top(0), formula: asHash(top(0), preimages, parties) })
    }
  }
  return { called, slots }
}

/**
 * Formulas of the slots that the traced read loaded and that depend on all parties, last load first: a token
 * checks its switches before it reads the balance.
 *
 * @param token - the contract that was called.
 */
export function rulesOf(
  steps: readonly TraceStep[],
  token: Address,
  parties: Parties,
): readonly SlotRule[] {
  const rules: SlotRule[] = []
  for (const { contract, formula } of usesOf(steps, token, parties).slots) {
    if (!formula || !mentions(formula, 'owner')) continue
    if (parties.spender && !mentions(formula, 'spender')) continue
    rules.unshift({ contract, slot: formula })
  }
  return rules
}

/** The state that calls of a contract use, for any parties. */
export interface Access {
  /** Contracts whose code runs besides the called one's. */
  readonly contracts: readonly Address[]
  readonly slots: readonly { readonly contract: Address; readonly slot: Hex }[]
  /** Slots of each party, named as `owner`. */
  readonly byParty: readonly SlotRule[]
  /** Slots of two parties together. */
  readonly byPair: readonly SlotRule[]
}

/** What a traced call used, with its two parties as variables. */
export function accessOf(
  steps: readonly TraceStep[],
  token: Address,
  parties: Required<Parties>,
): Access {
  const { called, slots } = usesOf(steps, token, parties)
  const fixed = new Map<string, Access['slots'][number]>()
  const byParty = new Map<string, SlotRule>()
  const byPair = new Map<string, SlotRule>()
  for (const { contract, slot, formula } of slots) {
    const ofOwner = formula !== null && mentions(formula, 'owner')
    const ofSpender = formula !== null && mentions(formula, 'spender')
    if (formula && (ofOwner || ofSpender)) {
      const rule = { contract, slot: ofOwner ? formula : asOwner(formula) }
      const place = `${contract}${deriveSlot(rule, parties)}`
      if (ofOwner && ofSpender) byPair.set(place, rule)
      else byParty.set(place, rule)
    } else {
      const word = numberToHex(slot, { size: 32 })
      fixed.set(`${contract}${word}`, { contract, slot: word })
    }
  }
  return {
    contracts: [...called],
    slots: [...fixed.values()],
    byParty: [...byParty.values()],
    byPair: [...byPair.values()],
  }
}

function asOwner<P extends Piece>(piece: P): P {
  if (piece.kind === 'spender') return { kind: 'owner' } as P
  return piece.kind === 'hash' ? { ...piece, pieces: piece.pieces.map(asOwner) } : piece
}

function memorySlice(words: readonly string[], offset: bigint, size: bigint): string | null {
  if (size === 0n || size > maxPreimageBytes || offset > 2n ** 32n) return null
  const hex = words.map((word) => word.replace(/^0x/, '').padStart(64, '0')).join('')
  const start = Number(offset) * 2
  return hex.slice(start, start + Number(size) * 2).padEnd(Number(size) * 2, '0')
}

function asHash(
  word: bigint,
  preimages: ReadonlyMap<bigint, string>,
  parties: Parties,
): (Piece & { kind: 'hash' }) | null {
  for (let offset = 0n; offset < maxOffset; offset++) {
    const preimage = preimages.get((word - offset + wordModulus) % wordModulus)
    if (preimage)
      return { kind: 'hash', pieces: splitPreimage(preimage, preimages, parties), offset }
  }
  return null
}

function splitPreimage(
  preimage: string,
  preimages: ReadonlyMap<bigint, string>,
  parties: Parties,
): Piece[] {
  const pieces: Piece[] = []
  const names = { owner: parties.owner.slice(2), spender: parties.spender?.slice(2) }
  let plain = ''
  const push = (piece: Piece) => {
    if (plain) pieces.push({ kind: 'bytes', hex: plain })
    plain = ''
    pieces.push(piece)
  }
  for (let at = 0; at < preimage.length; ) {
    if (preimage.startsWith(names.owner, at)) {
      push({ kind: 'owner' })
      at += 40
    } else if (names.spender && preimage.startsWith(names.spender, at)) {
      push({ kind: 'spender' })
      at += 40
    } else {
      const word = at % 64 === 0 ? preimage.slice(at, at + 64) : ''
      const nested = word.length === 64 ? asHash(BigInt(`0x${word}`), preimages, parties) : null
      if (nested) push(nested)
      else plain += preimage.slice(at, at + 2)
      at += nested ? 64 : 2
    }
  }
  if (plain) pieces.push({ kind: 'bytes', hex: plain })
  return pieces
}

function mentions(piece: Piece, kind: 'owner' | 'spender'): boolean {
  return piece.kind === 'hash'
    ? piece.pieces.some((inner) => mentions(inner, kind))
    : piece.kind === kind
}
