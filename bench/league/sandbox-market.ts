/** The sandbox as a market: the service starts it by itself, and all of its state can be read. */
import { ethereum } from '../../src/chains/ethereum.js'
import { isNative } from '../../src/domain/primitives.js'
import { gasPriceAfter } from '../../src/forks/block-environment.js'
import { ForkReader } from '../../src/forks/reader.js'
import { sandboxPools } from '../../src/sandbox/market/catalog.js'
import { sandboxTokens } from '../../src/sandbox/tokens.js'
import { readPin } from '../../test/support/pin.js'
import { startService } from '../../test/support/service/service.js'
import { here } from '../compare/checkout.js'
import { type MeasuredService, startMeasured } from '../compare/service.js'
import { factsOf } from './facts.js'
import {
  createFourHopService,
  type Draws,
  deployExecutor,
  type LeagueMarket,
  type LeagueToken,
  loadPools,
  surroundings,
} from './market.js'

const MAX_IN_FLIGHT = '64'
/** The trader holds five million dollars of each token at the sandbox's first prices. */
const heldUsd = 4_500_000
/** Nobody can sell them, whatever the route. */
const untradable = ['frozen', 'honeypot']
/** No storage slot decides a balance of theirs, so the judge can give nobody any: they are only bought. */
const onlyBought = ['checkpointed', 'rebasing']

const tokens = sandboxTokens.map(
  ({ symbol, address, decimals, feeBps }): LeagueToken => ({
    symbol,
    address,
    decimals,
    isTaxed: Boolean(feeBps),
  }),
)

const draws: Draws = {
  sold: symbolsWithout([...untradable, ...onlyBought]),
  bought: symbolsWithout(untradable),
  fromUsd: 100,
  toUsd: 100_000_000,
}

function symbolsWithout(behaviours: readonly string[]): string[] {
  return sandboxTokens
    .filter(({ behaviour }) => !behaviours.includes(behaviour))
    .map(({ symbol }) => symbol)
}

/** @throws Error when the service does not start, or its sandbox does not take the trader's first order. */
export async function openSandboxMarket(): Promise<LeagueMarket> {
  const service = await startMeasured(here, { RPC_URL_1: '', SANDBOX_CHAINS: '1', MAX_IN_FLIGHT })
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
  const longer = createFourHopService((env) =>
    startService({ RPC_URL_1: '', AUTH_MODE: 'open', ...env }, [[1, nodeUrl]]),
  )
  return {
    name: 'sandbox',
    service,
    fourHopService: longer.fourHopService,
    pin,
    gasPrice,
    tokens,
    draws,
    heldUsd,
    async pools(venues) {
      const pools = sandboxPools().filter(
        ({ protocol, tokens }) => protocol === 'uniswap-v4' || !tokens.some(isNative),
      )
      const all = await Promise.all(venues.map((slug) => loadPools(reader, slug, pools)))
      if (all.some(({ unreadable }) => unreadable > 0)) throw new Error('a pool was not read')
      return new Map(
        all.flatMap(({ loaded }) => loaded).map((market) => [market.loaded.pool.id, market]),
      )
    },
    async toldOf(pools) {
      return {
        ...(await surroundings({ service, tokens, gasPrice })),
        pools: await Promise.all([...pools].map((market) => factsOf(reader, market))),
      }
    },
    missingState: async () => [],
    async stop() {
      await longer.stop()
      await service.stop()
    },
  }
}
