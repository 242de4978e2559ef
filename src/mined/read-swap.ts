/** Reads from the token movements of a transaction which swap its sender made. Pure. */
import type { MinedSwap } from '../domain/hindsight.js'
import { type Address, isNative, type TokenAmount, zeroAddress } from '../domain/primitives.js'
import type { Movement } from '../domain/trace.js'

export type SwapReading =
  | { readonly kind: 'swap'; readonly swap: MinedSwap }
  /** `reason`: the rest of a sentence that begins with "no swap". */
  | { readonly kind: 'none'; readonly reason: string }

/** Who may have swapped. */
export interface SwapParties {
  readonly sender: Address
  /** The contract that the sender calls; null: it deploys one. */
  readonly to: Address | null
}

/**
 * One token that the sender gives in all, for one that the sender, or else one other account, gets in all. Where the sender
 * gives nothing, the contract that it calls is read as it is: bots and desks hold their tokens there. Accounts that only
 * pass tokens on have no part in it; whatever is not of this form is named, and nothing is guessed.
 *
 * @param flows - of a transaction that succeeded, gas not among them.
 */
export function readSwap(
  flows: NetFlows,
  { sender, to }: SwapParties,
  wrappedNative: Address,
): SwapReading {
  if (flows.size === 0) return none('it moves no tokens')
  if (gives(flows, sender))
    return swapOf(flows, { payer: sender, name: 'the sender' }, wrappedNative)
  if (!to || !gives(flows, to)) return none('the sender gives nothing')
  return swapOf(flows, { payer: to, name: 'the contract that it calls' }, wrappedNative)
}

const none = (reason: string) => ({ kind: 'none', reason }) as const

function gives(flows: NetFlows, account: Address): boolean {
  return (flows.get(account) ?? []).some(({ amount }) => amount < 0n)
}

function swapOf(
  flows: NetFlows,
  { payer, name }: { readonly payer: Address; readonly name: string },
  wrappedNative: Address,
): SwapReading {
  const own = flows.get(payer) ?? []
  const gave = own.filter(({ amount }) => amount < 0n)
  const got = own.filter(({ amount }) => amount > 0n)
  const [input] = gave
  if (!input || gave.length > 1) return none(`${name} gives ${gave.length} tokens`)
  if (got.length > 1) return none(`${name} gets ${got.length} tokens`)
  const proceeds = got[0]
    ? [{ receiver: payer, ...got[0] }]
    : proceedsOfOthers(flows, payer, input.token)
  const [output] = proceeds
  if (!output) return none(`nobody gets another token for what ${name} gives`)
  if (proceeds.length > 1) return none(`${proceeds.length} accounts get tokens for it`)
  const canonical = (token: Address) => (isNative(token) ? wrappedNative : token)
  if (canonical(input.token) === canonical(output.token)) {
    return none('it only wraps or unwraps the native token')
  }
  if (isPaidByOthers(flows, payer, output.token)) return none('others give tokens for it, too')
  const swap = {
    payer,
    tokenIn: input.token,
    amountIn: -input.amount,
    tokenOut: output.token,
    amountOut: output.amount,
    receiver: output.receiver,
  }
  return { kind: 'swap', swap }
}

/** Whether another account only gives, and not what comes out. A vault may: its own token is in the transaction. */
function isPaidByOthers(flows: NetFlows, payer: Address, tokenOut: Address): boolean {
  const tokens = new Set([...flows.values()].flat().map(({ token }) => token))
  return [...flows].some(
    ([account, moved]) =>
      ![payer, zeroAddress].includes(account) &&
      !tokens.has(account) &&
      moved.every(({ amount }) => amount < 0n) &&
      moved.some(({ token }) => token !== tokenOut),
  )
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

/**
 * Bots pay ether to the account that the block pays, for their place in it, as gas is paid. What that account gains is
 * taken off the one account that loses ether; where several do, nobody's loss is known to be for that.
 */
export function withoutTip(flows: NetFlows, miner: Address, wrappedNative: Address): NetFlows {
  const etherOf = (account: Address) =>
    flows.get(account)?.find(({ token }) => isNative(token))?.amount ?? 0n
  const tip = etherOf(miner)
  const [loser, another] = [...flows.keys()].filter(
    (account) => account !== wrappedNative && etherOf(account) < 0n,
  )
  if (tip <= 0n || !loser || another || etherOf(loser) + tip > 0n) return flows
  const changes = new Map([
    [miner, -tip],
    [loser, tip],
  ])
  const entries = [...flows].map(([account, moved]) => {
    const less = moved.map(({ token, amount }) => {
      return { token, amount: isNative(token) ? amount + (changes.get(account) ?? 0n) : amount }
    })
    return [account, less.filter(({ amount }) => amount !== 0n)] as const
  })
  return new Map(entries)
}

/** Accounts that only gain, and gain one token alone, other than what the payer gives. */
function proceedsOfOthers(flows: NetFlows, payer: Address, tokenIn: Address) {
  return [...flows].flatMap(([receiver, tokens]) => {
    const [only] = tokens
    const isPaid = only && tokens.length === 1 && only.amount > 0n && only.token !== tokenIn
    return isPaid && receiver !== payer && receiver !== zeroAddress ? [{ receiver, ...only }] : []
  })
}
