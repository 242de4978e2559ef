/**
 * Gives an address funds for a simulation without touching the fork: native by a balance override, tokens by
 * overriding the slots that the token itself reads, found by tracing it. A slot is used only after a probe has shown
 * that it is the right one at that block for that owner. Lives in each worker; knows nothing of routes.
 */
import { LRUCache } from 'lru-cache'
import { stateKey } from '../../domain/changes/what-if.js'
import { type Address, type Hex, isNative } from '../../domain/primitives.js'
import { mergeOverrides, type StateOverrides } from '../../domain/state.js'
import {
  encodeRead,
  type FundingContext,
  findLayout,
  isVerified,
  type Layout,
  type TokenRead,
  wordFor,
} from './slot-field.js'
import { deriveSlot, preimagesOf, rulesOf, type SlotRule } from './slot-rules.js'
import { traceCall } from './slot-trace.js'

export interface FundingRequest {
  readonly token: Address
  readonly owner: Address
  /** Raw units. */
  readonly amount: bigint
  readonly allowance?: { readonly spender: Address; readonly amount: bigint }
}

export interface Funding {
  /**
   * Overrides that make the owner's balance (and allowance) the amount: exactly, or the least above it where the
   * token computes balances from shares. Null when no slot of the token decides it: `fundFromHolder` then helps.
   *
   * @throws ForkLostError; ForkrouteError UPSTREAM_UNAVAILABLE, STATE_UNAVAILABLE; the signal's reason.
   */
  fund(context: FundingContext, request: FundingRequest): Promise<StateOverrides | null>
}

/** A layout with the slot of one read, which takes hashes to derive. */
interface Located {
  readonly layout: Layout
  readonly slot: Hex
}

/** Entries of each cache; a token has two layouts, a read one entry per block. */
const cacheEntries = 5_000

/** @param options.remembers - try a layout found for one owner first for others, and at other blocks. Default true. */
export function createFunding({ remembers = true } = {}): Funding {
  /** Keyed by chain, token and kind of read. */
  const layouts = new LRUCache<string, Layout>({ max: cacheEntries })
  /** Verified for a read at a block; false: no slot decides it. */
  const verified = new LRUCache<string, Promise<Located | false>>({ max: cacheEntries })

  function locate(context: FundingContext, read: TokenRead): Promise<Located | false> {
    const key = [stateKey(context.pin), read.token, read.owner, read.spender].join(':')
    const known = verified.get(key)
    if (known) return known
    // Shared by concurrent callers, so it ignores the signal of any single one.
    const found = search({ urls: context.urls, pin: context.pin }, read).then(
      (layout) => layout && { layout, slot: deriveSlot(layout.rule, read) },
    )
    verified.set(key, found)
    found.catch(() => verified.delete(key))
    return found
  }

  async function search(context: FundingContext, read: TokenRead): Promise<Layout | false> {
    const kind = read.spender ? 'allowance' : 'balance'
    const key = [context.pin.chainId, read.token, kind].join(':')
    const known = layouts.get(key)
    // What fails here fails the search as well, unless it is about this layout alone.
    if (known && (await isVerified(context, read, known).catch(() => false))) return known
    for (const rule of await traceRules(context, read)) {
      const layout = await findLayout(context, read, rule)
      if (!layout) continue
      if (remembers) layouts.set(key, layout)
      return layout
    }
    return false
  }

  async function override(
    context: FundingContext,
    read: TokenRead,
    amount: bigint,
  ): Promise<StateOverrides | null> {
    const located = await locate(context, read)
    if (!located) return null
    const { layout, slot } = located
    const word = await wordFor(context, read, layout, amount)
    if (!word) return null
    const preimages = { [slot]: preimagesOf(layout.rule, read) }
    return { [layout.rule.contract]: { stateDiff: { [slot]: word }, preimages } }
  }

  return {
    async fund(context, { token, owner, amount, allowance }) {
      if (isNative(token)) return { [owner]: { balance: amount } }
      const [balance, allowed] = await Promise.all([
        override(context, { token, owner }, amount),
        allowance
          ? override(context, { token, owner, spender: allowance.spender }, allowance.amount)
          : {},
      ])
      return balance && allowed ? mergeOverrides(balance, allowed) : null
    },
  }
}

async function traceRules(context: FundingContext, read: TokenRead): Promise<readonly SlotRule[]> {
  const call = { to: read.token, data: encodeRead(read) }
  return rulesOf((await traceCall(context, call)) ?? [], read.token, read)
}
