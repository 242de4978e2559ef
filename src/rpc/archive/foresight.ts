/**
 * What will be read next, as nodes tell it in one round: a fork that runs a contract for the first time asks for its
 * slots one by one, each a round trip to the node, and so does who follows words that name each other. A hint only: it
 * decides what is read early, never what is answered.
 */

import { chunksOf } from '../../domain/lists.js'
import type { Guess, TickPlaces } from '../../domain/state.js'
import { quietly } from '../../telemetry/quietly.js'
import { namesIn } from '../hints/call-kind.js'
import type { Answer, BlockRef } from '../node/answer.js'
import { callsPerTrace, type State } from '../node/bulk/prestate.js'
import { poolsPerCall } from '../node/bulk/tick-read.js'
import { codeKey, type ItemKey, isSlot, storageKey } from '../node/state-item.js'
import type { Upstream } from '../node/upstream.js'
import type { ChainSource, ForeseenCall } from './chain-source.js'
import type { StateBook } from './state-book.js'
import type { StateReader } from './state-reader.js'

/** Calls that come within this time are traced together. */
const groupingMs = 2
const notForeseen = 'What was foreseen is read when it is asked for.'
/** Pools of a call whose prices are also read singly: from a node that answers something else nothing is taken. */
const samples = 2

export function createForesight(parts: {
  readonly upstream: Pick<
    Upstream,
    'touched' | 'tellsTouched' | 'prestate' | 'tellsPrestates' | 'ticks' | 'readsInBulk' | 'state'
  >
  readonly states: Pick<StateBook, 'find'>
  readonly reader: Pick<StateReader, 'ahead' | 'fetch' | 'bring'>
}): Pick<ChainSource, 'foresee' | 'guess'> {
  const { upstream, states, reader } = parts

  /** Groups calls by block and sender. */
  const waiting = new Map<string, { readonly at: BlockRef; readonly calls: ForeseenCall[] }>()

  function traceLater(call: ForeseenCall, at: BlockRef): void {
    if (waiting.size === 0) setTimeout(traceWaiting, groupingMs)
    const name = `${at.hash}${call.from}`
    const group = waiting.get(name) ?? { at, calls: [] }
    waiting.set(name, group)
    group.calls.push(call)
  }

  function traceWaiting(): void {
    const groups = [...waiting.values()]
    waiting.clear()
    for (const { at, calls } of groups) {
      for (const some of chunksOf(calls, callsPerTrace)) {
        const traced = upstream.prestate(some, at, some[0]?.from)
        const of = new Set(some.map(({ to }) => to))
        // Forks make the calls; what others read of the slots is hardly the same.
        const isAwaited = (key: ItemKey, isForks: boolean) => isForks || !isSlot(key)
        reader.bring({ of, at, bulk: valueIn(traced), isAwaited })
      }
    }
  }

  async function list({ to, data }: ForeseenCall, at: BlockRef): Promise<void> {
    const touched = await upstream.touched(to, data, at)
    if (touched.ok) await Promise.all(touched.value.map((key) => reader.ahead(key, at)))
  }

  async function readTicks(pools: readonly TickPlaces[], at: BlockRef): Promise<State | null> {
    const step = Math.max(1, Math.floor(pools.length / samples))
    const sampled = pools.filter((_pool, index) => index % step === 0).map(priceKey)
    const [found, ...single] = await Promise.all([
      valueIn(upstream.ticks(pools, at)),
      ...sampled.map((key) => valueIn(upstream.state(key, at))),
    ])
    const isOther = sampled.some((key, index) => {
      const own = found?.get(key)
      return own !== undefined && own !== single[index]
    })
    return isOther ? null : (found ?? null)
  }

  return {
    foresee(calls, at) {
      if (upstream.tellsPrestates()) for (const call of calls) traceLater(call, at)
      else if (upstream.tellsTouched()) {
        for (const { from, to, data } of calls) {
          // Most likely it was called before, and all that it used then was read ahead, but not for other things.
          const isKnown = states.find(codeKey(to), at) !== null && namesIn(data).length === 0
          // By anybody: for a list the sender has to pay what the call costs.
          if (from || !isKnown) void quietly(list({ to, data }, at), notForeseen)
        }
      }
    },
    guess({ slots = [], pools = [] }: Guess, at) {
      for (const key of slots.map(({ address, slot }) => storageKey(address, slot))) {
        if (states.find(key, at) === null) void quietly(reader.fetch(key, at), notForeseen)
      }
      if (!upstream.readsInBulk(at.number)) return
      const unknown = pools.filter((pool) => states.find(priceKey(pool), at) === null)
      for (const some of chunksOf(unknown, poolsPerCall)) {
        const of = new Set(some.map(({ address }) => address))
        const lookUps = new Set(some.flatMap((pool) => (pool.isLookUp ? [priceKey(pool)] : [])))
        const isAwaited = (key: ItemKey) => isSlot(key) && !lookUps.has(key)
        reader.bring({ of, at, bulk: readTicks(some, at), isAwaited })
      }
    },
  }
}

function priceKey({ address, slot0 }: TickPlaces): ItemKey {
  return storageKey(address, slot0)
}

/** Null for what is refused or fails: it is read again by whoever needs it. */
async function valueIn<T>(asked: Promise<Answer<T>>): Promise<T | null> {
  try {
    const answer = await asked
    return answer.ok ? answer.value : null
  } catch {
    return null
  }
}
