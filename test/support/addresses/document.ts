/** The generated part of docs/reference/chains.md: of each chain what its file says, what states its addresses, and what nobody states. */
import type { ChainDefinition } from '../../../src/chains/chain.js'
import type { Address } from '../../../src/domain/primitives.js'
import type { Place } from './places.js'
import { placesOf } from './places.js'
import type { Statement } from './statements.js'

/** Where a human reads what no package states, by the path in a chain's file. */
export const readAt: Readonly<Record<string, string>> = {
  'venues.aave-gsm.gho': 'bgd-labs/aave-address-book f61c976, src/GhoEthereum.sol',
  'venues.aave-gsm.modules':
    'bgd-labs/aave-address-book f61c976, src/GhoEthereum.sol and AaveV3Ethereum.sol',
  'venues.aave-gsm.reserve': 'bgd-labs/aave-address-book f61c976, src/GhoEthereum.sol',
  'venues.balancer-v2.vault': 'balancer/balancer-deployments 6826feb, addresses',
  'venues.balancer-v2.factories': 'balancer/balancer-deployments 6826feb, addresses',
  'venues.balancer-v3.vault': 'balancer/balancer-deployments 6826feb, addresses',
  'venues.balancer-v3.factories': 'balancer/balancer-deployments 6826feb, addresses',
  'venues.compound-v3.comets': 'compound-finance/comet d5a30b0, deployments, roots.json',
  'venues.curve.addressProvider': 'docs.curve.finance, Deployments',
  'venues.curve.metaRegistry': 'docs.curve.finance, Deployments',
  'venues.curve.stableCoreFactory': 'curvefi/curve-core b4c27f3, deployments/prod',
  'venues.curve.tricryptoFactory': 'curvefi/curve-core b4c27f3, deployments/prod',
  'venues.curve.twocryptoFactory': 'curvefi/curve-core b4c27f3, deployments/prod',
  'venues.aerodrome-slipstream.factories':
    'aerodrome-finance/slipstream 7844368, script/constants/output',
  'bridges.canonical.messenger':
    'ethereum-optimism/superchain-registry, superchain/configs/mainnet; docs.base.org, base-contracts',
  'bridges.canonical.portal':
    'ethereum-optimism/superchain-registry, superchain/configs/mainnet; docs.base.org, base-contracts',
  'bridges.canonical.systemConfig':
    'ethereum-optimism/superchain-registry, superchain/configs/mainnet; docs.base.org, base-contracts',
  'bridges.canonical-tokens.bridge':
    'viem/chains, l1StandardBridge; ethereum-optimism/superchain-registry, superchain/configs/mainnet',
  'bridges.canonical-tokens.tokens': 'ethereum-optimism/ethereum-optimism.github.io, data',
  'bridges.canonical-tickets.inbox':
    'OffchainLabs/arbitrum-sdk 45e63a8, src/lib/dataEntities/networks.ts',
  'bridges.canonical-tickets.bridge':
    'OffchainLabs/arbitrum-sdk 45e63a8, src/lib/dataEntities/networks.ts',
  'bridges.canonical-tickets.retryables':
    'OffchainLabs/nitro-contracts, src/precompiles/ArbRetryableTx.sol',
  'bridges.cctp.messageTransmitter': 'developers.circle.com, CCTP contract addresses',
  'bridges.cctp.tokenMessenger': 'developers.circle.com, CCTP contract addresses',
  'bridges.cctp.tokens': 'developers.circle.com, USDC contract addresses',
  'bridges.cctp.tokenMinter': 'developers.circle.com, CCTP contract addresses',
  'bridges.oft.pools': 'DefiLlama/bridges-server db4a7a9, src/adapters/usdt0/index.ts',
  'venues.aerodrome-v1.factory': 'aerodrome-finance/contracts a5fae2e, README.md',
  'venues.camelot-v2.factory': 'docs.camelot.exchange, contracts of Arbitrum One',
  'venues.camelot-v3.factory': 'docs.camelot.exchange, contracts of Arbitrum One',
  'venues.camelot-v3.quoter': 'docs.camelot.exchange, contracts of Arbitrum One',
  'venues.camelot-v4.factory': 'docs.camelot.exchange, contracts of Arbitrum One',
  'venues.camelot-v4.quoter': 'docs.camelot.exchange, contracts of Arbitrum One',
  'venues.dodo-v2.dppFactory': 'DODOEX/contractV2 c58c067, config',
  'venues.dodo-v2.dspFactory': 'DODOEX/contractV2 c58c067, config',
  'venues.dodo-v2.dvmFactory': 'DODOEX/contractV2 c58c067, config',
  'venues.erc-4626.factories': 'docs.morpho.org, MetaMorpho addresses',
  'venues.erc-4626.registries': 'docs.yearn.fi, v3-contracts',
  'venues.erc-4626.stataFactories': 'bgd-labs/aave-address-book f61c976, src/ts',
  'venues.erc-4626.vaults': 'docs.frax.finance, sFRAX and sfrxETH',
  'venues.ether-fi.eETH': 'etherfi-protocol/smart-contracts, script/deploys/Deployed.s.sol',
  'venues.ether-fi.liquidityPool':
    'etherfi-protocol/smart-contracts, script/deploys/Deployed.s.sol',
  'venues.ether-fi.weETH': 'etherfi-protocol/smart-contracts, script/deploys/Deployed.s.sol',
  'venues.euler-swap.registry': 'euler-xyz/euler-interfaces 8007d05, addresses',
  'venues.fluid-dex-lite.dex': 'Instadapp/fluid-contracts-public a9949b4, deployments.md',
  'venues.fluid-dex-lite.resolver': 'Instadapp/fluid-contracts-public a9949b4, deployments.md',
  'venues.fluid-dex-t1.factory': 'Instadapp/fluid-contracts-public a9949b4, deployments.md',
  'venues.fluid-dex-t1.resolver': 'Instadapp/fluid-contracts-public a9949b4, deployments.md',
  'venues.frax-ether.frxETH': 'docs.frax.finance, frxETH',
  'venues.frax-ether.minter': 'docs.frax.finance, frxETH',
  'venues.liquidity-book.factory21': 'developers.lfj.gg, deployment addresses',
  'venues.liquidity-book.factory22': 'developers.lfj.gg, deployment addresses',
  'venues.llamalend.controllerFactory':
    'curvefi/curve-stablecoin edbb5ef, deployment-logs/mainnet.log',
  'venues.llamalend.lendingFactories':
    'curvefi/curve-stablecoin edbb5ef, deployment-logs; cf1d05f, deployments/llamalend',
  'venues.llamalend.stablecoin': 'curvefi/curve-stablecoin edbb5ef, deployment-logs/mainnet.log',
  'venues.lynex-fusion-v1.factory': 'cryptoalgebra/algebra-gitbook 7d44550, partners',
  'venues.lynex-fusion-v1.quoter': 'cryptoalgebra/algebra-gitbook 7d44550, partners',
  'venues.pancakeswap-infinity-bin.poolManager':
    'pancakeswap/infinity-core 7c04695, script/config; developer.pancakeswap.finance, Addresses',
  'venues.pancakeswap-infinity-bin.router':
    'pancakeswap/infinity-universal-router 8b03511, deploy-addresses',
  'venues.pancakeswap-infinity-cl.poolManager':
    'pancakeswap/infinity-core 7c04695, script/config; developer.pancakeswap.finance, Addresses',
  'venues.pancakeswap-infinity-cl.router':
    'pancakeswap/infinity-universal-router 8b03511, deploy-addresses',
  'venues.maverick-v2.factory':
    'maverickprotocol/maverick-v2-examples 68e4d2f, javascript/src/constants.ts',
  'venues.maverick-v2.quoter':
    'maverickprotocol/maverick-v2-examples 68e4d2f, javascript/src/constants.ts',
  'venues.pancakeswap-v3.routers': 'developer.pancakeswap.finance, Addresses',
  'venues.quickswap-v3.factory':
    'docs.quickswap.exchange, V3 factory; cryptoalgebra/algebra-gitbook 7d44550, partners',
  'venues.quickswap-v3.quoter': 'cryptoalgebra/algebra-gitbook 7d44550, partners',
  'venues.rocket-pool.rETH': 'sparkdotfi/spark-address-registry 029397c, src/Ethereum.sol',
  'venues.rocket-pool.storage':
    'rocket-pool/smartnode 991dbb1, shared/services/config/smartnode-config.go',
  'venues.sky.converter': 'sparkdotfi/spark-address-registry 029397c, src/Ethereum.sol',
  'venues.sky.dai': 'sparkdotfi/spark-address-registry 029397c, src/Ethereum.sol',
  'venues.sky.usds': 'sparkdotfi/spark-address-registry 029397c, src/Ethereum.sol',
  'venues.sky-psm.dai': 'sparkdotfi/spark-address-registry 5348de2, src/Ethereum.sol',
  'venues.sky-psm.pocket': 'makerdao/dss-lite-psm dbf0022, README.md',
  'venues.sky-psm.psm': 'makerdao/dss-lite-psm dbf0022, README.md',
  'venues.sky-psm.usds': 'sparkdotfi/spark-address-registry 5348de2, src/Ethereum.sol',
  'venues.sky-psm.wrapper': 'sparkdotfi/spark-address-registry 5348de2, src/Ethereum.sol',
  'venues.spark-lend.pool': 'sparkdotfi/spark-address-registry 2934ba2, src/SparkLend.sol',
  'venues.spark-psm3.psm': 'sparkdotfi/spark-address-registry 5348de2, src',
  'venues.spark-psm3.susds': 'sparkdotfi/spark-address-registry 5348de2, src',
  'venues.spark-psm3.usdc': 'sparkdotfi/spark-address-registry 5348de2, src',
  'venues.spark-psm3.usds': 'sparkdotfi/spark-address-registry 5348de2, src',
  'venues.staking-rewards.gauges': 'Uniswap/liquidity-staker, README.md',
  'venues.sushiswap-v3.routers': 'docs.sushi.com, Deployment addresses',
  'venues.swapx-v1.factory': 'cryptoalgebra/algebra-gitbook 7d44550, partners',
  'venues.swapx-v1.quoter': 'cryptoalgebra/algebra-gitbook 7d44550, partners',
  'venues.thena-fusion-v1.factory': 'cryptoalgebra/algebra-gitbook 7d44550, partners',
  'venues.thena-fusion-v1.quoter': 'cryptoalgebra/algebra-gitbook 7d44550, partners',
  'venues.uniswap-v3.routers': 'docs.uniswap.org, V3 deployments',
  'venues.velodrome-slipstream.factories': 'velodrome-finance/slipstream 193a6b8, README.md',
  'venues.velodrome-v2.factory': 'velodrome-finance/contracts 1ea5fee, README.md',
  'venues.wombat.pools':
    'DefiLlama/DefiLlama-Adapters 01c6cc7, projects/wombat-exchange/config.js; Sotatek-PhucTa/wombat 0b9804f, config',
  'venues.woofi-v2.pools': 'woonetwork/docs 218fb51, references/readme',
  'venues.woofi-v2.router': 'woonetwork/docs 218fb51, references/readme',
  'venues.yearn-v2.registry': 'docs.yearn.fi, Deployed contracts',
}

