/** What an account has sent over bridges, or is sent, by events of all chains that bridges begin on. */
import { bridges } from '../../bridges/registry.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type {
  FoundTransfers,
  SearchedBlocks,
  SentTransfer,
  UnsearchedChain,
} from '../../domain/bridges/found.js'
import type { CallContext } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address } from '../../domain/primitives.js'
import type { ConfiguredChains } from '../configured-chains.js'
import type { TaskRunner } from '../task-runner.js'

/** How far back events are read, whichever is less. */
const searchedSeconds = 6 * 3_600
const searchedBlocks = 10_000
/** A stream follows no more of them. */
const mostTransfers = 20

interface Parts {
  readonly chains: ConfiguredChains
  readonly tasks: Pick<TaskRunner, 'pin' | 'runAt'>
}

type Searched =
  | { readonly blocks: SearchedBlocks; readonly transfers: readonly SentTransfer[] }
  | UnsearchedChain

/** @throws ForkrouteError as `Engine.bridgeTransfers`. */
export async function findTransfers(
  { chains, tasks }: Parts,
  address: Address,
  context: CallContext,
): Promise<FoundTransfers> {
  const sources = chains.all.filter((chain) =>
    bridges.some((bridge) => bridge.sentEvents(chain).length > 0),
  )
  const found = await Promise.all(
    sources.map((chain) => searchChain(tasks, { chain, address }, context)),
  )
  const unsearched = found.filter((one) => 'message' in one)
  const searched = found.filter((one) => 'blocks' in one)
  if (searched.length === 0) {
    const why = unsearched.map(({ message }) => message).join(' ')
    throw new ForkrouteError(
      'STATE_UNAVAILABLE',
      why || 'No bridge begins on a chain that is configured here.',
    )
  }
  const all = searched.flatMap(({ transfers }) => transfers)
  const newestFirst = all.toSorted((a, b) => b.timestamp - a.timestamp)
  return {
    searched: searched.map(({ blocks }) => blocks),
    unsearched,
    count: all.length,
    transfers: newestFirst.slice(0, mostTransfers),
  }
}

async function searchChain(
  tasks: Parts['tasks'],
  { chain, address }: { readonly chain: ChainDefinition; readonly address: Address },
  context: CallContext,
): Promise<Searched> {
  const { id: chainId, name } = chain
  try {
    const pin = await tasks.pin({ chainId }, context)
    const width = Math.min(searchedBlocks, Math.ceil(searchedSeconds / chain.blockTimeSeconds))
    const from = pin.number >= BigInt(width) ? pin.number - BigInt(width) + 1n : 0n
    const asked = { address, from, to: pin.number }
    const transfers = await tasks.runAt('sentTransfers', asked, pin, context)
    if (transfers === null) {
      return { chainId, message: `The nodes of ${name} give no events of so many blocks.` }
    }
    const blocks = { chainId, fromBlock: Number(from), toBlock: Number(pin.number) }
    return { blocks, transfers }
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof ForkrouteError)) throw error
    return { chainId, message: `${name}: ${error.message}` }
  }
}
