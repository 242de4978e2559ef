/**
 * The state that transfers, balances and allowances of a token use, learnt once per chain and token from a trace, with
 * the parties as variables: so it can be read in bulk for any parties. Kept by the archive. A hint only:
 * it decides what is read early, never what is answered. Lives in each worker; knows nothing of routes.
 */
import { LRUCache } from 'lru-cache'
import { encodeFunctionData, erc20Abi } from 'viem'
import { z } from 'zod'
import type { Address, Hex } from '../../domain/primitives.js'
import { archiveOf } from '../clients.js'
import { foresee } from '../foresee.js'
import { balanceProbe } from '../measure.js'
import { encodeRead, type FundingContext } from './slot-field.js'
import { type Access, accessOf, deriveSlot, type Piece, type SlotRule } from './slot-rules.js'
import { traceCall } from './slot-trace.js'

export interface AccessContext extends Pick<FundingContext, 'pin'> {
  /** URLs of the block's forks, once they run. */
  urls(): Promise<readonly string[]>
  /** URL of the block in the archive. */
  readonly archiveUrl: string
}

export interface TokenAccess {
  /** Null where the token cannot be traced. Never throws. */
  of(context: AccessContext, token: Address): Promise<Access | null>
}

const maxTokens = 5_000
const owner = balanceProbe
const spender: Address = '0x00000000000000000000000000000000f0a6b0bf'

export function createTokenAccess(): TokenAccess {
  const known = new LRUCache<string, Promise<Access | null>>({ max: maxTokens })

  async function learn(context: AccessContext, token: Address): Promise<Access | null> {
    const archive = archiveOf(context)
    const topic = `transfer:${token}`
    const stored = parseAccess(await archive.request('forkroute_learned', [topic]))
    if (stored) return stored
    const access = await traceAccess(context, token)
    if (access) await archive.request('forkroute_learn', [topic, JSON.stringify(access, plain)])
    return access
  }

  return {
    of(context, token) {
      const key = `${context.pin.chainId}:${token}`
      const before = known.get(key)
      if (before) return before
      const learning = learn(context, token).catch(() => {
        known.delete(key)
        return null
      })
      known.set(key, learning)
      return learning
    },
  }
}

const maxParties = 1_000

/** Derived slots by party or parties: hashing takes longer than everything else here, and the same pools recur at every block. */
class DerivedSlots {
  readonly #byRule = new WeakMap<SlotRule, LRUCache<string, Hex>>()

  slotOf(rule: SlotRule, owner: Address, spender?: Address): Hex {
    const known = this.#byRule.get(rule) ?? new LRUCache<string, Hex>({ max: maxParties })
    this.#byRule.set(rule, known)
    const key = spender ? owner + spender : owner
    const slot = known.get(key) ?? deriveSlot(rule, spender ? { owner, spender } : { owner })
    known.set(key, slot)
    return slot
  }
}

/** One for each thread, as this module is; a rule that is forgotten takes its slots along. */
const derived = new DerivedSlots()

/** Slots of `access` for these parties; every ordered pair of `pairs` for what depends on two. */
export function slotsFor(
  access: Access,
  parties: ReadonlySet<Address>,
  pairs: readonly (readonly [Address, Address])[],
): { readonly address: Address; readonly slot: Hex }[] {
  return [
    ...access.slots.map(({ contract, slot }) => ({ address: contract, slot })),
    ...access.byParty.flatMap((rule) =>
      [...parties].map((party) => ({ address: rule.contract, slot: derived.slotOf(rule, party) })),
    ),
    ...access.byPair.flatMap((rule) =>
      pairs.map(([from, to]) => ({ address: rule.contract, slot: derived.slotOf(rule, from, to) })),
    ),
  ]
}

/** A transfer of nothing, which needs no balance; and the reads, for tokens that refuse to transfer nothing. */
async function traceAccess(context: AccessContext, token: Address): Promise<Access | null> {
  const reads = [encodeRead({ owner }), encodeRead({ owner, spender })]
  const transfer = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [spender, 0n],
  })
  // What a transfer touches not every node tells; both balances are most of it.
  const foreseen = [transfer, ...reads, encodeRead({ owner: spender })]
  foresee(
    context,
    foreseen.map((data) => ({ from: owner, to: token, data })),
  )
  const calls = [transfer, ...reads]
  const on = { urls: await context.urls(), pin: context.pin }
  const traces = await Promise.all(
    calls.map((data) => traceCall(on, { from: owner, to: token, data })),
  )
  const steps = traces.flatMap((trace) => trace ?? [])
  return steps.length > 0 ? accessOf(steps, token, { owner, spender }) : null
}

const address = z.custom<Address>((value) => /^0x[0-9a-f]{40}$/.test(String(value)))
const word = z.custom<Hex>((value) => /^0x[0-9a-f]{64}$/.test(String(value)))
const hash = z.object({
  kind: z.literal('hash'),
  get pieces(): z.ZodType<readonly Piece[]> {
    return z.array(piece).max(32)
  },
  offset: z
    .string()
    .regex(/^\d{1,78}$/)
    .transform(BigInt),
})
const piece: z.ZodType<Piece> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('bytes'), hex: z.string().regex(/^([0-9a-f]{2}){0,512}$/) }),
    z.object({ kind: z.literal('owner') }),
    z.object({ kind: z.literal('spender') }),
    hash,
  ]),
)
const rules = z.array(z.object({ contract: address, slot: hash })).max(64)
const accessSchema = z.object({
  contracts: z.array(address).max(64),
  slots: z.array(z.object({ contract: address, slot: word })).max(256),
  byParty: rules,
  byPair: rules,
})

/** Null for text of any other form, which is then learnt again. */
function parseAccess(text: unknown): Access | null {
  if (typeof text !== 'string') return null
  try {
    return accessSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
