/**
 * What is left of orders of 1inch's protocol: what was filled, what the maker has and allows, its epoch, its condition and
 * its signature in one read of all, and quotes of those whose rate a contract tells.
 *
 * @see npm @1inch/limit-order-protocol-contract 4.3.3, OrderMixin
 */
import { encodeFunctionData, erc20Abi, parseAbi, slice } from 'viem'
import { smaller, zip } from '../../../domain/lists.js'
import {
  type Address,
  type Hex,
  maxUint256,
  permit2Address,
  zeroAddress,
} from '../../../domain/primitives.js'
import type { OneInchOrder } from '../../../domain/signed-order.js'
import type { ReadCall, ReadResult, StateReader } from '../../../domain/state.js'
import { readWord } from '../../shared/read-word.js'
import { type Ask, curvesOf, type Quoted, sampleAll } from '../../shared/sampled/sample.js'
import { nothingLeft, type OrderFacts } from '../order-state.js'
import {
  behindTarget,
  type Extension,
  extensionOf,
  type MakerTraits,
  targetOf,
  traitsOf,
} from './order.js'

const orderTuple =
  'struct Order { uint256 salt; uint256 maker; uint256 receiver; uint256 makerAsset; uint256 takerAsset; uint256 makingAmount; uint256 takingAmount; uint256 makerTraits; }'

export const oneInchAbi = parseAbi([
  orderTuple,
  'function fillOrderArgs(Order order, bytes32 r, bytes32 vs, uint256 amount, uint256 takerTraits, bytes args) returns (uint256 makingAmount, uint256 takingAmount, bytes32 orderHash)',
  'function fillContractOrderArgs(Order order, bytes signature, uint256 amount, uint256 takerTraits, bytes args) returns (uint256 makingAmount, uint256 takingAmount, bytes32 orderHash)',
  'function bitInvalidatorForOrder(address maker, uint256 nonce) view returns (uint256)',
  'function rawRemainingInvalidatorForOrder(address maker, bytes32 orderHash) view returns (uint256)',
  'function epochEquals(address maker, uint256 series, uint256 makerEpoch) view returns (bool)',
  'function checkPredicate(bytes predicate) view returns (bool)',
])
const getterAbi = parseAbi([
  orderTuple,
  'function getMakingAmount(Order order, bytes extension, bytes32 orderHash, address taker, uint256 takingAmount, uint256 remainingMakingAmount, bytes extraData) view returns (uint256)',
  'function getTakingAmount(Order order, bytes extension, bytes32 orderHash, address taker, uint256 makingAmount, uint256 remainingMakingAmount, bytes extraData) view returns (uint256)',
])
const permit2Abi = parseAbi([
  'function allowance(address owner, address token, address spender) view returns (uint160 amount, uint48 expiration, uint48 nonce)',
])
const signerAbi = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
])

/** What a maker's code answers to a signature of its own (EIP-1271), in a whole word. */
const validSignature = BigInt(`0x1626ba7e${'0'.repeat(56)}`)

type At = Pick<ReadCall, 'timestamp' | 'gas'>

interface Opened {
  readonly order: OneInchOrder
  readonly traits: MakerTraits
  readonly extension: Extension
}

/** @returns in the order of the orders: what is left, or what the node said where it lacks state. */
export async function loadOneInch(
  reader: StateReader,
  orders: readonly OneInchOrder[],
  at: At,
): Promise<(OrderFacts | string)[]> {
  if (orders.length === 0) return []
  const opened = orders.map(toOpened)
  const asked = opened.map((one) => callsOf(one, at))
  const answers = answersOf(
    asked,
    await reader.call(asked.flatMap((calls) => Object.values(calls))),
  )
  const read = zip(opened, answers).map(([one, own]) => leftBy(one, own))
  const open = read.flatMap((one) => (typeof one !== 'string' && one.facts.left > 0n ? [one] : []))
  const quoted = await quotedByGetters(reader, open.filter(hasGetter), at)
  return zip(orders, read).map(
    ([order, one]) => quoted.get(order) ?? (typeof one === 'string' ? one : one.facts),
  )
}

function toOpened(order: OneInchOrder): Opened {
  const extension = extensionOf(order.extension)
  if (!extension) throw new RangeError(`The extension of ${order.hash} cannot be read`)
  return { order, traits: traitsOf(BigInt(order.makerTraits)), extension }
}

export function orderTupleOf(order: OneInchOrder) {
  return {
    salt: BigInt(order.salt),
    maker: BigInt(order.maker),
    receiver: BigInt(order.receiver),
    makerAsset: BigInt(order.tokenOut),
    takerAsset: BigInt(order.tokenIn),
    makingAmount: BigInt(order.amountOut),
    takingAmount: BigInt(order.amountIn),
    makerTraits: BigInt(order.makerTraits),
  }
}

