/**
 * The main thread's half of every calculation: pins the block, leases its forks, hands the work to a thread.
 */
import pLimit from 'p-limit'
import type { PositionStore } from '../catalog/position-store.js'
import type { Catalog } from '../catalog/store.js'
import type { ChainDefinition } from '../chains/chain.js'
import { untilAborted } from '../domain/abort.js'
import { unknownBlock, unknownChain } from '../domain/common-errors.js'
import {
  type CallContext,
  type Engine,
  noAccount,
  type PriceRecord,
  type QuoteRequest,
  quotesAtOnce,
  type RouteRequest,
} from '../domain/engine.js'
import { ForkrouteError, fromWireError, toWireError } from '../domain/errors.js'
import { type BlockPin, nativeToken, type Token } from '../domain/primitives.js'
import { quoteSender, walletAddress } from '../executor/deployments.js'
import { strategyAddresses } from '../executor/strategies.js'
import type { ForkPool } from '../forks/fork-pool.js'
import { countSimulations, observeStage } from '../metrics.js'
import { poolKey } from '../protocols/pool.js'
import { canSwap } from '../protocols/protocol.js'
import { protocols } from '../protocols/registry.js'
import { parseBundle } from '../routing/bundle/parse-actions.js'
import type { TaskKind, TaskTrace, TaskTypes, TokenPriceFact } from '../routing/messages.js'
import type { Archive } from '../rpc/archive/archive.js'
import { findBlockAtTime } from './block-at-time.js'
import { createFairShare } from './fair-share.js'
import { createOpportunities } from './find-opportunities.js'
import { createMetadata } from './metadata.js'
import type { Pins } from './pins.js'
import { unwrap, type WorkerPool } from './worker-pool.js'

/** Background tasks per thread while nothing else is asked: one calculates while another waits for its forks. */
const backgroundPerThread = 2
/** Executions in one task. */
const executionsAtOnce = 64

export interface EngineParts {
  readonly chains: readonly ChainDefinition[]
  readonly archive: Archive
  readonly forks: ForkPool
  readonly pins: Pins
  readonly workers: WorkerPool
  readonly catalog: Catalog
  readonly tokens: readonly Token[]
  readonly positions: PositionStore
  /** Older snapshots of positions are renewed. */
  readonly positionsMaxAgeSeconds: number
  /** USD that a position must hold to be an opportunity; null: opportunities are off. */
  readonly opportunitiesMinTvlUsd: number | null
  /** Aborted when nothing is to be read any more. */
  readonly stopping: AbortSignal
  /** Faults that no caller sees, such as a catalog that cannot be written. */
  onProblem(error: unknown): void
}

