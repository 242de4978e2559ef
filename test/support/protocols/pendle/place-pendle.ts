/**
 * Pendle's own contracts as its packages ship them: factories behind proxies, the router with its facets, and an SY of a vault.
 * The gauges are ours and give nothing.
 */
import { concatHex, decodeAbiParameters, parseAbiParameters, toFunctionSelector } from 'viem'
import { type Address, type Hex, toAddress } from '../../../../src/domain/primitives.js'
import {
  addLiquidityAbi,
  buyYtAbi,
  removeLiquidityAbi,
  sellYtAbi,
  swapPtAbi,
  swapSyAbi,
} from '../../../../src/protocols/pendle/abi.js'
import type { ArtifactPackage } from '../../../../src/sandbox/contracts/artifact-package.js'
import { codeOf, loadArtifacts } from '../../../../src/sandbox/contracts/artifacts.js'
import { sandboxBytecode } from '../../../../src/sandbox/generated/contracts.js'

/** The first contract of Anvil's first account: code of markets is linked before the library is there. */
const oracleLibrary: Address = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
const libraries = { 'contracts/core/Market/OracleLib.sol:OracleLib': oracleLibrary }
const file = (path: string) => ({
  path: `package/build/artifacts/contracts/${path}.json`,
  field: 'bytecode',
})
const packages: readonly ArtifactPackage[] = [
  {
    name: '@pendle/core-v2',
    version: '6.11.0',
    integrity:
      'sha512-Q7h2KaYzYl8kZKNPe5qWKHYtdToVEL9FqCH0/5ab9/H34JBdutQoqo8hcggfaPYlziOOQ79dgbWfvyzMDJNQCw==',
    files: {
      oracleLibrary: file('core/Market/OracleLib.sol/OracleLib'),
      codeSplitter: file(
        'offchain-helpers/BaseSplitCodeFactoryContract.sol/BaseSplitCodeFactoryContract',
      ),
      yieldToken: file('core/YieldContracts/PendleYieldToken.sol/PendleYieldToken'),
      yieldFactory: file(
        'core/YieldContracts/PendleYieldContractFactoryUpg.sol/PendleYieldContractFactoryUpg',
      ),
      market: { ...file('core/Market/PendleMarketV7.sol/PendleMarketV7'), libraries },
      marketFactory: file('core/Market/PendleMarketFactoryV7Upg.sol/PendleMarketFactoryV7Upg'),
      router: file('router/PendleRouterV4.sol/PendleRouterV4'),
      storageFacet: file('router/ActionStorageV4.sol/ActionStorageV4'),
      swapFacet: file('router/ActionSwapPTV3.sol/ActionSwapPTV3'),
      yieldFacet: file('router/ActionSwapYTV3.sol/ActionSwapYTV3'),
      liquidityFacet: file('router/ActionAddRemoveLiqV3.sol/ActionAddRemoveLiqV3'),
      callbackFacet: file('router/ActionCallbackV3.sol/ActionCallbackV3'),
      simpleFacet: file('router/ActionSimple.sol/ActionSimple'),
    },
  },
  {
    name: '@openzeppelin/contracts',
    version: '4.9.6',
    integrity:
      'sha512-xSmezSupL+y9VkHZJGDoCBpmnB2ogM13ccaYDWqJTfS3dbuHkgjuwDFUmaFauBCboQMGB/S5UqUl2y54X99BmA==',
    files: {
      proxy: { path: 'package/build/contracts/ERC1967Proxy.json', field: 'bytecode' },
    },
  },
]

/** The last version of the package with SYs. */
const yieldPackages: readonly ArtifactPackage[] = [
  {
    name: '@pendle/core-v2',
    version: '4.7.2',
    integrity:
      'sha512-45zA81aNACHSljw3GuFXy8Fe+QESNwduew3xmIFfEbBsmjTGjP3gokrZz71w3Md630TGKdaoT0YMCjkPJQkGsg==',
    files: {
      vaultYield: file(
        'core/StandardizedYield/implementations/PendleERC4626SY.sol/PendleERC4626SY',
      ),
    },
  },
]

