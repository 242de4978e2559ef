/**
 * Recorded Ethereum mainnet as a market: the service on the recorded node, with the recorded pools imported. State that is
 * not recorded is an error of that node, so a transaction that meets it cannot be judged.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCatalog } from '../../src/catalog/store.js'
import { ethereum } from '../../src/chains/ethereum.js'
import {
  type Address,
  type Hex,
  isNative,
  nativeToken,
  toAddress,
} from '../../src/domain/primitives.js'
import { executorAddress, executorContracts } from '../../src/executor/deployments.js'
import { gasPriceAfter } from '../../src/forks/block-environment.js'
import { ForkReader } from '../../src/forks/reader.js'
import { startAnvil, type TestAnvil } from '../../test/support/anvil.js'
import { placeContracts } from '../../test/support/execute.js'
import { startJudge } from '../../test/support/judges.js'
import { readPin } from '../../test/support/pin.js'
import {
  isRecorded,
  type RecordedNode,
  recordedDirections,
  recordedPools,
  recordedSwaps,
  recordedTokens,
  recordingFolder,
  startRecordedNode,
  writeStateWith,
} from '../../test/support/recorded-mainnet.js'
import { readPrices } from '../alternatives/trades.js'
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
  trader,
} from './market.js'

const weth = ethereum.wrappedNative
const sizesUsd = { fromUsd: 100, toUsd: 500_000 }

interface Started {
  readonly node: RecordedNode
  readonly service: MeasuredService
  /** Answers calls at the block, which the recorded node does not. */
  readonly fork: TestAnvil
}

/** @throws Error where the recording is absent, and when the service does not start on it. */
export async function openMainnetMarket(): Promise<LeagueMarket> {
  if (!isRecorded) {
    throw new Error(
      `Recorded mainnet is not in ${recordingFolder}; RECORDED_MAINNET_DIR names its folder.`,
    )
  }
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-league-'))
  const stops = [() => rm(folder, { recursive: true, force: true })]
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each()
  }
  try {
    const { stateBlock } = recordedSwaps()
    const state = writeStateWith(await ourAccounts(), folder)
    const node = await startRecordedNode({ states: [state] })
    stops.push(() => node.stop())
    const start = async (env: Readonly<Record<string, string>> = {}) =>
      startMeasured(here, {
        RPC_URL_1: node.url,
        DATA_DIR: await catalogIn(folder),
        MAX_IN_FLIGHT: '64',
        ...env,
      })
    const service = await start()
    stops.push(() => service.stop())
    const longer = createFourHopService(start)
    stops.push(() => longer.stop())
    const fork = await startJudge(node.url, stateBlock)
    stops.push(() => fork.stop())
    const { fourHopService } = longer
    return { ...(await marketOf({ node, service, fork })), fourHopService, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Our contracts, and the trader's Executor as its first order leaves it. */
async function ourAccounts(): Promise<Record<Address, Hex>> {
  const anvil = await startAnvil([])
  try {
    await placeContracts(anvil)
    await deployExecutor(anvil.url)
    const executor = executorAddress(trader)
    return {
      ...Object.fromEntries(
        Object.values(executorContracts).map(({ address, runtimeCode }) => [address, runtimeCode]),
      ),
      [executor]: await anvil.rpc<Hex>('eth_getCode', [executor, 'latest']),
    }
  } finally {
    await anvil.stop()
  }
}

async function catalogIn(folder: string): Promise<string> {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const catalog = openCatalog(dataDir)
  catalog.importPools(1, recordedPools())
  catalog.close()
  return dataDir
}

async function marketOf({
  node,
  service,
  fork,
}: Started): Promise<Omit<LeagueMarket, 'stop' | 'fourHopService'>> {
  const pin = await readPin(node.url)
  const gasPrice = gasPriceAfter(pin, ethereum)
  const reader = new ForkReader({ pin, archiveUrl: node.url, forkUrls: [fork.url] })
  const tokens = await pricedTokens(service.url)
  return {
    name: 'mainnet',
    service,
    pin,
    gasPrice,
    tokens,
    draws: drawsAmong(tokens),
    heldUsd: null,
    async pools(venues) {
      const all = await Promise.all(venues.map((slug) => loadPools(reader, slug, recordedPools())))
      return new Map(
        all.flatMap(({ loaded }) => loaded).map((market) => [market.loaded.pool.id, market]),
      )
    },
    async toldOf(pools) {
      const known = new Set([nativeToken, ...tokens.map(({ address }) => address)])
      const told = [...pools].filter(({ loaded }) =>
        loaded.pool.tokens.every((token) => known.has(token)),
      )
      return {
        ...(await surroundings({ service, tokens, gasPrice })),
        pools: await Promise.all(told.map((market) => factsOf(reader, market, 'state'))),
      }
    },
    async missingState() {
      const { notRecorded } = await node.stats()
      await node.resetStats()
      // Each begins with the address.
      const addresses = new Set(
        Object.keys(notRecorded).map((what) => toAddress(what.slice(0, 42))),
      )
      return [...addresses].map((address) => ({ address, name: nameOf(address, tokens) }))
    },
  }
}

/** The service must value them, since their prices size the trades. */
async function pricedTokens(serviceUrl: string): Promise<LeagueToken[]> {
  const tokens = recordedTokens().map((token) => ({ ...token, isTaxed: false }))
  const prices = await readPrices(serviceUrl, tokens)
  return tokens.filter(({ symbol }) => prices.has(symbol))
}

/** A token counts as often as there are pools that can take or give it. */
function drawsAmong(tokens: readonly LeagueToken[]): Draws {
  const symbols = new Map(tokens.map(({ address, symbol }) => [address, symbol]))
  const named = (address: Address) => symbols.get(isNative(address) ? weth : address) ?? []
  const directions = recordedDirections()
  return {
    ...sizesUsd,
    sold: directions.flatMap(({ tokenIn }) => named(tokenIn)),
    bought: directions.flatMap(({ tokenOut }) => named(tokenOut)),
  }
}

/** The pool, token or contract at an address, for readers. */
function nameOf(address: Address, tokens: readonly LeagueToken[]): string {
  const symbolOf = (token: Address) =>
    tokens.find((each) => each.address === token)?.symbol ?? token
  const [pool, other] = recordedPools().filter((each) => each.address === address)
  if (!pool) return symbolOf(address)
  return other ? pool.protocol : `${pool.protocol} ${pool.tokens.map(symbolOf).join('/')}`
}
