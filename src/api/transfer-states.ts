/** The states of a transfer over a bridge, as new blocks show them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BridgeCheck, BridgeStatus } from '../domain/bridges/check.js'
import type { CallContext, Engine } from '../domain/engine.js'
import { bigintToString, type Hex } from '../domain/primitives.js'
import type { StreamArgs, StreamEvent } from './contract.js'
import { type BridgeTransfer, toBridgeCheck } from './records/bridge-records.js'

type Transfer = Parameters<Engine['bridgeCheck']>[0]

/** Between two reads, where blocks come faster. */
const leastPauseMs = 1_000

const underWay: ReadonlySet<BridgeStatus> = new Set(['pending', 'inflight'])

/** @throws ForkrouteError as `Engine.bridgeCheck` where the first state cannot be read. */
export async function transferStates(
  args: StreamArgs<unknown, unknown>,
  transfer: Transfer,
): Promise<AsyncIterable<StreamEvent<BridgeTransfer>>> {
  const read = () => args.calculate((context) => args.engine.bridgeCheck(transfer, context))
  return changesFrom(await read(), { ...args, transfer, read })
}

async function* changesFrom(
  first: BridgeCheck,
  {
    engine,
    context,
    transfer,
    read,
  }: Pick<StreamArgs<unknown, unknown>, 'engine' | 'context'> & {
    readonly transfer: Transfer
    readonly read: () => Promise<BridgeCheck>
  },
): AsyncGenerator<StreamEvent<BridgeTransfer>, void, undefined> {
  let state = first
  let last = ''
  const heads = new Map<number, Hex>()
  for (;;) {
    const body = toBridgeCheck(state)
    const text = factsOf(state)
    if (text !== last) {
      const seenAt = Math.floor(Date.now() / 1_000)
      yield { name: 'transfer', id: state.status, body: { ...body, seenAt } }
    }
    last = text
    if (!underWay.has(state.status)) return
    await nextBlock(engine, watched(state, transfer), heads, context)
    for (;;) {
      try {
        state = await read()
        break
      } catch (error) {
        context.signal.throwIfAborted()
        yield { error }
        await nextBlock(engine, watched(state, transfer), heads, context)
      }
    }
  }
}

/** What a state says besides the block that it was read at, which changes with every block. */
function factsOf({ hops, ...state }: BridgeCheck): string {
  const facts = { ...state, hops: hops.map(({ checkedAt: _, ...hop }) => hop) }
  return JSON.stringify(facts, bigintToString)
}

/** The chain whose next block may change the state. */
function watched({ hops }: BridgeCheck, { chainId }: Transfer): number {
  return hops.find(({ status }) => underWay.has(status))?.destinationChainId ?? chainId
}

/** @param heads - the newest blocks that were waited for, by chain. */
async function nextBlock(
  engine: Pick<Engine, 'headAfter'>,
  chainId: number,
  heads: Map<number, Hex>,
  context: CallContext,
): Promise<void> {
  const { signal } = context
  await sleep(leastPauseMs, undefined, { signal })
  const { hash } = await engine.headAfter(chainId, heads.get(chainId) ?? null, context)
  heads.set(chainId, hash)
}
