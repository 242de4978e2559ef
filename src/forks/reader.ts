/**
 * Reads of chain state at one pinned block for one request: storage words straight from the archive,
 * calls on the block's forks. Each read is made once and remembered; a read that fails alone fails alone.
 */
import { setMaxListeners } from 'node:events'
import pLimit from 'p-limit'
import { numberToHex } from 'viem'
import { upstreamUnavailable } from '../domain/common-errors.js'
import type { Address, BlockPin, Hex } from '../domain/primitives.js'
import type { BlockNotes, Guess, ReadCall, ReadResult, StateReader } from '../domain/state.js'
import type { RpcCall, RpcResult } from '../rpc/node/json-rpc.js'
import { gasOfRead } from './block-environment.js'
import { forkClient } from './clients.js'
import { askFork, askForkAtOnce, faultOf, isMalformed } from './faults.js'
import { foresee, isNewGuess, tellGuesses } from './foresee.js'
import { decodeRevert } from './revert.js'

/** Storage words in one request to the archive. */
const wordsPerBatch = 250
/** Calls in one request to a fork that has what they read. */
const callsPerBatch = 16
/** Requests in flight, of batches and of calls: calls of unread state go one by one, since Anvil works a batch off in order. */
const batchesInFlight = 8
const callsInFlight = 32

export interface ForkReader extends StateReader {
  /** Forgets what was read. Connections belong to the thread and stay. */
  close(): void
}

interface Waiting {
  readonly address: Address
  readonly slot: Hex
  resolve(result: ReadResult): void
  reject(error: unknown): void
}

/** Forks of one block. */
export interface BlockForks {
  readonly forkUrls: readonly string[]
  /** They have been given what forks of other blocks read. Default false. */
  readonly isFilled?: boolean
}

interface WaitingCall {
  readonly call: ReadCall
  resolve(result: ReadResult): void
  reject(error: unknown): void
}

/**
 * @param args.archiveUrl - URL of the block in the archive.
 * @param args.forkUrls - forks of the same block; needed by calls alone.
 * @throws both methods: ForkLostError (a ForkrouteError FORK_UNAVAILABLE with the fork's URL), ForkrouteError
 * UPSTREAM_UNAVAILABLE, or the signal's reason.
 */
