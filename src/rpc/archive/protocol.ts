/**
 * What the archive answers beside the methods of a node, in one table: the parameters by which the server checks a
 * request and a client is typed, and the result as JSON carries it. Forks never use these; routing threads and the fork
 * pool do, to read ahead and to store what was learnt.
 */
import { z } from 'zod'
import type { Address, Hex } from '../../domain/primitives.js'
import type { RpcClient } from '../node/json-rpc.js'
import type { EventLog } from '../node/mined/event-logs.js'
import {
  accountsParam,
  addressParam,
  aheadParam,
  foreseenParam,
  guessParam,
  hashParam,
  learnedParam,
  logsParam,
  movedParam,
  noteNameParam,
  noteParam,
  requestsParam,
  slotsParam,
  swappedParam,
  topicParam,
} from './archive-params.js'

/** An event whose block number is a quantity. */
export type EventJson = Omit<EventLog, 'blockNumber'> & { readonly blockNumber: Hex }

/** Slots that forks requested, with their values at the block, and how many requests forks have made so far. */
export interface HeldSlots {
  readonly requests: number
  readonly slots: readonly (readonly [Address, slot: Hex, value: Hex])[]
}

/** What a fork has to be told to stand at another block. */
export interface MovedState {
  readonly header: Readonly<Record<string, unknown>>
  /** Accounts that differ: address, balance, nonce. */
  readonly accounts: readonly (readonly [Address, balance: Hex, nonce: Hex])[]
  /** Accounts that other forks asked for. */
  readonly others: readonly Address[]
}

/** A slot by the root of its account's storage, at a block. */
export interface ProvenSlot {
  /** Of the block. */
  readonly stateRoot: Hex
  readonly storageHash: Hex
  /** From that root to the slot. */
  readonly proof: readonly Hex[]
}

/** The type of a result, which is nothing at run time. */
const of = <Result>() => undefined as Result | undefined

export const archiveProtocol = {
  /** Events of a contract in blocks up to the pinned one; null where the nodes give none. */
  forkroute_logs: { params: z.tuple([logsParam]), result: of<readonly EventJson[] | null>() },
  /** What proves a slot by the block's header; null where no node gives it. */
  forkroute_slotProof: {
    params: z.tuple([addressParam, hashParam]),
    result: of<ProvenSlot | null>(),
  },
  /** Reads in bulk what forks will ask for one by one; answers the number of values found, which stay in the archive. */
  forkroute_readAhead: { params: z.tuple([aheadParam]), result: of<number>() },
  /** Reads ahead what calls will read, where nodes tell it. */
  forkroute_foresee: { params: z.tuple([foreseenParam]), result: of<true>() },
  /** Reads ahead what will most likely be asked for. */
  forkroute_guess: { params: z.tuple([guessParam]), result: of<true>() },
  /** Accounts of which nothing is known at the block are empty there. */
  forkroute_assumeEmpty: { params: z.tuple([accountsParam]), result: of<true>() },
  /** Slots that forks requested after so many requests of theirs, as far as their values are known at the block. */
  forkroute_held: { params: z.tuple([requestsParam]), result: of<HeldSlots>() },
  /** What a fork that knows these accounts at another block has to be told; null: it cannot be told. */
  forkroute_moved: { params: movedParam, result: of<MovedState | null>() },
  /** Nodes of the tries that prove an account and slots of it at the block; null where no node gives them. */
  forkroute_proof: {
    params: z.tuple([addressParam, slotsParam]),
    result: of<readonly Hex[] | null>(),
  },
  /** Has a recording keep a text with the block. */
  forkroute_note: { params: z.tuple([noteNameParam, noteParam]), result: of<true>() },
  /** The text that a recording keeps with the block under the name. */
  forkroute_noted: { params: z.tuple([noteNameParam]), result: of<string | null>() },
  /** What forks still read of these pools, although all known of them was read ahead, is remembered. */
  forkroute_learnLeftovers: { params: z.tuple([swappedParam]), result: of<true>() },
  /** A fact learnt about a contract of the chain. */
  forkroute_learned: { params: z.tuple([topicParam]), result: of<string | null>() },
  forkroute_learn: { params: z.tuple([topicParam, learnedParam]), result: of<true>() },
} as const

type Protocol = typeof archiveProtocol
export type ArchiveMethod = keyof Protocol
/** What a client sends. */
export type ArchiveParams<M extends ArchiveMethod> = z.input<Protocol[M]['params']>
/** What the server gets once they are checked. */
export type CheckedParams<M extends ArchiveMethod> = z.output<Protocol[M]['params']>
export type ArchiveResult<M extends ArchiveMethod> = Exclude<Protocol[M]['result'], undefined>

/** Asks the archive by the table. */
export class ArchiveClient {
  readonly #client: RpcClient

  /** @param client - of a block's URL in the archive. */
  constructor(client: RpcClient) {
    this.#client = client
  }

  /**
   * @throws JsonRpcError where the archive refuses, ForkrouteError UPSTREAM_UNAVAILABLE where it does not answer, or the
   * reason of the signal.
   */
  request<M extends ArchiveMethod>(
    method: M,
    params: ArchiveParams<M>,
    signal?: AbortSignal,
  ): Promise<ArchiveResult<M>> {
    return this.#client.request<ArchiveResult<M>>(method, params, signal)
  }
}
