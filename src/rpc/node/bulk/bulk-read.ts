/**
 * Reads of state by few calls: providers bill calls, and a node answers one `eth_call` for hundreds of words. What a
 * node does not answer that way is read value by value, as everything is where nodes take no overrides.
 *
 * A value counts only where the answer shows that our code ran there, and on the state of the accounts: zeros count
 * beside a value that is not zero, since a node that empties accounts whose code it replaces answers nothing but zeros.
 */
import type { Hex } from '../../../domain/primitives.js'
import { isZero, type Send } from '../anchor.js'
import type { Ask } from '../ask.js'
import type { ChainTip } from '../chain-tip.js'
import type { NodeRequest, Outcome, StateRead } from '../node-request.js'
import { addressOf, type ItemKey, isCode, isSlot, nonceKey } from '../state-item.js'
import type { SendOptions, UpstreamNode } from '../upstream-node.js'
import { createBulkBook } from './bulk-book.js'
import { BulkNodes } from './bulk-nodes.js'
import { type FoundValues, GroupRead, type ReadGroup } from './group-read.js'
import type { State } from './prestate.js'
import { accountStrategy, slotStrategy } from './read-strategy.js'

/** Fewer values than this are read one by one. */
const fewestKeys = 6
/** So many other reads do not go their own way. */
const fewOthers = 2

/** Requests to one node on their way to their outcomes, which are filled in by index. */
interface Batch {
  readonly node: UpstreamNode
  readonly requests: readonly NodeRequest[]
  readonly options: SendOptions
  readonly outcomes: Outcome[]
}

export class BulkReader {
  readonly #tip: ChainTip
  readonly #sendPlainly: Send
  readonly #book = createBulkBook()
  readonly #nodes = new BulkNodes()

  /** @param sendPlainly - sends what is not read in bulk. */
  constructor(tip: ChainTip, sendPlainly: Send) {
    this.#tip = tip
    this.#sendPlainly = sendPlainly
  }

  /** Whether many values of the block are read by few calls. */
  mayRead(node: UpstreamNode, number: bigint): boolean {
    return this.#nodes.mayRead(node, number)
  }

