/** What a transaction did, as geth's callTracer with logs tells it, and the token movements in it. Pure. */
import { decodeFunctionData, erc20Abi, toEventSelector } from 'viem'
import {
  type Address,
  type Hex,
  nativeToken,
  toAddress,
  zeroAddress,
} from '../domain/primitives.js'
import type { Movement } from '../domain/trace.js'

export interface FrameLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

export interface CallFrame {
  readonly type: string
  readonly from: Hex
  readonly to?: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly value?: Hex
  /** Present when the call failed. */
  readonly error?: string
  readonly logs?: readonly FrameLog[]
  readonly calls?: readonly CallFrame[]
}

/** How a node is asked for it. */
export const callTracer = { tracer: 'callTracer', tracerConfig: { withLog: true } } as const

const transferTopic = toEventSelector('event Transfer(address,address,uint256)')
const depositTopic = toEventSelector('event Deposit(address,uint256)')
const withdrawalTopic = toEventSelector('event Withdrawal(address,uint256)')

/** A transfer in all but name: what the wrapped native token says of wrapping and unwrapping. Other events stay. */
export function asTransfer<L extends FrameLog>(log: L, wrappedNative: Address): L {
  const [topic, account] = log.topics
  if (!account || toAddress(log.address) !== wrappedNative) return log
  const token: Hex = `0x${wrappedNative.slice(2).padStart(64, '0')}`
  if (topic === depositTopic) return { ...log, topics: [transferTopic, token, account] }
  return topic === withdrawalTopic ? { ...log, topics: [transferTopic, account, token] } : log
}

/**
 * One movement for each token and pair of accounts, in the order of the first. What the token says of itself counts.
 * Nodes drop events of calls that failed: within those, transfers are taken from the calls of tokens instead, and a call
 * that failed alone moved nothing.
 *
 * @param isUndone - the call succeeded, but one around it failed.
 */
export function movementsOf(frame: CallFrame, isUndone = false): Movement[] {
  const sums = new Map<string, Movement>()
  const add = (token: Hex, from: Hex, to: Hex, amount: bigint): void => {
    if (amount === 0n) return
    const key = [token, from, to].join().toLowerCase()
    const before = sums.get(key)?.amount ?? 0n
    sums.set(key, {
      token: toAddress(token),
      from: toAddress(from),
      to: toAddress(to),
      amount: before + amount,
    })
  }
  visit(frame, isUndone, (call, isCallUndone) => {
    const { from, to, value } = call
    if (
      to &&
      value &&
      !call.error &&
      /^(CALL|CREATE)/.test(call.type) &&
      call.type !== 'CALLCODE'
    ) {
      add(nativeToken, from, to, BigInt(value))
    }
    for (const { address, topics, data } of call.logs ?? []) {
      const [topic, sender, receiver] = topics
      if (topic !== transferTopic || !sender || !receiver || data.length !== 66) continue
      add(address, `0x${sender.slice(-40)}`, `0x${receiver.slice(-40)}`, BigInt(data))
    }
    if (isCallUndone && !call.error && !call.logs?.length) {
      const asked = askedTransfer(call)
      if (asked) add(asked.token, asked.from, asked.to, asked.amount)
    }
  })
  return [...sums.values()]
}

/** @param isUndone - the call itself may have succeeded, but one around it failed. */
function visit(
  frame: CallFrame,
  isUndone: boolean,
  each: (call: CallFrame, isUndone: boolean) => void,
): void {
  each(frame, isUndone)
  const failed = isUndone || frame.error !== undefined
  for (const call of frame.calls ?? []) {
    if (call.error === undefined || failed) visit(call, failed, each)
  }
}

function askedTransfer({ from, to, input, type }: CallFrame): Movement | null {
  if (!to || type !== 'CALL') return null
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: input })
    const token = toAddress(to)
    if (functionName === 'transfer') {
      return { token, from: toAddress(from), to: toAddress(args[0]), amount: args[1] }
    }
    if (functionName !== 'transferFrom') return null
    return { token, from: toAddress(args[0]), to: toAddress(args[1]), amount: args[2] }
  } catch {
    return null
  }
}

/** Who gave it: of what was minted the step's target, since it comes from nobody. */
export function payerOf({ from }: Movement, target: Address): Address {
  return from === zeroAddress ? target : from
}
