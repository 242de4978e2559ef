/** Pools of two coins with the arithmetic of Curve's stableswap-ng on the sandbox: no package ships its code. */
import { numberToHex } from 'viem'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'

const ether = 10n ** 18n
/** 10^-10. */
const [fee, whole] = [4_000_000n, 10n ** 10n]
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

async function placePool(
  node: NodeWriter,
  { amplification, sides, oracles = {}, rebases, multiplier = 2n, kept = 0n }: Spec,
): Promise<Pool> {
  const tokens = sides.map(([coin]) => coin)
  const { bytecode } = compileTestContracts('CurveLike.sol')('StableNgLike')
  const types = 'address[2], address[2], uint256, uint256, uint256, bool'
  const rates = tokens.map((coin) => oracles[coin] ?? zeroAddress)
  const values = [tokens, rates, amplification, fee, multiplier * whole, rebases]
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
