/** What is known of either chain before anything is planned over a bridge: its block, and what the accounts there are. */
import type { Lane } from '../../bridges/bridge.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type { CallContext, Engine } from '../../domain/engine.js'
import { zip } from '../../domain/lists.js'
import type { Address, BlockPin } from '../../domain/primitives.js'
import { contractAddress } from '../../executor/deployments.js'
import type { SurveyArgs } from '../../routing/crosschain/messages.js'
import type { ConfiguredChains } from '../configured-chains.js'
import type { TaskRunner } from '../task-runner.js'
import type { Side } from './journey.js'

export interface CrosschainParts {
  readonly chains: ConfiguredChains
  readonly tasks: TaskRunner
  readonly blockAtTime: Engine['blockAtTime']
}

/** What orders on the destination may need of us there. */
export const ourContracts: readonly Address[] = (
  ['DestinationReceiver', 'UniswapV2Swapper', 'UniswapV4Swapper', 'Values', 'Caller'] as const
).map(contractAddress)

/** Whether all that an order of the lane needs is on the destination. */
export function canOrder(lane: Lane, there: Side): boolean {
  return [...ourContracts, ...lane.orderContracts].every(
    (address) => there.kinds.get(address) !== 'plain',
  )
}

export async function lookAt(
  tasks: TaskRunner,
  side: { readonly chain: ChainDefinition; readonly pin: BlockPin; readonly what: SurveyArgs },
  context: CallContext,
): Promise<Side> {
  const { chain, pin } = side
  const accounts = [...new Set(side.what.accounts)]
  const tokens = [...new Set(side.what.tokens)]
  const { kinds, prices, gasPrice } = await tasks.runAt(
    'survey',
    { accounts, tokens },
    pin,
    context,
  )
  const known = zip(tokens, prices).flatMap(([token, price]) =>
    price ? [[token, price] as const] : [],
  )
  return { chain, pin, gasPrice, kinds: new Map(zip(accounts, kinds)), prices: new Map(known) }
}

export interface Pinned {
  readonly chainId: number
  readonly blockNumber?: bigint | undefined
  readonly destinationChainId: number
  /** Absent: the newest; with a past `blockNumber` the newest not after that block's time. */
  readonly destinationBlockNumber?: bigint | undefined
}

/** @param pinned - the block of the source, where the caller has it. */
export async function pinBoth(
  { chainId, blockNumber, destinationChainId, destinationBlockNumber }: Pinned,
  context: CallContext,
  { tasks, blockAtTime }: CrosschainParts,
  pinned?: BlockPin,
): Promise<[source: BlockPin, destination: BlockPin]> {
  const source = pinned ?? tasks.pin({ chainId, blockNumber }, context)
  if (blockNumber === undefined || destinationBlockNumber !== undefined) {
    const place = { chainId: destinationChainId, blockNumber: destinationBlockNumber }
    return Promise.all([source, tasks.pin(place, context)])
  }
  const { timestamp } = await source
  const found = await blockAtTime(destinationChainId, timestamp, context)
  const place = { chainId: destinationChainId, blockNumber: found.number }
  return [await source, await tasks.pin(place, context)]
}
