/** Pools with the arithmetic of Curve's stableswap-ng and of its first metapools on the sandbox: no package ships their code. */
import { numberToHex } from 'viem'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'

const ether = 10n ** 18n
/** 10^-10. */
const [fee, feeUnit] = [4_000_000n, 10n ** 10n]
const [weth, stETH, wstETH, uni, link, aave] = [
  'WETH',
  'stETH',
  'wstETH',
  'UNI',
  'LINK',
  'AAVE',
].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
]

interface Spec {
  readonly amplification: bigint
  readonly sides: readonly (readonly [coin: Address, amount: bigint])[]
  /** Says what a coin is worth; absent: one. */
  readonly oracles?: Readonly<Record<Address, Address>>
  readonly rebases: boolean
  /** How many times the fee far from balance; absent: twice. */
  readonly multiplier?: bigint
  /** Hundredths of a basis point that no known math keeps of what a swap gives. */
  readonly kept?: bigint
}

/**
 * wstETH, whose rate the token itself says; stETH, whose balances are counted; UNI and LINK, whose price stays at one while
 * the fee grows; UNI and AAVE by a math that is not known. @returns the pools' records, for import.
 */
export async function placeStableNg(node: NodeWriter): Promise<Pool[]> {
  const rated: Spec = {
    amplification: 200n,
    sides: [
      [weth, 120n * ether],
      [wstETH, 100n * ether],
    ],
    oracles: { [wstETH]: wstETH },
    rebases: false,
  }
  const rebasing: Spec = {
    amplification: 10n,
    sides: [
      [weth, 100n * ether],
      [stETH, 100n * ether],
    ],
    rebases: true,
  }
  const steep: Spec = {
    amplification: 1_000_000n,
    sides: [
      [uni, 100n * ether],
      [link, 100n * ether],
    ],
    rebases: true,
    multiplier: 20n,
  }
  const unknown: Spec = {
    amplification: 200n,
    sides: [
      [uni, 100n * ether],
      [aave, 100n * ether],
    ],
    rebases: false,
    kept: 1_000n,
  }
  const pools: Pool[] = []
  for (const spec of [rated, rebasing, steep, unknown]) pools.push(await placePool(node, spec))
  return pools
}

export const metapool: Address = '0x0000000000000000000000000000000abcd00c00'
const basePool: Address = '0x0000000000000000000000000000000abcd00c01'
export const baseShares: Address = '0x0000000000000000000000000000000abcd00c02'

/**
 * MKR against shares of a pool of UNI and LINK, whose worth the metapool keeps for ten minutes. @returns its record, for import.
 */
export async function placeMeta(node: NodeWriter): Promise<Pool> {
  const mkr = sandboxToken('MKR').address
  const contract = compileTestContracts('CurveLike.sol')
  const whole = 100_000n * ether
  const named = ['Shares', 'SHARES', basePool]
  await node.place(baseShares, sandboxBytecode.PoolShares, 'string, string, address', named)
  await asMinter(node, 'function mint(address, uint256)', [NodeWriter.owner, 2n * whole])
  const base = [[uni, link], baseShares, 200n, fee]
  const types = 'address[2], address, uint256, uint256'
  await node.place(basePool, contract('BaseLike').bytecode, types, base)
  await fill(node, basePool, [uni, link], whole)
  const meta = [[mkr, baseShares], basePool, 200n, fee]
  await node.place(metapool, contract('MetaLike').bytecode, types, meta)
  await node.send(baseShares, 'function transfer(address, uint256)', [metapool, whole])
  await fill(node, metapool, [mkr], whole)
  const tokens = [mkr, baseShares, uni, link]
  const decimals = tokens.map(() => '18')
  const parameters = { kind: 'meta', decimals, getterIndexType: 'uint256', basePool } as const
  return { protocol: 'curve', id: metapool, address: metapool, tokens, parameters }
}

async function fill(node: NodeWriter, pool: Address, coins: readonly Address[], amount: bigint) {
  for (const coin of coins) {
    await node.rpc('anvil_dealERC20', [NodeWriter.owner, coin, numberToHex(amount)])
    await node.send(coin, 'function transfer(address, uint256)', [pool, amount])
  }
  await node.send(pool, 'function open()')
}

/** Of a million shares of the base pool so many are given up for nothing, so that each of the others is worth more. */
export async function burnShares(node: NodeWriter, ppm: bigint): Promise<void> {
  const supply = BigInt(await node.read(baseShares, 'function totalSupply() view'))
  const burnt = (supply * ppm) / 1_000_000n
  await asMinter(node, 'function burnFrom(address, uint256)', [NodeWriter.owner, burnt])
}

async function asMinter(node: NodeWriter, signature: string, args: readonly unknown[]) {
  await node.rpc('anvil_impersonateAccount', [basePool])
  await node.rpc('anvil_setBalance', [basePool, numberToHex(ether)])
  await node.send(baseShares, signature, args, basePool)
}

async function placePool(
  node: NodeWriter,
  { amplification, sides, oracles = {}, rebases, multiplier = 2n, kept = 0n }: Spec,
): Promise<Pool> {
  const tokens = sides.map(([coin]) => coin)
  const { bytecode } = compileTestContracts('CurveLike.sol')('StableNgLike')
  const types = 'address[2], address[2], uint256, uint256, uint256, bool'
  const rates = tokens.map((coin) => oracles[coin] ?? zeroAddress)
  const values = [tokens, rates, amplification, fee, multiplier * feeUnit, rebases]
  const address = await node.deploy(bytecode, types, values)
  const { address: holder } = sandboxAccount('alice')
  await node.rpc('anvil_impersonateAccount', [holder])
  await node.rpc('anvil_setBalance', [holder, numberToHex(10_000n * ether)])
  for (const [coin, amount] of sides) {
    await node.send(coin, 'function transfer(address, uint256)', [address, amount], holder)
  }
  await node.send(address, 'function open()')
  await node.send(address, 'function keep(uint256)', [kept])
  const parameters = { kind: 'stable-ng', decimals: tokens.map(() => '18') }
  return { protocol: 'curve', id: address, address, tokens, parameters }
}
