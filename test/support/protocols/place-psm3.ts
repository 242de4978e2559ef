/** Spark's PSM3 on the sandbox's copy of Base, at its address there, by a contract of the same arithmetic: no package ships its code. */
import { numberToHex } from 'viem'
import { base } from '../../../src/chains/base.js'
import type { Address } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { psm3Addresses } from '../../../src/protocols/spark-psm3/load.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import type { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'

const alice = sandboxAccount('alice').address
export const sparkAddresses = psm3Addresses(base.venues['spark-psm3'] ?? {})

/** A token of 18 decimals that Alice has and lets the Router take. */
export async function placeToken(
  node: NodeWriter,
  address: Address,
  symbol: string,
): Promise<void> {
  const types = 'string, string, uint8, uint256, address'
  await node.place(address, sandboxBytecode.StandardToken, types, [
    ...[symbol, symbol, 18, 10n ** 30n, alice],
  ])
  await node.rpc('anvil_impersonateAccount', [alice])
  const allow = 'function approve(address, uint256)'
  await node.send(address, allow, [contractAddress('Router'), 10n ** 30n], alice)
}

/**
 * A million USDC and of the other two, a share at 1.05.
 *
 * @param perSecond - what a share gains in a second, in 10^-27.
 */
export async function placePsm3(node: NodeWriter, perSecond: bigint): Promise<void> {
  const { psm, usdc, usds, susds } = sparkAddresses
  const contract = compileTestContracts('Psm3.sol')
  await placeToken(node, usds, 'USDS')
  await placeToken(node, susds, 'sUSDS')
  const rate = [(10n ** 27n * 105n) / 100n, perSecond]
  const provider = await node.deploy(contract('RateLike').bytecode, 'uint256, uint256', rate)
  const types = 'address, address, address, address'
  await node.place(psm, contract('Psm3Like').bytecode, types, [usdc, usds, susds, provider])
  for (const [token, amount] of [
    [usdc, 10n ** 12n],
    [usds, 10n ** 24n],
    [susds, 10n ** 24n],
  ] as const) {
    await node.rpc('anvil_dealERC20', [psm, token, numberToHex(amount)])
  }
  await node.rpc('evm_mine', [])
}
