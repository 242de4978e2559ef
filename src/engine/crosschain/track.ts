/**
 * Where what a transaction has sent over a bridge is: its receipt tells what was sent, the state of the destination
 * whether it has arrived. Also Stargate's pools and OFTs, by the chains' definitions.
 */
import { LRUCache } from 'lru-cache'
import type { Delivery } from '../../bridges/bridge.js'
import { bridges, contractErrorsAbi } from '../../bridges/registry.js'
import { untilAborted } from '../../domain/abort.js'
import type {
  BridgeCheck,
  BridgeHop,
  BridgeStatus,
  ChainMoment,
} from '../../domain/bridges/check.js'
import type { BridgeName } from '../../domain/bridges/names.js'
import { notFound } from '../../domain/common-errors.js'
import { defined } from '../../domain/defined.js'
import type { CallContext, Engine } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { BlockPin, Hex } from '../../domain/primitives.js'
import { decodeRevert } from '../../forks/revert.js'
import type { Archive } from '../../rpc/archive/archive.js'
import type { ConfiguredChains } from '../configured-chains.js'
import type { TaskRunner } from '../task-runner.js'
import { withAttestations } from './claims.js'
import { withProof } from './withdrawal-proof.js'

/** Clocks of two chains differ: deliveries are looked for from so long before the source's block on. */
const clockSeconds = 3_600n
/** Transactions whose place on the destination is remembered. */
const maxRemembered = 512

export interface TrackParts {
  readonly chains: ConfiguredChains
  readonly archive: Pick<Archive, 'transaction'>
  readonly tasks: Pick<TaskRunner, 'pin' | 'runAt'>
  readonly blockAtTime: Engine['blockAtTime']
  /** Where CCTP's attestations are read; null: nowhere. */
  readonly attestationUrl: string | null
}

type CheckArgs = Parameters<Engine['bridgeCheck']>[0]

export class BridgeTracker {
  readonly #parts: TrackParts
  readonly #firstBlocks = new LRUCache<string, bigint>({ max: maxRemembered })

  constructor(parts: TrackParts) {
    this.#parts = parts
  }

  /** @throws ForkrouteError as `Engine.bridgeCheck`. */
  async check(args: CheckArgs, context: CallContext): Promise<BridgeCheck> {
    const { bridge: name, chainId, transactionHash } = args
    const named = name === null ? bridges : installed(name)
    const source = this.#parts.chains.of(chainId)
    const outcome = await this.outcomeOf(chainId, transactionHash, context)
    const answer = (
      status: BridgeStatus,
      more: Pick<BridgeCheck, 'error'> & Partial<Pick<BridgeCheck, 'hops'>> = {},
    ): BridgeCheck => ({ chainId, transactionHash, status, hops: [], ...more })
    if (outcome.kind === 'unknown')
      throw notFound(`transaction ${transactionHash} on chain ${chainId}`)
    if (outcome.kind === 'pending') return answer('pending')
    if (!outcome.isSuccess) {
      return answer('failed', { error: 'The source transaction reverted: nothing was sent.' })
    }
    const moment = momentOf(transactionHash, outcome.block)
    const sent = named.flatMap((one) => one.deliveriesIn(outcome.logs, source))
    if (sent.length === 0) {
      const others = bridges.filter((one) => one.deliveriesIn(outcome.logs, source).length > 0)
      const also = others.map((one) => ` It sends over ${one.name}: ask for ${one.slug}.`)
      const names = name === null ? 'a bridge' : named.map((one) => one.name).join(' or ')
      const error = `The transaction sends nothing over ${names}.${also.join('')}`
      return answer('unknown', { error })
    }
    const { signal } = context
    const deliveries = await withAttestations(this.#parts, {
      source,
      transactionHash,
      deliveries: sent.map((one) => ({ ...one, sourceBlockNumber: moment.blockNumber })),
      signal,
    })
    const hops = await Promise.all(deliveries.map((one) => this.#hopOf(one, moment, context)))
    const status = statusOf(hops)
    const error = hops.find((hop) => hop.status === status && hop.error)?.error
    return answer(status, { hops, ...defined({ error }) })
  }

  async #hopOf(delivery: Delivery, source: ChainMoment, context: CallContext): Promise<BridgeHop> {
    const { chains, tasks } = this.#parts
    const { destinationChainId } = delivery
    const sent = {
      bridge: delivery.bridge,
      id: delivery.id,
      destinationChainId,
      source,
      token: delivery.token,
      amount: delivery.amount,
      receiver: delivery.receiver,
      hasMessage: delivery.message !== '0x',
    }
    const destination = chains.all.find(({ id }) => id === destinationChainId)
    if (!destination) {
      const name = destinationChainId === null ? 'The destination' : `Chain ${destinationChainId}`
      const error = `${name} is not configured here, so that nothing is known of the delivery.`
      return { ...sent, status: 'unknown', destination: null, checkedAt: null, error }
    }
    const pin = await tasks.pin({ chainId: destination.id }, context)
    const since = await this.#firstBlock(source, pin, context)
    const told = await tasks.runAt('deliveryStatus', { delivery, since }, pin, context)
    const found = await withProof(tasks, delivery, told, context)
    const { status, transactionHash, revertData } = found
    const why = revertData && ` It reverted with ${decodeRevert(revertData, contractErrorsAbi)}.`
    return {
      ...sent,
      status,
      checkedAt: Number(pin.number),
      destination: await this.#deliveredBy(destination.id, transactionHash, context),
      ...defined({
        error: found.error ? `${found.error}${why ?? ''}` : undefined,
        retry: found.retry,
        withdrawal: found.withdrawal,
        fill: found.fill,
      }),
    }
  }

