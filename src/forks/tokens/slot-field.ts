/**
 * The bits of a storage word in which a token keeps a number, found and proven by overriding the word and
 * asking the token. Three kinds: the number itself, a share of which the token computes the number, and a switch
 * between no allowance and one for all.
 */
import { encodeFunctionData, erc20Abi, numberToHex, prepareEncodeFunctionData } from 'viem'
import { blockFacts } from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import {
  type Address,
  type BlockPin,
  type Hex,
  maxUint128,
  maxUint256,
} from '../../domain/primitives.js'
import { gasOfRead } from '../block-environment.js'
import { askFork, faultOf } from '../faults.js'
import { deriveSlot, type Parties, type SlotRule } from './slot-rules.js'

/** A block's forks, as far as funding needs them. */
export interface FundingContext {
  readonly urls: readonly string[]
  readonly pin: BlockPin
  readonly signal?: AbortSignal
}

/** What holds for every owner of a token. */
export interface Layout {
  readonly rule: SlotRule
  readonly shift: bigint
  /** Ones, as many as the field has bits. */
  readonly mask: bigint
  /** The token's number for one field value, where it computes the number in proportion; null: it is the value. */
  readonly rate: { readonly value: bigint; readonly amount: bigint } | null
  /** The allowance that a one stands for, where the token allows all or nothing; absent: it counts. */
  readonly all?: bigint
}

/** One read of a token: balanceOf(owner), or allowance(owner, spender). */
export interface TokenRead extends Parties {
  readonly token: Address
}

/** A word without pattern: no shifted part of it equals another. First 32 bytes of the fraction of pi. */
const patternWord = 0x243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89n
/** Fewest bits of a field that cannot match by chance; no token counts in fewer. */
const minFieldBits = 32
/** Widths of fields that hold shares: lending tokens pack theirs into half a word. */
const shareMasks = [maxUint128, maxUint256]
/** Such fields with more beside them in the half word, narrowest first: Compound III counts in 104 bits with a sign. */
const narrowShareMasks = [96n, 104n, 112n, 120n].map((bits) => 2n ** bits - 1n)
/** Shares in a probe: large enough to show the rate, small enough to multiply without overflow. */
const shareProbe = 2n ** 90n
/** A switch: Solidity and Vyper keep a truth value that has its own word so. */
const switchMask = 255n
/** Shares are first estimated by the rate, then corrected at most this often. */
const shareCorrections = 4

/** The layout of a slot that the token's read depends on; null when the slot does not hold the number. */
export async function findLayout(
  context: FundingContext,
  read: TokenRead,
  rule: SlotRule,
): Promise<Layout | null> {
  const [direct, inverse] = await Promise.all(
    [patternWord, maxUint256 ^ patternWord].map((word) => readAmount(context, read, rule, word)),
  )
  const plain = findBits(direct ?? null, inverse ?? null)
  if (plain) return { rule, ...plain, rate: null }
  for (const mask of shareMasks) {
    const layout = { rule, shift: 0n, mask, rate: null }
    const [one, two] = await Promise.all(
      [shareProbe, 2n * shareProbe].map((value) => readField(context, read, layout, value)),
    )
    if (!one || !two || two - 2n * one > 2n || 2n * one - two > 2n) continue
    const own = mask === maxUint256 ? mask : await narrowest(context, read, layout, one)
    return { ...layout, mask: own, rate: { value: shareProbe, amount: one } }
  }
  return read.spender ? findSwitch(context, read, rule) : null
}

/** The mask without what else may lie in the half word: bits that the read does not depend on. */
async function narrowest(
  context: FundingContext,
  read: TokenRead,
  { rule, mask }: Layout,
  amount: bigint,
): Promise<bigint> {
  const beside = await Promise.all(
    narrowShareMasks.map((own) => readAmount(context, read, rule, shareProbe | (mask ^ own))),
  )
  return narrowShareMasks.find((_own, index) => beside[index] === amount) ?? mask
}

/** The layout of a word that lets a spender take everything, or nothing, such as `isAllowed` of Compound III. */
async function findSwitch(
  context: FundingContext,
  read: TokenRead,
  rule: SlotRule,
): Promise<Layout | null> {
  const layout = { rule, shift: 0n, mask: switchMask, rate: null }
  const [off, on] = await Promise.all(
    [0n, 1n].map((value) => readField(context, read, layout, value)),
  )
  return off === 0n && on ? { ...layout, all: on } : null
}