export interface CheckedPlace extends Place {
  /** Packages that state it; empty: nobody does. */
  readonly sources: readonly string[]
}

export function checkPlaces(
  chain: ChainDefinition,
  statements: readonly Statement[],
): CheckedPlace[] {
  const byAddress = statementsOf(chain.id, statements)
  return placesOf(chain, statements).map((place) => ({
    ...place,
    sources: sourcesOf(place, place.address, byAddress),
  }))
}

export function statementsOf(
  chainId: number,
  statements: readonly Statement[],
): ReadonlyMap<Address, Statement[]> {
  const byAddress = new Map<Address, Statement[]>()
  for (const one of statements) {
    if (one.chainId !== chainId) continue
    byAddress.set(one.address, [...(byAddress.get(one.address) ?? []), one])
  }
  return byAddress
}

/** Who states that the address is what the place takes it for. */
export function sourcesOf(
  place: Place,
  address: Address,
  byAddress: ReadonlyMap<Address, Statement[]>,
): string[] {
  const found = byAddress.get(address) ?? []
  return [...new Set(found.filter(({ role }) => place.accepts(role)).map(({ source }) => source))]
}

/** @throws Error for an unchecked address whose source nobody named. */
export function chainTables(
  chains: readonly ChainDefinition[],
  statements: readonly Statement[],
): string {
  const rules = chains.map((chain) => `| ${ruleCells(chain).join(' | ')} |`)
  return [
    '| chain | id | native | seconds a block | base fee | tip, gwei | L1 fee | rules that headers do not show |',
    '|---|---|---|---|---|---|---|---|',
    ...rules,
    '',
    ...chains.flatMap((chain) => chainPart(chain, checkPlaces(chain, statements))),
  ].join('\n')
}