/** By what they tell. */
type Calls = Readonly<Partial<Record<Asked, ReadCall>>>
type Asked = 'filled' | 'balance' | 'allowance' | 'permit2' | 'epoch' | 'condition' | 'signature'
type Answers = Readonly<Partial<Record<Asked, ReadResult>>>

function callsOf({ order, traits, extension }: Opened, at: At): Calls {
  const { settlement, maker, tokenOut, hash, signature } = order
  const { nonceOrEpoch, series } = traits
  const spender = traits.paysByPermit2 ? permit2Address : settlement
  const call = (to: Address, data: Hex): ReadCall => ({ to, data, ...at })
  const settled = (
    functionName: 'bitInvalidatorForOrder' | 'rawRemainingInvalidatorForOrder' | 'epochEquals',
    args: readonly unknown[],
  ) => call(settlement, encodeFunctionData({ abi: oneInchAbi, functionName, args } as never))
  const calls: [Asked, ReadCall][] = [
    [
      'filled',
      traits.isOnce
        ? settled('bitInvalidatorForOrder', [maker, nonceOrEpoch])
        : settled('rawRemainingInvalidatorForOrder', [maker, hash]),
    ],
    [
      'balance',
      call(
        tokenOut,
        encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [maker] }),
      ),
    ],
    [
      'allowance',
      call(
        tokenOut,
        encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [maker, spender] }),
      ),
    ],
  ]
  if (traits.paysByPermit2) {
    const args = [maker, tokenOut, settlement] as const
    const data = encodeFunctionData({ abi: permit2Abi, functionName: 'allowance', args })
    calls.push(['permit2', call(permit2Address, data)])
  }
  if (traits.needsEpoch)
    calls.push(['epoch', settled('epochEquals', [maker, series, nonceOrEpoch])])
  if (extension.predicate !== '0x') {
    const args = [extension.predicate] as const
    const data = encodeFunctionData({ abi: oneInchAbi, functionName: 'checkPredicate', args })
    calls.push(['condition', call(settlement, data)])
  }
  if (!order.isSignedByKey) {
    const args = [hash, signature] as const
    const data = encodeFunctionData({ abi: signerAbi, functionName: 'isValidSignature', args })
    calls.push(['signature', { ...call(maker, data), from: settlement }])
  }
  return Object.fromEntries(calls)
}

function answersOf(asked: readonly Calls[], answers: readonly ReadResult[]): Answers[] {
  let place = 0
  return asked.map((calls) =>
    Object.fromEntries(Object.keys(calls).map((name) => [name, answers[place++]])),
  )
}

interface Found extends Opened {
  /** What is left of the amount that the maker signed, whatever it has. */
  readonly remaining: bigint
  readonly facts: OrderFacts
}

function leftBy(opened: Opened, answers: Answers): Found | string {
  const { order, traits, extension } = opened
  const unread = Object.values(answers).find((one) => !one.ok && one.reason === 'unreadable')
  if (unread && !unread.ok) return unread.message
  const making = BigInt(order.amountOut)
  const remaining = remainingBy(traits, making, readWord(answers.filled))
  const isUntouched = remaining === making
  const isOpen =
    (!answers.epoch || readWord(answers.epoch) === 1n) &&
    (!answers.condition || readWord(answers.condition) === 1n) &&
    // The contract asks for the signature at the first fill alone.
    (!answers.signature || !isUntouched || readWord(answers.signature) === validSignature)
  const balance = readWord(answers.balance) ?? 0n
  // The permit of the first fill gives the allowance.
  const isAllowedByPermit = extension.makerPermit !== '0x' && isUntouched
  const held = isAllowedByPermit ? balance : smaller(balance, allowedBy(answers))
  const leftOut = smaller(remaining, held)
  if (!isOpen || leftOut === 0n || (!traits.partialFill && leftOut < making)) {
    return { ...opened, remaining, facts: nothingLeft }
  }
  const taking = BigInt(order.amountIn)
  const facts: OrderFacts = {
    left: (leftOut * taking + making - 1n) / making,
    leftOut,
    held,
    foreignCode: foreignCodeOf(opened),
    sampled: null,
    isOnce: traits.isOnce,
  }
  return { ...opened, remaining, facts }
}

/** @param word - the bits of which one is set by a fill, or what is left, inverted; 0: nothing was filled. */
function remainingBy(traits: MakerTraits, making: bigint, word: bigint | null): bigint {
  if (word === null) return 0n
  if (traits.isOnce) return (word >> (traits.nonceOrEpoch & 255n)) & 1n ? 0n : making
  return word === 0n ? making : maxUint256 - word
}

