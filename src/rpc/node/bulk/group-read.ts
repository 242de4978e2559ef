/**
 * Reads the values of one block by calls of one kind, in passes: what was refused is asked for again by smaller calls,
 * until nothing is left or the node shows that it does not take them. Owned by `bulk-read.ts`.
 */
import type { Hex } from '../../../domain/primitives.js'
import type { ChainTip } from '../chain-tip.js'
import { unknownBlock } from '../node-answers.js'
import type { NodeRequest, Outcome } from '../node-request.js'
import { type ItemKey, isSlot } from '../state-item.js'
import type { SendOptions, UpstreamNode } from '../upstream-node.js'
import type { NodeBulkLimits } from './bulk-limits.js'
import type { BulkNodes } from './bulk-nodes.js'
import { type BulkCall, isOtherBlock, limitsOf } from './bulk-plan.js'
import type { ReadStrategy } from './read-strategy.js'

/** Reads of one block by one kind of call. */
export interface ReadGroup {
  readonly number: bigint
  readonly strategy: ReadStrategy
  /** Index of the request, by the key that it reads. */
  readonly places: Map<ItemKey, number>
}

/** Values as the node's own methods would answer them, or the outcome of a call that failed. */
export type FoundValues = Map<ItemKey, Hex | Outcome>

export interface GroupReadParts {
  readonly node: UpstreamNode
  readonly nodes: BulkNodes
  readonly group: ReadGroup
  /** All requests of the batch, of which the group reads some. */
  readonly requests: readonly NodeRequest[]
  readonly options: SendOptions
  /** A slot that is known not to be zero; null: none is. */
  readonly anchor: () => ItemKey | null
  readonly tip: ChainTip
}

/** Values of the call that tells whether smaller calls pass where larger ones do not. */
const trialKeys = 4
/** Passes over what was refused, each with smaller calls. */
const maxPasses = 8
/** The node asks for patience, or another one was quicker: that says nothing about the call. */
const saysNothing = /^limits requests|^waits$|^answered$|^given up$/

export class GroupRead {
  readonly #parts: GroupReadParts
  readonly #limits: NodeBulkLimits
  /** Of what was asked before: the budget for such pays for it. */
  readonly #again: SendOptions
  readonly #found: FoundValues = new Map()
  /** Slots of answers that were nothing but zeros. */
  readonly #unproven: ItemKey[] = []
  #todo: ItemKey[]
  /** These two are of the current pass. */
  #options: SendOptions
  #refusals: Outcome[] = []

  constructor(parts: GroupReadParts) {
    this.#parts = parts
    this.#limits = parts.nodes.limitsOf(parts.node)
    this.#again = { ...parts.options, isAgain: true }
    this.#options = parts.options
    this.#todo = [...parts.group.places.keys()]
  }