  /** Reads in parts that go their own ways: those that are read in bulk stay together. */
  split(node: UpstreamNode, asks: readonly Ask[]): readonly (readonly Ask[])[] {
    const large = asks.filter((one) => one.request(node).bringsState)
    const others = large.length > 0 ? asks.filter((one) => !large.includes(one)) : asks
    return [
      ...large.map((one) => [one]),
      ...(others.length > 0 ? this.#splitReads(node, others) : []),
    ]
  }

  /** Sends requests to the node; outcomes come in their order. */
  async send(
    node: UpstreamNode,
    requests: readonly NodeRequest[],
    options: SendOptions,
  ): Promise<Outcome[]> {
    const batch: Batch = { node, requests, options, outcomes: [] }
    const groups = this.#groupsOf(node, requests)
    const places = groups.flatMap((group) => [...group.places.values()])
    const samples = new Set(
      groups.flatMap((group) => {
        const sampled = this.#book.samplesOf([...group.places.keys()])
        return sampled.map((key) => group.places.get(key) ?? 0)
      }),
    )
    const grouped = new Set(places.filter((place) => !samples.has(place)))
    const single = [...requests.keys()].filter((place) => !grouped.has(place))
    const [, ...found] = await Promise.all([
      this.#sendSingly(batch, single),
      ...groups.map((group) => this.#readGroup(batch, group)),
    ])
    this.#take(batch, groups, found)
    const left = [...grouped].filter((place) => batch.outcomes[place] === undefined)
    await this.#sendSingly(batch, left)
    return batch.outcomes
  }

  #splitReads(node: UpstreamNode, asks: readonly Ask[]): readonly (readonly Ask[])[] {
    if (!node.abilities()?.overrides) return node.parts(asks)
    const together = asks.filter((one) => {
      const { read } = one.request(node)
      return read !== undefined && this.mayRead(node, read.number)
    })
    if (together.length < fewestKeys) return node.parts(asks)
    // A header travels with them: a request less.
    if (asks.length - together.length <= fewOthers) return [asks]
    const apart = new Set(together)
    return [...node.parts(asks.filter((one) => !apart.has(one))), together]
  }

  /** The reads that are worth a call for many, by block and kind of call. */
  #groupsOf(node: UpstreamNode, requests: readonly NodeRequest[]): ReadGroup[] {
    const groups = new Map<string, ReadGroup>()
    requests.forEach(({ read }, place) => {
      if (!read || !this.#isEligible(node, read) || !this.mayRead(node, read.number)) return
      const { key, number } = read
      const isAccounts = !isSlotOrNonce(key)
      const id = `${isAccounts} ${JSON.stringify(read.block)}`
      const strategy = isAccounts
        ? accountStrategy(read, this.#book)
        : slotStrategy(read, this.#book, () => this.#anchorOf(node))
      const group = groups.get(id) ?? { number, strategy, places: new Map() }
      groups.set(id, group)
      if (!group.places.has(key)) group.places.set(key, place)
    })
    for (const { places } of groups.values()) this.#leaveZeroNonces(places)
    return [...groups.values()].filter(({ places }) => places.size >= fewestKeys)
  }

  #isEligible(node: UpstreamNode, read: StateRead): boolean {
    const { key } = read
    if (this.#nodes.isKeptBack(node, read)) return false
    const address = addressOf(key)
    // The hash of code and what a nonce decides say nothing of what was never read.
    if (isCode(key)) return this.#book.knowsCode(address)
    if (isNonce(key) && this.#book.lastNonce(address) === undefined) return false
    return !isSlotOrNonce(key) || this.#nodes.runsAt(node, address)
  }

  /** Where all nonces may be zero, an answer would prove none of them: they are read singly in the same round. */
  #leaveZeroNonces(places: Map<ItemKey, number>): void {
    const nonces = [...places.keys()].filter(isNonce)
    if (nonces.some((key) => this.#book.lastNonce(addressOf(key)))) return
    for (const key of nonces) places.delete(key)
  }

  #anchorOf(node: UpstreamNode): ItemKey | null {
    return this.#book.anchor((address) => this.#nodes.runsAt(node, address))
  }

  #readGroup({ node, requests, options }: Batch, group: ReadGroup): Promise<FoundValues> {
    const anchor = () => this.#anchorOf(node)
    const shared = { nodes: this.#nodes, tip: this.#tip }
    return new GroupRead({ ...shared, node, group, requests, options, anchor }).run()
  }

  async #sendSingly(batch: Batch, places: readonly number[]): Promise<void> {
    if (places.length === 0) return
    const { node, requests, outcomes, options } = batch
    const sent = await this.#sendPlainly(
      node,
      places.map((place) => requests[place] as NodeRequest),
      options,
    )
    places.forEach((place, index) => {
      const outcome = sent[index]
      if (outcome) outcomes[place] = outcome
      const { read, bringsState } = requests[place] ?? {}
      if (outcome?.kind !== 'value') return
      if (read) this.#book.note(read.key, outcome.value as Hex)
      if (!bringsState) return
      for (const [key, value] of outcome.value as State) this.#book.note(key, value)
    })
  }

  /** Takes over what the groups found, unless a value differs from the one that was also read singly. */
  #take(batch: Batch, groups: readonly ReadGroup[], found: readonly FoundValues[]): void {
    const judged = groups.map((group, index) => judge(batch, group, found[index] ?? new Map()))
    if (judged.includes(null)) {
      this.#nodes.limitsOf(batch.node).distrust()
      return
    }
    for (const [index, { number }] of groups.entries()) {
      if (this.#tip.isShown(batch.node, number)) continue
      // What is left of the block needs no further proof.
      if (isProven(judged[index])) this.#tip.shown(batch.node, number)
    }
    for (const [place, outcome] of judged.flatMap((some) => [...(some ?? [])])) {
      batch.outcomes[place] = outcome
      const key = batch.requests[place]?.read?.key
      if (key && outcome.kind === 'value') this.#book.note(key, outcome.value as Hex)
    }
  }
}

/** What was found, by the request's index; null when a value differs from the one that was also read singly. */
function judge(
  { requests, outcomes }: Batch,
  { places }: ReadGroup,
  found: FoundValues,
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

/** Whether some value is not zero: the node has the state. */
function isProven(judged: ReadonlyMap<number, Outcome> | null | undefined): boolean {
  return [...(judged?.values() ?? [])].some((one) => one.kind === 'value' && !isZero(one.value))
}

function toOutcome(request: NodeRequest, answer: Hex): Outcome {
  const judgement = request.judge(answer)
  if (judgement.kind === 'value') return judgement
  return { kind: 'refused', message: judgement.message }
}

function isNonce(key: ItemKey): boolean {
  return key === nonceKey(addressOf(key))
}

function isSlotOrNonce(key: ItemKey): boolean {
  return isSlot(key) || isNonce(key)
}
