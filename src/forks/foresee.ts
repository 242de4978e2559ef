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

/** Of one message, as the archive takes them. */
const mostCalls = 1_024

/** Calls of a kind at the block at which the first was told, each with other places in a list. Amounts make no other call. */
const mostOfKind = 16

/** What is told of a block: its place in the archive, and what tells it from others. */
interface ForeseenBlock {
  readonly archiveUrl: string
  readonly pin: Pick<BlockPin, 'chainId' | 'hash'>
}

/** By chain and kind of call. */
const told = new LRUCache<string, { readonly hash: Hex; readonly places: Set<string> }>({
  max: 20_000,
})

export function foresee(
  block: ForeseenBlock,
  calls: readonly { readonly from?: Address; readonly to: Address; readonly data: Hex }[],
): void {
  const { chainId, hash } = block.pin
  const fresh = calls.filter(({ from, to, data }) => {
    const kind = `${chainId} ${from ? `${from} ${to} ${data}` : callKind(to, data)}`
    const known = told.get(kind) ?? { hash, places: new Set() }
    told.set(kind, known)
    const places = placesIn(data).join()
    if (known.hash !== hash || known.places.size >= mostOfKind || known.places.has(places)) {
      return false
    }
    known.places.add(places)
    return true
  })
  if (fresh.length === 0) return
  const asked = fresh.slice(0, mostCalls).map(({ from, to, data }) => ({ from, to, data }))
  const telling = archiveOf(block).request('forkroute_foresee', [asked])
  void quietly(telling, 'A hint of calls to come did not reach the archive.')
}

/** What the archive remembers of a chain it forgets when it was not used for half an hour. */
const guessed = new LRUCache<string, true>({ max: 20_000, ttl: 1_800_000, updateAgeOnHas: true })

/** Whether a guess of the topic is to be told. */
export function isNewGuess(chainId: number, topic: string): boolean {
  const name = `${chainId} ${topic}`
  const isNew = !guessed.has(name)
  if (isNew) guessed.set(name, true)
  return isNew
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
