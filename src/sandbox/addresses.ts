/** Where the contracts of the sandbox lie: at their mainnet addresses, or at invented ones (0xf702e7…). */
import { encodeAbiParameters, encodePacked, getContractAddress, keccak256 } from 'viem'
import { ethereum } from '../chains/ethereum.js'
import { type Address, type Hex, toAddress } from '../domain/primitives.js'
import { pairInitCodeHash } from '../protocols/uniswap-v2/index.js'
import { poolInitCodeHash } from '../protocols/uniswap-v3/index.js'
import type { V2PoolSpec } from './market/market-specs.js'

function venueHex(protocol: string, key: string): Hex {
  const value = ethereum.venues[protocol]?.[key]
  if (typeof value !== 'string') throw new RangeError(`${protocol} has no ${key}.`)
  return value as Hex
}

export const contractAddresses = {
  v2Factory: venueHex('uniswap-v2', 'factory'),
  sushiFactory: venueHex('sushiswap-v2', 'factory'),
  v2Router: '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
  v3Factory: venueHex('uniswap-v3', 'factory'),
  v3PositionManager: venueHex('uniswap-v3', 'positionManager'),
  swapRouter02: '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
  universalRouter: '0x66a9893cc07d91d95644aedd05d03f95e1dba8af',
  balancerVault: venueHex('balancer-v2', 'vault'),
  balancerWeightedFactory: '0x8e9aa87e45e92bad84d5f8dd1bff34fb92637de9',
  balancerStableFactory: '0xc66ba2b6595d3613ccab350c886ace23866ede24',
  v4PoolManager: venueHex('uniswap-v4', 'poolManager'),
  multicall3: '0xca11bde05977b3631167028862be2a173976ca11',
  permit2: '0x000000000022d473030f116ddee9f6b43ac78ba3',
  dollarImplementation: '0x43506849d7c04f9138d1a2050bbf3a0c054402dd',
  tradingDesk: '0xf702e700000000000000000000000000000000de',
} as const satisfies Record<string, Address>

/** Contracts of the Curve pools by their place in the plan: the real sUSD pool's, and an invented one. */
export const curvePoolAddresses: readonly Address[] = [
  '0xa5407eae9ba41422680e2e00537571bcc53efbfd',
  '0xf702e700000000000000000000000000000000c1',
]
export const curveSharesAddresses: readonly Address[] = [
  '0xc25a3a3b969415c80451098fa907ec722572917f',
  '0xf702e700000000000000000000000000000000c2',
]

/** Withdraws one coin of the first pool, which cannot do so itself; the invented pool has none. */
export const curveZapAddress: Address = '0xfcba3e75865d2d561be8d220616520c171f12851'

export function sortTokens(a: Address, b: Address): readonly [Address, Address] {
  return a < b ? [a, b] : [b, a]
}

/**
 * Sushi's own pair code is in no package of bearable size; its factory runs Uniswap's, so its pairs
 * lie elsewhere than on mainnet. Discovery asks the factory and never computes.
 */
export function v2PairAddress(protocol: V2PoolSpec['protocol'], a: Address, b: Address): Address {
  const { v2Factory, sushiFactory } = contractAddresses
  return pairAddress(protocol === 'uniswap-v2' ? v2Factory : sushiFactory, a, b)
}

/** Address at which a factory with Uniswap V2's pair code creates the pair, on any chain. */
export function pairAddress(factory: Address, a: Address, b: Address): Address {
  return toAddress(
    getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: keccak256(encodePacked(['address', 'address'], [...sortTokens(a, b)])),
      bytecodeHash: pairInitCodeHash,
    }),
  )
}

export function v3PoolAddress(
  a: Address,
  b: Address,
  fee: number,
  factory: Address = contractAddresses.v3Factory,
): Address {
  const [token0, token1] = sortTokens(a, b)
  const key = encodeAbiParameters(
    [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }],
    [token0, token1, fee],
  )
  return toAddress(
    getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: keccak256(key),
      bytecodeHash: poolInitCodeHash,
    }),
  )
}