/** A chain on which contracts are placed, a bare one or the sandbox. */
export interface Site {
  /** Deploys and owns what has an owner. */
  readonly owner: Address
  deploy(code: Hex, types?: string, values?: readonly unknown[]): Promise<Address>
  /** Deploys where the chain's file says; absent: anywhere. */
  at?(address: Address, code: Hex, types: string, values: readonly unknown[]): Promise<Address>
  /** @param signature - of the function, as in `function transfer(address to, uint256 amount)`. */
  send(to: Address, signature: string, args?: readonly unknown[]): Promise<void>
  read(to: Address, signature: string, args?: readonly unknown[]): Promise<Hex>
}

export interface PlacedPendle {
  readonly router: Address
  readonly factory: Address
  readonly yieldFactory: Address
}

export interface PlacedMarket {
  readonly market: Address
  readonly pt: Address
  readonly yt: Address
  readonly sy: Address
}

const day = 86_400n
const one = 10n ** 18n
/** The functions of the facets that swaps call, those to which they delegate, and the one that markets call back. */
const facetOf = {
  swapFacet: [swapPtAbi, swapSyAbi].map(toFunctionSelector),
  yieldFacet: [sellYtAbi, buyYtAbi].map(toFunctionSelector),
  liquidityFacet: [addLiquidityAbi, removeLiquidityAbi].map(toFunctionSelector),
  callbackFacet: [toFunctionSelector('swapCallback(int256,int256,bytes)')],
  simpleFacet: [
    'swapExactSyForPtSimple',
    'swapExactSyForYtSimple',
    'addLiquiditySingleSySimple',
  ].map((name) => toFunctionSelector(`${name}(address,address,uint256,uint256)`)),
}
const liquidityFacet: Address = '0x000000000000000000000000000000000000face'
const treasury: Address = '0x000000000000000000000000000000000000fee5'

/** Code that answers each call with the word. */
function answering(word: Address): Hex {
  const runtime: Hex = `0x73${word.slice(2)}5f5260205ff3`
  return concatHex(['0x7a', runtime, '0x5f52601b6005f3'])
}

/**
 * On a bare chain before anything else is deployed there.
 *
 * @param places - of the router and the factories; absent: anywhere.
 */
export async function placePendle(site: Site, places?: PlacedPendle): Promise<PlacedPendle> {
  const artifacts = await loadArtifacts('.cache/sandbox', () => {}, packages)
  const code = (key: string) => codeOf(artifacts, key)
  const place = (
    address: Address | undefined,
    key: string,
    types: string,
    values: readonly unknown[],
  ) =>
    address && site.at
      ? site.at(address, code(key), types, values)
      : site.deploy(code(key), types, values)
  const library = await place(oracleLibrary, 'oracleLibrary', '', [])
  if (library !== oracleLibrary) throw new Error('the library lies elsewhere')
  const tokenTypes = 'string, string, uint8, uint256, address'
  const reward = await site.deploy(sandboxBytecode.StandardToken, tokenTypes, [
    ...['Pendle', 'PENDLE', 18, one, site.owner],
  ])
  const splitter = await site.deploy(code('codeSplitter'))
  const split = async (key: string) => {
    const deploy = 'function deploy(string, bytes) returns (address, uint256, address, uint256)'
    const parts = await site.read(splitter, deploy, [key, code(key)])
    await site.send(splitter, deploy, [key, code(key)])
    return decodeAbiParameters(parseAbiParameters('address, uint256, address, uint256'), parts)
  }
  const four = 'address, uint256, address, uint256'
  const ownYields = await site.deploy(code('yieldFactory'), four, await split('yieldToken'))
  const yieldFactory = await place(places?.yieldFactory, 'proxy', 'address, bytes', [
    ownYields,
    '0x',
  ])
  const fees = [day, (3n * one) / 100n, (3n * one) / 100n]
  await site.send(yieldFactory, 'function initialize(uint96, uint128, uint128, address, address)', [
    ...fees,
    treasury,
    site.owner,
  ])
  const gauges = await site.deploy(answering(reward))
  const ownMarkets = await site.deploy(code('marketFactory'), `address, ${four}, address`, [
    ...[yieldFactory, ...(await split('market'))],
    gauges,
  ])
  const factory = await place(places?.factory, 'proxy', 'address, bytes', [ownMarkets, '0x'])
  const initialize = 'function initialize(address, address, uint8)'
  await site.send(factory, initialize, [site.owner, treasury, 80])
  const storage = await site.deploy(code('storageFacet'))
  const types = 'address, address'
  const router = await place(places?.router, 'router', types, [site.owner, storage])
  const rows = []
  for (const [key, selectors] of Object.entries(facetOf)) {
    // As the package ships it, it is larger than a chain lets be deployed.
    const address = key === 'liquidityFacet' && places ? liquidityFacet : undefined
    rows.push({ facet: await place(address, key, '', []), selectors })
  }
  const set = 'function setSelectorToFacets((address facet, bytes4[] selectors)[])'
  await site.send(router, set, [rows])
  return { router, factory, yieldFactory }
}

