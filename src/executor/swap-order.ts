/**
 * Packs and reads the order of `Router.swap()`; the layout is documented in contracts/src/SwapOrders.sol. Pure.
 */
import { concatHex, numberToHex, size, sliceHex } from 'viem'
import { ForkrouteError } from '../domain/errors.js'
import { type Address, type Hex, zeroAddress } from '../domain/primitives.js'

export type SwapFamily = 'v2' | 'v2-measured' | 'v3' | 'v4'

/** Fields that the packed hop does not have are zero. */
export interface PackedHop {
  readonly family: SwapFamily
  /** False for V4, where it follows from the tokens. */
  readonly zeroForOne: boolean
  readonly isLast: boolean
  /** Basis points of what earlier legs have left of the input; 0: all of it. */
  readonly share: number
  /** Pair, pool or PoolManager; zero for a V4 hop that follows another. */
  readonly target: Address
  /**
   * Packed for a measured V2 hop; for V3 hops and the first of adjacent V4 hops where they are not the first of their
   * leg.
   */
  readonly tokenIn: Address
  /** Packed for a V4 hop that is not the last of its leg. */
  readonly tokenOut: Address
  /** V2: 1/10_000; V4: 1/1_000_000. */
  readonly fee: number
  readonly tickSpacing: number
}

export interface PackedSwap {
  /** Unix seconds; null: none. */
  readonly deadline: bigint | null
  /** Raw units, fee included; null: msg.value. */
  readonly amountIn: bigint | null
  readonly minimum: bigint
  /** Zero: ether (`amountIn` null) that goes into a V4 pool as it is. */
  readonly tokenIn: Address
  /** Zero: ether that a V4 pool pays. */
  readonly tokenOut: Address
  /** True: msg.value is wrapped to tokenIn before the first hop. */
  readonly wraps: boolean
  /** True: tokenOut is unwrapped, and the receiver gets ether. */
  readonly unwraps: boolean
  /** bytes32 and bytes16 of the event; null: zeros. */
  readonly tags: { readonly accountId: Hex; readonly referralCode: Hex } | null
  /** Null: the sender. */
  readonly receiver: Address | null
  /** Part of amountIn. */
  readonly fee: { readonly receiver: Address; readonly amount: bigint } | null
  readonly hops: readonly PackedHop[]
}

/** Selector of `swap()`. */
export const swapSelector: Hex = '0x8119c065'

const flags = {
  deadline: 1,
  wrap: 2,
  unwrap: 4,
  tags: 8,
  receiver: 16,
  fee: 32,
  ether: 64,
} as const
const unknownFlags = 0x80
const families = ['v2', 'v2-measured', 'v3', 'v4'] as const
const kinds = { family: 3, zeroForOne: 4, unknown: 0x38, share: 0x40, last: 0x80 } as const
const whole = 10_000

/** Call data of `swap()`. @throws RangeError when a number does not fit its bytes. */
export function packSwap(swap: PackedSwap): Hex {
  const { deadline, amountIn, tags, receiver, fee } = swap
  const isEther = amountIn === null && !swap.wraps
  const given =
    (deadline === null ? 0 : flags.deadline) |
    (swap.wraps ? flags.wrap : 0) |
    (swap.unwraps ? flags.unwrap : 0) |
    (tags ? flags.tags : 0) |
    (receiver ? flags.receiver : 0) |
    (fee ? flags.fee : 0) |
    (isEther ? flags.ether : 0)
  return concatHex([
    swapSelector,
    uint(given, 1),
    ...(deadline === null ? [] : [uint(deadline, 4)]),
    ...(amountIn === null ? [] : [uint(amountIn, 16)]),
    uint(swap.minimum, 16),
    ...(isEther ? [] : [swap.tokenIn]),
    swap.tokenOut,
    ...(tags ? [tags.accountId, tags.referralCode] : []),
    ...(receiver ? [receiver] : []),
    ...(fee ? [fee.receiver, uint(fee.amount, 16)] : []),
    ...swap.hops.map((hop, index) => packHop(hop, swap.hops[index - 1])),
  ])
}

function packHop(hop: PackedHop, previous: PackedHop | undefined): Hex {
  const { family, share } = hop
  const before = familyBefore(previous)
  const kind =
    families.indexOf(family) |
    (hop.zeroForOne ? kinds.zeroForOne : 0) |
    (share ? kinds.share : 0) |
    (hop.isLast ? kinds.last : 0)
  const has = fieldsOf(family, before, hop.isLast)
  return concatHex([
    uint(kind, 1),
    ...(share ? [uint(share, 2)] : []),
    ...(has.target ? [hop.target] : []),
    ...(has.pairFee ? [uint(hop.fee, 2)] : []),
    ...(has.tokenIn ? [hop.tokenIn] : []),
    ...(has.poolKey
      ? [uint(hop.fee, 3), numberToHex(hop.tickSpacing, { size: 3, signed: true })]
      : []),
    ...(has.tokenOut ? [hop.tokenOut] : []),
  ])
}

