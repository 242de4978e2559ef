/** Wombat's pools on the sandbox's copy of Arbitrum, at their addresses there, by contracts of the same arithmetic: no package ships their code. */
import { arbitrum } from '../../../../src/chains/arbitrum.js'
import { type Address, toAddress } from '../../../../src/domain/primitives.js'
import type { NodeWriter } from '../../nodes/node-writer.js'
import { deal } from '../../service/venue-routes.js'
import { compileTestContracts } from '../../test-contracts.js'
import { placeToken } from '../place-psm3.js'

const [stable, staked] = [arbitrum.venues.wombat?.pools ?? []].flat().map((text) =>
  String(text)
    .split(':')
    .filter((part) => !part.includes('='))
    .map(toAddress),
) as [[Address, Address, Address, Address, Address], [Address, Address, Address]]
const [pool, usdt, usdc, usdce, dai] = stable
const [stakedPool, weth, wsteth] = staked
export const wombatAt = { pool, usdt, usdc, usdce, dai, stakedPool, weth, wsteth }

/** Cash and liability in 1e-18 of whole tokens, and the price in the pool's unit in 1e-18. */
export const setWombat =
  'function set(address token, uint256 cash, uint256 liability, uint256 price)'

const contract = compileTestContracts('Wombat.sol')
const types = 'int256, uint256, uint256, uint256'
const ether = 10n ** 18n

/** A million of each stable token, of USDC.e only a third of its debt; 500 WETH, and 400 wstETH at 1.2. */
export async function placeWombat(node: NodeWriter): Promise<void> {
  await placeToken(node, wsteth, 'wstETH')
  const { bytecode } = contract('WombatPoolLike')
  // Parts of 10^18: amplification, haircut, and where the fee on the ratio of cash begins and ends.
  const fees = [10n ** 14n, (15n * ether) / 10n, (18n * ether) / 10n]
  await node.place(pool, bytecode, types, [25n * 10n ** 13n, ...fees])
  await node.place(stakedPool, bytecode, types, [2n * 10n ** 15n, ...fees])
  const million = 10n ** 6n * ether
  for (const [at, token, decimals, cash, debt, price] of [
    [pool, usdt, 6, million, million, ether],
    [pool, usdc, 6, (million * 11n) / 10n, million, ether],
    [pool, usdce, 6, million / 3n, million, ether],
    [pool, dai, 18, million, million, ether],
    [stakedPool, weth, 18, 500n * ether, 480n * ether, ether],
    [stakedPool, wsteth, 18, 400n * ether, 410n * ether, (12n * ether) / 10n],
  ] as const) {
    const unit = 10n ** BigInt(18 - decimals)
    await node.send(at, 'function add(address token, uint256 unit)', [token, unit])
    await node.send(at, setWombat, [token, cash, debt, price])
    const asset = await node.read(at, 'function addressOfAsset(address token)', [token])
    await deal(node, toAddress(`0x${asset.slice(26)}`), [[token, cash / unit]])
    await node.rpc('evm_mine', [])
  }
}
