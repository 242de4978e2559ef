/** The states of transfers over bridges, as new blocks show them: of one transaction, or of the newest of an account. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BridgeCheck, BridgeStatus } from '../domain/bridges/check.js'
import type { CallContext, Engine } from '../domain/engine.js'
import { type Address, bigintToString, type Hex } from '../domain/primitives.js'
import type { StreamArgs, StreamEvent } from './contract.js'
import {
  type BridgeStreamEnd,
  type BridgeTransfer,
  type BridgeTransfers,
  toBridgeCheck,
  toBridgeTransfers,
} from './records/bridge-records.js'

type Transfer = Parameters<Engine['bridgeCheck']>[0]
type Args = StreamArgs<unknown, unknown>
type Event = StreamEvent<BridgeTransfer | BridgeTransfers | BridgeStreamEnd>

/** Between two reads of a stream, where blocks come faster. */
const leastPauseMs = 1_000

const underWay: ReadonlySet<BridgeStatus> = new Set(['pending', 'inflight'])

/** @throws ForkrouteError as `Engine.bridgeCheck` where the first state cannot be read. */
export async function transferStates(
  args: Args,
  transfer: Transfer,
): Promise<AsyncIterable<Event>> {
  const one = followed(transfer, await readState(args, transfer))
  return untilOver(args, (context) => changesOf([one], args, context))
}

/** @throws ForkrouteError as `Engine.bridgeTransfers`. */
export async function accountTransferStates(
  args: Args,
  address: Address,
): Promise<AsyncIterable<Event>> {
  const { engine } = args
  const found = await args.calculate((context) => engine.bridgeTransfers(address, context))
  const all = found.transfers.map(({ chainId, transactionHash }) =>
    followed({ bridge: null, chainId, transactionHash }, null),
  )
  return untilOver(args, async function* (context) {
    yield { name: 'transfers', id: `${found.count}`, body: toBridgeTransfers(found) }
    yield* changesOf(all, args, context)
  })
}

/** The events, and why there are no more of them. */
async function* untilOver(
  { context, maxSeconds }: Args,
  events: (context: CallContext) => AsyncIterable<Event>,
): AsyncGenerator<Event, void, undefined> {
  const time = AbortSignal.timeout(maxSeconds * 1_000)
  const signal = AbortSignal.any([context.signal, time])
  let reason: BridgeStreamEnd['reason'] = 'settled'
  try {
    yield* events({ ...context, signal })
  } catch (error) {
    if (!time.aborted || context.signal.aborted) throw error
    reason = 'time'
  }
  yield { name: 'end', id: reason, body: { reason } }
}

interface Followed {
  readonly transfer: Transfer
  /** Null until it was read. */
  state: BridgeCheck | null
  /** What was last told of it. */
  told: string
}

function followed(transfer: Transfer, state: BridgeCheck | null): Followed {
  return { transfer, state, told: '' }
}

function readState({ engine, calculate }: Args, transfer: Transfer): Promise<BridgeCheck> {
  return calculate((context) => engine.bridgeCheck(transfer, context))
}

async function* changesOf(
  all: readonly Followed[],
  args: Args,
  context: CallContext,
): AsyncGenerator<Event, void, undefined> {
  for (const one of all) yield* one.state ? changeIn(one, one.state) : change(one, args, context)
  const heads = new Map<number, Hex>()
  for (;;) {
    const open = all.filter(({ state }) => !state || underWay.has(state.status))
    if (open.length === 0) return
    await sleep(leastPauseMs, undefined, { signal: context.signal })
    const chainId = await nextBlock(args.engine, [...new Set(open.map(watched))], heads, context)
    for (const [index, one] of open.filter((each) => watched(each) === chainId).entries()) {
      if (index > 0) await sleep(leastPauseMs, undefined, { signal: context.signal })
      yield* change(one, args, context)
    }
  }
}

/** Reads it again; the error in its place where it cannot be read. */
async function* change(
  one: Followed,
  args: Args,
  { signal }: CallContext,
): AsyncGenerator<Event, void, undefined> {
  let state: BridgeCheck
  try {
    state = await readState(args, one.transfer)
  } catch (error) {
    signal.throwIfAborted()
    yield { error }
    return
  }
  one.state = state
  yield* changeIn(one, state)
}

function* changeIn(one: Followed, state: BridgeCheck): Generator<Event, void, undefined> {
  const text = factsOf(state)
  if (text === one.told) return
  one.told = text
  const seenAt = Math.floor(Date.now() / 1_000)
  yield { name: 'transfer', id: state.status, body: { ...toBridgeCheck(state), seenAt } }
}

/** What a state says besides the block that it was read at, which changes with every block. */
function factsOf({ hops, ...state }: BridgeCheck): string {
  const facts = { ...state, hops: hops.map(({ checkedAt: _, ...hop }) => hop) }
  return JSON.stringify(facts, bigintToString)
}

/** The chain whose next block may change the state. */
function watched({ state, transfer: { chainId } }: Followed): number {
  return state?.hops.find(({ status }) => underWay.has(status))?.destinationChainId ?? chainId
}

/**
 * Waits until one of the chains has another block than before: of several, the one that waited longest for its turn.
 *
 * @param heads - the newest blocks that were waited for, by chain, in the order of the turns.
 * @returns the chain.
 */
async function nextBlock(
  engine: Pick<Engine, 'headAfter'>,
  chainIds: readonly number[],
  heads: Map<number, Hex>,
  context: CallContext,
): Promise<number> {
  const done = new AbortController()
  const signal = AbortSignal.any([context.signal, done.signal])
  const turns = [...heads.keys()]
  const inTurn = chainIds.toSorted((a, b) => turns.indexOf(a) - turns.indexOf(b))
  const waits = inTurn.map((chainId) =>
    engine.headAfter(chainId, heads.get(chainId) ?? null, { ...context, signal }),
  )
  try {
    const { chainId, hash } = await Promise.race(waits)
    heads.delete(chainId)
    heads.set(chainId, hash)
    return chainId
  } finally {
    // Those that lose end with the signal, which nobody awaits.
    for (const wait of waits) wait.catch(() => undefined)
    done.abort()
  }
}
