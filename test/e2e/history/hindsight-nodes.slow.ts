/**
 * Hindsight of what nodes tell beside the state: on a rollup the fee that a receipt has for bytes on L1, and a block that a
 * fork cannot repeat.
 */
import { encodeFunctionData, type Hex, numberToHex, pad, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import { type Address, bpsOf } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { basePlan } from '../../../src/sandbox/plans/base.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { basePrices, setOpStackPrice } from '../../support/chains/l1-prices.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type Behaviour, type FaultyNode, startFaultyNode } from '../../support/nodes/rpc-node.js'
import { startService, type TestService } from '../../support/service/service.js'

const trader = sandboxAccount('trader-1').address
const usdc: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const weth = base.wrappedNative
/** Emits an event with the first word of its input as the topic. */
const echo: Address = '0x000000000000000000000000000000000000ec40'
const echoCode = '0x5f355f5fa100'
/** What receipts say that each transaction paid, wei. */
const paid = 12_345_678_901n

const abi = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 minimum; uint160 limit; }',
  'function exactInputSingle(Single) payable returns (uint256)',
])
const order = {
  tokenIn: usdc,
  tokenOut: weth,
  fee: 3000,
  recipient: trader,
  minimum: 0n,
  limit: 0n,
}
const swap = {
  to: basePlan.market.routers.swapRouter02,
  data: encodeFunctionData({ abi, args: [{ ...order, amountIn: 3_000_000_000n }] }),
}

let sandbox: Sandbox
let writer: NodeWriter
let node: FaultyNode
let service: TestService

beforeAll(async () => {
  sandbox = await startSandbox({ chainId: base.id })
  writer = await new NodeWriter(sandbox.url).start()
  await writer.rpc('anvil_setCode', [echo, echoCode])
  await setOpStackPrice(writer, basePrices['very high'])
  await writer.rpc('evm_setAutomine', [false])
  node = await startFaultyNode(sandbox.url)
  service = await startService({ RPC_URL_8453: node.url, FORKS_PER_BLOCK: '1' })
})
afterAll(async () => {
  await service?.stop()
  await node?.close()
  await writer?.close()
  await sandbox?.stop()
})

/** In one block, in this order. @returns its number and the hashes. */
async function mine(calls: readonly { readonly to: Address; readonly data: Hex }[]) {
  const hashes: Hex[] = []
  for (const call of calls) {
    const tx = { from: trader, ...call, gas: numberToHex(1_000_000) }
    hashes.push(await writer.rpc<Hex>('eth_sendTransaction', [tx]))
  }
  await writer.rpc('evm_mine', [])
  return { block: Number(await writer.rpc<Hex>('eth_blockNumber', [])), hashes }
}

async function hindsight(body: object) {
  return service.post('/api/v1/hindsight', { chainId: base.id, ...body })
}

describe('the L1 data fee', () => {
  /** As nodes of OP-stack chains answer. */
  const tellsFee: Behaviour = () => ({
    edit: (call, reply) =>
      call.method === 'eth_getTransactionReceipt'
        ? { ...reply, result: Object.assign({}, reply.result, { l1Fee: numberToHex(paid) }) }
        : reply,
  })

  async function oneSwap() {
    const { block } = await mine([swap])
    const answer = await hindsight({ fromBlock: block })
    expect(answer.status, answer.text).toBe(200)
    const [found] = answer.body.transactions
    const { swap: their, gasUsed, gasPrice, l1DataFee, atItsPlace: ours } = found
    expect(their).toMatchObject({ tokenIn: usdc, tokenOut: weth, receiver: trader })
    const net = (amount: string, gas: string, fee: bigint) =>
      BigInt(amount) - BigInt(gas) * BigInt(gasPrice) - fee
    /** Ether that is left to us more than to them, as a share of what they got. */
    const netBps = (ownFee: bigint, theirFee: bigint) =>
      bpsOf(
        net(ours.amountOut, ours.gas, ownFee) - net(their.amountOut, gasUsed, theirFee),
        BigInt(their.amountOut),
      )
    return { l1DataFee, ours, netBps }
  }

  test('counts on both sides: theirs is that of the receipt, ours that of the oracle', async () => {
    node.behave = tellsFee
    const { l1DataFee, ours, netBps } = await oneSwap()
    expect(l1DataFee).toBe(String(paid))
    const fee = BigInt(ours.l1DataFee)
    expect(fee).toBeGreaterThan(paid)
    expect(ours.netBps).toBe(netBps(fee, paid))
    expect(ours.netBps).not.toBe(netBps(0n, 0n))
  })

  test('one that no receipt tells of is null, and then neither counts', async () => {
    node.behave = () => null
    const { l1DataFee, ours, netBps } = await oneSwap()
    expect(l1DataFee).toBeNull()
    expect(BigInt(ours.l1DataFee)).toBeGreaterThan(0n)
    expect(ours.netBps).toBe(netBps(0n, 0n))
  })
})

test('a sender that has its ether from a transaction before it in the block', async () => {
  node.behave = () => null
  const poor: Address = '0x0000000000000000000000000000000000009001'
  const balance = (wei: bigint) => writer.rpc('anvil_setBalance', [poor, numberToHex(wei)])
  await writer.rpc('anvil_impersonateAccount', [poor])
  // The node takes the second transaction only while its sender could pay for it.
  await balance(10n ** 18n)
  const gas = { gas: numberToHex(100_000), maxFeePerGas: numberToHex(10n ** 12n) }
  const fees = (tip: bigint) => ({ ...gas, maxPriorityFeePerGas: numberToHex(tip) })
  const paying = { from: trader, to: poor, value: numberToHex(10n ** 18n), ...fees(2n * 10n ** 9n) }
  const spending = { from: poor, to: echo, data: '0x', ...fees(10n ** 9n) }
  for (const tx of [paying, spending]) await writer.rpc('eth_sendTransaction', [tx])
  await balance(0n)
  const { block } = await mine([])
  const { status, body, text } = await hindsight({ fromBlock: block })
  expect(status, text).toBe(200)
  expect(body.warnings).toBeUndefined()
  expect(body.transactions).toMatchObject([
    { from: trader, to: poor, status: 'success' },
    { from: poor, to: echo, status: 'success' },
  ])
})

test('a transaction that does something else on a fork is not told, and those around it are', async () => {
  const call = (input: number) => ({ to: echo, data: pad(numberToHex(input), { size: 32 }) })
  const { block, hashes } = await mine([swap, call(1), swap])
  const [before, between, behind] = hashes
  // The node tells another input than that which was mined, so its header and receipts are not those of the fork.
  node.behave = () => ({
    edit: ({ method }, reply) => {
      if (!method.startsWith('eth_getBlockBy')) return reply
      return JSON.parse(JSON.stringify(reply).replaceAll(call(1).data, call(2).data))
    },
  })
  const { status, body, text } = await hindsight({ fromBlock: block })
  expect(status, text).toBe(200)
  expect(body.transactions).toMatchObject([
    { hash: before, transactionIndex: 0, noSwap: null },
    { hash: behind, transactionIndex: 2, noSwap: null },
  ])
  expect(body.warnings).toEqual([
    `Block ${block}: 1 of its transactions do not do on a fork what they did on the chain; they are left out.`,
  ])
  const refused = await hindsight({ hash: between })
  expect(refused).toMatchObject({ status: 503, body: { code: 'STATE_UNAVAILABLE' } })
  expect(refused.body.message).toContain(
    `transaction ${between} does not do what it did on the chain, so what it gave is not told.`,
  )
  const told = await hindsight({ hash: behind })
  expect(told.body.transactions).toEqual([body.transactions[1]])
})
