/** Finds the block of a number, and makes sure that a node has its state. */
import {
  type BlockName,
  blockFacts,
  unknownBlock,
  unknownState,
} from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, BlockPin } from '../../domain/primitives.js'
import type { HeadTracker } from '../node/heads.js'
import { isGone } from '../node/node-answers.js'
import { balanceKey } from '../node/state-item.js'
import type { PinOptions } from './archive-messages.js'
import type { BlockOpener } from './block-opener.js'
import type { StateReader } from './state-reader.js'

/** Advice for the operator when no node has the state of a block any more. */
const archiveNeeded = ' Blocks this old need an archive node.'

/**
 * Whether an archive node would have it: not where the node did not answer, where a cassette is read, and where an
 * Anvil mined the chain itself and forgets its older blocks.
 */
function isOnArchiveNodes(message: string): boolean {
  return isGone(message) && !/BlockOutOfRange/.test(message)
}

/** @throws ForkrouteError UNKNOWN_BLOCK, UPSTREAM_UNAVAILABLE. */
export async function pinBlock(
  number: bigint,
  options: PinOptions,
  parts: {
    readonly chainId: number
    readonly opener: Pick<BlockOpener, 'open'>
    readonly tracker: Pick<HeadTracker, 'head'>
    readonly reader: Pick<StateReader, 'find'>
  },
): Promise<BlockPin> {
  const { chainId, opener, tracker, reader } = parts
  const isOld = () => number <= (tracker.head()?.number ?? -1n)
  const { found, hasState } = await opener.open(number, options)
  if (!found.ok) {
    const head = tracker.head()
    if (head && !isOld()) throw futureBlock({ chainId, number }, head, found.message)
    const advice = isOnArchiveNodes(found.message) && isOld() ? archiveNeeded : ''
    const why = `Block ${number} is not known: ${found.message}.${advice}`
    throw unknownBlock({ chainId, number }, why)
  }
  const { pin, json } = found.value
  if (pin.hash === tracker.head()?.hash || typeof json.miner !== 'string') return pin
  if (await hasState()) return pin
  // Every block touches its fee recipient, so a node with the block's state has this account.
  const state = await reader.find(balanceKey(json.miner.toLowerCase() as Address), pin)
  if (state.ok) return pin
  const advice = isOld() && isOnArchiveNodes(state.message) ? archiveNeeded : ''
  throw unknownState({ chainId, number }, state.message, advice)
}

function futureBlock(
  block: BlockName,
  newest: Pick<BlockPin, 'number'>,
  why: string,
): ForkrouteError {
  return new ForkrouteError(
    'UNKNOWN_BLOCK',
    `Block ${block.number} is not known: ${why}. The newest block of chain ${block.chainId} is ${newest.number}; without blockNumber it is taken.`,
    {
      ...blockFacts(block),
      newest: newest.number.toString(),
      next: [{ parameter: 'blockNumber', value: null }],
    },
  )
}