export function createReader(args: {
  readonly pin: BlockPin
  readonly archiveUrl: string
  readonly forkUrls?: readonly string[]
  /** In place of these URLs. Filled ones have most of what calls read: these then go in batches. */
  readonly forks?: Promise<BlockForks>
  readonly signal?: AbortSignal
}): ForkReader {
  const { pin, archiveUrl, forkUrls = [], signal } = args
  const forks: Promise<BlockForks> = args.forks ?? Promise.resolve({ forkUrls })
  const block = `0x${pin.number.toString(16)}`
  const gas = numberToHex(gasOfRead(pin))
  const known = new Map<string, Promise<ReadResult>>()
  const batchLimit = pLimit(batchesInFlight)
  const callLimit = pLimit(callsInFlight)
  let turn = 0
  // Every request in flight listens to it.
  if (signal) setMaxListeners(0, signal)

  /** Remembers the result of a read, and forgets a read that failed to run at all. */
  function remember(key: string, read: Promise<ReadResult>): void {
    known.set(key, read)
    read.catch(() => known.delete(key))
  }

  /** Reads requested since the last turn of the event loop: adapters run concurrently, and each reads a few words. */
  let waiting: Waiting[] = []

  function readLater(address: Address, slot: Hex): Promise<ReadResult> {
    if (waiting.length === 0) setImmediate(sendWaiting)
    return new Promise((resolve, reject) => waiting.push({ address, slot, resolve, reject }))
  }

  function sendWaiting(): void {
    const all = waiting
    waiting = []
    for (let start = 0; start < all.length; start += wordsPerBatch) {
      const words = all.slice(start, start + wordsPerBatch)
      batchLimit(() => readWords(words)).then(
        (results) => {
          for (const [index, { resolve }] of words.entries()) resolve(results[index] as ReadResult)
        },
        (error) => {
          for (const { reject } of words) reject(error)
        },
      )
    }
  }

  async function readWords(words: readonly Waiting[]): Promise<ReadResult[]> {
    const calls = words.map(({ address, slot }) => ({
      method: 'eth_getStorageAt',
      params: [address, slot, block],
    }))
    const replies = await forkClient(archiveUrl).batch(calls, signal)
    return replies.map((reply) =>
      toRead(pin, reply, (value) => `0x${value.slice(2).padStart(64, '0')}`),
    )
  }

  let waitingCalls: WaitingCall[] = []

  function callLater(call: ReadCall): Promise<ReadResult> {
    if (waitingCalls.length === 0) setImmediate(sendCalls)
    return new Promise((resolve, reject) => waitingCalls.push({ call, resolve, reject }))
  }

  function sendCalls(): void {
    const all = waitingCalls
    waitingCalls = []
    for (let start = 0; start < all.length; start += callsPerBatch) {
      const some = all.slice(start, start + callsPerBatch)
      callLimit(() => askForkCalls(some.map(({ call }) => call))).then(
        (replies) => {
          for (const [index, { resolve, reject }] of some.entries()) {
            // What fails one of them is no fact about the others.
            try {
              resolve(toRead(pin, replies[index] as RpcResult))
            } catch (error) {
              reject(error)
            }
          }
        },
        (error) => {
          for (const { reject } of some) reject(error)
        },
      )
    }
  }

  async function askForkCalls(calls: readonly ReadCall[]): Promise<RpcResult[]> {
    return askForkAtOnce(await nextFork(), pin, calls.map(toRpcCall), signal)
  }

  async function ask(call: ReadCall): Promise<ReadResult> {
    const { isFilled = false } = await forks
    return isFilled ? callLater(call) : callLimit(() => readCall(call))
  }

  async function readCall(call: ReadCall): Promise<ReadResult> {
    return toRead(pin, await askFork(await nextFork(), pin, toRpcCall(call), signal))
  }

  async function nextFork(): Promise<string> {
    const { forkUrls } = await forks
    const url = forkUrls[turn++ % forkUrls.length]
    if (!url) throw new RangeError('A reader needs at least one fork for calls.')
    return url
  }

  function toRpcCall({ to, data, timestamp }: ReadCall): RpcCall {
    const later = timestamp === undefined ? [] : [{}, { time: `0x${timestamp.toString(16)}` }]
    return { method: 'eth_call', params: [{ to, data, gas }, block, ...later] }
  }

  let guesses: Guess[] = []

  function sendGuesses(): void {
    tellGuesses(archiveUrl, guesses)
    guesses = []
  }

  const notes: BlockNotes = {
    get: (name) => forkClient(archiveUrl).request('forkroute_noted', [name], signal),
    put: async (name, text) => {
      await forkClient(archiveUrl).request('forkroute_note', [name, text], signal)
    },
  }

  return {
    block: pin,
    notes,
    guess(topic, guess) {
      if (!isNewGuess(pin.chainId, topic)) return
      // Before the reads of the same turn, which lead to what is guessed.
      if (guesses.length === 0) setImmediate(sendGuesses)
      guesses.push(guess())
    },
    async storage(reads) {
      signal?.throwIfAborted()
      return Promise.all(
        reads.map(({ address, slot }) => {
          const key = wordKey(address, slot)
          const before = known.get(key)
          if (before) return before
          const read = readLater(address, slot)
          remember(key, read)
          return read
        }),
      )
    },
    async call(calls) {
      signal?.throwIfAborted()
      foresee(archiveUrl, pin, calls)
      return Promise.all(
        calls.map((call) => {
          const key = `${call.to}:${call.data}:${call.timestamp ?? ''}`
          const read = known.get(key) ?? ask(call)
          remember(key, read)
          return read
        }),
      )
    },
    close() {
      known.clear()
    },
  }
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
