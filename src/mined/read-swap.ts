/** Reads from the token movements of a transaction which swap its sender made. Pure. */
import type { MinedSwap } from '../domain/hindsight.js'
import { type Address, isNative, type TokenAmount, zeroAddress } from '../domain/primitives.js'
import type { Movement } from '../domain/trace.js'

export type SwapReading =
  | { readonly kind: 'swap'; readonly swap: MinedSwap }
  /** `reason`: the rest of a sentence that begins with "no swap". */
  | { readonly kind: 'none'; readonly reason: string }

/**
 * One token that the sender gives in all, for one that the sender, or else one other account, gets in all. Accounts that
 * only pass tokens on have no part in it; whatever is not of this form is named, and nothing is guessed.
 *
 * @param flows - of a transaction that succeeded, gas not among them.
 */
export function readSwap(flows: NetFlows, sender: Address, wrappedNative: Address): SwapReading {
  const own = flows.get(sender) ?? []
  const gave = own.filter(({ amount }) => amount < 0n)
  const got = own.filter(({ amount }) => amount > 0n)
  const none = (reason: string) => ({ kind: 'none', reason }) as const
  if (flows.size === 0) return none('it moves no tokens')
  const [input] = gave
  if (!input) return none('the sender gives nothing')
  if (gave.length > 1) return none(`the sender gives ${gave.length} tokens`)
  if (got.length > 1) return none(`the sender gets ${got.length} tokens`)
  const proceeds = got[0]
    ? [{ receiver: sender, ...got[0] }]
    : proceedsOfOthers(flows, sender, input.token)
  const [output] = proceeds
  if (!output) return none('nobody gets another token for what the sender gives')
  if (proceeds.length > 1) return none(`${proceeds.length} accounts get tokens for it`)
  const canonical = (token: Address) => (isNative(token) ? wrappedNative : token)
  if (canonical(input.token) === canonical(output.token)) {
    return none('it only wraps or unwraps the native token')
  }
  const swap = {
    tokenIn: input.token,
    amountIn: -input.amount,
    tokenOut: output.token,
    amountOut: output.amount,
    receiver: output.receiver,
  }
  return { kind: 'swap', swap }
}

/** What each account gains of tokens, and loses as negative amounts; nothing of what it only passes on. Raw units. */
export type NetFlows = ReadonlyMap<Address, readonly TokenAmount[]>

export function netFlows(movements: readonly Movement[]): NetFlows {
  const sums = new Map<Address, Map<Address, bigint>>()
  const add = (owner: Address, token: Address, amount: bigint) => {
    const tokens = sums.get(owner) ?? new Map<Address, bigint>()
    tokens.set(token, (tokens.get(token) ?? 0n) + amount)
    sums.set(owner, tokens)
  }
  for (const { token, from, to, amount } of movements) {
    add(from, token, -amount)
    add(to, token, amount)
  }
  const entries = [...sums].map(([owner, tokens]) => {
    const list = [...tokens].map(([token, amount]) => ({ token, amount }))
    return [owner, list.filter(({ amount }) => amount !== 0n)] as const
  })
  return new Map(entries)
}

/** Accounts that only gain, and gain one token alone, other than what the sender gives. */
function proceedsOfOthers(flows: NetFlows, sender: Address, tokenIn: Address) {
  return [...flows].flatMap(([receiver, tokens]) => {
    const [only] = tokens
    const isPaid = only && tokens.length === 1 && only.amount > 0n && only.token !== tokenIn
    return isPaid && receiver !== sender && receiver !== zeroAddress ? [{ receiver, ...only }] : []
  })
}
