/** Answers the methods of `protocol.ts` for one pinned block: a function for each. */
import { numberToHex } from 'viem'
import type { z } from 'zod'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type { BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'
import { headerOnly } from '../node/header.js'
import { JsonRpcError } from '../node/json-rpc.js'
import type { LogsQuestion } from '../node/mined/event-logs.js'
import { ProofError, provenAccount, provenSlot, TrieNodes } from '../node/proof/trie.js'
import { accountKeys, addressOf, fromStored, slotOf, storageKey } from '../node/state-item.js'
import type { aheadParam, movedParam } from './archive-params.js'
import type { ChainSource } from './chain-source.js'
import {
  type ArchiveMethod,
  type ArchiveResult,
  archiveProtocol,
  type CheckedParams,
  type EventJson,
  type HeldSlots,
  type MovedState,
  type ProvenSlot,
} from './protocol.js'
import { check, readValue } from './state-answers.js'

/** The block that a request names. */
interface PinnedSource {
  readonly source: ChainSource
  readonly pinned: VerifiedBlock
}

type Answerer<M extends ArchiveMethod> = (
  at: PinnedSource & { readonly pin: BlockPin },
  ...params: CheckedParams<M>
) => ArchiveResult<M> | Promise<ArchiveResult<M>>

type AnyAnswerer = (at: Parameters<Answerer<ArchiveMethod>>[0], ...params: unknown[]) => unknown

const answerers: { readonly [M in ArchiveMethod]: Answerer<M> } = {
  forkroute_logs: ({ source, pin }, question) => eventsOf(source, pin, question),
  async forkroute_slotProof({ source, pinned }, address, slot) {
    const nodes = await source.proofNodes(address, [slot], pinned.pin)
    return nodes.ok ? slotProofOf(nodes.value, { address, slot, block: pinned }) : null
  },
  forkroute_readAhead: ({ source, pin }, reads) => readAhead(source, pin, reads),
  forkroute_foresee({ source, pin }, calls) {
    source.foresee(calls, pin)
    return true
  },
  forkroute_guess({ source, pin }, guess) {
    source.guess(guess, pin)
    return true
  },
  forkroute_assumeEmpty({ source, pin }, accounts) {
    source.assumeEmpty(accounts, pin)
    return true
  },
  forkroute_held: ({ source, pin }, since) => heldSlots(source, pin, since),
  forkroute_moved: ({ source, pinned }, ...asked) => moved(source, pinned, asked),
  async forkroute_proof({ source, pin }, address, slots) {
    const nodes = await source.proofNodes(address, slots, pin)
    return nodes.ok ? nodes.value : null
  },
  forkroute_note({ source, pin }, name, text) {
    source.note(name, text, pin)
    return true
  },
  forkroute_noted: ({ source, pin }, name) => source.noted(name, pin),
  forkroute_learnLeftovers({ source, pin }, pools) {
    source.poolSets.learn(pools, pin.hash)
    return true
  },
  forkroute_learned: ({ source }, topic) => source.learned.get(topic),
  forkroute_learn({ source }, topic, text) {
    source.learned.put(topic, text)
    return true
  },
}

export function isOwnMethod(method: string): method is ArchiveMethod {
  return Object.hasOwn(archiveProtocol, method)
}

/**
 * @returns the result, or a promise of it.
 * @throws JsonRpcError with the text for the caller.
 */
export function answerOwn(
  { source, pinned }: PinnedSource,
  method: ArchiveMethod,
  params: readonly unknown[],
): unknown | Promise<unknown> {
  const form: z.ZodType<readonly unknown[]> = archiveProtocol[method].params
  // The table has a form and an answerer of the same parameters for each method.
  const answerer = answerers[method] as AnyAnswerer
  return answerer({ source, pinned, pin: pinned.pin }, ...check(form, params))
}

/** Slots that forks requested after so many requests of theirs, with the values that are known at the block. */
function heldSlots({ forkReads, held }: ChainSource, pin: BlockPin, since: number): HeldSlots {
  const slots = held(forkReads.keys(since), pin).map(([key, value]) => {
    return [addressOf(key), slotOf(key), fromStored(key, value)] as const
  })
  return { requests: forkReads.requests, slots }
}

/**
 * What a fork that knows these accounts as they were at the other block has to be told at this one. Null where it cannot
 * be told: code differs, or something is not known.
 */
async function moved(
  source: ChainSource,
  { pin, json }: VerifiedBlock,
  [from, accounts]: z.infer<typeof movedParam>,
): Promise<MovedState | null> {
  const differing = await Promise.all(
    accounts.map(async (address) => {
      const keys = accountKeys(address)
      const at = async (block: BlockRef) =>
        Promise.all(keys.map((key) => readValue(source, key, block)))
      const now = await at(pin).catch(unlessBug)
      if (!now) source.forkReads.lacksAccount(address)
      const before = now && (await at(from).catch(unlessBug))
      if (!now || before?.[2] !== now[2]) return null
      const [balance = '0x0', nonce = '0x0'] = now
      const isSame = before?.[0] === balance && before?.[1] === nonce
      return isSame ? [] : [[address, balance, nonce] as const]
    }),
  )
  if (differing.includes(null)) return null
  const known = new Set(accounts)
  const others = source.forkReads.accounts().filter((address) => !known.has(address))
  return {
    header: headerOnly(json),
    accounts: differing.flatMap((one) => one ?? []),
    others: source.heldAccounts(others, pin),
  }
}

/** For a read whose failure is a fact about the block or its nodes. */
function unlessBug(error: unknown): null {
  if (error instanceof JsonRpcError || error instanceof ForkrouteError) return null
  throw error
}

/** Null where the nodes do not lead from the block's state root to the slot. */
function slotProofOf(
  nodes: readonly Hex[],
  at: { readonly address: Address; readonly slot: Hex; readonly block: VerifiedBlock },
): ProvenSlot | null {
  const { address, slot, block } = at
  const stateRoot = block.json.stateRoot as Hex
  try {
    const { storageRoot: storageHash } = provenAccount(stateRoot, address, new TrieNodes(nodes))
    const path = new TrieNodes(nodes)
    provenSlot(storageHash, slot, path)
    return { stateRoot, storageHash, proof: path.used() }
  } catch (error) {
    if (error instanceof ProofError) return null
    throw error
  }
}

/** Up to the pinned block; null where the nodes give none. */
async function eventsOf(
  source: ChainSource,
  pin: BlockPin,
  question: LogsQuestion,
): Promise<readonly EventJson[] | null> {
  const isLater = question.to > pin.number
  const to = isLater ? pin.number : question.to
  const found = await source.logs({ ...question, to })
  return found?.map((log) => ({ ...log, blockNumber: numberToHex(log.blockNumber) })) ?? null
}

/** Reads in bulk what forks will ask for one by one. @returns the number of values found; they stay in the archive. */
async function readAhead(
  source: ChainSource,
  pin: BlockPin,
  { accounts, slots, topics }: z.infer<typeof aheadParam>,
): Promise<number> {
  const keys = [
    ...new Set(topics.flatMap((topic) => source.poolSets.keysOf(topic))),
    ...accounts.flatMap(accountKeys),
    ...slots.map(({ address, slot }) => storageKey(address, slot)),
  ]
  const found = await Promise.all(keys.map((key) => source.ahead(key, pin)))
  source.poolSets.watch(pin.hash)
  return found.filter((isThere) => isThere).length
}