function familyBefore(previous: PackedHop | undefined): SwapFamily | null {
  return !previous || previous.isLast ? null : previous.family
}

/** What stands behind the kind of a hop. @param before - the hop before it in its leg; null: none. */
function fieldsOf(family: SwapFamily, before: SwapFamily | null, isLast: boolean) {
  const isV4 = family === 'v4'
  const follows = isV4 && before === 'v4'
  return {
    target: !follows,
    pairFee: family === 'v2' || family === 'v2-measured',
    tokenIn:
      family === 'v2-measured' || (before !== null && (family === 'v3' || (isV4 && !follows))),
    poolKey: isV4,
    tokenOut: isV4 && !isLast,
  }
}

/**
 * What the call data says.
 * @throws ForkrouteError INVALID_REQUEST for bytes that `swap()` refuses to read.
 */
export function readSwap(data: Hex): PackedSwap {
  if (size(data) < 4 || sliceHex(data, 0, 4) !== swapSelector) throw malformed(0)
  const end = size(data)
  let position = 4
  // Behind the end everything reads as zero, as on chain.
  const padded = `${data.slice(2)}${'0'.repeat(1024)}`
  const take = (bytes: number): Hex => {
    const from = position * 2
    position += bytes
    return `0x${padded.slice(from, from + bytes * 2).padEnd(bytes * 2, '0')}`
  }
  const number = (bytes: number) => BigInt(take(bytes))
  const given = Number(number(1))
  const has = (flag: number) => (given & flag) !== 0
  if (given & unknownFlags || (has(flags.wrap) && has(flags.ether))) throw malformed(4)
  const head = {
    deadline: has(flags.deadline) ? number(4) : null,
    amountIn: has(flags.wrap) || has(flags.ether) ? null : number(16),
    minimum: number(16),
    tokenIn: has(flags.ether) ? zeroAddress : take(20),
    tokenOut: take(20),
    wraps: has(flags.wrap),
    unwraps: has(flags.unwrap),
    tags: has(flags.tags) ? { accountId: take(32), referralCode: take(16) } : null,
    receiver: has(flags.receiver) ? take(20) : null,
    fee: has(flags.fee) ? { receiver: take(20), amount: number(16) } : null,
  }
  if (head.receiver === zeroAddress || position >= end) throw malformed(position)
  const hops: PackedHop[] = []
  while (position < end || !hops.at(-1)?.isLast) {
    const start = position
    const kind = Number(number(1))
    const family = families[kind & kinds.family] ?? 'v2'
    const before = familyBefore(hops.at(-1))
    const zeroForOne = (kind & kinds.zeroForOne) !== 0
    const isLast = (kind & kinds.last) !== 0
    if (kind & kinds.unknown || (family === 'v4' && zeroForOne)) throw malformed(start)
    const share = kind & kinds.share ? Number(number(2)) : null
    if (share !== null && (before !== null || share === 0 || share >= whole)) {
      throw malformed(start)
    }
    const stands = fieldsOf(family, before, isLast)
    const target = stands.target ? take(20) : zeroAddress
    const pairFee = stands.pairFee ? Number(number(2)) : 0
    if (pairFee >= whole) throw malformed(start)
    const tokenIn = stands.tokenIn ? take(20) : zeroAddress
    const fee = stands.poolKey ? Number(number(3)) : pairFee
    const tickSpacing = stands.poolKey ? Number(BigInt.asIntN(24, number(3))) : 0
    const tokenOut = stands.tokenOut ? take(20) : zeroAddress
    if (position > end) throw malformed(start)
    // The last leg, and only the last, takes all that is left.
    if (isLast && (legShare(hops, share) === 0) !== (position === end)) throw malformed(position)
    hops.push({
      family,
      zeroForOne,
      isLast,
      share: share ?? 0,
      target,
      tokenIn,
      tokenOut,
      fee,
      tickSpacing,
    })
  }
  return { ...head, hops }
}

/** Share of the leg that a hop ends. */
function legShare(before: readonly PackedHop[], own: number | null): number {
  const start = before.findLastIndex(({ isLast }) => isLast) + 1
  return before[start]?.share ?? own ?? 0
}

function malformed(position: number): ForkrouteError {
  return new ForkrouteError('INVALID_REQUEST', [
    `The packed swap is malformed at byte ${position}.`,
  ])
}

function uint(value: number | bigint, bytes: number): Hex {
  if (BigInt(value) >= 1n << BigInt(bytes * 8)) {
    throw new RangeError(`${value} does not fit ${bytes} bytes`)
  }
  return numberToHex(value, { size: bytes })
}
