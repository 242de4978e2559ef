/**
 * Contracts that stand for PancakeSwap's Infinity, since no package ships its code: the concentrated manager around the library
 * of Uniswap V4's package, the rest written anew with the arithmetic of its source.
 */
import { readFileSync } from 'node:fs'
import { encodeAbiParameters, keccak256, parseAbi, parseAbiParameters } from 'viem'
import type { Address, Hex } from '../../../../src/domain/primitives.js'
import { compileTestContracts } from '../../test-contracts.js'
import { compilePackage } from '../package-sources.js'

const own = 'fixtures/test-contracts/InfinityCl.sol'

export async function compileInfinity(): Promise<
  (name: 'ClManagerLike' | 'BinManagerLike' | 'InfinityVaultLike' | 'InfinityRouterLike') => Hex
> {
  const concentrated = await compilePackage({
    compiler: {
      name: 'solc',
      version: '0.8.26',
      integrity:
        'sha512-yiPQNVf5rBFHwN6SIf3TUUvVAFKcQqmSUFeq+fb6pNRCo0ZCgpYOZDi3BVoezCPIAcKrVYd/qXlBLUP9wVrZ9g==',
    },
    folders: [
      {
        name: '@uniswap/v4-core',
        version: '1.0.2',
        integrity:
          'sha512-X15Tm2wWd+USAzEExMbo+g9naA6QN6mPgWm0MzDwRNlOfaNlepfUpSyt9RSrUfEODspwbyWbcLg6t5nwc/e7lg==',
        folder: 'package/src/',
        prefix: '@uniswap/v4-core/src/',
      },
    ],
    own: { path: own, content: readFileSync(own, 'utf8') },
    contracts: { ClManagerLike: own },
    edits: [],
    settings: { evmVersion: 'cancun', optimizer: { enabled: true, runs: 1_000 } },
  })
  const others = compileTestContracts('Infinity.sol')
  return (name) => (name === 'ClManagerLike' ? concentrated(name).bytecode : others(name).bytecode)
}

export interface InfinityKey {
  readonly currency0: Address
  readonly currency1: Address
  readonly hooks: Address
  readonly poolManager: Address
  readonly fee: number
  readonly parameters: Hex
}

const keyType =
  '(address currency0, address currency1, address hooks, address poolManager, uint24 fee, bytes32 parameters) key'

export const clManager = {
  initialize: `function initialize(${keyType}, uint160)`,
  provide: `function provide(${keyType}, int24, int24, int128)`,
} as const
export const binManager = {
  initialize: `function initialize(${keyType}, uint24)`,
  seed: 'function seed(bytes32, uint256[], uint256[])',
} as const
export const setFees = 'function setFees(bytes32, uint24, uint24)'
export const pause = 'function pause(bool)'

export const clAbi = parseAbi([clManager.initialize, clManager.provide, setFees, pause])
export const binAbi = parseAbi([binManager.initialize, binManager.seed, setFees, pause])
export const vaultAbi = parseAbi(['function registerApp(address)'])

export function idOf(key: InfinityKey): Hex {
  return keccak256(encodeAbiParameters(parseAbiParameters(keyType), [key]))
}
