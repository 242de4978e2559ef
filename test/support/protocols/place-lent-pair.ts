/** A pair of Uniswap V2 on the sandbox with a token of Aave, whose balances grow with interest. */
import { numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { v2PairAddress } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { aUsdc, pool } from './aave-v3.js'

const [usdc, weth] = ['USDC', 'WETH'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
]
const factory = toAddress(String(ethereum.venues['uniswap-v2']?.factory))
const [dollar, ether] = [10n ** 6n, 10n ** 18n]

/** 300,000 aUSDC against 100 WETH. @param trader - gets as many aUSDC, since Anvil cannot deal them. */
export async function placeLentPair(node: NodeWriter, trader: Address): Promise<void> {
  const { owner } = NodeWriter
  const [dollars, ethers] = [300_000n * dollar, 100n * ether]
  await node.rpc('anvil_dealERC20', [owner, usdc, numberToHex(2n * dollars)])
  await node.rpc('anvil_dealERC20', [owner, weth, numberToHex(ethers)])
  await node.send(usdc, 'function approve(address, uint256)', [pool, 2n * dollars])
  for (const account of [owner, trader]) {
    const supply = 'function supply(address, uint256, address, uint16)'
    await node.send(pool, supply, [usdc, dollars, account, 0])
  }
  await node.send(factory, 'function createPair(address, address)', [aUsdc, weth])
  const pair = v2PairAddress('uniswap-v2', aUsdc, weth)
  const transfer = 'function transfer(address, uint256)'
  // Interest of a moment leaves a little more than was lent.
  await node.send(aUsdc, transfer, [pair, dollars])
  await node.send(weth, transfer, [pair, ethers])
  await node.send(pair, 'function mint(address)', [owner])
}
