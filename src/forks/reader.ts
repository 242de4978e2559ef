/**
 * Reads of chain state at one pinned block for one request: storage words straight from the archive,
 * calls on the block's forks. Each read is made once and remembered; a read that fails alone fails alone.
 */
import { setMaxListeners } from 'node:events'
import pLimit, { type LimitFunction } from 'p-limit'
import { numberToHex } from 'viem'
import { upstreamUnavailable } from '../domain/common-errors.js'
import type { Address, BlockPin, Hex } from '../domain/primitives.js'
import type { BlockNotes, Guess, ReadCall, ReadResult, StateReader } from '../domain/state.js'
import type { RpcCall, RpcResult } from '../rpc/node/json-rpc.js'
import { gasOfRead } from './block-environment.js'
import type { ArchivedBlock, ForkUrls } from './block-source.js'
import { archiveOf, forkClient } from './clients.js'
import { askFork, askForkAtOnce, faultOf, isMalformed } from './faults.js'
import { foresee, isNewGuess, tellGuesses } from './foresee.js'
import { overridesOnWire } from './overrides-on-wire.js'
import { decodeRevert } from './revert.js'
import { TurnBatches } from './turn-batches.js'

/** Storage words in one request to the archive. */
const wordsPerBatch = 250
/** Calls in one request to a fork that has what they read. */
const callsPerBatch = 16
/** Requests in flight, of batches and of calls: calls of unread state go one by one, since Anvil works a batch off in order. */
const batchesInFlight = 8
const callsInFlight = 32

interface StorageRead {
  readonly address: Address
  readonly slot: Hex
}

export interface ForkReaderArgs extends ArchivedBlock {
  /** Forks of the same block; needed by calls alone. */
  readonly forkUrls?: readonly string[]
  /** In place of these URLs. Filled ones have most of what calls read: these then go in batches. */
  readonly forks?: Promise<ForkUrls>
  readonly signal?: AbortSignal
}

/**
 * `storage` and `call` throw ForkLostError (a ForkrouteError FORK_UNAVAILABLE with the fork's URL), ForkrouteError
 * UPSTREAM_UNAVAILABLE, or the signal's reason.
 */
export class ForkReader implements StateReader {
  /** Texts that a recording keeps with the block. */
  readonly notes: BlockNotes
  readonly #source: ArchivedBlock
  readonly #forks: Promise<ForkUrls>
  readonly #signal: AbortSignal | undefined
  /** The number of the block, and the gas of a call. */
  readonly #number: Hex
  readonly #gas: Hex
  readonly #known = new Map<string, Promise<ReadResult>>()
  readonly #words: TurnBatches<StorageRead, ReadResult>
  readonly #callLimit: LimitFunction = pLimit(callsInFlight)
  readonly #calls: TurnBatches<ReadCall, RpcResult>
  #guesses: Guess[] = []
  #turn = 0

