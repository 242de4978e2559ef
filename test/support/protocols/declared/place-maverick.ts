/** Pools of Maverick V2 on a sandbox's copy of a chain, by contracts of the same formulas: no package ships their code. */
import type { ChainDefinition } from '../../../../src/chains/chain.js'
import { type Address, toAddress } from '../../../../src/domain/primitives.js'
import type { NodeWriter } from '../../nodes/node-writer.js'
import { deal } from '../../service/venue-routes.js'
import { compileTestContracts } from '../../test-contracts.js'

const contract = compileTestContracts('Maverick.sol')
const fill =
  'function fill(int32 first, int32 active, (uint256 reserveA, uint256 reserveB, uint256 sqrtLower, uint256 sqrtUpper)[] all)'

export const setMaverickFee = 'function setFee(uint256 a, uint256 b)'
export const setMaverickAccessor = 'function setAccessor(address only)'

export interface MaverickSite {
  readonly factory: Address
  readonly quoter: Address
}

export async function placeMaverick(
  node: NodeWriter,
  { venues }: ChainDefinition,
): Promise<MaverickSite> {
  const [factory, quoter] = ['factory', 'quoter'].map((name) =>
    toAddress(String(venues['maverick-v2']?.[name])),
  ) as [Address, Address]
  await node.place(factory, contract('MaverickFactoryLike').bytecode)
  await node.place(quoter, contract('MaverickQuoterLike').bytecode)
  return { factory, quoter }
}

export interface MaverickSide {
  readonly token: Address
  readonly decimals: number
  /** Raw units in each tick of its side, and half of it in the active tick. */
  readonly perTick: bigint
}

/** A pool with `ticks` ticks on each side of the active one, each 1 % wide. */
export async function openMaverickPool(
  node: NodeWriter,
  { factory }: MaverickSite,
  args: {
    readonly sides: readonly [a: MaverickSide, b: MaverickSide]
    /** Of the lower edge of the active tick: the root of token A for token B in whole tokens, in 1e-18. */
    readonly sqrtPrice: bigint
    readonly ticks: number
    /** In 1e-18. */
    readonly fee: bigint
    readonly kinds: number
    readonly accessor: Address
  },
): Promise<Address> {
  const { sides, sqrtPrice, ticks, fee } = args
  const scales = sides.map(({ decimals }) => 10n ** BigInt(18 - decimals)) as [bigint, bigint]
  const [perA, perB] = sides.map(({ perTick }, k) => perTick * (scales[k] ?? 0n)) as [
    bigint,
    bigint,
  ]
  const types = 'address, address, uint256, uint256, uint256'
  const values = [...sides.map(({ token }) => token), ...scales, fee]
  const pool = await node.deploy(contract('MaverickPoolLike').bytecode, types, values)
  const edges = edgesFrom(sqrtPrice, ticks)
  const all = edges.slice(0, -1).map((sqrtLower, k) => ({
    reserveA: k < ticks ? perA : k === ticks ? perA / 2n : 0n,
    reserveB: k > ticks ? perB : k === ticks ? perB / 2n : 0n,
    sqrtLower,
    sqrtUpper: edges[k + 1],
  }))
  await deal(
    node,
    pool,
    sides.map(({ token, perTick }) => [token, perTick * BigInt(ticks) + perTick / 2n] as const),
  )
  await node.rpc('evm_mine', [])
  await node.send(pool, fill, [-ticks, 0, all])
  const announce = 'function announce(address, uint8, address)'
  await node.send(factory, announce, [pool, args.kinds, args.accessor])
  return pool
}

/** From below the lowest tick to above the highest. */
function edgesFrom(sqrtPrice: bigint, ticks: number): bigint[] {
  const up = Array.from({ length: ticks + 2 }, (_, k) => scaled(sqrtPrice, 1_005n, 1_000n, k))
  const down = Array.from({ length: ticks }, (_, k) => scaled(sqrtPrice, 1_000n, 1_005n, k + 1))
  return [...down.reverse(), ...up]
}

function scaled(value: bigint, above: bigint, below: bigint, times: number): bigint {
  return times === 0 ? value : scaled((value * above) / below, above, below, times - 1)
}
