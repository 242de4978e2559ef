/**
 * The market that is played on: the service as users run it, on a sandbox of its own, at one block; and the states of
 * that block's pools, which peers are given.
 */
import { createPublicClient, createWalletClient, http } from 'viem'
import { ethereum } from '../../src/chains/ethereum.js'
import { latestDeadline } from '../../src/domain/deadline.js'
import { type Address, type BlockPin, isNative } from '../../src/domain/primitives.js'
import { buildTransaction } from '../../src/executor/compile.js'
import { gasPriceAfter } from '../../src/forks/block-environment.js'
import { ForkReader } from '../../src/forks/reader.js'
import type { LoadedPool } from '../../src/protocols/protocol.js'
import { canSwap } from '../../src/protocols/protocol.js'
import { protocolBySlug } from '../../src/protocols/registry.js'
import type { MarketPool } from '../../src/routing/market/market-view.js'
import { sandboxAccount } from '../../src/sandbox/accounts.js'
import { sandboxPools } from '../../src/sandbox/market/catalog.js'
import { sandboxTokens } from '../../src/sandbox/tokens.js'
import { readPin } from '../../test/support/pin.js'
import { readPrices } from '../alternatives/trades.js'
import { here } from '../compare/checkout.js'
import { type MeasuredService, startMeasured } from '../compare/service.js'
import type { Market } from './contract.js'
import { factsOf } from './facts.js'

/** Has approved the Router without limit, and holds five million dollars of each token. */
export const trader = sandboxAccount('alice').address

export interface LeagueMarket {
  readonly service: MeasuredService
  readonly pin: BlockPin
  /** Wei per gas in the next block. */
  readonly gasPrice: bigint
  /** Pools of these protocols by id, at the block. */
  pools(venues: readonly string[]): Promise<ReadonlyMap<string, MarketPool>>
  /** Facts about these pools, for a peer. */
  toldOf(pools: Iterable<MarketPool>): Promise<Market>
  stop(): Promise<void>
}

/** @throws Error when the service does not start, or its sandbox does not take the trader's first order. */
export async function openSandboxMarket(): Promise<LeagueMarket> {
  const service = await startMeasured(here, {
    RPC_URL_1: '',
    SANDBOX_CHAINS: '1',
    MAX_IN_FLIGHT: '64',
  })
  try {
    return await marketOf(service)
  } catch (error) {
    await service.stop()
    throw error
  }
}

async function marketOf(service: MeasuredService): Promise<LeagueMarket> {
  const { nodeUrl } = service
  await deployExecutor(nodeUrl)
  const pin = await readPin(nodeUrl)
  const gasPrice = gasPriceAfter(pin, ethereum)
  const reader = new ForkReader({ pin, archiveUrl: nodeUrl, forkUrls: [nodeUrl] })
  return {
    service,
    pin,
    gasPrice,
    async pools(venues) {
      const loaded = await Promise.all(venues.map((slug) => loadPools(reader, slug)))
      return new Map(loaded.flat().map((market) => [market.loaded.pool.id, market]))
    },
    async toldOf(pools) {
      return {
        etherPrices: await etherPricesOf(service.url),
        pools: await Promise.all([...pools].map((market) => factsOf(reader, market))),
        decimals: Object.fromEntries(
          sandboxTokens.map(({ address, decimals }) => [address, decimals]),
        ),
        wrappedNative: ethereum.wrappedNative,
        gasPrice,
      }
    },
    stop: () => service.stop(),
  }
}

async function etherPricesOf(serviceUrl: string): Promise<Record<Address, number>> {
  const symbols = sandboxTokens.map(({ symbol }) => symbol)
  const prices = await readPrices(serviceUrl, symbols)
  const ether = prices.get('WETH')?.price ?? 0
  return Object.fromEntries(
    [...prices.values()].map(({ address, price }) => [address, price / ether]),
  )
}

/** The first order of a sender deploys its Executor, for 58,000 gas: an empty one, so that no trade has to. */
async function deployExecutor(nodeUrl: string): Promise<void> {
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
  }).waitForTransactionReceipt({ hash })
  if (receipt.status !== 'success') throw new Error('the Executor was not deployed')
}

async function loadPools(reader: ForkReader, slug: string): Promise<MarketPool[]> {
  const adapter = protocolBySlug(slug)
  if (!adapter || !canSwap(adapter)) throw new Error(`no swaps by ${slug}`)
  const pools = sandboxPools().filter(
    ({ protocol, tokens }) => protocol === slug && !tokens.some(isNative),
  )
  const venue = ethereum.venues[slug] ?? {}
  const loads = await adapter.swaps.load({ reader, chain: ethereum, venue, pools })
  const loaded = loads.filter((load): load is LoadedPool => 'state' in load)
  if (loaded.length < pools.length) throw new Error(`pools of ${slug} were not read`)
  return loaded.map((one) => ({ adapter, loaded: one }))
}