/** Where a number lies in a word, from what is read for a pattern and for its complement. */
function findBits(
  direct: bigint | null,
  inverse: bigint | null,
): { readonly shift: bigint; readonly mask: bigint } | null {
  if (direct === null || inverse === null) return null
  // The bits that follow the word are those that differ between the two; a plain field is one run of them.
  const mask = direct ^ inverse
  if ((mask & (mask + 1n)) !== 0n || mask.toString(2).length < minFieldBits) return null
  for (let shift = 0n; shift < 256n; shift++) {
    if (((patternWord >> shift) & mask) === direct) return { shift, mask }
  }
  return null
}

/** Whether the layout, learnt from another owner or at another block, holds for this read. */
export async function isVerified(
  context: FundingContext,
  read: TokenRead,
  layout: Layout,
): Promise<boolean> {
  const { rate, mask, all } = layout
  if (all !== undefined) return (await readField(context, read, layout, 1n)) === all
  const value = rate ? rate.value : patternWord & mask
  const found = await readField(context, read, layout, value)
  return rate ? found !== null && found > 0n : found === value
}

/**
 * The word that makes the token's read the amount, or the least above it where shares are too coarse or the token
 * knows only all and nothing. Every other bit of the word is as it is on chain. Null when no value does.
 */
export async function wordFor(
  context: FundingContext,
  read: TokenRead,
  layout: Layout,
  amount: bigint,
): Promise<Hex | null> {
  const { rate, mask, all } = layout
  if (all !== undefined) {
    return amount > all ? null : withValue(context, read, layout, amount === 0n ? 0n : 1n)
  }
  if (!rate) return amount > mask ? null : withValue(context, read, layout, amount)
  let shares = divideUp(amount * rate.value, rate.amount)
  for (let round = 0; round < shareCorrections && shares <= mask; round++) {
    const found = await readField(context, read, layout, shares)
    if (found === null) return null
    const less = shares > 0n ? await readField(context, read, layout, shares - 1n) : null
    if (found >= amount && (less === null || less < amount)) {
      return withValue(context, read, layout, shares)
    }
    const step = divideUp((amount - found) * rate.value, rate.amount)
    shares += step === 0n ? -1n : step
  }
  return null
}

/** Away from zero. */
function divideUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  if (dividend % divisor === 0n) return quotient
  return dividend > 0n ? quotient + 1n : quotient - 1n
}

async function readField(
  context: FundingContext,
  read: TokenRead,
  layout: Layout,
  value: bigint,
): Promise<bigint | null> {
  const word = await withValue(context, read, layout, value)
  return readAmount(context, read, layout.rule, BigInt(word))
}

async function withValue(
  context: FundingContext,
  read: TokenRead,
  { rule, shift, mask }: Layout,
  value: bigint,
): Promise<Hex> {
  const fieldBits = (mask << shift) & maxUint256
  let rest = 0n
  if (fieldBits !== maxUint256) {
    const params = [rule.contract, deriveSlot(rule, read)]
    const word = await askAtPin<Hex>(context, 'eth_getStorageAt', params)
    rest = BigInt(word ?? '0x0') & (maxUint256 ^ fieldBits)
  }
  return numberToHex(rest | (value << shift), { size: 32 })
}

// Selectors are hashed once: every quote is given funds.
const balanceOf = prepareEncodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf' })
const allowance = prepareEncodeFunctionData({ abi: erc20Abi, functionName: 'allowance' })

export function encodeRead({ owner, spender }: Parties): Hex {
  return spender
    ? encodeFunctionData({ ...allowance, args: [owner, spender] })
    : encodeFunctionData({ ...balanceOf, args: [owner] })
}

/** The token's answer with one word overridden; null when it is not a number. */
async function readAmount(
  context: FundingContext,
  read: TokenRead,
  rule: SlotRule,
  word: bigint,
): Promise<bigint | null> {
  const stateDiff = { [deriveSlot(rule, read)]: numberToHex(word, { size: 32 }) }
  const gas = numberToHex(gasOfRead(context.pin))
  const call = { to: read.token, data: encodeRead(read), gas }
  const data = await askAtPin<Hex>(context, 'eth_call', [call], { [rule.contract]: { stateDiff } })
  return data && data.length === 66 ? BigInt(data) : null
}

/** One request at the pinned block; null when the call itself fails. */
export async function askAtPin<T>(
  { urls, pin, signal }: FundingContext,
  method: string,
  params: readonly unknown[],
  last?: object,
): Promise<T | null> {
  const [url] = urls
  if (!url) throw new RangeError('Funding needs at least one fork.')
  const call = { method, params: [...params, numberToHex(pin.number), ...(last ? [last] : [])] }
  const reply = await askFork(url, pin, call, signal)
  if (reply.ok) return reply.value as T
  if (faultOf(reply.error.message) === 'own') return null
  throw new ForkrouteError(
    'STATE_UNAVAILABLE',
    `Where a token keeps its balances cannot be read at block ${pin.number}.`,
    blockFacts(pin),
    { cause: reply.error },
  )
}
