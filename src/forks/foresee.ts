/**
 * Tells the archive of calls that a fork is about to make, so that what they touch is read in bulk. Calls of a kind are
 * told at one block in a thread: the archive remembers what they used. So are guesses of what look-ups will lead to. Hints only;
 * nothing waits for them.
 */
import { LRUCache } from 'lru-cache'
import type { Address, BlockPin, Hex } from '../domain/primitives.js'
import type { Guess } from '../domain/state.js'
import { callKind, placesIn } from '../rpc/hints/call-kind.js'
import { quietly } from '../telemetry/quietly.js'
import type { ArchivedBlock } from './block-source.js'
import { archiveOf } from './clients.js'

/** The archive takes no more in one message. */
const mostCalls = 1_024

/** Calls of a kind at the block at which the first was told, each with other places in a list. Amounts make no other call. */
const mostOfKind = 16

/** What is told of a block: its place in the archive, and what tells it from others. */
interface ForeseenBlock {
  readonly archiveUrl: string
  readonly pin: Pick<BlockPin, 'chainId' | 'hash'>
}

interface ForeseenCall {
  readonly from?: Address
  readonly to: Address
  readonly data: Hex
}

/** What the archive remembers of a chain it forgets when it was not used for half an hour. */
const forgottenMs = 1_800_000

/** What a thread has told the archive, so that it tells each thing once. */
class ToldHints {
  /** Keyed by chain and kind of call. */
  readonly #calls = new LRUCache<string, { readonly hash: Hex; readonly places: Set<string> }>({
    max: 20_000,
  })
  readonly #guesses = new LRUCache<string, true>({
    max: 20_000,
    ttl: forgottenMs,
    updateAgeOnHas: true,
  })

  /** Whether the call is to be told at the block; it counts as told then. */
  isNewCall(
    { chainId, hash }: Pick<BlockPin, 'chainId' | 'hash'>,
    { from, to, data }: ForeseenCall,
  ): boolean {
    const kind = `${chainId} ${from ? `${from} ${to} ${data}` : callKind(to, data)}`
    const known = this.#calls.get(kind) ?? { hash, places: new Set() }
    this.#calls.set(kind, known)
    const places = placesIn(data).join()
    if (known.hash !== hash || known.places.size >= mostOfKind || known.places.has(places)) {
      return false
    }
    known.places.add(places)
    return true
  }

  /** Whether a guess of the topic is to be told; it counts as told then. */
  isNewGuess(chainId: number, topic: string): boolean {
    const name = `${chainId} ${topic}`
    const isNew = !this.#guesses.has(name)
    if (isNew) this.#guesses.set(name, true)
    return isNew
  }
}

/** One for each thread, as this module is. */
const told = new ToldHints()

export function foresee(block: ForeseenBlock, calls: readonly ForeseenCall[]): void {
  const fresh = calls.filter((call) => told.isNewCall(block.pin, call))
  if (fresh.length === 0) return
  const asked = fresh.slice(0, mostCalls).map(({ from, to, data }) => ({ from, to, data }))
  const telling = archiveOf(block).request('forkroute_foresee', [asked])
  void quietly(telling, 'A hint of calls to come did not reach the archive.')
}

/** Whether a guess of the topic is to be told. */
export function isNewGuess(chainId: number, topic: string): boolean {
  return told.isNewGuess(chainId, topic)
}

/** Values of one message, as the archive takes them. */
const mostGuessed = 4_096

export function tellGuesses(
  block: Pick<ArchivedBlock, 'archiveUrl'>,
  guesses: readonly Guess[],
): void {
  const slots = guesses.flatMap((guess) => guess.slots ?? []).slice(0, mostGuessed)
  const pools = guesses.flatMap((guess) => guess.pools ?? []).slice(0, mostGuessed)
  const telling = archiveOf(block).request('forkroute_guess', [{ slots, pools }])
  void quietly(telling, 'A guess of what will be read did not reach the archive.')
}
