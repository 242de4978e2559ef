/**
 * Checks a share of what nodes say of state by proof, after the answer (`VERIFY_STATE=sample`). A node that said something
 * else than the block's state root proves is left out until the service is restarted.
 */
import type { Hex } from '../../../domain/primitives.js'
import { quietly } from '../../../telemetry/quietly.js'
import type { BlockRef } from '../answer.js'
import type { Ask } from '../ask.js'
import type { Outcome } from '../node-request.js'
import type { UpstreamCounters } from '../node-status.js'
import { describe, type ItemKey } from '../state-item.js'
import type { UpstreamNode } from '../upstream-node.js'
import type { ProvenValues } from './proven-values.js'

/** A value that a node gave in its stored form, and what is proven instead. */
export interface FalseValue {
  readonly key: ItemKey
  readonly block: BlockRef
  readonly proven: Hex
}

export interface Sampling {
  /** Looks at what a node has answered; checks come later. */
  observe(node: UpstreamNode, asks: readonly Ask[], outcomes: readonly Outcome[]): void
  close(): void
}

interface Told {
  readonly node: UpstreamNode
  readonly key: ItemKey
  readonly block: BlockRef
  readonly value: unknown
}

/** So long after the first of them values are checked: the answer that they are read for comes before. */
const delayMs = 1_000
/** Values that wait for their check at most; others are not checked. */
const mostWaiting = 512

/** @param parts.share - of the values, from 0 to 1. */
export function createSampling(parts: {
  readonly share: number
  readonly proven: ProvenValues
  readonly counters: UpstreamCounters
  /** Whether no reorg can replace the block. */
  readonly isFinal: (number: bigint) => boolean
  readonly onFalse: (found: FalseValue) => void
}): Sampling {
  const { share, proven, counters, isFinal, onFalse } = parts
  let waiting: Told[] = []
  let timer: NodeJS.Timeout | null = null

  function take(told: Told): void {
    if (Math.random() >= share || waiting.length >= mostWaiting) return
    waiting.push(told)
    timer ??= setTimeout(checkAll, delayMs)
  }

  function checkAll(): void {
    const all = waiting
    waiting = []
    timer = null
    for (const told of all) {
      void quietly(check(told), 'A value that no node proves now is counted as such.')
    }
  }

  async function check({ node, key, block, value }: Told): Promise<void> {
    const truth = await proven.value(key, block).catch(() => null)
    if (!truth?.ok) {
      counters.stateUnproven += 1
      return
    }
    counters.stateChecked += 1
    if (truth.value === value) return
    // By its number it may have answered for a block that was replaced since.
    if (!node.abilities()?.blockHash && !isFinal(block.number)) return
    counters.stateFalse += 1
    node.leaveOut(
      `it said ${shown(value)} for ${describe(key)} at block ${block.number}, whose state root proves ${shown(truth.value)}.`,
    )
    onFalse({ key, block, proven: truth.value })
  }

  return {
    observe(node, asks, outcomes) {
      for (const [index, outcome] of outcomes.entries()) {
        const ask = asks[index]
        if (outcome.kind !== 'value' || !ask?.block) continue
        const { block } = ask
        const { read, bringsState } = ask.request(node)
        if (read) take({ node, key: read.key, block, value: outcome.value })
        if (!bringsState) continue
        for (const [key, value] of outcome.value as ReadonlyMap<ItemKey, Hex>) {
          take({ node, key, block, value })
        }
      }
    },
    close() {
      if (timer) clearTimeout(timer)
    },
  }
}

/** Code is told by its size. */
function shown(value: unknown): string {
  const text = String(value)
  return text.length > 66 ? `${(text.length - 2) / 2} bytes` : text
}
