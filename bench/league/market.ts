/**
 * The market that is played on: the service as users run it, on a node at one block; and the states of that block's pools,
 * which peers are given.
 */
import { createPublicClient, createWalletClient, http } from 'viem'
import { ethereum } from '../../src/chains/ethereum.js'
import { latestDeadline } from '../../src/domain/deadline.js'
import type { Address, BlockPin } from '../../src/domain/primitives.js'
import { buildTransaction } from '../../src/executor/compile.js'
import type { ForkReader } from '../../src/forks/reader.js'
import type { Pool } from '../../src/protocols/pool.js'
import { canSwap, type LoadedPool } from '../../src/protocols/protocol.js'
import { protocolBySlug } from '../../src/protocols/registry.js'
import type { MarketPool } from '../../src/routing/market/market-view.js'
import { sandboxAccount } from '../../src/sandbox/accounts.js'
import { readPrices } from '../alternatives/trades.js'
import type { MeasuredService } from '../compare/service.js'
import type { Market } from './contract.js'

export type MarketName = 'sandbox' | 'mainnet'

/** Has an Executor on every market. */
export const trader = sandboxAccount('alice').address

export interface LeagueToken {
  readonly symbol: string
  readonly address: Address
  readonly decimals: number
  /** It takes a part of each transfer. */
  readonly isTaxed: boolean
}

/** What random trades are drawn from, each symbol as often as it counts. */
export interface Draws {
  readonly sold: readonly string[]
  readonly bought: readonly string[]
  /** Sizes, dollars. */
  readonly fromUsd: number
  readonly toUsd: number
}

/** A contract of which some state is missing. */
export interface Missing {
  readonly address: Address
  /** Its pool or token, for readers. */
  readonly name: string
}

export interface LeagueMarket {
  readonly name: MarketName
  readonly service: MeasuredService
  /** The same service with `MAX_HOPS=4`, on the same node; started when it is first asked for. */
  fourHopService(): Promise<Asked>
  readonly pin: BlockPin
  /** Wei per gas in the next block. */
  readonly gasPrice: bigint
  readonly tokens: readonly LeagueToken[]
  readonly draws: Draws
  /** Dollars that the trader holds of each token, with unlimited allowances; null: it has neither. */
  readonly heldUsd: number | null
  /** Pools of these protocols by id, at the block. */
  pools(venues: readonly string[]): Promise<ReadonlyMap<string, MarketPool>>
  /** Facts about these pools, for a peer. */
  toldOf(pools: Iterable<MarketPool>): Promise<Market>
  /** Whose state was asked for since the last call and is not there; empty where a market holds all its state. */
  missingState(): Promise<readonly Missing[]>
  stop(): Promise<void>
}

/** A service that is asked over HTTP. */
export type Asked = Pick<MeasuredService, 'url' | 'stop'>

/** @param start - starts a service on the market's node with these settings. */
export function createFourHopService(
  start: (env: Readonly<Record<string, string>>) => Promise<Asked>,
) {
  let started: Promise<Asked> | null = null
  return {
    fourHopService(): Promise<Asked> {
      started ??= start({ MAX_HOPS: '4' })
      return started
    },
    stop: async () => (await started)?.stop(),
  }
}

/** What a peer is told beside the facts about pools. */
export async function surroundings({
  service,
  tokens,
  gasPrice,
}: Pick<LeagueMarket, 'service' | 'tokens' | 'gasPrice'>): Promise<Omit<Market, 'pools'>> {
  const prices = await readPrices(service.url, tokens)
  const ether = prices.get('WETH')?.price ?? 0
  return {
    gasPrice,
    etherPrices: Object.fromEntries(
      [...prices.values()].map(({ address, price }) => [address, price / ether]),
    ),
    decimals: Object.fromEntries(tokens.map(({ address, decimals }) => [address, decimals])),
    wrappedNative: ethereum.wrappedNative,
  }
}

/** Those of the pools that are of this protocol, as far as they can be read. */
export async function loadPools(
  reader: ForkReader,
  slug: string,
  pools: readonly Pool[],
): Promise<{ loaded: MarketPool[]; unreadable: number }> {
  const adapter = protocolBySlug(slug)
  if (!adapter || !canSwap(adapter)) throw new Error(`no swaps by ${slug}`)
  const own = pools.filter(({ protocol }) => protocol === slug)
  const venue = ethereum.venues[slug] ?? {}
  const loads = await adapter.swaps.load({ reader, chain: ethereum, venue, pools: own })
  const loaded = loads.filter((load): load is LoadedPool => 'state' in load)
  return {
    loaded: loaded.map((one) => ({ adapter, loaded: one })),
    unreadable: own.length - loaded.length,
  }
}

/** The first order of a sender deploys its Executor, for 58,000 gas: an empty one, so that no trade has to. */
export async function deployExecutor(nodeUrl: string): Promise<void> {
  const { to, data } = buildTransaction({
    strategy: 'router',
    from: trader,
    order: {
      inputs: [],
      steps: [],
      outputs: [],
      sweep: [],
      feeReceiver: trader,
      receiver: trader,
      refundReceiver: trader,
      deadline: latestDeadline,
      accountId: `0x${'00'.repeat(32)}`,
      referralCode: `0x${'00'.repeat(16)}`,
    },
  })
  const transport = http(nodeUrl)
  const sender = createWalletClient({ transport, account: trader })
  const hash = await sender.sendTransaction({ to, data, chain: null })
  const receipt = await createPublicClient({
    transport,
    pollingInterval: 50,
  }).waitForTransactionReceipt({ hash, checkReplacement: false })
  if (receipt.status !== 'success') throw new Error('the Executor was not deployed')
}
