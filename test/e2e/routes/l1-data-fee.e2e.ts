/** What rollups charge for posting a transaction to L1, with Anvils that play Base and Arbitrum One. */
import { type Hex, hexToBytes, numberToHex, serializeTransaction } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import { base } from '../../../src/chains/base.js'
import type { ChainDefinition } from '../../../src/chains/chain.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import { compileSolidity } from '../../support/forks-contracts.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'

const contracts = compileSolidity(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Weth {
  mapping(address => uint256) public balanceOf;
  function deposit() external payable { balanceOf[msg.sender] += msg.value; }
  receive() external payable { balanceOf[msg.sender] += msg.value; }
  function transfer(address to, uint256 amount) external returns (bool) {
    balanceOf[msg.sender] -= amount;
    balanceOf[to] += amount;
    return true;
  }
}

contract Feed {
  function decimals() external pure returns (uint8) { return 8; }
  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
    return (1, 2000e8, block.timestamp, block.timestamp, 1);
  }
}

// As the predeploy: a price that is state of the chain, times the bytes of the transaction as it was given.
contract GasPriceOracle {
  uint256 public price;
  uint256 operatorPrice;
  // Since Isthmus.
  function getOperatorFee(uint256 gasUsed) external view returns (uint256) {
    require(operatorPrice > 0);
    return gasUsed * operatorPrice + 7;
  }
  function getL1Fee(bytes calldata transaction) external view returns (uint256) {
    uint256 units = 68 * 16;
    for (uint256 i; i < transaction.length; i++) units += transaction[i] == 0 ? 4 : 16;
    return units * price;
  }
}

