/** What the best transaction for a pair and a size gives at the blocks before, measured once for all who ask alike. */
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { ChainDefinition } from '../../chains/chain.js'
import { untilAborted } from '../../domain/abort.js'
import { defined } from '../../domain/defined.js'
import {
  type CallContext,
  type Engine,
  type ExecutionRequest,
  noAccount,
  type RouteAnswer,
  type RouteRequest,
} from '../../domain/engine.js'
import { errorCodes, ForkrouteError } from '../../domain/errors.js'
import { type BlockPin, bigintToString } from '../../domain/primitives.js'
import { quoteSender } from '../../executor/deployments.js'
import type { Place } from '../task-runner.js'
import { createTurns } from '../turns.js'
import { KeptAhead } from './kept-ahead.js'
import type { BlockOutput } from './losses.js'
import { quietRuns, toldByEvents } from './quiet-blocks.js'

/** Windows end at multiples of it, so that the requests at as many blocks share one. */
const windowStep = 10n
/** Blocks of a window, at whose ends the transaction is carried out. */
export const windowBlocks = 53
/**
 * The transaction is found at a multiple of it, so that windows share it: the next one carries it out at ten more blocks
 * alone. That block is at most 58 below the request's, which nodes without history have, too.
 */
const routeStep = 50n

/** Measurements at a time, and those that wait. */
const mostAtOnce = 2
const mostWaiting = 32
/** Executions at a time of one measurement. */
const executionsAtOnce = 4
const windowsKept = 256
const outputsKept = 64 * windowBlocks

export interface PastOutputsParts {
  pin(at: Place, context: CallContext): Promise<BlockPin>
  quoteAt(request: RouteRequest, block: BlockPin, context: CallContext): Promise<RouteAnswer>
  readonly executions: Engine['executions']
  readonly changedBlocks: Engine['changedBlocks']
  readonly headAfter: Engine['headAfter']
  chainOf(chainId: number): ChainDefinition
  /** Aborted when the service stops: a measurement goes on when those who asked for it have left. */
  readonly stopping: AbortSignal
}

export interface Past {
  readonly from: bigint
  readonly to: bigint
  /** One for each block, in their order; null where the state of one is not there, or the pair has no route. */
  readonly outputs: readonly BlockOutput[] | null
  /** All blocks that were read. */
  readonly pins: readonly BlockPin[]
}

export class PastOutputs {
  readonly #parts: PastOutputsParts
  readonly #windows = new LRUCache<string, Promise<Past>>({ max: windowsKept })
  readonly #outputs = new LRUCache<string, BlockOutput>({ max: outputsKept })
  readonly #turns = createTurns(mostAtOnce, mostWaiting)
  readonly #keptAhead: KeptAhead

  constructor(parts: PastOutputsParts) {
    this.#parts = parts
    this.#keptAhead = new KeptAhead({
      headAfter: parts.headAfter,
      windowOf: ({ number }) => floorTo(number, windowStep),
      measure: (probe, block) => this.#past(probe, block),
      stopping: parts.stopping,
    })
  }

  /**
   * At the blocks of the window that ends at or before the given block. The same for equal requests of the same size at
   * blocks of one chain with the same window, whether it is remembered or not.
   * @throws ForkrouteError OVERLOADED when too many wait; others that may pass.
   */
  async before(request: RouteRequest, block: BlockPin, context: CallContext): Promise<Past> {
    const probe = probeOf(request)
    const isOfNewest = request.blockNumber === undefined && !context.isBackground
    if (isOfNewest) this.#keptAhead.asked(keyOf(probe), probe)
    const past = await untilAborted(this.#past(probe, block), context.signal)
    for (const pin of past.pins) context.onBlock?.(pin, false)
    return past
  }

  async #past(probe: RouteRequest, { chainId, number }: BlockPin): Promise<Past> {
    const to = floorTo(number, windowStep)
    const from = to - BigInt(windowBlocks - 1)
    if (from < 0n) return { from, to, outputs: null, pins: [] }
    const last = await unlessAbsent(this.#parts.pin({ chainId, blockNumber: to }, this.#context()))
    if (!last) return { from, to, outputs: null, pins: [] }
    const key = `${last.hash}:${keyOf(probe)}`
    return this.#windows.get(key) ?? this.#begin(key, { probe, from, last })
  }

  #begin(key: string, wanted: Wanted): Promise<Past> {
    const work = this.#turns.run(() => this.#measure(wanted), this.#parts.stopping)
    this.#windows.set(key, work)
    work.then(
      ({ outputs }) => outputs ?? this.#windows.delete(key),
      () => this.#windows.delete(key),
    )
    return work
  }

  async #measure({ probe, from, last }: Wanted): Promise<Past> {
    const { chainId, number: to } = last
    const pins = new Map([[last.number, last]])
    const context: CallContext = {
      ...this.#context(),
      onBlock: (pin) => pins.set(pin.number, pin),
    }
    const pin = (blockNumber: bigint) => this.#parts.pin({ chainId, blockNumber }, context)
    const past = (outputs: Past['outputs']) => ({ from, to, outputs, pins: [...pins.values()] })
    // A node without history lacks the first block: then nothing else is read.
    if (!(await unlessAbsent(pin(from)))) return past(null)
    const start = await unlessAbsent(pin(floorTo(to, routeStep)))
    const quote = start && (await unlessAbsent(this.#parts.quoteAt(probe, start, context)))
    if (!quote) return past(null)
    const outputAt = async (blockNumber: bigint): Promise<BlockOutput> => {
      const at = await unlessAbsent(pin(blockNumber))
      return at ? this.#outputAt(at, { request: probe, tx: quote.tx }, context) : 'unknown'
    }
    const oldest = await outputAt(from)
    if (oldest === 'unknown') return past(null)
    const runs = quietRuns({ from, to }, await this.#changedBlocks(quote, { chainId, from, to }))
    const turn = pLimit(executionsAtOnce)
    const work = runs.map((run) => outputsOfRun(run, (number) => turn(() => outputAt(number))))
    // What a recording holds must not depend on which was first.
    const outputs = (await allOf(work)).flat()
    return past(outputs.includes('unknown') ? null : outputs)
  }

  /** Blocks with events of the transaction's pools; null where these do not tell all, or no node serves them. */
  async #changedBlocks(
    { route, tx }: Pick<RouteAnswer, 'route' | 'tx'>,
    range: { readonly chainId: number; readonly from: bigint; readonly to: bigint },
  ): Promise<readonly bigint[] | null> {
    const told = toldByEvents(this.#parts.chainOf(range.chainId), { route, tx })
    if (!told) return null
    const asked = told.map((events) =>
      this.#parts.changedBlocks({ ...range, ...events }, this.#context()).catch(unlessRefused),
    )
    const answers = await allOf(asked)
    return answers.every((blocks) => blocks !== null) ? answers.flat() : null
  }

  async #outputAt(
    { chainId, number, hash }: BlockPin,
    execution: ExecutionRequest,
    context: CallContext,
  ): Promise<BlockOutput> {
    const { to, data, value } = execution.tx
    const key = [hash, to, data, value, ...execution.request.tokensOut].join(':')
    const known = this.#outputs.get(key)
    if (known !== undefined) return known
    const executions = this.#parts.executions(chainId, number, [execution], context)
    const [answer] = (await unlessAbsent(executions)) ?? []
    if (answer === undefined || answer.status === 'unreadable') return 'unknown'
    const output =
      answer.status === 'filled' ? answer.outputs.map(({ amount }) => amount) : 'reverted'
    this.#outputs.set(key, output)
    return output
  }

  #context(): CallContext {
    const signal = this.#parts.stopping
    return { accountId: noAccount, signal, isBackground: true, readsAhead: false }
  }
}

