/**
 * Reads of state by few calls: providers bill calls, and a node answers one `eth_call` for hundreds of words. What a
 * node does not answer that way is read value by value, as everything is where nodes take no overrides.
 *
 * A value counts only where the answer shows that our code ran there, and on the state of the accounts: zeros count
 * beside a value that is not zero, since a node that empties accounts whose code it replaces answers nothing but zeros.
 */
import { LRUCache } from 'lru-cache'
import { numberToHex } from 'viem'
import type { Address, Hex } from '../../../domain/primitives.js'
import type { Ask } from '../ask.js'
import { unknownBlock } from '../node-answers.js'
import type { NodeRequest, Outcome, StateRead } from '../node-request.js'
import { addressOf, codeKey, type ItemKey, isCode, isSlot, nonceKey } from '../state-item.js'
import type { SendOptions, UpstreamNode } from '../upstream-node.js'
import { type BulkBook, createBulkBook } from './bulk-book.js'
import { createNodeBulkLimits, type NodeBulkLimits } from './bulk-limits.js'
import {
  accountCalls,
  type BlockParam,
  type BulkCall,
  type BulkLimits,
  isReplaceable,
  limitsOf,
  slotCalls,
} from './bulk-plan.js'
import type { State } from './prestate.js'

export interface BulkReader {
  /** As the node's own `send`. Outcomes in the order of the requests. */
  send(
    node: UpstreamNode,
    requests: readonly NodeRequest[],
    options: SendOptions,
  ): Promise<Outcome[]>
  /** Reads in parts that go their own ways: those that are read in bulk stay together. */
  split(node: UpstreamNode, asks: readonly Ask[]): readonly (readonly Ask[])[]
  /** Whether many values of the block are read by few calls. */
  mayRead(node: UpstreamNode, number: bigint): boolean
}

/** Fewer values than this are read one by one. */
const fewestKeys = 6
/** So many other reads do not go their own way. */
const fewOthers = 2
/** Values of the call that tells whether smaller calls pass where larger ones do not. */
const trialKeys = 4
/** Passes over what was refused, each with smaller calls. */
const maxPasses = 8
/** The node asks for patience, or another one was quicker: that says nothing about the call. */
const saysNothing = /^limits requests|^waits$|^answered$|^given up$/
/** Accounts whose code a node did not replace are read plainly for this long. */
const stubbornMs = 600_000
/** A value that so many calls in a row have not brought is read by the node's own method for this long. */
const mostUnanswered = 3
const unansweredMs = 60_000

const isNonce = (key: ItemKey): boolean => key === nonceKey(addressOf(key))
const isSlotOrNonce = (key: ItemKey): boolean => isSlot(key) || isNonce(key)

/** The node answers for another block than it is asked for. */
const otherBlock = /^the call ran in block/

/** Reads of one block by one kind of call. */
interface Group {
  readonly number: bigint
  readonly way: Way
  /** Of the requests, by key. */
  readonly places: Map<ItemKey, number>
}

/** Values as the node's own methods would answer them, or the outcome of a call that failed. */
type Found = Map<ItemKey, Hex | Outcome>

/** What one kind of call reads, and what its answer says. */
interface Way {
  readonly plan: (keys: readonly ItemKey[], limits: BulkLimits) => readonly BulkCall[]
  readonly understand: (words: ReadonlyMap<ItemKey, Hex>) => ReadonlyMap<ItemKey, Hex>
}