contract NodeInterface {
  function gasEstimateL1Component(address to, bool contractCreation, bytes calldata data)
    external payable returns (uint64, uint256, uint256)
  {
    require(!contractCreation && to != address(0));
    return (uint64(data.length * 12), 20_000_000, 9);
  }
}
`)

const oracle: Address = '0x420000000000000000000000000000000000000f'
const nodeInterface: Address = '0x00000000000000000000000000000000000000c8'
const ether = 10n ** 18n

let service: TestService
const nodes = new Map<ChainDefinition, TestAnvil>()

beforeAll(async () => {
  for (const chain of [base, arbitrum]) {
    const node = await startAnvil(['--chain-id', String(chain.id), '--accounts', '1'])
    nodes.set(chain, node)
    await place(node, chain.wrappedNative, 'Weth')
    for (const { token, feed } of chain.chainlinkFeeds) {
      if (token === chain.wrappedNative) await place(node, feed, 'Feed')
    }
  }
  const node = nodeOf(base)
  await place(node, oracle, 'GasPriceOracle')
  const [account = '0x'] = await node.rpc<Hex[]>('eth_accounts')
  // One transaction of the sender: its nonce is a byte of the next one.
  await node.rpc('eth_sendTransaction', [{ from: account, to: account }])
  await setPrice(1_000n)
  service = await startService({
    RPC_URL_8453: node.url,
    RPC_URL_42161: nodeOf(arbitrum).url,
    HEAD_POLL_MS: '60000',
  })
})
afterAll(async () => {
  await service?.stop()
  await Promise.all([...nodes.values()].map((node) => node.stop()))
})

function nodeOf(chain: ChainDefinition): TestAnvil {
  const node = nodes.get(chain)
  if (!node) throw new Error(`no node of ${chain.name}`)
  return node
}

function place(node: TestAnvil, address: Address, contract: string): Promise<unknown> {
  return node.rpc('anvil_setCode', [address, contracts[contract]?.runtimeCode])
}

/**
 * Sets the price from the block that it mines on.
 *
 * @param slot - 0: of the bytes; 1: of the operator.
 * @returns The number of that block.
 */
async function setPrice(price: bigint, slot = 0): Promise<number> {
  const node = nodeOf(base)
  await node.rpc('anvil_setStorageAt', [
    oracle,
    numberToHex(slot, { size: 32 }),
    numberToHex(price, { size: 32 }),
  ])
  await node.rpc('evm_mine')
  return Number(await node.rpc('eth_blockNumber'))
}

async function wrap(chain: ChainDefinition, query: Record<string, string> = {}): Promise<Answer> {
  const [account = '0x'] = await nodeOf(chain).rpc<Hex[]>('eth_accounts')
  return service.get('/api/v1/shortcuts/route', {
    chainId: String(chain.id),
    fromAddress: account,
    tokenIn: nativeToken,
    amountIn: ether.toString(),
    tokenOut: chain.wrappedNative,
    includeTransactionCost: 'true',
    ...query,
  })
}

/** Two thousand dollars an ether. */
const usd = (wei: string) => expect.closeTo((Number(wei) / 1e18) * 2_000, 9)

describe('gasCost.l1DataFee', () => {
  test('Base: what GasPriceOracle says at that block of the transaction as it is to be signed', async () => {
    const answer = await wrap(base)
    expect(answer.status, answer.text).toBe(200)
    const { gas, gasCost, tx, createdAt } = answer.body
    expect(gasCost).toEqual({
      native: expect.stringMatching(/^[1-9]/),
      usd: usd(gasCost.native),
      l1DataFee: { native: expect.stringMatching(/^[1-9]/), usd: usd(gasCost.l1DataFee.native) },
    })
    const unsigned = serializeTransaction({
      type: 'eip1559',
      chainId: base.id,
      nonce: 1,
      gas: BigInt(gas),
      maxFeePerGas: BigInt(gasCost.native) / BigInt(gas),
      maxPriorityFeePerGas: base.priorityFeePerGas,
      to: tx.to,
      value: BigInt(tx.value),
      data: tx.data,
    })
    const units = hexToBytes(unsigned).reduce((sum, byte) => sum + (byte ? 16 : 4), 68 * 16)
    expect(gasCost.l1DataFee.native).toBe(String(units * 1_000))

    const dearer = await setPrice(3_000n)
    const past = await wrap(base, { blockNumber: String(createdAt) })
    expect(past.body.gasCost).toEqual(gasCost)
    const next = await wrap(base, { blockNumber: String(dearer) })
    expect(next.body.gasCost.l1DataFee.native).toMatch(/^[1-9]\d*000$/)
    expect(BigInt(next.body.gasCost.l1DataFee.native)).toBeGreaterThan(
      2n * BigInt(gasCost.l1DataFee.native),
    )
  })

  test('Base: with what the operator asks for the gas, once the oracle tells it', async () => {
    const charged = await setPrice(5n, 1)
    const before = await wrap(base, { blockNumber: String(charged - 1) })
    const after = await wrap(base, { blockNumber: String(charged) })
    const { gas, gasCost } = after.body
    expect([gas, after.body.tx]).toEqual([before.body.gas, before.body.tx])
    // The base fee of the two blocks differs, and with it a few bytes.
    const more = BigInt(gasCost.l1DataFee.native) - BigInt(before.body.gasCost.l1DataFee.native)
    expect(more % 1_000n).toBe((BigInt(gas) * 5n + 7n) % 1_000n)
    expect(gasCost.l1DataFee.usd).toEqual(usd(gasCost.l1DataFee.native))
  })

  test('Arbitrum: what the node itself says, null while it does not', async () => {
    const silent = await wrap(arbitrum)
    expect(silent.status, silent.text).toBe(200)
    expect(silent.body.gasCost).toMatchObject({ l1DataFee: null })
    // The node alone knows it from here on: the forks of the block have read that there is no code.
    await place(nodeOf(arbitrum), nodeInterface, 'NodeInterface')
    const answer = await wrap(arbitrum)
    const bytes = (answer.body.tx.data.length - 2) / 2
    const native = String(bytes * 12 * 20_000_000)
    expect(answer.body.gasCost.l1DataFee).toEqual({ native, usd: usd(native) })
    expect(answer.body.blockNumber).toBe(silent.body.blockNumber)
  })

  test('is there with the cost only', async () => {
    const answer = await wrap(base, { includeTransactionCost: 'false' })
    expect(answer.body).not.toHaveProperty('gasCost')
  })
})
