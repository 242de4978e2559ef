/** Pools of two coins with the arithmetic of Curve's stableswap-ng on the sandbox: no package ships its code. */
import { numberToHex } from 'viem'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'

const ether = 10n ** 18n
const [fee, multiplier] = [4_000_000n, 2n * 10n ** 10n]
const [weth, stETH, wstETH] = ['WETH', 'stETH', 'wstETH'].map(
  (symbol) => sandboxToken(symbol).address,
) as [Address, Address, Address]

interface Spec {
  readonly amplification: bigint
  readonly sides: readonly (readonly [coin: Address, amount: bigint])[]
  /** Says what a coin is worth; absent: one. */
  readonly oracles?: Readonly<Record<Address, Address>>
  readonly rebases: boolean
}

/** wstETH, whose rate the token itself says, and stETH, whose balances are counted. @returns the pools' records, for import. */
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
  return [await placePool(node, rated), await placePool(node, rebasing)]
}

async function placePool(
  node: NodeWriter,
  { amplification, sides, oracles = {}, rebases }: Spec,
): Promise<Pool> {
  const tokens = sides.map(([coin]) => coin)
  const { bytecode } = compileTestContracts('CurveLike.sol')('StableNgLike')
  const types = 'address[2], address[2], uint256, uint256, uint256, bool'
  const rates = tokens.map((coin) => oracles[coin] ?? zeroAddress)
  const values = [tokens, rates, amplification, fee, multiplier, rebases]
  const address = await node.deploy(bytecode, types, values)
  const { address: holder } = sandboxAccount('alice')
  await node.rpc('anvil_impersonateAccount', [holder])
  await node.rpc('anvil_setBalance', [holder, numberToHex(10_000n * ether)])
  for (const [coin, amount] of sides) {
    await node.send(coin, 'function transfer(address, uint256)', [address, amount], holder)
  }
  await node.send(address, 'function open()')
  const parameters = { kind: 'stable-ng', decimals: tokens.map(() => '18') }
  return { protocol: 'curve', id: address, address, tokens, parameters }
}
