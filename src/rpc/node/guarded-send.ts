/**
 * Sends reads of state to one node, safe from reorgs: where the node cannot read by block hash, the header of each
 * block that may still be replaced is read after its state, so that values of another branch are refused, not mixed in.
 */
import type { Hex } from '../../domain/primitives.js'
import type { BlockRef } from './answer.js'
import type { Ask } from './ask.js'
import type { VerifiedBlock } from './block-check.js'
import type { BulkReader } from './bulk/bulk-read.js'
import type { ChainTip } from './chain-tip.js'
import { insist } from './insist.js'
import type { NodeRequest, Outcome } from './node-request.js'
import type { SendOptions, UpstreamNode } from './upstream-node.js'

/** `same`: the node still has the block; `gone`: it has another or none; `unsure`: it gave no answer. */
type Standing = 'same' | 'gone' | 'unsure'

const headerAttempts = 3

/** @returns outcomes in the order of the reads. */
export async function sendGuarded(
  node: UpstreamNode,
  asks: readonly Ask[],
  parts: {
    readonly tip: ChainTip
    readonly bulk: BulkReader
    readonly headerRequest: (number: bigint) => NodeRequest
  },
  options: SendOptions,
): Promise<Outcome[]> {
  const requests = asks.map((one) => one.request(node))
  if (node.abilities()?.blockHash) return parts.bulk.send(node, requests, options)
  const guarded = replaceable(asks, parts.tip)
  const outcomes = await parts.bulk.send(node, requests, options)
  if (guarded.length === 0) return outcomes
  // A header that does not come at once is asked for again: without it, all that was read is lost.
  const headers = await insist(
    guarded.map(({ number }) => parts.headerRequest(number)),
    {
      send: (some, isAgain) =>
        node.send(some, { ...options, isAgain: isAgain || options.isAgain === true }),
      attempts: headerAttempts,
      mayGoOn: () => !options.signal?.aborted,
    },
  )
  const standings = new Map(
    guarded.map((block, index) => [block.hash, standingOf(block, headers[index], parts.tip)]),
  )
  return outcomes.map((outcome, index) => {
    const block = asks[index]?.block
    const trust = block ? (standings.get(block.hash) ?? 'same') : 'same'
    if (outcome.kind !== 'value' || trust === 'same') return outcome
    if (trust === 'unsure') return { kind: 'failed', message: 'no header' }
    return { kind: 'refused', message: `the node has another block ${block?.number}` }
  })
}

/** The distinct blocks of the reads that a reorg could still replace. */
function replaceable(asks: readonly Ask[], tip: ChainTip): BlockRef[] {
  const blocks = new Map<Hex, BlockRef>()
  for (const { block } of asks) {
    if (block && !tip.isFinal(block.number)) blocks.set(block.hash, block)
  }
  return [...blocks.values()]
}

function standingOf(block: BlockRef, header: Outcome | undefined, tip: ChainTip): Standing {
  if (header?.kind === 'value') {
    return (header.value as VerifiedBlock).pin.hash === block.hash ? 'same' : 'gone'
  }
  if (header?.kind === 'refused') return 'gone'
  // Told so each time: the node has no such block any more, or one of several has not come so far.
  return header?.kind === 'odd' && !tip.isFresh(block.number) ? 'gone' : 'unsure'
}
