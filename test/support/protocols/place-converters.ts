/**
 * Rocket Pool, ether.fi, Sky and Frax Ether on the sandbox chain, at their mainnet addresses, by contracts of the same
 * arithmetic: no package ships their code.
 */
import { numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'

const ether = 10n ** 18n
const holder: Address = '0x00000000000000000000000000000000000f0e1d'

type Slug = 'rocket-pool' | 'ether-fi' | 'sky' | 'frax-ether'

export function converterAddress(slug: Slug, name: string): Address {
  return toAddress(String(ethereum.venues[slug]?.[name]))
}

export async function placeConverters(url: string): Promise<void> {
  const node = await new NodeWriter(url).start()
  const contract = compileTestContracts('Converters.sol')
  const code = (name: string) => contract(name).bytecode
  const [storage, rETH] = ['storage', 'rETH'].map((name) => converterAddress('rocket-pool', name))
  const own = ['liquidityPool', 'eETH', 'weETH'].map((name) => converterAddress('ether-fi', name))
  const [pool, eETH, weETH] = own
  if (!storage || !rETH || !pool || !eETH || !weETH) throw new RangeError('There is no such venue.')
  await node.place(storage, code('TestRocketNetwork'))
  const types = 'address, uint256, address'
  await node.place(rETH, code('TestRocketToken'), types, [storage, 500_000n * ether, holder])
  await node.rpc('anvil_setBalance', [rETH, numberToHex(4_000n * ether)])
  const setUp = 'function setUp(address, uint256, uint256, uint256, bool)'
  await node.send(storage, setUp, [rETH, 5n * 10n ** 14n, ether / 100n, 18_000n * ether, true])
  await node.send(storage, 'function report(uint256, uint256)', [
    ...[571_234_567_890_123_456_789_012n, 500_000n * ether],
  ])
  const totals = [2_345_678_901_234_567_890_123_456n, 4_321n * ether]
  await node.place(pool, code('TestLiquidityPool'), 'uint256, uint256', totals)
  // All of it lies in the wrapper.
  await node.place(eETH, code('TestEETH'), types, [pool, 2_100_000n * ether, weETH])
  await node.place(weETH, code('TestWeETH'), 'address, address', [pool, eETH])
  await node.send(pool, 'function setToken(address)', [eETH])
  const issued = 'string, address, uint256'
  const [converter, usds] = [converterAddress('sky', 'converter'), converterAddress('sky', 'usds')]
  const dai = converterAddress('sky', 'dai')
  await node.place(usds, code('TestIssuedToken'), issued, ['USDS', converter, 10n ** 28n])
  await node.place(converter, code('TestDaiUsds'), 'address, address', [dai, usds])
  await node.rpc('anvil_dealERC20', [converter, dai, numberToHex(10n ** 28n)])
  const frxETH = converterAddress('frax-ether', 'frxETH')
  await node.place(frxETH, code('TestIssuedToken'), issued, ['frxETH', holder, ether])
  await node.place(converterAddress('frax-ether', 'minter'), code('TestFrxEthMinter'), 'address', [
    frxETH,
  ])
  await node.close()
}