  /** A block of the destination that is not after the delivery. */
  async #firstBlock(sent: ChainMoment, head: BlockPin, context: CallContext): Promise<bigint> {
    const key = `${head.chainId} ${sent.chainId} ${sent.transactionHash}`
    const known = this.#firstBlocks.get(key)
    if (known !== undefined) return known
    const sentAt = BigInt(sent.timestamp)
    const latest = sentAt < head.timestamp ? sentAt : head.timestamp
    const number = await this.#parts
      .blockAtTime(head.chainId, latest > clockSeconds ? latest - clockSeconds : 0n, context)
      .then((block) => block.number)
      .catch((error: unknown) => {
        if (error instanceof ForkrouteError && error.code === 'UNKNOWN_BLOCK') return 0n
        throw error
      })
    this.#firstBlocks.set(key, number)
    return number
  }

  async #deliveredBy(
    chainId: number,
    hash: Hex | null,
    context: CallContext,
  ): Promise<ChainMoment | null> {
    if (hash === null) return null
    const outcome = await this.outcomeOf(chainId, hash, context)
    return outcome.kind === 'mined' ? momentOf(hash, outcome.block) : null
  }

  /** @throws ForkrouteError as `Archive.transaction`. */
  outcomeOf(
    chainId: number,
    hash: Hex,
    { signal }: CallContext,
  ): ReturnType<Archive['transaction']> {
    return untilAborted(this.#parts.archive.transaction(chainId, hash), signal)
  }
}

/** @throws ForkrouteError NOT_FOUND. */
function installed(name: BridgeName) {
  const named = bridges.filter(({ names }) => names.includes(name))
  if (named.length > 0) return named
  const names = [...new Set(bridges.flatMap((one) => one.names))].toSorted()
  throw new ForkrouteError(
    'NOT_FOUND',
    `The bridge ${name} is not installed here; these are: ${names.join(', ')}.`,
    { bridge: name, installed: names },
  )
}

function momentOf(transactionHash: Hex, { chainId, number, timestamp }: BlockPin): ChainMoment {
  return { chainId, transactionHash, blockNumber: Number(number), timestamp: Number(timestamp) }
}

/** As long as one is on its way, so is the whole. */
function statusOf(hops: readonly BridgeHop[]): BridgeStatus {
  const order = ['inflight', 'failed', 'unknown'] as const
  return order.find((status) => hops.some((hop) => hop.status === status)) ?? 'delivered'
}