export function createEngine(parts: EngineParts): Engine {
  const byId = new Map(parts.chains.map((chain) => [chain.id, chain]))
  const remembered = new Set<string>()
  const share = createFairShare(parts.workers.threads * backgroundPerThread)
  const tokens = parts.tokens.filter((token) => byId.has(token.chainId))
  const tokensById = new Map(
    parts.chains.map(({ id }) => [id, tokens.filter(({ chainId }) => chainId === id)]),
  )

  function chainOf(chainId: number): ChainDefinition {
    const chain = byId.get(chainId)
    if (chain) return chain
    throw unknownChain(chainId, [...byId.keys()])
  }

  function note(chainId: number, block: bigint, trace: TaskTrace): void {
    for (const [stage, seconds] of Object.entries(trace.stages)) observeStage(stage, seconds)
    for (const result of ['success', 'reverted', 'unreadable'] as const) {
      if (trace.simulations[result]) countSimulations(result, trace.simulations[result])
    }
    const fresh = trace.discovered.filter((pool) => !remembered.has(`${chainId}:${poolKey(pool)}`))
    if (!fresh.length) return
    try {
      parts.catalog.rememberPools(chainId, fresh, block)
      for (const pool of fresh) remembered.add(`${chainId}:${poolKey(pool)}`)
    } catch (error) {
      parts.onProblem(error)
    }
  }

  async function pinOf(
    at: { readonly chainId: number; readonly blockNumber?: bigint | undefined },
    { signal, isBackground = false, heads, onBlock }: CallContext,
  ): Promise<BlockPin> {
    const number = at.blockNumber ?? heads?.get(at.chainId)
    const options = { isBackground }
    const pin = await untilAborted(parts.pins.at(chainOf(at.chainId).id, number, options), signal)
    onBlock?.(pin, at.blockNumber === undefined)
    return pin
  }

  async function run<K extends TaskKind>(
    kind: K,
    args: TaskTypes[K]['args'],
    at: { readonly chainId: number; readonly blockNumber?: bigint | undefined },
    context: CallContext,
  ): Promise<{ value: TaskTypes[K]['result']; blockNumber: bigint; timestamp: bigint }> {
    const pin = await pinOf(at, context)
    const value = await runAt(kind, args, pin, context)
    return { value, blockNumber: pin.number, timestamp: pin.timestamp }
  }

  function runAt<K extends TaskKind>(
    kind: K,
    args: TaskTypes[K]['args'],
    pin: BlockPin,
    { signal, isBackground = false }: CallContext,
  ): Promise<TaskTypes[K]['result']> {
    const work = () => runNow(kind, args, pin, { signal, isBackground })
    return isBackground ? share.background(work, signal) : share.live(work)
  }

  async function runNow<K extends TaskKind>(
    kind: K,
    args: TaskTypes[K]['args'],
    pin: BlockPin,
    { signal, isBackground }: { readonly signal: AbortSignal; readonly isBackground: boolean },
  ): Promise<TaskTypes[K]['result']> {
    const lease = await parts.forks.acquire(pin, { isBackground })
    let isDone = false
    try {
      const archiveUrl = parts.archive.url(pin.chainId, pin.number, pin.hash)
      const attempt = async () => {
        const place = { pin, archiveUrl, forkUrls: lease.urls }
        if (!place.forkUrls.length) {
          throw new ForkrouteError('FORK_UNAVAILABLE', `Block ${pin.number} has no fork just now.`)
        }
        const reply = await parts.workers.run({ kind, args, place, isBackground }, signal)
        note(pin.chainId, pin.number, reply.trace)
        return reply
      }
      let reply = await attempt()
      if (!reply.ok && reply.lostFork) {
        await lease.reportLost(reply.lostFork)
        reply = await attempt()
      }
      isDone = reply.ok
      return unwrap(reply)
    } finally {
      lease.release(isDone)
    }
  }

  const metadata = createMetadata({
    ...parts,
    store: parts.positions,
    maxAgeSeconds: parts.positionsMaxAgeSeconds,
    run: (kind, args, pin) =>
      runAt(kind, args, pin, { accountId: noAccount, signal: parts.stopping }),
    chainOf,
    tokensOf: (chainId) => tokensById.get(chainId) ?? [],
  })

  const engine: Omit<Engine, 'opportunities'> = {
    ...metadata,

    networks: () =>
      parts.chains.map(({ id, name }) => {
        const pin = parts.pins.current(id)
        return {
          id,
          name,
          isConnected: parts.archive.status(id).connected,
          nativeToken,
          blockNumber: pin ? Number(pin.number) : null,
        }
      }),

    readiness() {
      const chains = parts.chains.map(({ id }) => {
        const { capabilities, problem, headAgeSeconds } = parts.archive.status(id)
        const pin = parts.pins.current(id)
        return {
          chainId: id,
          ready: pin !== null && problem === null,
          blockNumber: pin ? Number(pin.number) : null,
          ageSeconds: headAgeSeconds,
          capabilities,
          problem,
        }
      })
      return { ready: chains.every(({ ready }) => ready), chains }
    },

    aggregators: () =>
      protocols
        .filter(canSwap)
        .map(({ slug }) => slug)
        .sort(),

    async route(request, context) {
      const args = { mode: 'route' as const, request, accountId: context.accountId }
      return (await run('route', args, request, context)).value
    },

    async quote(given, context) {
      const request = fromSomebody(given)
      const args = { mode: 'quote' as const, request, accountId: context.accountId }
      return (await run('route', args, request, context)).value
    },

    async quotes(batch, context) {
      const { accountId, signal } = context
      const begunAt = Date.now()
      const block = await pinOf(batch, context)
      const all = batch.requests.map(fromSomebody)
      // One task per thread at a time: a batch leaves room for what others ask meanwhile.
      const turn = pLimit(parts.workers.threads)
      // Background work has several blocks in flight: reading one block in one thread alone is less work.
      const threads = context.isBackground ? 1 : parts.workers.threads
      const size = Math.min(quotesAtOnce, Math.ceil(all.length / threads))
      const outcomes = await Promise.all(
        chunksOf(all, size).map((requests) =>
          turn(async () => {
            signal.throwIfAborted()
            try {
              return await runAt('quotes', { requests, accountId, begunAt }, block, context)
            } catch (error) {
              signal.throwIfAborted()
              return requests.map(() => ({ ok: false as const, error: toWireError(error) }))
            }
          }),
        ),
      )
      const quotes = outcomes.flat()
      for (const one of quotes) {
        if (!one.ok && one.error.code === 'INTERNAL') parts.onProblem(fromWireError(one.error))
      }
      return { block, quotes }
    },

    block: (chainId, at, context) =>
      pinOf({ chainId, blockNumber: at === 'latest' ? undefined : at }, context),

    async executions(chainId, blockNumber, requests, context) {
      const block = await pinOf({ chainId, blockNumber }, context)
      const answers = await Promise.all(
        chunksOf(requests, executionsAtOnce).map((part) =>
          runAt('executions', { requests: part }, block, context),
        ),
      )
      return answers.flat()
    },

    async blockAtTime(chainId, timestamp, context) {
      const head = await pinOf({ chainId }, context)
      const { blockTimeSeconds } = chainOf(chainId)
      const header = (number: bigint) =>
        untilAborted(parts.archive.header(chainId, number), context.signal)
      return findBlockAtTime({ head, timestamp, blockTimeSeconds, header })
    },

    async changedBlocks({ chainId, ...question }, context) {
      const head = await pinOf({ chainId }, context)
      if (question.to > head.number) {
        const block = { chainId, number: question.to }
        throw unknownBlock(block, `Block ${block.number} is not there yet.`)
      }
      return untilAborted(parts.archive.changedBlocks(chainId, question), context.signal)
    },

    async bundle(request, context) {
      // Before a block is pinned: its own mistakes are the caller's, whatever there is of the chain.
      const bundle = parseBundle(request, chainOf(request.chainId))
      const args = { request: bundle, accountId: context.accountId }
      return { ...(await run('bundle', args, request, context)).value, actions: request.actions }
    },

    async nontokenized(request, context) {
      const args = { request, accountId: context.accountId }
      return (await run('nontokenized', args, request, context)).value
    },

    headAfter: (chainId, after, { signal }) => parts.pins.after(chainOf(chainId).id, after, signal),

    async prices(chainId, addresses, blockNumber, context) {
      const found = await run('prices', { addresses }, { chainId, blockNumber }, context)
      return found.value.map((fact) => fact && toPriceRecord(chainId, fact, found))
    },

    tokens: (chainId) =>
      chainId === undefined ? tokens : (tokensById.get(chainOf(chainId).id) ?? []),

    async wallet({ chainId, fromAddress, blockNumber }, context) {
      const address = walletAddress(fromAddress)
      const deployed = await run('isDeployed', { address }, { chainId, blockNumber }, context)
      return {
        address,
        isDeployed: deployed.value,
        owner: fromAddress,
        chainId,
        strategies: strategyAddresses(fromAddress),
      }
    },

    async approval({ chainId, fromAddress, strategy, token, amount, blockNumber }, context) {
      const args = { owner: fromAddress, token, strategy, amount }
      return (await run('approval', args, { chainId, blockNumber }, context)).value
    },

    async balances({ chainId, eoaAddress, useEoa, blockNumber }, context) {
      const owner = useEoa ? eoaAddress : walletAddress(eoaAddress)
      const ids = chainId === 'all' ? [...byId.keys()] : [chainOf(chainId).id]
      const lists = await Promise.all(
        ids.map(async (id) => {
          const listed = await metadata.listings({ chainId: id, baseOnly: true }, context)
          const tokens = listed.flatMap(({ token }) => token?.address ?? [])
          const at = { chainId: id, blockNumber }
          const { value } = await run('balances', { owner, tokens }, at, context)
          return value.map(({ token, amount, priceUsd }) => ({
            token: token.address,
            amount,
            chainId: id,
            decimals: token.decimals,
            price: priceUsd === null ? null : String(priceUsd),
            name: token.name,
            symbol: token.symbol,
            logoUri: token.logoUri,
          }))
        }),
      )
      return lists.flat()
    },
  }
  return {
    ...engine,
    ...createOpportunities({ engine, minTvlUsd: parts.opportunitiesMinTvlUsd, chainOf }),
  }
}

function fromSomebody(request: QuoteRequest): RouteRequest {
  return { ...request, fromAddress: request.fromAddress ?? quoteSender }
}

/** In order, each of `size` but the last. */
function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const count = items.length && Math.ceil(items.length / size)
  return Array.from({ length: count }, (_chunk, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

function toPriceRecord(
  chainId: number,
  { token, priceUsd, confidence, source }: TokenPriceFact,
  at: { readonly blockNumber: bigint; readonly timestamp: bigint },
): PriceRecord {
  return {
    chainId,
    address: token.address,
    decimals: token.decimals,
    price: priceUsd,
    ...(token.symbol !== null && { symbol: token.symbol }),
    ...(token.name !== null && { name: token.name }),
    timestamp: Number(at.timestamp),
    confidence,
    blockNumber: Number(at.blockNumber),
    source,
  }
}
