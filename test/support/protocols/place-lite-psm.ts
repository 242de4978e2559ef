/** Sky's Lite-PSM and its wrapper on the sandbox chain, at their mainnet addresses, by contracts of the same arithmetic: no package ships their code. */
import { numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { psmAddresses } from '../../../src/protocols/sky-psm/load.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'

/** A hundred million of each, at fees of 0.01 % on selling USDC and of 0.02 % on buying it. USDS is where `placeConverters` puts it. */
export async function placeLitePsm(url: string): Promise<void> {
  const node = await new NodeWriter(url).start()
  const contract = compileTestContracts('LitePsm.sol')
  const { psm, wrapper, pocket, dai, usds, usdc } = psmAddresses(ethereum.venues['sky-psm'] ?? {})
  await node.place(pocket, contract('PocketLike').bytecode)
  await node.place(psm, contract('LitePsmLike').bytecode, 'address, address, address', [
    ...[dai, usdc, pocket],
  ])
  await node.place(wrapper, contract('UsdsWrapperLike').bytecode, 'address, address', [psm, usds])
  await node.send(pocket, 'function allow(address, address)', [usdc, psm])
  await node.send(psm, 'function set(uint256, uint256)', [10n ** 14n, 2n * 10n ** 14n])
  for (const [holder, token, amount] of [
    [pocket, usdc, 10n ** 14n],
    [psm, dai, 10n ** 26n],
    [wrapper, usds, 10n ** 26n],
    [wrapper, dai, 10n ** 26n],
  ] as const) {
    await node.rpc('anvil_dealERC20', [holder, token, numberToHex(amount)])
  }
  // Balances that are set are those of the next block.
  await node.rpc('evm_mine', [])
  await node.close()
}
