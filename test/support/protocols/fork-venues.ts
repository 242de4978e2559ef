/**
 * SushiSwap V3, PancakeSwap V2 and V3 on the sandbox chain, at their mainnet addresses and with code of their own
 * where a package ships it: SushiSwap V3 runs Uniswap's. Nothing of it is committed.
 */
import { numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, type Hex, toAddress } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import { loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'

const pancakePackages = [
  {
    name: '@pancakeswap-libs/pancake-swap-core',
    version: '0.1.0',
    integrity:
      'sha512-2jYiD1Ec3xAbP4JTa/Ozylx0xI4VwC7diCm5ak4AtGrIRhfRLSanaZSQdVpLigUnIFszma/4nVWtt3cup4Poxw==',
    files: { v2Factory: { path: 'package/build/PancakeFactory.json', field: 'bytecode' } },
  },
  {
    name: '@pancakeswap/v3-core',
    version: '1.0.2',
    integrity:
      'sha512-9aZU8I1J6SbZOSW7NcNxuyaAC17tGkOaZJM9aJgvl6MMUOExpq0i0EC/jc3HxWbpC8sbZL+8eG544NEJs8CS+w==',
    files: {
      v3Factory: {
        path: 'package/artifacts/contracts/PancakeV3Factory.sol/PancakeV3Factory.json',
        field: 'bytecode',
      },
      v3Pool: {
        path: 'package/artifacts/contracts/PancakeV3Pool.sol/PancakeV3Pool.json',
        field: 'bytecode',
      },
    },
  },
]

const poolCode: Address = '0x00000000000000000000000000000000000c0de3'
const each = 10n ** 30n

/** @returns the pools, all with liquidity. */
export async function placeForkVenues(url: string): Promise<Pool[]> {
  const node = await new NodeWriter(url).start()
  const contract = compileTestContracts('Pools.sol')
  const provider = await node.deploy(contract('LiquidityProvider').bytecode)
  for (const symbol of ['WETH', 'DAI', 'UNI', 'LINK']) {
    await node.rpc('anvil_dealERC20', [provider, token(symbol), numberToHex(each)])
  }
  const sandbox = await loadArtifacts('.cache/sandbox', () => {})
  const pancake = await loadArtifacts('.cache/sandbox', () => {}, pancakePackages)
  const code = (artifacts: Readonly<Record<string, Hex>>, name: string) => artifacts[name] ?? '0x'

  await node.place(factoryOf('pancakeswap-v2'), code(pancake, 'v2Factory'), 'address', [provider])
  await node.place(factoryOf('sushiswap-v3'), code(sandbox, 'v3Factory'))
  await node.rpc('anvil_setCode', [poolCode, code(pancake, 'v3Pool')])
  const deployer = await node.deploy(contract('PoolDeployer').bytecode, 'address', [poolCode])
  const v3Factory = code(pancake, 'v3Factory')
  await node.place(factoryOf('pancakeswap-v3'), v3Factory, 'address', [deployer])

  const pools = [
    await openV2(node, provider, ['WETH', 'DAI'], [3_000n, 9_000_000n]),
    await openV2(node, provider, ['UNI', 'LINK'], [1_000_000n, 400_000n]),
    await openV3(node, provider, 'sushiswap-v3', ['WETH', 'DAI'], 500, 10),
    await openV3(node, provider, 'sushiswap-v3', ['UNI', 'LINK'], 3_000, 60),
    await openV3(node, provider, 'pancakeswap-v3', ['WETH', 'DAI'], 500, 10),
    await openV3(node, provider, 'pancakeswap-v3', ['UNI', 'LINK'], 2_500, 50),
    await openV3(node, provider, 'pancakeswap-v3', ['WETH', 'UNI'], 10_000, 200),
  ]
  await node.close()
  return pools
}

function token(symbol: string): Address {
  return sandboxToken(symbol).address
}

function factoryOf(slug: string): Address {
  return toAddress(String(ethereum.venues[slug]?.factory))
}

function ordered(symbols: readonly [string, string]): [Address, Address] {
  const [a, b] = [token(symbols[0]), token(symbols[1])]
  return a < b ? [a, b] : [b, a]
}

async function openV2(
  node: NodeWriter,
  provider: Address,
  symbols: readonly [string, string],
  whole: readonly [bigint, bigint],
): Promise<Pool> {
  const factory = factoryOf('pancakeswap-v2')
  const tokens = ordered(symbols)
  await node.send(factory, 'function createPair(address, address)', tokens)
  const found = await node.read(factory, 'function getPair(address, address) view', tokens)
  const address = toAddress(`0x${found.slice(26)}`)
  const amounts = whole.map((amount) => amount * 10n ** 18n)
  const args = [address, ...(tokens[0] === token(symbols[0]) ? amounts : amounts.toReversed())]
  await node.send(provider, 'function seedV2(address, uint256, uint256)', args)
  return { protocol: 'pancakeswap-v2', id: address, address, tokens, parameters: { feeBps: 25 } }
}

/** Three positions around a price that is no tick's own: all prices, near ones, and some above. */
async function openV3(
  node: NodeWriter,
  provider: Address,
  slug: string,
  symbols: readonly [string, string],
  fee: number,
  tickSpacing: number,
): Promise<Pool> {
  const factory = factoryOf(slug)
  const tokens = ordered(symbols)
  await node.send(factory, 'function createPool(address, address, uint24)', [...tokens, fee])
  const getPool = 'function getPool(address, address, uint24) view'
  const address = toAddress(`0x${(await node.read(factory, getPool, [...tokens, fee])).slice(26)}`)
  const price = sqrtPriceAtTick(7) + 12_345n
  await node.send(address, 'function initialize(uint160)', [price])
  const edge = Math.floor(887_272 / tickSpacing) * tickSpacing
  for (const [lower, upper, liquidity] of [
    [-edge, edge, 10n ** 22n],
    [-20 * tickSpacing, 30 * tickSpacing, 10n ** 24n],
    [5 * tickSpacing, 300 * tickSpacing, 3n * 10n ** 23n],
  ] as const) {
    const mint = 'function seedV3(address, int24, int24, uint128)'
    await node.send(provider, mint, [address, lower, upper, liquidity])
  }
  return { protocol: slug, id: address, address, tokens, parameters: { fee, tickSpacing } }
}