function allowedBy({ allowance, permit2 }: Answers): bigint {
  const allowed = readWord(allowance) ?? 0n
  if (!permit2) return allowed
  // An allowance of Permit2 that has ended is found by the simulation.
  return permit2.ok && permit2.value.length === 2 + 3 * 64
    ? smaller(allowed, BigInt(slice(permit2.value, 0, 32)))
    : 0n
}

function foreignCodeOf({ order, traits, extension }: Opened): Address | null {
  const { callBefore, callBehind, makingAmountData, takingAmountData } = extension
  return (
    targetOf(makingAmountData) ??
    targetOf(takingAmountData) ??
    (traits.callsBefore ? (targetOf(callBefore) ?? order.maker) : null) ??
    (traits.callsBehind ? (targetOf(callBehind) ?? order.maker) : null) ??
    (order.isSignedByKey ? null : order.maker)
  )
}

function hasGetter({ extension }: Opened): boolean {
  return extension.makingAmountData !== '0x' || extension.takingAmountData !== '0x'
}

/** Where a contract tells the rate: what it takes for all that is left, and where parts can be filled, what it gives for some. */
async function quotedByGetters(
  reader: StateReader,
  orders: readonly Found[],
  at: At,
): Promise<Map<OneInchOrder, OrderFacts | string>> {
  if (orders.length === 0) return new Map()
  const taken = zip(orders, await takenForAll(reader, orders, at))
  const samplings = await sampleAll(
    askGetters(reader, at),
    taken.flatMap(([subject, largest]) =>
      subject.traits.partialFill && typeof largest === 'bigint' && largest > 0n
        ? [{ subject, direction: subject.order, largest }]
        : [],
    ),
  )
  const curves = new Map(samplings.map((one) => [one.subject.order, curvesOf([one])]))
  return new Map(
    taken.map(([{ order, facts }, left]): [OneInchOrder, OrderFacts | string] => {
      if (typeof left === 'string') return [order, left]
      return [order, { ...facts, left, sampled: curves.get(order) ?? null }]
    }),
  )
}

/** As the contract asks for it, from a taker that no list knows. */
function getterCall(
  one: Found,
  which: 'getMakingAmount' | 'getTakingAmount',
  amount: bigint,
  at: At,
): ReadCall | null {
  const { order, extension, remaining } = one
  const isMaking = which === 'getMakingAmount'
  const getter = isMaking ? extension.makingAmountData : extension.takingAmountData
  const to = targetOf(getter)
  if (!to) return null
  const data = encodeFunctionData({
    abi: getterAbi,
    functionName: which,
    args: [
      orderTupleOf(order),
      order.extension,
      order.hash,
      zeroAddress,
      amount,
      remaining,
      behindTarget(getter),
    ],
  })
  return { to, data, from: order.settlement, ...at }
}

/** What the maker takes for all that is left; linear where no contract tells it. */
async function takenForAll(
  reader: StateReader,
  orders: readonly Found[],
  at: At,
): Promise<(bigint | string)[]> {
  const calls = orders.map((one) => getterCall(one, 'getTakingAmount', one.facts.leftOut, at))
  const answers = await answersTo(reader, calls)
  return zip(orders, answers).map(([one, answer]) => {
    if (!answer) return one.facts.left
    if (!answer.ok && answer.reason === 'unreadable') return answer.message
    return readWord(answer) ?? 0n
  })
}

function askGetters(reader: StateReader, at: At): Ask<Found> {
  return async (wanted) => {
    const asked = wanted.map(({ subject, sizes }) =>
      sizes.map((size) => ({
        subject,
        size,
        call: getterCall(subject, 'getMakingAmount', size, at),
      })),
    )
    const answers = await answersTo(
      reader,
      asked.flat().map(({ call }) => call),
    )
    const byQuote = new Map(zip(asked.flat(), answers))
    return asked.map((quotes) =>
      quotes.map((quote) => toQuoted(quote.subject, quote.size, byQuote.get(quote) ?? null)),
    )
  }
}

/** Linear where no contract tells it. */
function toQuoted({ order, facts }: Found, size: bigint, answer: ReadResult | null): Quoted {
  const linear = (size * BigInt(order.amountOut)) / BigInt(order.amountIn)
  const amountOut = answer ? readWord(answer) : linear
  return {
    amountOut: amountOut === null ? null : smaller(amountOut, facts.leftOut),
    unread: answer && !answer.ok && answer.reason === 'unreadable' ? answer.message : null,
  }
}

/** Of no call there is no answer. */
async function answersTo(
  reader: StateReader,
  calls: readonly (ReadCall | null)[],
): Promise<(ReadResult | null)[]> {
  const made = calls.filter((call) => call !== null)
  const answers = made.length > 0 ? await reader.call(made) : []
  const byCall = new Map(zip(made, answers))
  return calls.map((call) => (call && byCall.get(call)) ?? null)
}
