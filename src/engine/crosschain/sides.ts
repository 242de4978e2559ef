/** What is known of either chain before anything is planned over a bridge: its block, and what the accounts there are. */
import type { LRUCache } from 'lru-cache'
import type { Lane } from '../../bridges/bridge.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type { CallContext, Engine, QuoteBatch } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { zip } from '../../domain/lists.js'
import type { Address, BlockPin } from '../../domain/primitives.js'
import { contractAddress } from '../../executor/deployments.js'
import type { AccountKind } from '../../routing/block/block-facts.js'
import type { Survey, SurveyArgs } from '../../routing/crosschain/survey-task.js'
import type { PricedToken } from '../../routing/market/valuation.js'
import type { ConfiguredChains } from '../configured-chains.js'
import type { TaskRunner } from '../task-runner.js'
import type { ExpectedSends } from './expected-sends.js'
import type { PastLanes } from './past-lanes.js'
import { settledBlock } from './settled-block.js'

/** Contracts of this service that orders on the destination may need there. */
export const ourContracts: readonly Address[] = [
  contractAddress('DestinationReceiver'),
  contractAddress('UniswapV2Swapper'),
  contractAddress('UniswapV4Swapper'),
  contractAddress('SolidlySwapper'),
  contractAddress('Values'),
  contractAddress('Caller'),
]

export interface CrosschainParts {
  readonly pastLanes: PastLanes
  readonly chains: ConfiguredChains
  readonly tasks: TaskRunner
  readonly blockAtTime: Engine['blockAtTime']
  /** Pairs of blocks at which a route was searched before: `<hash>:<hash>`. */
  readonly seenPins: LRUCache<string, true>
  readonly expectedSends: ExpectedSends
  /** Who was seen to take what a bridge brings: `<hash of the destination's block>:<bridge>:<token>:<receiver>`. */
  readonly payable: LRUCache<string, true>
}

export interface Side {
  readonly chain: ChainDefinition
  readonly pin: BlockPin
  /** Wei per gas. */
  readonly gasPrice: bigint
  readonly kinds: ReadonlyMap<Address, AccountKind>
  readonly prices: ReadonlyMap<Address, PricedToken>
}

export interface Sides {
  readonly source: Side
  readonly destination: Side
}

/** What every step of a crosschain quote works with. */
export interface QuoteParts extends Sides, Pick<CrosschainParts, 'tasks' | 'payable'> {
  readonly context: CallContext
  /** Who is paid on the destination. */
  readonly receiver: Address
}

/** Whether all that an order of the lane needs is on the destination. */
export function canOrder(lane: Lane, destination: Side): boolean {
  return [...ourContracts, ...lane.orderContracts].every(
    (address) => destination.kinds.get(address) !== 'plain',
  )
}

type Surveyed = Side & Pick<Survey, 'position'>

/** What has to be known of a side before anything is searched there. */
export async function lookAt(
  tasks: TaskRunner,
  side: { readonly chain: ChainDefinition; readonly pin: BlockPin; readonly what: SurveyArgs },
  context: CallContext,
): Promise<Surveyed> {
  const { chain, pin, what } = side
  const accounts = [...new Set(what.accounts)]
  const survey = await tasks.runAt('survey', { ...what, accounts }, pin, context)
  return { ...survey, chain, pin, kinds: new Map(zip(accounts, survey.kinds)) }
}

/** A request at a block of many. */
export interface AmongMany {
  /** The block of the source. */
  readonly block: BlockPin
  readonly deliverySeconds?: QuoteBatch['deliverySeconds']
}

/** Which blocks a request over a bridge names. */
export interface NamedBlocks {
  readonly chainId: number
  readonly blockNumber?: bigint | undefined
  readonly destinationChainId: number
  /** Absent: the newest; with a past `blockNumber` the newest not after that block's time. */
  readonly destinationBlockNumber?: bigint | undefined
}

export function pinBoth(
  named: NamedBlocks,
  context: CallContext,
  parts: CrosschainParts,
  among?: AmongMany,
): Promise<[source: BlockPin, destination: BlockPin]> {
  const { chainId, blockNumber } = named
  const source = among?.block ?? parts.tasks.pin({ chainId, blockNumber }, context)
  return pinBeside(named, source, context, parts, among)
}

/** @param source - the block of the source, which may be the same for several destinations. */
export async function pinBeside(
  { blockNumber, destinationChainId, destinationBlockNumber }: NamedBlocks,
  source: BlockPin | Promise<BlockPin>,
  context: CallContext,
  parts: CrosschainParts,
  among?: AmongMany,
): Promise<[source: BlockPin, destination: BlockPin]> {
  const { tasks, blockAtTime } = parts
  if (blockNumber === undefined || destinationBlockNumber !== undefined) {
    const place = { chainId: destinationChainId, blockNumber: destinationBlockNumber }
    return Promise.all([source, tasks.pin(place, context)])
  }
  const { timestamp } = await source
  if (among?.deliverySeconds) {
    const at = { chainId: destinationChainId, timestamp }
    const settled = await settledBlock(parts, at, context)
    if (settled) return [await source, settled]
    const why = `Chain ${destinationChainId} has no block after ${timestamp} (unix seconds) yet, the time of block ${blockNumber} of chain ${(await source).chainId}.`
    throw new ForkrouteError('UNKNOWN_BLOCK', why, { chainId: destinationChainId })
  }
  const found = await blockAtTime(destinationChainId, timestamp, context)
  const place = { chainId: destinationChainId, blockNumber: found.number }
  return [await source, await tasks.pin(place, context)]
}
