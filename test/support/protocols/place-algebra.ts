/**
 * Camelot V3 and V4 at their addresses of the chain file: one by contracts with the swaps of Algebra 1.9, the other by the
 * bytecode of Algebra's packages, with their adaptive plugin.
 */
import { numberToHex } from 'viem'
import { toAddress } from '../../../src/domain/primitives.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'
import { compileAlgebraLike } from './algebra.js'
import { algebraCode } from './algebra-packages.js'
import type { VenueScene } from './other-venues.js'

const spacing = 60

interface AlgebraPool {
  /** Tokens, and raw units of each that are worth the same. */
  readonly sides: readonly (readonly [string, bigint])[]
  readonly liquidity: bigint
}

/** A pool whose liquidity lies within some 10% of a price, and whose fee the first swap of a second renews. */
export async function placeCamelotV3(
  { node, chain }: VenueScene,
  { sides, liquidity }: AlgebraPool,
): Promise<void> {
  const contract = await compileAlgebraLike()
  const { factory: made, quoter: asked } = chain.venues['camelot-v3'] ?? {}
  const [factory, quoter] = [made, asked].map((address) => toAddress(String(address)))
  const [first, second] = [...sides].sort(([a], [b]) => (a < b ? -1 : 1))
  if (!factory || !quoter || !first || !second) throw new RangeError('There is no such venue.')
  await node.place(factory, contract('AlgebraLikeFactory').bytecode)
  await node.place(quoter, contract('AlgebraLikeQuoter').bytecode, 'address', [factory])
  const middle = middleOf(first[1], second[1])
  const create = 'function createPool(address, address, uint160)'
  await node.send(factory, create, [first[0], second[0], sqrtPriceAtTick(middle + 1)])
  const poolByPair = 'function poolByPair(address, address) view'
  const found = await node.read(factory, poolByPair, [first[0], second[0]])
  const pool = toAddress(`0x${found.slice(26)}`)
  for (const [token] of sides) {
    await node.rpc('anvil_dealERC20', [NodeWriter.owner, token, numberToHex(10n ** 30n)])
    await node.send(toAddress(token), 'function transfer(address, uint256)', [pool, 10n ** 30n])
  }
  const seed = 'function seed(int24, int24, uint128)'
  await node.send(pool, seed, [middle - 16 * spacing, middle + 16 * spacing, liquidity])
}

/** The tick of a price, at a multiple of the spacing. */
function middleOf(amount0: bigint, amount1: bigint): number {
  const ratio = Number(amount1) / Number(amount0)
  return Math.round(Math.log(ratio) / Math.log(1.0001) / spacing) * spacing
}

/** A pool whose liquidity lies within some 10% of a price. */
export async function placeCamelotV4(
  { node, chain }: VenueScene,
  { sides, liquidity }: AlgebraPool,
): Promise<void> {
  const code = await algebraCode()
  const { factory: made, quoter: asked } = chain.venues['camelot-v4'] ?? {}
  const [factory, quoter] = [made, asked].map((address) => toAddress(String(address)))
  if (!factory || !quoter) throw new RangeError('There is no such venue.')
  const deployer = await node.deploy(code('integral12Deployer'), 'address', [factory])
  await node.place(factory, code('integral12Factory'), 'address', [deployer])
  const args = [factory, chain.wrappedNative, deployer]
  await node.place(quoter, code('integral12Quoter'), 'address, address, address', args)
  const plugins = await node.deploy(code('adaptivePlugins'), 'address', [factory])
  await node.send(factory, 'function setDefaultPluginFactory(address)', [plugins])
  const minter = await node.deploy(compileTestContracts('Algebra.sol')('AlgebraMinter').bytecode)
  const [first, second] = [...sides].sort(([a], [b]) => (a < b ? -1 : 1))
  if (!first || !second) throw new RangeError('A pool has two tokens.')
  for (const [token] of sides) {
    await node.rpc('anvil_dealERC20', [NodeWriter.owner, token, numberToHex(10n ** 30n)])
    await node.send(toAddress(token), 'function transfer(address, uint256)', [minter, 10n ** 30n])
  }
  const tokens = [first[0], second[0]]
  await node.send(factory, 'function createPool(address, address, bytes)', [...tokens, '0x'])
  const found = await node.read(factory, 'function poolByPair(address, address) view', tokens)
  const pool = toAddress(`0x${found.slice(26)}`)
  const middle = middleOf(first[1], second[1])
  await node.send(pool, 'function initialize(uint160)', [sqrtPriceAtTick(middle + 1)])
  const mint = 'function mint(address, int24, int24, uint128)'
  await node.send(minter, mint, [pool, middle - 16 * spacing, middle + 16 * spacing, liquidity])
}