function ruleCells(chain: ChainDefinition): string[] {
  const { baseFee, nativeCurrency, unshownHardForks } = chain
  const ofFee =
    baseFee === 'unchanged'
      ? 'taken as unchanged'
      : `${baseFee.isInHeader ? 'by the header, else ' : ''}EIP-1559, ${baseFee.elasticity} and ${baseFee.denominator}`
  const forks = unshownHardForks.map((one) => {
    const since =
      'since' in one
        ? new Date(Number(one.since) * 1_000).toISOString().slice(0, 10)
        : `block ${one.sinceBlock}`
    return `${one.hardFork} (${since})`
  })
  return [
    chain.name,
    String(chain.id),
    nativeCurrency.symbol,
    String(chain.blockTimeSeconds),
    ofFee,
    String(Number(chain.priorityFeePerGas) / 1e9),
    chain.l1DataFee ?? 'none',
    forks.join(', ') || 'none',
  ]
}

function chainPart(chain: ChainDefinition, places: readonly CheckedPlace[]): string[] {
  const counts = new Map<string, number>()
  for (const { sources } of places) {
    for (const source of sources) counts.set(source, (counts.get(source) ?? 0) + 1)
  }
  const unchecked = places.filter(({ sources }) => sources.length === 0)
  const packages = [...counts].sort(([, a], [, b]) => b - a)
  return [
    `### ${chain.name} (${chain.id})`,
    '',
    `Venues: ${Object.keys(chain.venues).join(', ')}. Bridges: ${Object.keys(chain.bridges ?? {}).join(', ') || 'none'}.`,
    `Feeds: ${chain.chainlinkFeeds.length}; connectors: ${chain.connectorTokens.length}.`,
    '',
    `Of ${places.length} addresses ${places.length - unchecked.length} are stated by packages:`,
    `${packages.map(([source, count]) => `${source} (${count})`).join(', ')}.`,
    '',
    ...(unchecked.length === 0
      ? ['Unchecked: none.', '']
      : ['| unchecked | address | read at |', '|---|---|---|', ...unchecked.map(uncheckedRow), '']),
  ]
}

function uncheckedRow({ path, address }: Place): string {
  const source = readAt[path]
  if (!source)
    throw new Error(`No package states ${path} ${address}, and nobody says where it is read.`)
  return `| ${path} | ${address} | ${source} |`
}