/**
 * What is given at the blocks of a quiet run. The first and the last are executed: where they differ, something has
 * changed that no event tells of, and so are all others.
 */
async function outputsOfRun(
  run: readonly bigint[],
  outputAt: (number: bigint) => Promise<BlockOutput>,
): Promise<BlockOutput[]> {
  const ends = await allOf([...run.slice(0, 1), ...run.slice(1).slice(-1)].map(outputAt))
  const [first = 'unknown', last = first] = ends
  const inner = run.slice(1, -1)
  if (!inner.length) return ends
  const isQuiet = JSON.stringify(first, bigintToString) === JSON.stringify(last, bigintToString)
  return [first, ...(isQuiet ? inner.map(() => first) : await allOf(inner.map(outputAt))), last]
}

/** Waits for all, also where one fails. */
async function allOf<T>(work: readonly Promise<T>[]): Promise<T[]> {
  return (await Promise.allSettled(work)).map(settledValue)
}

/** For `catch`: null where no node tells the events. */
function unlessRefused(error: unknown): null {
  if (error instanceof ForkrouteError) return null
  throw error
}

/** Null for an error that stays: the state is not there, or there is no route. */
async function unlessAbsent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ForkrouteError && stays(error)) return null
    throw error
  }
}

function floorTo(number: bigint, step: bigint): bigint {
  return (number / step) * step
}

interface Wanted {
  readonly probe: RouteRequest
  readonly from: bigint
  readonly last: BlockPin
}

/** A node that lacks state today may have it tomorrow, but not within a request. */
function stays({ code }: ForkrouteError): boolean {
  return code === 'STATE_UNAVAILABLE' || !errorCodes[code].retry
}

function settledValue<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

/** What all requests of a pair and a size have in common, for a sender that is nobody: amounts of one binary digit. */
function probeOf(request: RouteRequest): RouteRequest {
  const { chainId, inputs, tokensOut, ignoreAggregators, ignoreStandards } = request
  const { poolChoice, router } = request
  return {
    chainId,
    fromAddress: quoteSender,
    strategy: 'router',
    executionMode: 'backend',
    inputs: inputs.map(({ token, amount }) => ({ token, amount: sizeOf(amount) })),
    tokensOut,
    limit: { kind: 'minimum', minimums: tokensOut.map((token) => ({ token, amount: 0n })) },
    ignoreAggregators,
    ignoreStandards,
    includeTransactionCost: false,
    includePriceImpact: false,
    ...defined({ poolChoice, router }),
  }
}

function keyOf(probe: RouteRequest): string {
  return JSON.stringify(probe, bigintToString)
}

/** The largest power of two that is at most the amount. */
function sizeOf(amount: bigint): bigint {
  return 1n << BigInt(amount.toString(2).length - 1)
}
