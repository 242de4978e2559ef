/**
 * A slippage that is measured: on a chain where one pair moves by known amounts, another does not, and a node without
 * history. What is right follows from the reserves of the pair at each block, by the formula of Uniswap V2.
 */
import { decodeFunctionResult, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { environment, ether, usdc, weth } from '../../support/backtest/ether-plan.js'
import { openStream } from '../../support/event-stream.js'
import { executeOnFork } from '../../support/execute.js'
import { startBadNode } from '../../support/nodes/bad-node.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'

const paxg: Address = '0x45804880de22913dafe09f4980848ece6ecbaf78'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const sender: Address = '0x00000000000000000000000000000000000a11ce'
const pairAbi = parseAbi([
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function token0() view returns (address)',
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address to, uint256 amount)',
  'function sync()',
])
/** Thousandths of what the pair holds that it is given, in as many blocks, each followed by two in which nothing happens. */
const moves = [1, 3, 2, 7, 1, 2, 5, 1, 1, 4, 2, 3, 1, 6, 2, 1, 3, 2, 1, 2]
/** One half of 3 PAXG, and more: what it is measured with is the largest power of two. */
const amountIn = (3n * ether) / 2n
const measuredWith = 2n ** 60n

const context = withSandbox()
let service: TestService
let writer: NodeWriter
let pair: Address
let head: number

beforeAll(async () => {
  const { url } = context().sandbox
  writer = await new NodeWriter(url).start()
  const ask = { chainId: '1', tokenIn: paxg, tokenOut: weth, amountIn: `${amountIn}` }
  const before = await startService({ ...environment(url) })
  pair = (await before.get('/api/v1/shortcuts/quote', ask)).body.route[0].primary
  await before.stop()
  for (const permille of moves) {
    await move(BigInt(permille))
    await writer.rpc('anvil_mine', ['0x2'])
  }
  service = await startService({ ...environment(url) })
  head = Number(await writer.rpc<Hex>('eth_blockNumber', []))
})
afterAll(async () => {
  await service?.stop()
  await writer?.close()
})

/** So many thousandths of what the pair holds of its token. */
async function shareOf(permille: bigint): Promise<bigint> {
  const data = encodeFunctionData({ abi: pairAbi, functionName: 'balanceOf', args: [pair] })
  const held = BigInt(await writer.rpc<Hex>('eth_call', [{ to: paxg, data }, 'latest']))
  return (held * permille) / 1_000n
}

/** More of its token makes it worth less: two transactions of one block, since what is not in the reserves is anybody's. */
function moveOf(from: Address, amount: bigint) {
  const give = encodeFunctionData({ abi: pairAbi, functionName: 'transfer', args: [pair, amount] })
  const sync = encodeFunctionData({ abi: pairAbi, functionName: 'sync' })
  return [
    { from, to: paxg, data: give, value: '0' },
    { from, to: pair, data: sync, value: '0' },
  ]
}

/** Lets the pair lose by that in the next block. */
async function move(permille: bigint): Promise<void> {
  const amount = await shareOf(permille)
  await writer.rpc('anvil_dealERC20', [NodeWriter.owner, paxg, numberToHex(amount)])
  await writer.rpc('evm_setAutomine', [false])
  for (const { value: _, ...tx } of moveOf(NodeWriter.owner, amount)) {
    await writer.rpc('eth_sendTransaction', [{ ...tx, gas: numberToHex(300_000) }])
  }
  await writer.rpc('evm_mine', [])
}

/** What the pair gives at the end of a block. */
async function outputAt(block: number): Promise<bigint> {
  const read = async (functionName: 'getReserves' | 'token0') => {
    const data = encodeFunctionData({ abi: pairAbi, functionName })
    return writer.rpc<Hex>('eth_call', [{ to: pair, data }, numberToHex(block)])
  }
  const [reserve0, reserve1] = decodeFunctionResult({
    abi: pairAbi,
    functionName: 'getReserves',
    data: await read('getReserves'),
  })
  const isFirst = BigInt(await read('token0')) === BigInt(paxg)
  const [here, other] = isFirst ? [reserve0, reserve1] : [reserve1, reserve0]
  const afterFee = measuredWith * 997n
  return (afterFee * other) / (here * 1_000n + afterFee)
}

