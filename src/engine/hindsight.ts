/**
 * Hindsight: what mined swaps gave, what our own transaction would have given at the end of the block before and at their
 * place in the block, and whether they were sandwiched. Blocks are run again on forks (`src/mined`); our transaction is
 * found and carried out as any quote, on the state behind the transactions before it.
 */
import pLimit from 'p-limit'
import { contractErrorsAbi } from '../bridges/registry.js'
import type { ChainDefinition } from '../chains/chain.js'
import { untilAborted } from '../domain/abort.js'
import type { WhatIf } from '../domain/changes/what-if.js'
import { blockFacts, notFound } from '../domain/common-errors.js'
import type { CallContext, Engine } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type {
  Hindsight,
  HindsightRequest,
  MinedSwap,
  NoOwnSwap,
  OwnSwap,
  Sandwich,
} from '../domain/hindsight.js'
import { type BlockPin, bpsOf, type Hex } from '../domain/primitives.js'
import { atBorder } from '../forks/faults.js'
import type { ForkPool } from '../forks/pool.js'
import { decodeRevert } from '../forks/revert.js'
import { poolOf } from '../mined/pool-trades.js'
import { readSwap, type SwapReading } from '../mined/read-swap.js'
import { type ReplayedBlock, type ReplayedTransaction, replayBlock } from '../mined/replay-block.js'
import { findSandwich } from '../mined/sandwich.js'
import { changedAccounts } from '../mined/state-changes.js'
import { traceAfterBlock } from '../mined/trace-on-fork.js'
import type { Archive } from '../rpc/archive/archive.js'
import type { TransactionFate } from '../rpc/archive/chain-source.js'
import { JsonRpcError } from '../rpc/node/json-rpc.js'
import type { BlockTransaction, MinedBlock } from '../rpc/node/mined/mined-block.js'
import type { ConfiguredChains } from './configured-chains.js'
import { ownSwap, readValueOfWei, type TheirSwap, touchedPools } from './hindsight-swap.js'
import type { TaskRunner } from './task-runner.js'

export interface HindsightParts {
  readonly chains: ConfiguredChains
  readonly archive: Pick<Archive, 'transaction' | 'minedBlock' | 'change'>
  readonly forks: Pick<ForkPool, 'acquire'>
  readonly pin: TaskRunner['pin']
  readonly engine: Pick<Engine, 'quote' | 'prices'>
  /** Swaps of one block that are solved at a time. */
  readonly threads: number
}

/** A block that was run again. */
interface Scene {
  readonly chain: ChainDefinition
  readonly block: MinedBlock
  readonly parent: BlockPin
  readonly replayed: ReplayedBlock
  readonly since: number
  readonly context: CallContext
}

export function createHindsight(parts: HindsightParts): Pick<Engine, 'hindsight'> {
  return {
    async hindsight(request, context) {
      const chain = parts.chains.of(request.chainId)
      const { of, since = 0 } = request
      if (of.kind === 'transaction') {
        const fate = await minedFate(parts, request, of.hash, context)
        const scene = await openScene(parts, { chain, since, context }, fate.block.number)
        const index = scene.block.transactions.findIndex(({ hash }) => hash === of.hash)
        const found = index < 0 ? null : await explain(parts, scene, index)
        if (found) return { transactions: [found], warnings: [] }
        throw new ForkrouteError(
          'STATE_UNAVAILABLE',
          `Run again on a fork, transaction ${of.hash} does not do what it did on the chain, so what it gave is not told.`,
          blockFacts(fate.block),
        )
      }
      const transactions: Hindsight[] = []
      const warnings: string[] = []
      // A last block that is not there yet is said before the others are worked on.
      if (of.to > of.from) {
        await untilAborted(parts.archive.minedBlock(chain.id, of.to), context.signal)
      }
      for (let number = of.from; number <= of.to; number += 1n) {
        const scene = await openScene(parts, { chain, since, context }, number)
        const turn = pLimit(parts.threads)
        const found = await Promise.all(
          scene.block.transactions.map((_tx, index) => turn(() => explain(parts, scene, index))),
        )
        transactions.push(...found.filter((one) => one !== null))
        const missing = found.filter((one) => one === null).length
        if (missing > 0) warnings.push(missingWarning(number, missing))
      }
      return { transactions, warnings }
    },
  }
}

function missingWarning(number: bigint, missing: number): string {
  return `Block ${number}: ${missing} of its transactions do not do on a fork what they did on the chain; they are left out.`
}

