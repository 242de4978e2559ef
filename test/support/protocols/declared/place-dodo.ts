/** Pools of DODO V2 on a sandbox's copy of a chain, by contracts of the same arithmetic: no package ships their code. */
import type { ChainDefinition } from '../../../../src/chains/chain.js'
import { type Address, toAddress } from '../../../../src/domain/primitives.js'
import type { NodeWriter } from '../../nodes/node-writer.js'
import { deal } from '../../service/venue-routes.js'
import { compileTestContracts } from '../../test-contracts.js'

const contract = compileTestContracts('Dodo.sol')
const factoryNames = ['dvmFactory', 'dppFactory', 'dspFactory'] as const
const announce = 'function announce(uint256, address)'

/** Its fee, its price as raw units of the quote token for 1e18 of the base token, and its slope, in 1e-18. */
export const resetDodo = 'function reset(uint256 fee, uint256 i, uint256 k)'
export const setDodoFee = 'function set(address trader, uint256 rate)'

export interface PlacedDodo {
  /** In the order of `opened`. */
  readonly pools: readonly Address[]
  readonly feeModel: Address
}

/** Factories at the addresses of the chain, and pools that hold what is stated. */
export async function placeDodo(
  node: NodeWriter,
  { venues }: ChainDefinition,
  opened: readonly {
    readonly kind: 'dvmFactory' | 'dppFactory' | 'dspFactory'
    readonly sides: readonly [base: readonly [Address, bigint], quote: readonly [Address, bigint]]
    readonly fee: bigint
    readonly i: bigint
    readonly k: bigint
  }[],
): Promise<PlacedDodo> {
  const factories = factoryNames.map((name) => toAddress(String(venues['dodo-v2']?.[name])))
  for (const factory of factories) {
    await node.place(factory, contract('DodoFactoryLike').bytecode)
  }
  const feeModel = await node.deploy(contract('DodoFeeLike').bytecode)
  const pools: Address[] = []
  for (const { kind, sides, fee, i, k } of opened) {
    const tokens = sides.map(([token]) => token)
    const values = [...tokens, kind === 'dvmFactory', feeModel]
    const types = 'address, address, bool, address'
    const pool = await node.deploy(contract('DodoPoolLike').bytecode, types, values)
    await deal(node, pool, sides)
    await node.rpc('evm_mine', [])
    await node.send(pool, resetDodo, [fee, i, k])
    const place = factoryNames.indexOf(kind)
    await node.send(factories[place] ?? '0x', announce, [BigInt(place), pool])
    pools.push(pool)
  }
  return { pools, feeModel }
}
