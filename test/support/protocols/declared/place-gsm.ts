/** Aave's GSM for USDC on the sandbox chain, at its mainnet addresses, by contracts of the same arithmetic: no package ships their code. */
import { ethereum } from '../../../../src/chains/ethereum.js'
import type { Address } from '../../../../src/domain/primitives.js'
import { ghoAddresses, modulesOf } from '../../../../src/protocols/aave-gsm/load.js'
import { NodeWriter } from '../../nodes/node-writer.js'
import { deal } from '../../service/venue-routes.js'
import { compileTestContracts } from '../../test-contracts.js'
import { placeToken } from '../place-psm3.js'

const venue = ethereum.venues['aave-gsm'] ?? {}
const [usdcModule] = modulesOf(venue)
if (!usdcModule) throw new Error('no module')
export const gsm = { ...ghoAddresses(venue), ...usdcModule }
export const setGsm = 'function set(address, uint256, bool)'

const [dollar, ether, million] = [10n ** 6n, 10n ** 18n, 10n ** 6n]
export const gsmCap = 2n * million * dollar

/**
 * A share is worth 1.143 and earns 4.5 % a year; the module holds half a million shares, and takes one and a half million
 * more, at fees of 0.1 % on buying the asset and of 0.02 % on selling it.
 *
 * @returns the strategy of fees.
 */
export async function placeGsm(node: NodeWriter): Promise<Address> {
  const { gho, reserve, module, vault, asset } = gsm
  const contract = compileTestContracts('Gsm.sol')
  await placeToken(node, gho, 'GHO')
  const types = 'address, uint8, uint256, uint256'
  const rate = [(10n ** 27n * 1_143n) / 1_000n, (10n ** 27n * 51n) / 1_000n / 31_536_000n]
  await node.place(vault, contract('StataLike').bytecode, types, [asset, 6, ...rate])
  await node.place(reserve, contract('GhoReserveLike').bytecode, 'address', [gho])
  const price = await node.deploy(
    contract('PriceStrategyLike').bytecode,
    'address, uint256, uint256',
    [...[vault, ether, 6n]],
  )
  const fees = await node.deploy(contract('FeeStrategyLike').bytecode, 'uint256, uint256', [
    10n,
    2n,
  ])
  const ofModule = 'address, address, address, address'
  await node.place(module, contract('GsmLike').bytecode, ofModule, [gho, vault, price, reserve])
  await node.send(module, setGsm, [fees, gsmCap, true])
  await node.send(reserve, 'function setLimit(address, uint128)', [module, 5n * million * ether])
  const { owner } = NodeWriter
  await deal(node, reserve, [[gho, 5n * million * ether]])
  await deal(node, owner, [[asset, million * dollar]])
  await node.rpc('evm_mine', [])
  const allow = 'function approve(address, uint256)'
  await node.send(asset, allow, [vault, million * dollar])
  await node.send(vault, 'function deposit(uint256, address)', [million * dollar, owner])
  await node.send(vault, allow, [module, million * dollar])
  await node.send(module, 'function sellAsset(uint256, address)', [(million / 2n) * dollar, owner])
  return fees
}