/** The least slippage that would have filled every quote one, two and three blocks later. */
function leastSlippage(outputs: readonly bigint[]): number {
  const fills = (bps: number) =>
    [1, 2, 3].every((delay) =>
      outputs.slice(delay).every((later, index) => {
        const quoted = outputs[index] ?? 0n
        return later >= (quoted * BigInt(10_000 - bps)) / 10_000n
      }),
    )
  return Array.from({ length: 10_000 }, (_one, index) => index + 1).find(fills) ?? 10_000
}

const trade = {
  chainId: '1',
  fromAddress: sender,
  executionMode: 'backend',
  tokenIn: paxg,
  tokenOut: weth,
  amountIn: `${amountIn}`,
}

describe('slippage=auto', () => {
  test('is the least that would have filled all quotes, and the transaction enforces it', async () => {
    const to = Math.floor(head / 10) * 10
    const numbers = Array.from({ length: 53 }, (_one, index) => to - 52 + index)
    const expected = leastSlippage(await Promise.all(numbers.map(outputAt)))
    expect(expected).toBeGreaterThan(50)
    expect(expected).toBeLessThan(300)

    const { status, body, text } = await service.get('/api/v1/shortcuts/route', {
      ...trade,
      slippage: 'auto',
    })
    expect(status, text).toBe(200)
    expect(body.slippage).toEqual({
      bps: expected,
      source: 'measured',
      blocks: { from: to - 52, to },
      samples: 153,
      filledShare: 1,
      maxSlippage: 300,
    })
    expect(body.simulatedPosition).toBe(0)
    expect(body.expiresAtBlock).toBeGreaterThanOrEqual(body.createdAt + 3)
    const least = (BigInt(body.amountOut) * BigInt(10_000 - expected)) / 10_000n
    expect(body.minAmountOut).toBe(`${least}`)

    const execute = async (permille: bigint) => {
      const extra = await shareOf(permille)
      return executeOnFork({
        nodeUrl: service.nodeUrl,
        blockNumber: body.createdAt,
        tx: body.tx,
        fund: [{ token: paxg, amount: amountIn + extra }],
        approve: contractAddress('Router'),
        watch: [{ token: weth, owner: sender }],
        first: extra > 0n ? moveOf(sender, extra) : [],
      })
    }
    const done = await execute(0n)
    expect([done.status, done.deltas]).toEqual(['success', [BigInt(body.amountOut)]])
    // A thousandth more of the token costs about ten basis points.
    expect((await execute(BigInt(expected) / 10n - 1n)).status).toBe('success')
    expect((await execute(BigInt(expected) / 10n + 2n)).status).toBe('reverted')
  })

  test('a quote of the size is measured alike; the same again is the same to the byte', async () => {
    const { fromAddress: _sender, executionMode: _mode, ...quoted } = trade
    const one = { ...quoted, amountIn: `${amountIn - 1n}`, slippage: 'auto' }
    const [first, again] = [
      await service.get('/api/v1/shortcuts/quote', one),
      await service.post('/api/v1/shortcuts/quote', one),
    ]
    expect(again.text).toBe(first.text)
    const route = await service.post('/api/v1/shortcuts/route', { ...trade, slippage: 'auto' })
    expect(first.body.slippage).toEqual(route.body.slippage)
    const { slippage: _measured, ...plain } = first.body
    const asked = await service.get('/api/v1/shortcuts/quote', {
      ...quoted,
      amountIn: one.amountIn,
    })
    expect({ ...plain, expiresAtBlock: null }).toEqual(asked.body)
  })

  test('batches, ladders and streams say until when each quote holds, and nothing of what has its own slippage', async () => {
    const { fromAddress: _sender, executionMode: _mode, chainId, ...quoted } = trade
    const auto = { ...quoted, slippage: 'auto' }
    const { body: alone } = await service.get('/api/v1/shortcuts/quote', { chainId, ...auto })
    const measured = { simulatedPosition: 0, expiresAtBlock: alone.expiresAtBlock }
    const unmeasured = { simulatedPosition: 0, expiresAtBlock: null }
    expect(alone.expiresAtBlock).toBeGreaterThan(head)
    const { body: batch } = await service.post('/api/v1/shortcuts/quotes', {
      chainId,
      quotes: [auto, quoted, { ...auto, amountIn: [`${amountIn}`, `${amountIn - 1n}`] }],
    })
    const ladder = { ladder: [measured, measured] }
    expect(batch.quotes).toMatchObject([measured, unmeasured, ladder])
    const body = { chainId, quotes: [auto, quoted] }
    const stream = await openStream(`${service.url}/api/v1/stream/quotes`, { body })
    onTestFinished(() => stream.close())
    expect((await stream.next()).body.quotes).toMatchObject([measured, unmeasured])
  })

  test('the transaction fills in the block that expiresAtBlock names, and as its last, after others have moved the pair', async () => {
    const { body, text } = await service.get('/api/v1/shortcuts/route', {
      ...trade,
      blockNumber: String(head - 30),
      slippage: 'auto',
    })
    const { createdAt, expiresAtBlock } = body
    expect(expiresAtBlock, text).toBeGreaterThanOrEqual(createdAt + 3)
    expect(expiresAtBlock).toBeLessThan(head)
    // As the first of that block, and behind its own transactions.
    for (const blockNumber of [expiresAtBlock - 1, expiresAtBlock]) {
      const done = await executeOnFork({
        nodeUrl: service.nodeUrl,
        blockNumber,
        tx: body.tx,
        fund: [{ token: paxg, amount: amountIn }],
        approve: contractAddress('Router'),
        watch: [{ token: weth, owner: sender }],
      })
      expect([done.status, done.blockNumber]).toEqual(['success', BigInt(blockNumber) + 1n])
      expect(done.deltas[0]).toBeGreaterThanOrEqual(BigInt(body.minAmountOut))
      expect(done.deltas[0]).toBeLessThan(BigInt(body.amountOut))
    }
  })

  test('maxSlippage bounds it, and a warning says what would have been needed', async () => {
    const { body } = await service.get('/api/v1/shortcuts/route', {
      ...trade,
      slippage: 'auto',
      maxSlippage: '20',
    })
    expect(body.slippage).toMatchObject({ bps: 20, source: 'measured', maxSlippage: 20 })
    expect(body.slippage.filledShare).toBeLessThan(0.995)
    expect(body.warnings.join()).toMatch(/maxSlippage 20 would have filled .* 99\.5 % need \d+ /)
  })

  test('a pair that does not move gets one basis point', async () => {
    const { body, text } = await service.get('/api/v1/shortcuts/quote', {
      chainId: '1',
      tokenIn: usdc,
      tokenOut: dai,
      amountIn: '1000000000',
      slippage: 'auto',
    })
    expect(body.slippage, text).toMatchObject({ bps: 1, source: 'measured', filledShare: 1 })
    expect(body.expiresAtBlock).toBe(body.blockNumber + 25)
    expect(body).not.toHaveProperty('warnings')
  })

  test('without history it is the default, and says so', async () => {
    const node = await startBadNode(context().sandbox.url, { oldState: 'zeros' })
    onTestFinished(() => node.stop())
    const pruned = await startService({ ...environment(node.url) })
    onTestFinished(() => pruned.stop())
    const blockNumber = String(head - 100)
    const { body, text } = await pruned.get('/api/v1/shortcuts/route', {
      ...trade,
      blockNumber,
      slippage: 'auto',
    })
    const expected = { source: 'default', blocks: null, samples: 0, filledShare: null }
    expect(body.slippage, text).toEqual({ bps: 50, ...expected, maxSlippage: 300 })
    expect(body.expiresAtBlock).toBeNull()
    expect(body.warnings.join()).toContain('The slippage could not be measured')
  })
})