async function minedFate(
  { archive }: HindsightParts,
  { chainId }: HindsightRequest,
  hash: Hex,
  { signal }: CallContext,
): Promise<Extract<TransactionFate, { kind: 'mined' }>> {
  const fate = await untilAborted(archive.transaction(chainId, hash), signal)
  if (fate.kind === 'mined') return fate
  if (fate.kind === 'unknown') throw notFound(`transaction ${hash} on chain ${chainId}`)
  const problem = `${hash} is not mined yet: ask again once it is in a block.`
  throw new ForkrouteError('NOT_FOUND', problem, { chainId })
}

/** @throws ForkrouteError STATE_UNAVAILABLE where the nodes do not give the state of the block before. */
async function openScene(
  parts: HindsightParts,
  asked: Pick<Scene, 'chain' | 'since' | 'context'>,
  number: bigint,
): Promise<Scene> {
  const { chain, context } = asked
  const { archive } = parts
  const name = { chainId: chain.id, number }
  if (number === 0n) {
    throw new ForkrouteError('UNKNOWN_BLOCK', 'Block 0 has no transactions.', blockFacts(name))
  }
  const block = await untilAborted(archive.minedBlock(chain.id, number), context.signal)
  try {
    const place = { chainId: chain.id, blockNumber: number - 1n }
    const parent = await parts.pin(place, context)
    const replayed = await replay(parts, { ...asked, block, parent }, block.transactions)
    return { ...asked, block, parent, replayed }
  } catch (error) {
    if (!isWithoutState(error)) throw error
    throw new ForkrouteError(
      'STATE_UNAVAILABLE',
      `The transactions of block ${number} cannot be run again: no node gives the state of the block before.`,
      blockFacts(name),
      { cause: error },
    )
  }
}

function isWithoutState(error: unknown): boolean {
  const codes: readonly string[] = ['UNKNOWN_BLOCK', 'STATE_UNAVAILABLE']
  return error instanceof ForkrouteError && codes.includes(error.code)
}

async function replay(
  { archive, forks }: HindsightParts,
  { chain, block, parent, context }: Omit<Scene, 'replayed'>,
  transactions: readonly BlockTransaction[],
): Promise<ReplayedBlock> {
  const { wrappedNative } = chain
  try {
    const work = replayBlock({ archive, forks, wrappedNative }, parent, block, transactions)
    return await untilAborted(work, context.signal)
  } catch (error) {
    throw atBorder(error, parent)
  }
}

/** Null: the fork does not do what the chain did. */
async function explain(
  parts: HindsightParts,
  scene: Scene,
  index: number,
): Promise<Hindsight | null> {
  const { chain, block, replayed } = scene
  const one = replayed.transactions[index]
  if (!one?.outcome || !(await isTrue(parts, scene, one))) return null
  const { tx, from, to, outcome } = one
  const reading: SwapReading = outcome.isSuccess
    ? readSwap(one.flows, { sender: from, to }, chain.wrappedNative)
    : { kind: 'none', reason: 'it reverted' }
  const swap = reading.kind === 'swap' ? reading.swap : null
  const l1DataFee = chain.l1DataFee && swap ? await paidDataFee(parts, scene, tx) : null
  const { gasUsed } = outcome
  const theirs = swap && { swap, gasUsed, gasPrice: BigInt(tx.gasPrice), l1DataFee }
  const [before, atItsPlace] = theirs ? await ownSwaps(parts, scene, index, theirs) : [null, null]
  return {
    chainId: chain.id,
    hash: tx.hash,
    blockNumber: block.pin.number,
    transactionIndex: index,
    from,
    to,
    status: outcome.isSuccess ? 'success' : 'reverted',
    reason: outcome.isSuccess ? null : decodeRevert(outcome.output, contractErrorsAbi),
    revertsSince: outcome.isSuccess ? null : await revertsSince(parts, scene, tx),
    gasUsed,
    gasPrice: BigInt(tx.gasPrice),
    ...(chain.l1DataFee && { l1DataFee }),
    swap,
    noSwap: reading.kind === 'none' ? reading.reason : null,
    through: touchedPools(one.trades, replayed.makers, chain),
    before,
    atItsPlace,
    sandwich: swap && (await sandwichOf(parts, scene, index, swap)),
  }
}

/** What its receipt says that it paid for posting it to L1, wei. */
async function paidDataFee(
  { archive }: HindsightParts,
  { chain, context }: Scene,
  { hash }: BlockTransaction,
): Promise<bigint | null> {
  const fate = await untilAborted(archive.transaction(chain.id, hash), context.signal)
  return fate.kind === 'mined' ? fate.l1DataFee : null
}