  /** @returns what the calls brought; keys that are missing are to be read singly. */
  async run(): Promise<FoundValues> {
    for (let pass = 0; pass < maxPasses && this.#todo.length > 0; pass++) {
      if (pass > 0) this.#options = this.#again
      if (!(await this.#pass())) break
    }
    return this.#found
  }

  /** @returns false when the node is to be asked for nothing more in bulk. */
  async #pass(): Promise<boolean> {
    const { group, anchor, tip } = this.#parts
    this.#refusals = []
    const share = this.#limits.share()
    const calls = group.strategy.plan(this.#todo, limitsOf(share))
    const left = await Promise.all(calls.map((call) => this.#ask(call)))
    const refused = calls.flatMap((call, index) => (left[index] === null ? call.keys : []))
    this.#todo = [
      ...refused,
      ...left.flatMap((keys) => keys ?? []),
      ...(anchor() === null ? [] : this.#unproven.splice(0)),
    ]
    if (refused.length === 0) return true
    const isAll = left.every((keys) => keys === null)
    // One of the nodes behind the address has not come so far, or says so: that says nothing about the size of calls.
    if (this.#refusals.every(isUnknownBlock) && (tip.isFresh(group.number) || !isAll)) {
      if (!isAll || !(await this.#lacksBlock())) return true
      this.#leave()
      return false
    }
    if (isAll && !(await this.#takesSmallest(refused))) return false
    // A block that was not found, or taken for another one, says nothing about the size of calls.
    return this.#refusals.every(isOfBlock) || this.#limits.shrink(share)
  }

  /** Where all calls were refused: whether the smallest one is taken. */
  async #takesSmallest(refused: readonly ItemKey[]): Promise<boolean> {
    const { node, group, tip } = this.#parts
    const [trial] = group.strategy.plan(refused.slice(0, trialKeys), limitsOf(1))
    if (trial && (await this.#ask(trial)) !== null) {
      this.#todo = this.#todo.filter((key) => !this.#found.has(key))
      return true
    }
    if (await this.#lacksBlock()) this.#leave()
    else if (!isOtherBlock(this.#refusals.at(-1))) this.#limits.refused(group.number)
    else if (!tip.isFresh(group.number)) {
      // Single reads would be of the state of that block, too, and could not be told from the right ones.
      tip.tookForOther(node, group.number)
      this.#leave()
    }
    return false
  }

  /** @returns keys to ask for again; null: the call was refused. */
  async #ask(call: BulkCall): Promise<readonly ItemKey[] | null> {
    const { node } = this.#parts
    const begun = performance.now()
    let [outcome] = await node.send([call.request], this.#options)
    // What is odd may pass, and then all of it comes by one call. If it never does, reads go without bulk.
    if (outcome?.kind === 'odd') [outcome] = await node.send([call.request], this.#again)
    const isOdd = outcome?.kind === 'odd' && !isUnknownBlock(outcome)
    if (outcome && (isOdd || outcome.kind === 'failed')) {
      this.#noteFailure(call, messageOf(outcome), begun)
      return []
    }
    if (outcome?.kind !== 'value') {
      if (outcome) this.#refusals.push(outcome)
      return null
    }
    this.#limits.worked()
    return this.#take(call, outcome.value as Hex)
  }

  /** @returns keys to ask for again. */
  #take(call: BulkCall, answer: Hex): readonly ItemKey[] {
    const { node, nodes, group } = this.#parts
    const { words, stubborn } = call.parse(answer)
    if (stubborn.length > 0) {
      // Other code ran in place of ours, and may have changed what was read after it.
      for (const address of stubborn) nodes.noteStubborn(node, address)
      return call.keys.filter((key) => words.has(key))
    }
    for (const [key, value] of group.strategy.understand(words)) this.#found.set(key, value)
    if (!call.isAnchored) {
      this.#unproven.push(...call.keys.filter((key) => isSlot(key) && !this.#found.has(key)))
    }
    return []
  }

  /** The node gave the call no answer. */
  #noteFailure({ keys }: BulkCall, message: string, begun: number): void {
    const { node, nodes, group } = this.#parts
    if (!saysNothing.test(message)) this.#limits.failed(begun, node.answeredAt())
    for (const key of keys) {
      this.#found.set(key, { kind: 'failed', message })
      // What was never sent, or is answered elsewhere, says nothing; what was waited for in vain does here.
      if (saysNothing.test(message) && message !== 'given up') continue
      nodes.noteUnanswered(node, { number: group.number, key })
    }
  }

  /** Whether single reads say, too, that the node does not have the block: then all of them would. */
  async #lacksBlock(): Promise<boolean> {
    if (!isUnknownBlock(this.#refusals.at(-1))) return false
    const { node, group, requests } = this.#parts
    const single = this.#todo
      .slice(0, trialKeys)
      .map((key) => requests[group.places.get(key) ?? 0] as NodeRequest)
    const outcomes = await node.send(single, this.#again)
    return outcomes.every(isUnknownBlock)
  }

  /** Leaves what is to do to who asked: the node does not have the block, or answers for another one. */
  #leave(): void {
    for (const key of this.#todo) this.#found.set(key, this.#refusals.at(-1) as Outcome)
  }
}

function messageOf(outcome: Outcome | undefined): string {
  return outcome && outcome.kind !== 'value' ? outcome.message : ''
}

function isUnknownBlock(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'odd' && unknownBlock.test(outcome.message)
}

function isOfBlock(outcome: Outcome): boolean {
  return isUnknownBlock(outcome) || isOtherBlock(outcome)
}
