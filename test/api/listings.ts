/** An API whose engine lists tokens and positions, behind a proxy that checks every answer against /openapi.json. */
import type { Listing, PositionListing, TokenFacts } from '../../src/domain/metadata.js'
import type { Address } from '../../src/domain/primitives.js'
import { startContractProxy } from '../support/nodes/contract-proxy.js'
import {
  baseListings,
  openTestApi,
  type Reply,
  read,
  type TestApi,
  tokens,
  usdc,
} from './test-api.js'

export const vault: Address = `0x${'a1'.repeat(20)}`
export const share: Address = `0x${'a2'.repeat(20)}`
export const manager: Address = `0x${'a3'.repeat(20)}`
const [daiFacts, usdcFacts, wethFacts] = tokens as [TokenFacts, TokenFacts, TokenFacts]

export const facts = (address: Address, symbol: string | null): TokenFacts => ({
  chainId: 1,
  address,
  symbol,
  name: symbol && `${symbol} share`,
  decimals: symbol ? 18 : null,
  logoUri: null,
})

export const single: PositionListing = {
  kind: 'position',
  id: 10,
  chainId: 1,
  positionId: `1:${vault}:${vault}`,
  protocol: 'erc-4626',
  project: 'erc-4626',
  token: facts(vault, 'vDAI'),
  primaryAddress: vault,
  poolAddress: vault,
  name: 'DAI vault',
  subtitle: 'DAI',
  underlyingTokens: [daiFacts],
  rewardTokens: [usdc],
  tvl: 1_000,
  apy: 6.5,
  apyBase: 4.5,
  apyReward: 2,
}
export const pair: PositionListing = {
  ...single,
  id: 11,
  positionId: `1:${manager}:${share}`,
  protocol: 'uniswap-v2',
  project: 'uniswap',
  token: facts(share, null),
  primaryAddress: manager,
  poolAddress: share,
  name: 'USDC/WETH',
  subtitle: '',
  underlyingTokens: [usdcFacts, wethFacts],
  rewardTokens: [],
  tvl: 50_000,
  apy: -1.5,
  apyBase: -1.5,
  apyReward: null,
}
export const nft: PositionListing = {
  ...pair,
  id: 12,
  positionId: `1:${manager}:full-range`,
  protocol: 'uniswap-v3',
  token: null,
  name: 'WETH/vDAI',
  underlyingTokens: [wethFacts, facts(vault, 'vDAI')],
  tvl: null,
  apy: null,
  apyBase: null,
}
/** Base tokens and one position of each kind. */
export const all: readonly Listing[] = [...baseListings, single, pair, nft]

export interface Listings {
  /** Without the proxy. */
  readonly direct: TestApi
  /** GET below /api/v1 through the proxy. */
  checked(path: string): Promise<Reply>
  /** What the engine lists from here on; all of it to begin with. */
  list(listings: readonly Listing[]): void
  close(): Promise<void>
}

/** @param env - of the configuration. */
export async function openListings(env: Record<string, string> = {}): Promise<Listings> {
  let listings = all
  const { close, ...direct } = await openTestApi(env, {
    listings: async ({ chainId }) =>
      listings.filter(
        (one) => !chainId || (one.kind === 'base' ? one.token.chainId : one.chainId) === chainId,
      ),
  })
  const proxy = await startContractProxy(direct.url)
  return {
    direct,
    async checked(path) {
      // The proxy demands a key since the document does.
      const headers = { authorization: 'Bearer any' }
      return read(await fetch(`${proxy.url}/api/v1${path}`, { headers }))
    },
    list(changed) {
      listings = changed
    },
    async close() {
      await proxy.stop()
      await close()
    },
  }
}