/** @param isFresh - some of the nodes behind an address may not have the block yet. */
export function createBulkReader(isFresh: (number: bigint) => boolean): BulkReader {
  const book = createBulkBook()
  const limits = new WeakMap<UpstreamNode, NodeBulkLimits>()
  const stubborn = new LRUCache<string, true>({ max: 4_096, ttl: stubbornMs })
  /** How many calls for a value got no answer. A node that keeps back calls in bulk alone may give it by its own method. */
  const unanswered = new LRUCache<string, number>({ max: 16_384, ttl: unansweredMs })

  function limitsFor(node: UpstreamNode): NodeBulkLimits {
    const known = limits.get(node) ?? createNodeBulkLimits(node.noise)
    limits.set(node, known)
    return known
  }

  function mayRead(node: UpstreamNode, number: bigint): boolean {
    return node.abilities()?.overrides === true && limitsFor(node).mayRead(number)
  }

  /** Whether our code runs on the node in place of that of the account. */
  function runsAt(node: UpstreamNode, address: Address): boolean {
    return isReplaceable(address) && !stubborn.has(`${node.name}${address}`)
  }

  function isEligible(node: UpstreamNode, { number, key }: StateRead): boolean {
    if ((unanswered.get(`${node.name}${number}${key}`) ?? 0) >= mostUnanswered) return false
    const address = addressOf(key)
    // The hash of code and what a nonce decides say nothing of what was never read.
    if (isCode(key)) return book.knowsCode(address)
    if (isNonce(key) && book.lastNonce(address) === undefined) return false
    return !isSlotOrNonce(key) || runsAt(node, address)
  }

  /** The reads that are worth a call for many, by block and kind of call. */
  function groupsOf(node: UpstreamNode, requests: readonly NodeRequest[]): Group[] {
    const groups = new Map<string, Group>()
    requests.forEach(({ read }, place) => {
      if (!read || !isEligible(node, read) || !mayRead(node, read.number)) return
      const { key, number } = read
      const isAccounts = !isSlotOrNonce(key)
      const id = `${isAccounts} ${JSON.stringify(read.block)}`
      const way = wayOf(node, read, isAccounts)
      const group = groups.get(id) ?? { number, way, places: new Map() }
      groups.set(id, group)
      if (!group.places.has(key)) group.places.set(key, place)
    })
    for (const { places } of groups.values()) leaveZeroNonces(places)
    return [...groups.values()].filter(({ places }) => places.size >= fewestKeys)
  }

  /** Where all nonces may be zero, an answer would prove none of them: they are read singly in the same round. */
  function leaveZeroNonces(places: Map<ItemKey, number>): void {
    const nonces = [...places.keys()].filter(isNonce)
    if (nonces.some((key) => book.lastNonce(addressOf(key)))) return
    for (const key of nonces) places.delete(key)
  }

  const anchorAt = (node: UpstreamNode) => () => book.anchor((address) => runsAt(node, address))

  function wayOf(node: UpstreamNode, at: BlockParam, isAccounts: boolean): Way {
    return isAccounts ? accountWay(at, book) : slotWay(at, book, anchorAt(node))
  }

  function splitReads(node: UpstreamNode, asks: readonly Ask[]): readonly (readonly Ask[])[] {
    if (!node.abilities()?.overrides) return node.parts(asks)
    const together = asks.filter((one) => {
      const { read } = one.request(node)
      return read !== undefined && mayRead(node, read.number)
    })
    if (together.length < fewestKeys) return node.parts(asks)
    // A header travels with them: a request less.
    if (asks.length - together.length <= fewOthers) return [asks]
    const apart = new Set(together)
    return [...node.parts(asks.filter((one) => !apart.has(one))), together]
  }

  async function readGroup(
    node: UpstreamNode,
    { way, number, places }: Group,
    requests: readonly NodeRequest[],
    options: SendOptions,
  ): Promise<Found> {
    const own = limitsFor(node)
    const again: SendOptions = { ...options, isAgain: true }
    /** Of the current pass. */
    let how = options
    /** Of the current pass. */
    let refusals: Outcome[] = []
    const found: Found = new Map()
    /** Slots of answers that were nothing but zeros. */
    const unproven: ItemKey[] = []

    /** @returns keys to ask for again; null: the call was refused. */
    async function ask(call: BulkCall): Promise<readonly ItemKey[] | null> {
      const begun = performance.now()
      let [outcome] = await node.send([call.request], how)
      // What is odd may pass, and then all of it comes by one call. If it never does, reads go without bulk.
      if (outcome?.kind === 'odd') [outcome] = await node.send([call.request], again)
      const isOdd = outcome?.kind === 'odd' && !isUnknownBlock(outcome)
      if (outcome && (isOdd || outcome.kind === 'failed')) {
        const message = messageOf(outcome)
        if (!saysNothing.test(message)) own.failed(begun, node.answeredAt())
        for (const key of call.keys) {
          found.set(key, { kind: 'failed', message })
          // What was never sent, or is answered elsewhere, says nothing; what was waited for in vain does here.
          if (saysNothing.test(message) && message !== 'given up') continue
          const name = `${node.name}${number}${key}`
          unanswered.set(name, (unanswered.get(name) ?? 0) + 1)
        }
        return []
      }
      if (outcome?.kind !== 'value') {
        if (outcome) refusals.push(outcome)
        return null
      }
      own.worked()
      const { words, stubborn: others } = call.parse(outcome.value as Hex)
      if (others.length > 0) {
        // Other code ran in place of ours, and may have changed what was read after it.
        for (const address of others) stubborn.set(`${node.name}${address}`, true)
        return call.keys.filter((key) => words.has(key))
      }
      for (const [key, answer] of way.understand(words)) found.set(key, answer)
      if (!call.isAnchored)
        unproven.push(...call.keys.filter((key) => isSlot(key) && !found.has(key)))
      return []
    }

    const lastRefusal = () => refusals.at(-1)
    /** Whether single reads say, too, that the node does not have the block: then all of them would. */
    async function lacksBlock(some: readonly ItemKey[]): Promise<boolean> {
      if (!isUnknownBlock(lastRefusal())) return false
      const single = some.slice(0, trialKeys).map((key) => requests[places.get(key) ?? 0])
      const outcomes = await node.send(single as NodeRequest[], again)
      return outcomes.every(isUnknownBlock)
    }

    /** Leaves what is to do to who asked: the node does not have the block, or answers for another one. */
    const leave = () => {
      for (const key of todo) found.set(key, lastRefusal() as Outcome)
    }

    const anchor = anchorAt(node)
    let todo = [...places.keys()]
    for (let pass = 0; pass < maxPasses && todo.length > 0; pass++) {
      refusals = []
      if (pass > 0) how = again
      const share = own.share()
      const calls = way.plan(todo, limitsOf(share))
      const left = await Promise.all(calls.map(ask))
      const refused = calls.flatMap((call, index) => (left[index] === null ? call.keys : []))
      todo = [
        ...refused,
        ...left.flatMap((again) => again ?? []),
        ...(anchor() === null ? [] : unproven.splice(0)),
      ]
      if (refused.length === 0) continue
      const isAll = left.every((again) => again === null)
      // One of the nodes behind the address has not come so far, or says so: that says nothing about the size of calls.
      if (refusals.every(isUnknownBlock) && (isFresh(number) || !isAll)) {
        if (!isAll || !(await lacksBlock(todo))) continue
        leave()
        break
      }
      if (isAll) {
        const [trial] = way.plan(refused.slice(0, trialKeys), limitsOf(1))
        if (!trial || (await ask(trial)) === null) {
          if (await lacksBlock(todo)) leave()
          else if (!otherBlock.test(messageOf(lastRefusal()))) own.refused(number)
          // Single reads would be of the state of that block, too, and could not be told from the right ones.
          else if (!isFresh(number)) leave()
          break
        }
        todo = todo.filter((key) => !found.has(key))
      }
      // A block that was not found says nothing about the size of calls.
      if (!refusals.every(isUnknownBlock) && !own.shrink(share)) break
    }
    return found
  }

  async function sendPlain(
    node: UpstreamNode,
    requests: readonly NodeRequest[],
    places: readonly number[],
    outcomes: Outcome[],
    options: SendOptions,
  ): Promise<void> {
    if (places.length === 0) return
    const sent = await node.send(
      places.map((place) => requests[place] as NodeRequest),
      options,
    )
    places.forEach((place, index) => {
      const outcome = sent[index]
      if (outcome) outcomes[place] = outcome
      const { read, bringsState } = requests[place] ?? {}
      if (outcome?.kind !== 'value') return
      if (read) book.note(read.key, outcome.value as Hex)
      if (bringsState) for (const [key, value] of outcome.value as State) book.note(key, value)
    })
  }

  /** What was found, by place; null when a value differs from the one that was also read singly. */
  function judge(
    { places }: Group,
    found: Found,
    requests: readonly NodeRequest[],
    outcomes: readonly Outcome[],
  ): ReadonlyMap<number, Outcome> | null {
    const judged = new Map<number, Outcome>()
    for (const [key, one] of found) {
      const place = places.get(key)
      const request = place === undefined ? undefined : requests[place]
      if (place === undefined || !request) continue
      const outcome = typeof one === 'string' ? toOutcome(request, one) : one
      const single = outcomes[place]
      if (single?.kind !== 'value') judged.set(place, outcome)
      else if (outcome.kind === 'value' && single.value !== outcome.value) return null
    }
    return judged
  }

  return {
    mayRead,
    split(node, asks) {
      const large = asks.filter((one) => one.request(node).bringsState)
      const others = large.length > 0 ? asks.filter((one) => !large.includes(one)) : asks
      return [...large.map((one) => [one]), ...(others.length > 0 ? splitReads(node, others) : [])]
    },
    async send(node, requests, options) {
      const groups = groupsOf(node, requests)
      const outcomes: Outcome[] = []
      const places = groups.flatMap((group) => [...group.places.values()])
      const samples = new Set(
        groups.flatMap((group) => {
          return book.samplesOf([...group.places.keys()]).map((key) => group.places.get(key) ?? 0)
        }),
      )
      const grouped = new Set(places.filter((place) => !samples.has(place)))
      const single = [...requests.keys()].filter((place) => !grouped.has(place))
      const [, ...found] = await Promise.all([
        sendPlain(node, requests, single, outcomes, options),
        ...groups.map((group) => readGroup(node, group, requests, options)),
      ])
      const judged = groups.map((group, index) => {
        return judge(group, found[index] ?? new Map(), requests, outcomes)
      })
      if (judged.includes(null)) limitsFor(node).distrust()
      else {
        for (const [place, outcome] of judged.flatMap((some) => [...(some ?? [])])) {
          outcomes[place] = outcome
          const key = requests[place]?.read?.key
          if (key && outcome.kind === 'value') book.note(key, outcome.value as Hex)
        }
      }
      const left = [...grouped].filter((place) => outcomes[place] === undefined)
      await sendPlain(node, requests, left, outcomes, options)
      return outcomes
    },
  }
}