/** An SY of a vault of ERC-4626. */
export async function placeVaultYield(site: Site, vault: Address): Promise<Address> {
  const artifacts = await loadArtifacts('.cache/sandbox', () => {}, yieldPackages)
  const types = 'string, string, address'
  return site.deploy(codeOf(artifacts, 'vaultYield'), types, ['SY Vault', 'SY-VLT', vault])
}

export interface MarketWish {
  readonly sy: Address
  /** Unix seconds, a whole number of days. */
  readonly expiry: bigint
  readonly scalarRoot: bigint
  readonly initialAnchor: bigint
  readonly lnFeeRateRoot: bigint
  /** Raw units of SY, of which the owner has as much: what is split, and what is put beside the PT. */
  readonly split: bigint
  readonly beside: bigint
  /** Raw units of PT that are put into the market; absent: half of what the split gives. */
  readonly pt?: bigint
}

/** A market of which the owner has the first shares. */
export async function openMarket(
  site: Site,
  { factory, yieldFactory }: PlacedPendle,
  wish: MarketWish,
): Promise<PlacedMarket> {
  const { sy, expiry, scalarRoot, initialAnchor, lnFeeRateRoot, split, beside } = wish
  const create = 'function createYieldContract(address, uint32, bool) returns (address, address)'
  const made = await site.read(yieldFactory, create, [sy, Number(expiry), false])
  const [pt, yt] = decodeAbiParameters(parseAbiParameters('address, address'), made).map(toAddress)
  if (!pt || !yt) throw new Error('no PT')
  await site.send(yieldFactory, create, [sy, Number(expiry), false])
  const open = 'function createNewMarket(address, int256, int256, uint80) returns (address)'
  const terms = [pt, scalarRoot, initialAnchor, lnFeeRateRoot]
  const market = toAddress(`0x${(await site.read(factory, open, terms)).slice(-40)}`)
  await site.send(factory, open, terms)
  const transfer = 'function transfer(address, uint256)'
  await site.send(sy, transfer, [yt, split])
  await site.send(yt, 'function mintPY(address, address)', [site.owner, site.owner])
  const owned = await site.read(pt, 'function balanceOf(address)', [site.owner])
  const deposited = wish.pt ?? BigInt(owned) / 2n
  await site.send(pt, transfer, [market, deposited])
  await site.send(sy, transfer, [market, beside])
  const mint = 'function mint(address, uint256, uint256)'
  await site.send(market, mint, [site.owner, beside, deposited])
  return { market, pt, yt, sy }
}