  constructor({ pin, archiveUrl, forkUrls = [], forks, signal }: ForkReaderArgs) {
    this.#source = { pin, archiveUrl }
    this.#forks = forks ?? Promise.resolve({ forkUrls })
    this.#signal = signal
    this.#number = numberToHex(pin.number)
    this.#gas = numberToHex(gasOfRead(pin))
    const archive = archiveOf(this.#source)
    this.notes = {
      get: (name) => archive.request('forkroute_noted', [name], signal),
      put: async (name, text) => {
        await archive.request('forkroute_note', [name, text], signal)
      },
    }
    this.#words = new TurnBatches({
      size: wordsPerBatch,
      limit: pLimit(batchesInFlight),
      send: (words) => this.#readWords(words),
    })
    this.#calls = new TurnBatches({
      size: callsPerBatch,
      limit: this.#callLimit,
      send: (calls) => this.#askForkCalls(calls),
    })
    // Every request in flight listens to it.
    if (signal) setMaxListeners(0, signal)
  }

  get block(): BlockPin {
    return this.#source.pin
  }

  guess(topic: string, guess: () => Guess): void {
    if (!isNewGuess(this.block.chainId, topic)) return
    // Before the reads of the same turn, which lead to what is guessed.
    if (this.#guesses.length === 0) setImmediate(() => this.#sendGuesses())
    this.#guesses.push(guess())
  }

  async storage(reads: readonly StorageRead[]): Promise<ReadResult[]> {
    this.#signal?.throwIfAborted()
    return Promise.all(
      reads.map((read) => {
        const key = wordKey(read.address, read.slot)
        return this.#known.get(key) ?? this.#remember(key, this.#words.add(read))
      }),
    )
  }

  async call(calls: readonly ReadCall[]): Promise<ReadResult[]> {
    this.#signal?.throwIfAborted()
    // The archive has no other state than the chain's.
    foresee(
      this.#source,
      calls.filter(({ overrides }) => overrides === undefined),
    )
    return Promise.all(
      calls.map((call) => {
        const key = callKey(call)
        return this.#known.get(key) ?? this.#remember(key, this.#readCall(call))
      }),
    )
  }

  /** Forgets what was read. Connections belong to the thread and stay. */
  close(): void {
    this.#known.clear()
  }

  /** Remembers the result of a read, and forgets a read that failed to run at all. */
  #remember(key: string, read: Promise<ReadResult>): Promise<ReadResult> {
    this.#known.set(key, read)
    read.catch(() => this.#known.delete(key))
    return read
  }

  async #readWords(words: readonly StorageRead[]): Promise<ReadResult[]> {
    const calls = words.map(({ address, slot }) => ({
      method: 'eth_getStorageAt',
      params: [address, slot, this.#number],
    }))
    const replies = await forkClient(this.#source.archiveUrl).batch(calls, this.#signal)
    return replies.map((reply) =>
      toRead(this.block, reply, (value) => `0x${value.slice(2).padStart(64, '0')}`),
    )
  }

  async #readCall(call: ReadCall): Promise<ReadResult> {
    const { isFilled = false } = await this.#forks
    const reply = isFilled
      ? await this.#calls.add(call)
      : await this.#callLimit(() => this.#askForkCall(call))
    return toRead(this.block, reply)
  }

  async #askForkCall(call: ReadCall): Promise<RpcResult> {
    return askFork(await this.#nextFork(), this.block, this.#toRpcCall(call), this.#signal)
  }

  async #askForkCalls(calls: readonly ReadCall[]): Promise<RpcResult[]> {
    const asked = calls.map((call) => this.#toRpcCall(call))
    return askForkAtOnce(await this.#nextFork(), this.block, asked, this.#signal)
  }

  async #nextFork(): Promise<string> {
    const { forkUrls } = await this.#forks
    const url = forkUrls[this.#turn++ % forkUrls.length]
    if (!url) throw new RangeError('A reader needs at least one fork for calls.')
    return url
  }

  #toRpcCall({ to, data, timestamp, gas: limit, from, overrides }: ReadCall): RpcCall {
    const gas = limit === undefined ? this.#gas : numberToHex(limit)
    const call = { to, data, gas, ...(from && { from }) }
    const state = overrides ? overridesOnWire(overrides) : {}
    const changes = timestamp === undefined ? [state] : [state, { time: numberToHex(timestamp) }]
    const isPlain = timestamp === undefined && overrides === undefined
    return { method: 'eth_call', params: [call, this.#number, ...(isPlain ? [] : changes)] }
  }

  #sendGuesses(): void {
    tellGuesses(this.#source, this.#guesses)
    this.#guesses = []
  }
}

function callKey({ to, data, timestamp, gas, from, overrides }: ReadCall): string {
  const changes = overrides && JSON.stringify(overridesOnWire(overrides))
  return [to, data, timestamp, gas, from, changes].join(':')
}

/** Same slot, same key, however many leading zeros it was written with. */
function wordKey(address: Address, slot: Hex): string {
  return address + slot.slice(2).padStart(64, '0')
}

function toRead(
  pin: BlockPin,
  reply: RpcResult,
  normalise: (value: Hex) => Hex = (value) => value,
): ReadResult {
  if (reply.ok) {
    if (typeof reply.value !== 'string' || !reply.value.startsWith('0x')) {
      return { ok: false, reason: 'unreadable', message: 'The node answered without a value.' }
    }
    return { ok: true, value: normalise(reply.value as Hex) }
  }
  const { error } = reply
  if (isMalformed(error)) throw error
  const fault = faultOf(error.message)
  if (fault === 'upstream') throw upstreamUnavailable(pin, error)
  if (fault === 'state') return { ok: false, reason: 'unreadable', message: error.message }
  const data = typeof error.data === 'string' ? (error.data as Hex) : null
  return { ok: false, reason: 'reverted', message: data ? decodeRevert(data) : error.message }
}
