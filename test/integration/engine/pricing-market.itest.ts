import { numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { ForkReader } from '../../../src/forks/reader.js'
import {
  type PriceMarket,
  priceTokens,
  readFeeds,
  type TokenPrice,
} from '../../../src/pricing/pricing.js'
import { canSwap } from '../../../src/protocols/protocol.js'
import { protocols } from '../../../src/protocols/registry.js'
import { createRpcClient, type RpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type AnvilProcess, startAnvil } from '../../../src/sandbox/chain/anvil-process.js'
import { createChainWriter } from '../../../src/sandbox/chain/chain-writer.js'
import { loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { deployContracts } from '../../../src/sandbox/market/deploy-contracts.js'
import { ethereumMarket } from '../../../src/sandbox/market/market-pools.js'
import { openMarket } from '../../../src/sandbox/market/open-market.js'
import { sandboxTokens } from '../../../src/sandbox/tokens.js'
import { readPin } from '../../support/pin.js'

let anvil: AnvilProcess
let client: RpcClient
let reader: ForkReader
let prices: ReadonlyMap<Address, TokenPrice | null>

/** The sandbox's market as it opens: pools at the planned prices, no trade and no feed report yet. */
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 1, timestamp: 1_760_000_000, noMining: true })
  client = createRpcClient(anvil.url, { timeoutMs: 60_000 })
  const chain = createChainWriter(client)
  const deployer = sandboxAccount('deployer').address
  await chain.all([
    { method: 'anvil_setBlockTimestampInterval', params: [12] },
    { method: 'evm_setBlockGasLimit', params: [numberToHex(2_000_000_000n)] },
    { method: 'anvil_setBalance', params: [deployer, numberToHex(10n ** 26n)] },
  ])
  const artifacts = await loadArtifacts('.cache/sandbox', () => {})
  await deployContracts({ chain, deployer, market: ethereumMarket, artifacts })
  await openMarket(chain, deployer, ethereumMarket)
  await chain.checkReceipts()
  const pin = await readPin(anvil.url)
  reader = new ForkReader({ pin, archiveUrl: anvil.url, forkUrls: [anvil.url] })
  const market = await loadMarket()
  const tokens = sandboxTokens.map(({ address }) => address)
  const feeds = await readFeeds(reader, ethereum)
  prices = priceTokens({ chain: ethereum, tokens, market, feeds, block: pin })
})

afterAll(async () => {
  reader.close()
  await client.close()
  await anvil.stop()
})

async function loadMarket(): Promise<PriceMarket> {
  const all = sandboxPools()
  const loaded = await Promise.all(
    protocols.filter(canSwap).map(async (adapter) => {
      const pools = all.filter(({ protocol }) => protocol === adapter.slug)
      const venue = ethereum.venues[adapter.slug] ?? {}
      const states = await adapter.swaps.load({ reader, chain: ethereum, venue, pools })
      return states.map((state) => {
        if (!('state' in state)) throw new Error(`${state.subject}: ${state.message}`)
        return { loaded: state, adapter }
      })
    }),
  )
  return {
    pools: loaded.flat(),
    decimals: new Map(sandboxTokens.map(({ address, decimals }) => [address, decimals])),
  }
}

function tokenOf(symbol: string) {
  const token = sandboxTokens.find((each) => each.symbol === symbol)
  if (!token) throw new Error(`no token ${symbol}`)
  return { planned: Number(token.priceUsdE12) / 1e12, priced: prices.get(token.address) ?? null }
}

describe('priceTokens on the market of the sandbox', () => {
  test.each(['WETH', 'WBTC', 'LINK', 'UNI', 'AAVE', 'CRV', 'LDO', 'MKR', 'FRAX', 'sUSD', 'wstETH'])(
    '%s is priced within half a percent of the market, traps beside it notwithstanding',
    (symbol) => {
      const { planned, priced } = tokenOf(symbol)
      expect(priced?.source).toBe('pools')
      expect((priced?.priceUsd ?? 0) / planned).toBeGreaterThan(0.995)
      expect((priced?.priceUsd ?? 0) / planned).toBeLessThan(1.005)
      expect(priced?.confidence).toBeGreaterThan(0.4)
    },
  )

  test('stable anchors are a dollar while their feeds have not reported', () => {
    for (const symbol of ['USDC', 'USDT', 'DAI']) {
      expect(tokenOf(symbol).priced).toEqual({ priceUsd: 1, confidence: 0.95, source: 'anchor' })
    }
  })

  test('a token whose pools contradict each other has little confidence', () => {
    expect(tokenOf('HNY').priced?.confidence ?? 0).toBeLessThan(0.2)
  })
})
