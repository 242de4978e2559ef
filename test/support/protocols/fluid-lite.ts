/** Words of the storage of Fluid's DEX Lite, and a pool of it on the sandbox chain by a contract of the same arithmetic. */
import { type Address, type Hex, numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { toAddress } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'

export interface LiteShape {
  readonly decimals: readonly [number, number]
  /** 1e27. */
  readonly centerPrice: bigint
  /** In units of 1e-9 of a token. */
  readonly real: readonly [bigint, bigint]
  readonly feePips?: bigint
  readonly revenueCut?: bigint
  /** Hundredths of a percent from the middle to the ends of the range. */
  readonly range?: readonly [bigint, bigint]
  /** 0 off, 1 on, 2 and 3 under way upwards and downwards. */
  readonly rebalancing?: bigint
  readonly isShifting?: boolean
  /** Of the contract that tells the middle. */
  readonly centerNumber?: bigint
  readonly isRangeShifting?: boolean
}

/** 32 bits above 8 of an exponent, rounded down; 20 bits for limits. */
export function packed(value: bigint, bits = 32n): bigint {
  let [coefficient, exponent] = [value, 0n]
  while (coefficient >> bits !== 0n) [coefficient, exponent] = [coefficient >> 1n, exponent + 1n]
  return (coefficient << 8n) | exponent
}

export function liteVariables(shape: LiteShape): bigint {
  const [up, down] = shape.range ?? [15n, 15n]
  const flag = (is: boolean | undefined) => (is ? 1n : 0n)
  return [
    [shape.feePips ?? 50n, 0n],
    [shape.revenueCut ?? 10n, 13n],
    [shape.rebalancing ?? 0n, 20n],
    [flag(shape.isShifting), 22n],
    [packed(shape.centerPrice), 23n],
    [shape.centerNumber ?? 0n, 63n],
    [flag(shape.isRangeShifting), 82n],
    [up, 83n],
    [down, 97n],
    // A shift begins half of the way to either end.
    [50n, 112n],
    [50n, 119n],
    [BigInt(shape.decimals[0]), 126n],
    [BigInt(shape.decimals[1]), 131n],
    [shape.real[0], 136n],
    [shape.real[1], 196n],
  ].reduce((word, [value = 0n, place = 0n]) => word | (value << place), 0n)
}

export const keyType = '(address, address, bytes32)'
export const setLite = `function set(${keyType}, uint256, uint256, uint256, uint256)`
const par = 10n ** 27n
const million = 10n ** 15n

/** USDC and USDT, a million each, within 0.15% of par. */
export const lite = {
  dex: toAddress(String(ethereum.venues['fluid-dex-lite']?.dex)),
  resolver: toAddress(String(ethereum.venues['fluid-dex-lite']?.resolver)),
  key: ['USDC', 'USDT']
    .map((symbol) => sandboxToken(symbol).address)
    .concat(numberToHex(7, { size: 32 })) as [Address, Address, Hex],
  shape: {
    decimals: [6, 6],
    centerPrice: par,
    real: [million, million],
    feePips: 10n,
    // The price moves once half of the range is left.
    rebalancing: 1n,
  } satisfies LiteShape,
}

export async function placeFluidLite(node: NodeWriter): Promise<void> {
  const contract = compileTestContracts('FluidLite.sol')
  const { dex, resolver, key, shape } = lite
  await node.place(dex, contract('FluidLiteLike').bytecode)
  await node.place(resolver, contract('FluidLiteLikeResolver').bytecode, 'address', [dex])
  await node.send(dex, `function add(${keyType})`, [key])
  await node.send(dex, setLite, [key, liteVariables(shape), 0n, 0n, 0n])
  for (const token of key.slice(0, 2)) {
    await node.rpc('anvil_dealERC20', [dex, token, numberToHex(10n ** 13n)])
  }
}
