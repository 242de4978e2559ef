/** Pools of EulerSwap on a sandbox's copy of a chain, by contracts of the same arithmetic: no package ships their code. */
import type { ChainDefinition } from '../../../../src/chains/chain.js'
import { type Address, toAddress } from '../../../../src/domain/primitives.js'
import type { NodeWriter } from '../../nodes/node-writer.js'
import { deal } from '../../service/venue-routes.js'
import { compileTestContracts } from '../../test-contracts.js'

const contract = compileTestContracts('EulerSwap.sol')
const account: Address = '0x00000000000000000000000000000000000e0001'

const curveType =
  '(uint112 equilibriumReserve0, uint112 equilibriumReserve1, uint112 minReserve0, uint112 minReserve1, uint80 priceX, uint80 priceY, uint64 concentrationX, uint64 concentrationY, uint64 fee0, uint64 fee1, uint40 expiration, address feeHook)'
export const reconfigure = `function reconfigure(${curveType} curve, uint112 reserve0, uint112 reserve1)`

/** As the contract has it. */
export interface EulerCurve {
  readonly equilibriumReserve0: bigint
  readonly equilibriumReserve1: bigint
  readonly minReserve0: bigint
  readonly minReserve1: bigint
  readonly priceX: bigint
  readonly priceY: bigint
  readonly concentrationX: bigint
  readonly concentrationY: bigint
  readonly fee0: bigint
  readonly fee1: bigint
  readonly expiration: number
  readonly feeHook: Address
}

export interface PlacedEulerPool {
  readonly pool: Address
  readonly vaults: readonly [Address, Address]
}

export function placeRegistry(node: NodeWriter, { venues }: ChainDefinition): Promise<Address> {
  const registry = toAddress(String(venues['euler-swap']?.registry))
  return node.place(registry, contract('EulerRegistryLike').bytecode)
}

/**
 * A pool of two tokens in the order of their addresses, of which the owner has `owned` in its vaults; what other depositors have there is
 * lent.
 */
export async function openEulerPool(
  node: NodeWriter,
  registry: Address,
  args: {
    readonly tokens: readonly [Address, Address]
    readonly owned: readonly [bigint, bigint]
    readonly others: readonly [bigint, bigint]
    readonly curve: EulerCurve
  },
): Promise<PlacedEulerPool> {
  const vaults: Address[] = []
  for (const [side, token] of args.tokens.entries()) {
    const vault = await node.deploy(contract('EulerVaultLike').bytecode, 'address', [token])
    await deal(node, vault, [[token, (args.owned[side] ?? 0n) + (args.others[side] ?? 0n)]])
    await node.send(vault, 'function credit(address, uint256)', [account, args.owned[side]])
    vaults.push(vault)
  }
  const [vault0, vault1] = vaults as [Address, Address]
  const types = `address, address, address, ${curveType}`
  const values = [vault0, vault1, account, args.curve]
  const pool = await node.deploy(contract('EulerSwapLike').bytecode, types, values)
  await node.send(registry, 'function registerPool(address)', [pool])
  return { pool, vaults: [vault0, vault1] }
}

/** Hooks that tell one fee to quotes and ask another of swaps, in 1e-18. */
export function deployTwoFacedFee(node: NodeWriter, told: bigint, asked: bigint): Promise<Address> {
  return node.deploy(contract('TwoFacedFee').bytecode, 'uint64, uint64', [told, asked])
}
