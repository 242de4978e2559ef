/** The contracts that tell what rollups charge for bytes, on development nodes: Base's own, and a stand-in of Arbitrum's. */
import { getAddress, numberToHex } from 'viem'
import type { Address, Hex } from '../../../src/domain/primitives.js'
import type { ArtifactPackage } from '../../../src/sandbox/contracts/artifact-package.js'
import { codeOf, loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { compileSolidity } from '../forks-contracts.js'

export const gasPriceOracle: Address = '0x420000000000000000000000000000000000000f'
const l1Block: Address = '0x4200000000000000000000000000000000000015'
const arbGasInfo: Address = '0x000000000000000000000000000000000000006c'

const artifact = (name: string) => ({
  path: `package/forge-artifacts/${name}.sol/${name}.json`,
  field: 'deployedBytecode.object',
})
/** Runtime code as the chains have it since Fjord. */
const opStack: ArtifactPackage = {
  name: '@eth-optimism/contracts-bedrock',
  version: '0.17.3',
  integrity:
    'sha512-cHPO7ntWeOBDLO7ZFFSZGI1D7CDqf4loRbRVJrFIsqLEz+hysWIqA0e3dv2GnrjVeuYePBfI2NTBEG4uwz9bQQ==',
  files: { gasPriceOracle: artifact('GasPriceOracle'), l1Block: artifact('L1Block') },
}

/** Where the package's oracle lies when one with an operator fee stands before it. */
const earlierOracle: Address = '0x00000000000000000000000000000000000f0f0f'
/** Where that one keeps the scalar and the constant, and whether Jovian has come. */
const operatorSlots = { scalar: 1_000, constant: 1_001, isJovian: 1_002 } as const

const { ArbGasInfo, OperatorOracle } = compileSolidity(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// What Isthmus and Jovian add, by the specification of the OP stack; the package ends with Fjord.
contract OperatorOracle {
  uint256[1000] private earlier;
  uint256 private scalar;
  uint256 private constantFee;
  uint256 private isJovian;
  function getOperatorFee(uint256 gasUsed) external view returns (uint256) {
    uint256 share = isJovian == 1 ? gasUsed * scalar * 100 : (gasUsed * scalar) / 1e6;
    return share + constantFee;
  }
  fallback() external {
    (bool done, bytes memory result) = ${getAddress(earlierOracle)}.delegatecall(msg.data);
    assembly {
      if iszero(done) { revert(add(result, 32), mload(result)) }
      return(add(result, 32), mload(result))
    }
  }
}

contract ArbGasInfo {
  uint256 public getL1BaseFeeEstimate;
}
`)

const gwei = 10n ** 9n
/** Base's scalars of 2025. */
const baseScalars = {
  upgrade: 'fjord',
  baseFeeScalar: 2_269n,
  blobBaseFeeScalar: 1_055_762n,
} as const

/** What bytes cost on L1 on a quiet day, on most days, and on the dearest ones. */
export const basePrices = {
  low: { ...baseScalars, l1BaseFee: gwei / 2n, blobBaseFee: 1n },
  usual: { ...baseScalars, l1BaseFee: 10n * gwei, blobBaseFee: gwei / 10n },
  'very high': { ...baseScalars, l1BaseFee: 300n * gwei, blobBaseFee: 300n * gwei },
} as const satisfies Record<string, L1Price>

/** The same of Arbitrum: wei per unit. */
export const arbitrumPrices = {
  low: gwei / 100n,
  usual: gwei / 2n,
  'very high': 60n * gwei,
} as const

/** A node for development. */
interface Node {
  rpc<T>(method: string, params: readonly unknown[]): Promise<T>
}

/** What L1 charges, as the chain is told; wei per gas and scalars in millionths. */
export interface L1Price {
  readonly upgrade: 'bedrock' | 'ecotone' | 'fjord' | 'isthmus' | 'jovian'
  readonly l1BaseFee: bigint
  readonly blobBaseFee?: bigint
  readonly baseFeeScalar?: bigint
  readonly blobBaseFeeScalar?: bigint
  /** What the operator asks: millionths of a wei per gas, since Jovian hundreds of wei per gas. */
  readonly operatorFeeScalar?: bigint
  /** Wei. */
  readonly operatorFeeConstant?: bigint
  readonly overhead?: bigint
  readonly scalar?: bigint
}

const flags = { bedrock: 0n, ecotone: 1n, fjord: 0x101n, isthmus: 0x101n, jovian: 0x101n } as const

/** The oracle and what it reads. @returns the block at which they hold. */
export async function setOpStackPrice(node: Node, price: L1Price): Promise<number> {
  const artifacts = await loadArtifacts('.cache/sandbox', () => {}, [opStack])
  const hasOperator = price.upgrade === 'isthmus' || price.upgrade === 'jovian'
  const oracle = hasOperator ? earlierOracle : gasPriceOracle
  await node.rpc('anvil_setCode', [oracle, codeOf(artifacts, 'gasPriceOracle')])
  if (hasOperator) await setOperatorFee(node, price)
  await node.rpc('anvil_setCode', [l1Block, codeOf(artifacts, 'l1Block')])
  const { baseFeeScalar = 0n, blobBaseFeeScalar = 0n, blobBaseFee = 0n } = price
  await setWord(node, gasPriceOracle, 0, flags[price.upgrade])
  await setWord(node, l1Block, 1, price.l1BaseFee)
  await setWord(node, l1Block, 3, (blobBaseFeeScalar << 64n) | (baseFeeScalar << 96n))
  await setWord(node, l1Block, 5, price.overhead ?? 0n)
  await setWord(node, l1Block, 6, price.scalar ?? 0n)
  await setWord(node, l1Block, 7, blobBaseFee)
  return mined(node)
}

async function setOperatorFee(node: Node, price: L1Price): Promise<void> {
  const { upgrade, operatorFeeScalar = 0n, operatorFeeConstant = 0n } = price
  const { scalar, constant, isJovian } = operatorSlots
  await node.rpc('anvil_setCode', [gasPriceOracle, OperatorOracle?.runtimeCode])
  await setWord(node, gasPriceOracle, scalar, operatorFeeScalar)
  await setWord(node, gasPriceOracle, constant, operatorFeeConstant)
  await setWord(node, gasPriceOracle, isJovian, upgrade === 'jovian' ? 1n : 0n)
}

/**
 * @param pricePerUnit - wei, of which a byte after compression costs sixteen.
 * @returns the block at which it holds.
 */
export async function setArbitrumPrice(node: Node, pricePerUnit: bigint): Promise<number> {
  await node.rpc('anvil_setCode', [arbGasInfo, ArbGasInfo?.runtimeCode])
  await setWord(node, arbGasInfo, 0, pricePerUnit)
  return mined(node)
}

/** Anvil keeps the state of a block as it is when the next one is mined, so that comes before anything else is set. */
async function mined(node: Node): Promise<number> {
  await node.rpc('evm_mine', [])
  const number = Number(await node.rpc<Hex>('eth_blockNumber', []))
  await node.rpc('evm_mine', [])
  return number
}

function setWord(node: Node, address: Address, slot: number, value: bigint): Promise<unknown> {
  const word = (number: number | bigint) => numberToHex(number, { size: 32 })
  return node.rpc('anvil_setStorageAt', [address, word(slot), word(value)])
}