function toOutcome(request: NodeRequest, answer: Hex): Outcome {
  const judgement = request.judge(answer)
  if (judgement.kind === 'value') return judgement
  return { kind: 'refused', message: judgement.message }
}

function messageOf(outcome: Outcome | undefined): string {
  return outcome && outcome.kind !== 'value' ? outcome.message : ''
}

function isUnknownBlock(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'odd' && unknownBlock.test(outcome.message)
}

function slotWay(at: BlockParam, book: BulkBook, anchor: () => ItemKey | null): Way {
  return {
    plan: (keys, limits) =>
      slotCalls(keys, at, limits, (own) =>
        own.every((key) => !isSlot(key)) || own.some(book.wasNotZero) ? null : anchor(),
      ),
    understand(words) {
      const slots = [...words].filter(([key]) => isSlot(key))
      const nonces = [...words].flatMap(([key, word]): [ItemKey, number][] => {
        if (isSlot(key)) return []
        const nonce = book.nonceOf(addressOf(key), `0x${word.slice(26)}`)
        return nonce === null ? [] : [[key, nonce]]
      })
      const present = slots.filter(([, word]) => BigInt(word) !== 0n)
      for (const [key, word] of present) book.note(key, numberToHex(BigInt(word)))
      const hasStorage = present.length > 0
      if (!hasStorage) book.doubt(slots.map(([key]) => key))
      const hasNonces = nonces.some(([, nonce]) => nonce !== 0)
      return new Map([
        ...(hasStorage ? slots : []),
        ...(hasNonces ? nonces : []).map(
          ([key, nonce]) => [key, numberToHex(BigInt(nonce))] as const,
        ),
      ])
    },
  }
}

function accountWay(at: BlockParam, book: BulkBook): Way {
  return {
    plan: (keys, limits) => accountCalls(keys, at, limits),
    understand(words) {
      if ([...words.values()].every((word) => BigInt(word) === 0n)) return new Map()
      return new Map(
        [...words].flatMap(([key, word]): [ItemKey, Hex][] => {
          if (!isCode(key)) return [[key, numberToHex(BigInt(word))]]
          const code = book.codeOf(addressOf(key), word)
          return code === null ? [] : [[codeKey(addressOf(key)), code]]
        }),
      )
    },
  }
}
