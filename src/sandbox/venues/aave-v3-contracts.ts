/** Places and wires the contracts of Aave V3, each step before those that ask it in their constructors. */
import {
  encodeFunctionData,
  keccak256,
  parseAbi,
  parseAbiParameters,
  stringToHex,
  zeroAddress,
} from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import { placeContracts } from '../chain/placement.js'
import { sandboxBytecode } from '../generated/contracts.js'
import { sandboxToken } from '../tokens.js'
import {
  aaveV3Libraries,
  aaveV3Addresses as at,
  priceSourceAddress,
  rateStrategyAddress,
} from './aave-v3-addresses.js'
import { aaveReserveSpecs } from './aave-v3-specs.js'
import type { VenueTools } from './venue.js'

const providerAbi = parseAbi([
  'function setAddress(bytes32 id, address newAddress)',
  'function setAddressAsProxy(bytes32 id, address implementation)',
  'function setACLAdmin(address admin)',
  'function setACLManager(address manager)',
  'function setPoolDataProvider(address provider)',
  'function setPriceOracle(address oracle)',
  'function setPoolImpl(address implementation)',
  'function setPoolConfiguratorImpl(address implementation)',
  'function addPoolAdmin(address admin)',
])

const oneAddress = parseAbiParameters('address a')
/** Ids of the addresses that the provider keeps as proxies. */
const ids = {
  pool: stringToHex('POOL', { size: 32 }),
  configurator: stringToHex('POOL_CONFIGURATOR', { size: 32 }),
  rewards: keccak256(stringToHex('INCENTIVES_CONTROLLER')),
}
/** The unit of the oracle's prices: 8 decimals of a dollar. */
const priceUnit = 100_000_000n
const rayPerBps = 10n ** 23n

/** @param sources - of the price of each reserve, in the order of the plan. */
export async function placeAave(tools: VenueTools, sources: readonly Address[]): Promise<void> {
  await placeFoundation(tools)
  await placeImplementations(tools)
  await placeOracleAndTokens(tools, sources)
}

async function placeFoundation({ chain, deployer, code }: VenueTools): Promise<void> {
  const proxies = [at.pool, at.poolConfigurator, at.rewardsController]
  await placeContracts(chain, deployer, [
    ...Object.entries(aaveV3Libraries).map(([name, address]) => ({
      address,
      creationCode: code(`aave${name}`),
    })),
    {
      address: at.addressesProvider,
      creationCode: code('aaveAddressesProvider'),
      types: parseAbiParameters('string marketId, address owner'),
      args: ['Aave Ethereum Market', deployer],
    },
    ...proxies.map((address) => ({
      address,
      creationCode: code('aaveProxy'),
      types: oneAddress,
      args: [at.addressesProvider],
    })),
    {
      address: at.emissionManager,
      creationCode: code('aaveEmissionManager'),
      types: oneAddress,
      args: [deployer],
    },
    ...aaveReserveSpecs.map(({ symbol }, place) => ({
      address: priceSourceAddress(place),
      creationCode: sandboxBytecode.PriceFeed,
      types: parseAbiParameters('string description, address operator'),
      args: [`${symbol} / USD`, deployer],
    })),
  ])
  const administer = administrator(chain, deployer)
  administer('setACLAdmin', [deployer])
  // The proxies are there already, at the addresses of mainnet: the provider only upgrades them.
  administer('setAddress', [ids.pool, at.pool])
  administer('setAddress', [ids.configurator, at.poolConfigurator])
  administer('setAddress', [ids.rewards, at.rewardsController])
  await chain.mine()
}

async function placeImplementations({ chain, deployer, code }: VenueTools): Promise<void> {
  const ofProvider = { types: oneAddress, args: [at.addressesProvider] }
  await placeContracts(chain, deployer, [
    { address: at.poolImplementation, creationCode: code('aavePool'), ...ofProvider },
    { address: at.poolConfiguratorImplementation, creationCode: code('aavePoolConfigurator') },
    { address: at.aclManager, creationCode: code('aaveAclManager'), ...ofProvider },
    { address: at.dataProvider, creationCode: code('aaveDataProvider'), ...ofProvider },
    {
      address: at.rewardsControllerImplementation,
      creationCode: code('aaveRewardsController'),
      types: oneAddress,
      args: [at.emissionManager],
    },
    {
      address: at.transferStrategy,
      creationCode: code('aaveTransferStrategy'),
      types: parseAbiParameters('address controller, address admin, address vault'),
      args: [at.rewardsController, deployer, deployer],
    },
    ...aaveReserveSpecs.map(({ rates: [optimal, base, slope1, slope2] }, place) => ({
      address: rateStrategyAddress(place),
      creationCode: code('aaveRateStrategy'),
      types: parseAbiParameters(
        'address provider, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256',
      ),
      // The last five are of stable rates, which no reserve offers.
      args: [
        at.addressesProvider,
        ...[optimal, base, slope1, slope2].map((bps) => BigInt(bps) * rayPerBps),
        ...[0n, 0n, 0n, 0n, 0n],
      ],
    })),
  ])
  const administer = administrator(chain, deployer)
  administer('setACLManager', [at.aclManager])
  administer('setPoolDataProvider', [at.dataProvider])
  administer('addPoolAdmin', [deployer], at.aclManager)
  administer('setPoolImpl', [at.poolImplementation])
  administer('setPoolConfiguratorImpl', [at.poolConfiguratorImplementation])
  administer('setAddressAsProxy', [ids.rewards, at.rewardsControllerImplementation])
  await chain.mine()
}

async function placeOracleAndTokens(
  { chain, deployer, code }: VenueTools,
  sources: readonly Address[],
): Promise<void> {
  const ofPool = { types: oneAddress, args: [at.pool] }
  await placeContracts(chain, deployer, [
    {
      address: at.oracle,
      creationCode: code('aaveOracle'),
      types: parseAbiParameters(
        'address provider, address[] assets, address[] sources, address fallback, address base, uint256 unit',
      ),
      args: [
        at.addressesProvider,
        aaveReserveSpecs.map(({ symbol }) => sandboxToken(symbol).address),
        sources,
        zeroAddress,
        zeroAddress,
        priceUnit,
      ],
    },
    { address: at.aToken, creationCode: code('aaveAToken'), ...ofPool },
    { address: at.stableDebtToken, creationCode: code('aaveStableDebtToken'), ...ofPool },
    { address: at.variableDebtToken, creationCode: code('aaveVariableDebtToken'), ...ofPool },
  ])
  administrator(chain, deployer)('setPriceOracle', [at.oracle])
  await chain.mine()
}

/** Sends a call of the owner to the provider, or to another contract. */
function administrator(chain: VenueTools['chain'], deployer: Address) {
  return (
    functionName: (typeof providerAbi)[number]['name'],
    args: readonly Hex[],
    to: Address = at.addressesProvider,
  ) => {
    const call = { abi: providerAbi, functionName, args } as never
    chain.send({ from: deployer, to, data: encodeFunctionData(call) })
  }
}
