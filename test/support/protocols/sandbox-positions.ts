/** What alice of the sandbox gets on the chain itself, for actions on what somebody has already. */

import { numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Hex, nativeToken, toAddress } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { contractAddresses, v3PoolAddress } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { gaugeSpecs, stakedToken } from '../../../src/sandbox/venues/staking-rewards.js'
import { askBundle } from '../bundle.js'
import type { NodeWriter } from '../nodes/node-writer.js'
import type { TestService } from '../service/service.js'
import { placedGauge } from './place-gauges.js'

const alice = sandboxAccount('alice').address
const manager = contractAddresses.v3PositionManager

/** Alice gets a position NFT on the chain itself; @returns its id and the block after. */
export async function mintPosition(
  service: Pick<TestService, 'post'>,
  node: NodeWriter,
): Promise<{ nft: string; blockNumber: string }> {
  const [usdc, weth] = [sandboxToken('USDC').address, sandboxToken('WETH').address]
  const args = {
    primaryAddress: manager,
    tokenIn: [usdc, weth],
    amountIn: ['30000000000', (10n ** 19n).toString()],
    fee: 500,
    tickLower: 100_000,
    tickUpper: 300_000,
  }
  const mint = { protocol: 'uniswap-v3', action: 'deposit', args }
  const query = { fromAddress: alice, executionMode: 'user' }
  const { status, body } = await askBundle(service, query, [mint])
  if (status !== 200) throw new Error(`alice gets no position: ${JSON.stringify(body)}`)
  await node.rpc('anvil_impersonateAccount', [alice])
  const { from, to, data } = body.tx
  await node.rpc('eth_sendTransaction', [{ from, to, data, gas: '0x5b8d80' }])
  await node.rpc('evm_mine', [])
  const held = await node.read(
    manager,
    'function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
    [alice, 0n],
  )
  const head = await node.rpc<`0x${string}`>('eth_blockNumber', [])
  return { nft: BigInt(held).toString(), blockNumber: BigInt(head).toString() }
}

/** Somebody trades ten ether through the pool of alice's position, which earns fees of both tokens. */
export async function earnFees(
  service: Pick<TestService, 'post'>,
  node: NodeWriter,
): Promise<void> {
  const trader = sandboxAccount('bob').address
  const pool = v3PoolAddress(sandboxToken('USDC').address, sandboxToken('WETH').address, 500)
  const args = {
    tokenIn: nativeToken,
    tokenOut: sandboxToken('USDC').address,
    primaryAddress: pool,
    amountIn: (10n ** 19n).toString(),
    slippage: '10000',
  }
  const action = { protocol: 'uniswap-v3', action: 'swap', args }
  const { status, body } = await askBundle(service, { fromAddress: trader }, [action])
  if (status !== 200) throw new Error(`nobody trades: ${JSON.stringify(body)}`)
  const { from, to, data, value } = body.tx
  await node.rpc('anvil_impersonateAccount', [from])
  const sent = { from, to, data, value: numberToHex(BigInt(value)), gas: '0x5b8d80' }
  await node.rpc('eth_sendTransaction', [sent])
  await node.rpc('evm_mine', [])
}

/** A market of Morpho Blue that lends USDC against wstETH. */
export const morphoMarket = {
  morpho: toAddress(String(ethereum.venues['morpho-blue']?.morpho)),
  id: '0xb323495f7e4148be5643a4ea4a8221eef163e4bccfdedc2a6f4696baacbc86cc' as Hex,
  supply:
    'function supply((address loanToken, address collateralToken, address oracle, address irm, uint256 lltv) market, uint256 assets, uint256 shares, address onBehalf, bytes data)',
  parameters: {
    loanToken: sandboxToken('USDC').address,
    collateralToken: sandboxToken('wstETH').address,
    oracle: '0x48f7e36eb6b826b2df4b2e630b62cd25e89e40e2',
    irm: '0x870ac11d48b15db9a138cf899d20f13f79ba00bc',
    lltv: 860n * 10n ** 15n,
  },
} as const

/** Alice lends in a market of Morpho Blue and stakes in a gauge. */
export async function lendAndStake(node: NodeWriter): Promise<void> {
  const approve = 'function approve(address spender, uint256 amount)'
  const { morpho, supply, parameters } = morphoMarket
  const lent = 1_000_000_000n
  await node.rpc('anvil_impersonateAccount', [alice])
  await node.send(parameters.loanToken, approve, [morpho, lent], alice)
  await node.send(morpho, supply, [parameters, lent, 0n, alice, '0x'], alice)
  const [plan] = gaugeSpecs
  if (!plan) throw new RangeError('The sandbox has no gauge.')
  const amount = 10n ** 15n
  for (const [token, gauge, stake] of [
    [stakedToken(plan), plan.gauge, 'stake'],
    ...(['curve-gauge', 'balancer-gauge'] as const).map((slug) => {
      const placed = placedGauge(slug)
      return [placed.staked, placed.gauge, 'deposit'] as const
    }),
  ] as const) {
    await node.rpc('anvil_dealERC20', [alice, token, `0x${amount.toString(16)}`])
    await node.send(token, approve, [gauge, amount], alice)
    await node.send(gauge, `function ${stake}(uint256 amount)`, [amount], alice)
  }
}