/** Ours at the end of the block before, and behind the transactions before theirs. */
async function ownSwaps(
  { engine }: HindsightParts,
  scene: Scene,
  index: number,
  theirs: TheirSwap,
): Promise<[OwnSwap | NoOwnSwap, OwnSwap | NoOwnSwap]> {
  const { whatIf: _, ...context } = scene.context
  const worthOf = await readValueOfWei(engine, { ...scene, context }, theirs.swap.tokenOut)
  const swapAt = (whatIf: WhatIf | undefined) =>
    ownSwap(engine, { ...scene, whatIf, worthOf }, theirs)
  return Promise.all([swapAt(undefined), swapAt(placeOf(scene, index))])
}

/** Whether the fork did what the receipt says; asked only where the block as a whole is not what its header says. */
async function isTrue(
  { archive }: HindsightParts,
  { chain, replayed, context }: Scene,
  { tx, outcome }: ReplayedTransaction,
): Promise<boolean> {
  if (replayed.isExact) return true
  const fate = await untilAborted(archive.transaction(chain.id, tx.hash), context.signal)
  if (fate.kind !== 'mined' || fate.isSuccess !== outcome?.isSuccess) return false
  const text = (logs: readonly { address: Hex; topics: readonly Hex[]; data: Hex }[]) =>
    logs.map(({ address, topics, data }) => `${address} ${topics} ${data}`.toLowerCase()).join()
  return text(fate.logs) === text(outcome.logs)
}

/** The state behind the transactions before it, and the block that it is in. */
function placeOf({ block, replayed }: Scene, index: number) {
  const earlier = replayed.transactions.slice(0, index)
  const differences = earlier.flatMap(({ outcome }) => (outcome ? [outcome.difference] : []))
  return {
    accounts: changedAccounts(differences),
    block: { timestamp: block.pin.timestamp, baseFeePerGas: block.pin.baseFeePerGas },
  }
}

async function sandwichOf(
  parts: HindsightParts,
  scene: Scene,
  index: number,
  swap: MinedSwap,
): Promise<Sandwich | null> {
  const { chain, block, replayed } = scene
  const found = findSandwich(replayed.transactions, index)
  if (!found) return null
  const victim = block.transactions[index]
  const withoutFronts = block.transactions.filter(
    (_tx, at) => at <= index && !found.fronts.includes(at),
  )
  const again = await replay(parts, scene, withoutFronts)
  const alone = again.transactions.find(({ tx }) => tx === victim)
  const isDone = alone?.outcome?.isSuccess === true
  const parties = alone && { sender: alone.from, to: alone.to }
  const reading = isDone && parties && readSwap(alone.flows, parties, chain.wrappedNative)
  const got = reading && reading.kind === 'swap' && isSamePair(reading.swap, swap) && reading.swap
  const loss = got ? got.amountOut - swap.amountOut : null
  const hashes = (positions: readonly number[]) =>
    positions.flatMap((at) => block.transactions[at]?.hash ?? [])
  const trades = (replayed.transactions[index]?.trades ?? []).filter((trade) =>
    found.pools.includes(poolOf(trade)),
  )
  return {
    attacker: found.attacker,
    fronts: hashes(found.fronts),
    backs: hashes(found.backs),
    pools: touchedPools(trades, replayed.makers, chain),
    loss,
    lossBps: got && loss !== null ? bpsOf(loss, got.amountOut) : null,
  }
}

function isSamePair(one: MinedSwap, other: MinedSwap): boolean {
  return one.tokenIn === other.tokenIn && one.tokenOut === other.tokenOut
}

/** The first of the blocks looked back at, at whose end the transaction reverts; blocks at which it cannot be sent are none. */
async function revertsSince(
  { pin, forks }: HindsightParts,
  { chain, parent, since, context }: Scene,
  tx: BlockTransaction,
): Promise<bigint | null> {
  if (since === 0) return null
  const first = parent.number - BigInt(since) + 1n
  for (let number = first > 0n ? first : 0n; number <= parent.number; number += 1n) {
    const at = await pin({ chainId: chain.id, blockNumber: number }, context)
    try {
      const work = traceAfterBlock({ chain, forks }, tx, at)
      const frame = await untilAborted(work, context.signal)
      if (frame.error !== undefined) return number
    } catch (error) {
      const fault = atBorder(error, at)
      if (!(fault instanceof JsonRpcError)) throw fault
    }
  }
  return null
}
