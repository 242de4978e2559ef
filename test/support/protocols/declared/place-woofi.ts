/** WOOFi's pool on the sandbox's copy of Base, at its addresses there, by contracts of the same arithmetic: no package ships their code. */
import { base } from '../../../../src/chains/base.js'
import { type Address, toAddress } from '../../../../src/domain/primitives.js'
import type { NodeWriter } from '../../nodes/node-writer.js'
import { deal } from '../../service/venue-routes.js'
import { compileTestContracts } from '../../test-contracts.js'

const { router, pools } = base.venues['woofi-v2'] ?? {}
const [pool, usdc, weth, cbbtc] = String(pools).split(':').map(toAddress) as [
  Address,
  Address,
  Address,
  Address,
]
export const woofi = { router: toAddress(String(router)), pool, usdc, weth, cbbtc }
/** USDC for WETH, in 10^-8. */
export const woofiPrice = 3_012n * 10n ** 8n + 7n
export const postWoofi = 'function post(address, uint128, uint64, uint64, uint256)'

const setToken = 'function set(address, uint16, uint128, uint128)'
const [million, farAway] = [10n ** 12n, 2n ** 60n]

/** Two million USDC, 500 WETH and 20 cbBTC. @returns the oracle, whose prices do not age unless another time is posted. */
export async function placeWoofi(node: NodeWriter): Promise<Address> {
  const contract = compileTestContracts('Woofi.sol')
  const oracle = await node.deploy(contract('WooracleLike').bytecode)
  const types = 'address, address'
  await node.place(pool, contract('WooPoolLike').bytecode, types, [usdc, oracle])
  await node.place(woofi.router, contract('WooRouterLike').bytecode, 'address', [pool])
  await deal(node, pool, [
    [usdc, 2n * million],
    [weth, 500n * 10n ** 18n],
    [cbbtc, 20n * 10n ** 8n],
  ])
  await node.rpc('evm_mine', [])
  // Fees in 1/100,000; prices in 10^-8; spreads and slopes in 10^-18.
  await node.send(pool, setToken, [usdc, 0, 0n, 0n])
  await node.send(pool, setToken, [weth, 25, 10n ** 17n, million])
  await node.send(pool, setToken, [cbbtc, 30, 10n ** 17n, million])
  await node.send(oracle, postWoofi, [
    weth,
    3_012n * 10n ** 8n + 7n,
    2n * 10n ** 14n,
    3n * 10n ** 9n,
    farAway,
  ])
  await node.send(oracle, postWoofi, [
    cbbtc,
    90_345n * 10n ** 8n,
    3n * 10n ** 14n,
    2n * 10n ** 9n,
    farAway,
  ])
  return oracle
}
