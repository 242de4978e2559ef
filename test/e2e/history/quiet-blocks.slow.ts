/**
 * Blocks that events of pools leave out when a slippage is measured, against executing every block: over swaps, over gifts
 * to a pair that are skimmed again, and over a token that rebases. Of the last two no event of the pair tells. Of a pool of
 * V4: over all that its manager lets happen to it, and over what happens to another of its pools. A donation among them
 * comes between a quote and its transaction, too.
 */
import {
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { protocols } from '../../../src/protocols/registry.js'
import { contractAddresses, v2PairAddress } from '../../../src/sandbox/addresses.js'
import { v4Pool } from '../../../src/sandbox/market/catalog.js'
import { v4PoolSpecs } from '../../../src/sandbox/market/market-specs.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { environment, ether, usdc, weth } from '../../support/backtest/ether-plan.js'
import { type AnswerTransaction, executeOnFork } from '../../support/execute.js'
import { measureBothWays } from '../../support/measured-slippage.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { startService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'
import {
  byV2Router,
  reservesOf,
  startTraders,
  type Trade,
  type Traders,
} from '../../support/traders.js'

const trader: Address = '0x00000000000000000000000000000000000a11ce'
const [dai, stETH, usdt, wbtc] = ['DAI', 'stETH', 'USDT', 'WBTC'].map(
  (symbol) => sandboxToken(symbol).address,
) as [Address, Address, Address, Address]
const dollar = 10n ** 6n
const pair = v2PairAddress('uniswap-v2', dai, weth)
/** Blocks of a window. */
const length = 53
const pairAbi = parseAbi([
  'function skim(address to)',
  'function sync()',
  'function transfer(address to, uint256 amount)',
])

let traders: Traders
let ask: { readonly blockNumber: string; readonly amountIn: string }
/** Of the pair, before anything happens. */
let held: bigint
/** What may happen to the pool of V4 with dollars. */
let dollars: Awaited<ReturnType<typeof placeDollarPool>>
/** Raw wei of ether that stand behind all stETH. */
let staked: bigint

beforeAll(async () => {
  traders = await startTraders()
  await traders.equip(trader, [weth, usdc])
  dollars = await placeDollarPool()
  ;[held] = await reservesOf(traders.node, pair)
  staked = BigInt(await traders.node.request<Hex>('eth_getStorageAt', [stETH, slot, 'latest']))
  const head = await traders.head()
  const to = Math.ceil((head + length) / 10) * 10
  for (let number = head + 1; number <= to; number++) {
    const happening = happenings.get(number - (to - length + 1))
    const hashes = await traders.mine((await happening?.()) ?? [])
    for (const hash of hashes) {
      const params = [hash]
      const receipt = await traders.node.request('eth_getTransactionReceipt', params)
      expect(receipt).toMatchObject({ status: '0x1' })
    }
  }
  ask = { blockNumber: String(to), amountIn: `${ether}` }
}, 300_000)
afterAll(() => traders?.stop())

const slot: Hex = `0x${'0'.repeat(64)}`
const give = (permille: bigint) => call(weth, 'transfer', [pair, (held * permille) / 1_000n])
const skim = () => call(pair, 'skim', [trader])
const swap = (amountIn: bigint) =>
  byV2Router({ from: trader, tokenIn: weth, tokenOut: dai, amountIn })

/** What comes in which block of the window, counted from its first. */
const happenings = new Map<number, () => readonly Trade[] | Promise<readonly Trade[]>>([
  [3, () => [swap(4n * ether)]],
  [5, () => [dollars.swap]],
  // A gift that is there for some blocks, and none of the pair's events tells of it.
  [8, () => [give(50n)]],
  [10, () => [dollars.swapElsewhere]],
  [12, () => [skim()]],
  [14, () => [dollars.setProtocolFee]],
  [15, () => rebased(990n)],
  [19, () => rebased(1_000n)],
  [22, () => [give(1n), call(pair, 'sync')]],
  [25, () => [dollars.addLiquidity]],
  [27, () => [swap(9n * ether)]],
  [30, () => [dollars.swapElsewhere]],
  [31, () => [dollars.donate]],
  [33, () => [give(1n)]],
  [36, () => [swap(2n * ether)]],
  [38, () => [dollars.swap]],
  [40, () => [give(50n)]],
  [44, () => [skim()]],
  [45, () => [dollars.swapElsewhere]],
  [47, () => rebased(1_010n)],
  [50, () => rebased(1_000n)],
])

function call(
  to: Address,
  functionName: 'skim' | 'sync' | 'transfer',
  args: unknown[] = [],
): Trade {
  return {
    from: trader,
    to,
    data: encodeFunctionData({ abi: pairAbi, functionName, args } as never),
  }
}

/** From the next block on stETH is worth so many thousandths of what it was at first. */
async function rebased(permille: bigint): Promise<readonly Trade[]> {
  const value = numberToHex((staked * permille) / 1_000n, { size: 32 })
  await traders.node.request('anvil_setStorageAt', [stETH, slot, value])
  return []
}

const managerAbi = parseAbi([
  'struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function owner() view returns (address)',
  'function setProtocolFeeController(address controller)',
  'function setProtocolFee(Key key, uint24 fee)',
  'function unlock(bytes data) returns (bytes)',
])

const donorAbi = parseAbi([
  'struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function donate(address manager, Key key, uint256 amount0, uint256 amount1)',
])

/** Transactions on the pool of V4 for USDC and USDT, and a swap on another pool of its manager. */
async function placeDollarPool() {
  const { node, url } = traders
  const manager = contractAddresses.v4PoolManager
  const spec = v4PoolSpecs.find(({ symbols }) => symbols.join() === 'USDC,USDT')
  if (!spec) throw new Error('The sandbox has no such pool.')
  const { key } = v4Pool(spec)
  const writer = await new NodeWriter(url).start()
  const contract = compileTestContracts('Pools.sol')
  const provider = await writer.deploy(contract('LiquidityProvider').bytecode)
  const donor = await writer.deploy(contract('PoolDonor').bytecode)
  await writer.close()
  const asked = {
    to: manager,
    data: encodeFunctionData({ abi: managerAbi, functionName: 'owner' }),
  }
  const answer = await node.request<Hex>('eth_call', [asked, 'latest'])
  const owner = toAddress(decodeAbiParameters([{ type: 'address' }], answer)[0])
  for (const account of [owner, provider]) {
    await node.request('anvil_setBalance', [account, numberToHex(100n * ether)])
  }
  for (const token of [usdc, usdt]) {
    for (const account of [provider, donor]) {
      await node.request('anvil_dealERC20', [account, token, numberToHex(10n ** 15n)])
    }
  }
  const functionName = 'setProtocolFeeController'
  const appoint = encodeFunctionData({ abi: managerAbi, functionName, args: [owner] })
  await traders.mine([{ from: owner, to: manager, data: appoint }])
  // Five basis points in either direction.
  const fee = (500 << 12) | 500
  const feeSet = encodeFunctionData({
    abi: managerAbi,
    functionName: 'setProtocolFee',
    args: [key, fee],
  })
  const keyType =
    '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) key'
  const types = parseAbiParameters(`${keyType}, int256 liquidity`)
  const more = encodeAbiParameters(types, [key, 10n ** 12n])
  const unlock = encodeFunctionData({ abi: managerAbi, functionName: 'unlock', args: [more] })
  const gift = encodeFunctionData({
    abi: donorAbi,
    args: [manager, key, 30_000n * dollar, 50_000n * dollar],
  })
  return {
    swap: await swapOnV4(usdt, 20_000n * dollar),
    swapElsewhere: await swapOnV4(wbtc, 1_000n * dollar),
    setProtocolFee: { from: owner, to: manager, data: feeSet },
    addLiquidity: { from: provider, to: manager, data: unlock },
    donate: { from: trader, to: donor, data: gift },
  }
}

/** Of the trader's USDC, for any output. */
async function swapOnV4(tokenOut: Address, amountIn: bigint): Promise<Trade> {
  const { tx } = await routeOnV4(tokenOut, amountIn)
  return { from: trader, to: tx.to, data: tx.data }
}

async function routeOnV4(tokenOut: Address, amountIn: bigint) {
  const others = protocols.map(({ slug }) => slug).filter((slug) => slug !== 'uniswap-v4')
  const service = await startService({ ...environment(traders.url) })
  const { body, text } = await service.get('/api/v1/shortcuts/route', {
    chainId: '1',
    fromAddress: trader,
    tokenIn: usdc,
    tokenOut,
    amountIn: `${amountIn}`,
    slippage: '2000',
    ignoreStandards: others.join(),
  })
  await service.stop()
  expect(body.tx, text).toBeDefined()
  return {
    tx: body.tx as AnswerTransaction,
    amountOut: String(body.amountOut),
    block: Number(body.createdAt),
  }
}

test('of an order that states amounts: what is given and skimmed again moves nothing', async () => {
  const one = { ...ask, tokenIn: weth, tokenOut: dai }
  const { withEvents, without } = await measureBothWays(traders.url, 'uniswap-v2', one)
  expect(withEvents.text).toBe(without.text)
  expect(slippageOf(without.text)).toMatchObject({ source: 'measured', filledShare: 1 })
  // Four events make five runs of blocks, of which the first and the last are executed.
  expect(without.executions - withEvents.executions).toBe(length - 10)
}, 600_000)

test('of steps that measure what a pair has got: each block is executed, since gifts count', async () => {
  const amountIn = `${ether},${10n ** 9n}`
  const two = { ...ask, amountIn, tokenIn: `${weth},${usdc}`, tokenOut: dai }
  const { withEvents, without } = await measureBothWays(traders.url, 'uniswap-v2', two)
  expect(withEvents.text).toBe(without.text)
  // With a twentieth of the pair's ether as its input, the order would have got much more than before and after.
  expect(slippageOf(without.text)).toMatchObject({ source: 'measured', bps: 300 })
  expect(withEvents.executions).toBe(without.executions)
}, 600_000)

test('of a token that rebases: each block is executed, since the pair refuses to pay for some', async () => {
  const one = { ...ask, tokenIn: weth, tokenOut: stETH }
  const { withEvents, without } = await measureBothWays(traders.url, 'uniswap-v2', one)
  expect(withEvents.text).toBe(without.text)
  expect(slippageOf(without.text)).toMatchObject({ source: 'measured', bps: 300 })
  expect(withEvents.executions).toBe(without.executions)
}, 600_000)

test('of a pool of V4: swaps, liquidity, a gift and a fee of its own count, and what happens to others of its manager does not', async () => {
  const one = { ...ask, amountIn: `${1_000n * dollar}`, tokenIn: usdc, tokenOut: usdt }
  const { withEvents, without } = await measureBothWays(traders.url, 'uniswap-v4', one)
  expect(withEvents.text).toBe(without.text)
  const { bps, ...measured } = slippageOf(without.text)
  expect(measured).toMatchObject({ source: 'measured', filledShare: 1 })
  expect(bps).toBeGreaterThanOrEqual(5)
  // Five events make six runs.
  expect(without.executions - withEvents.executions).toBe(length - 12)
}, 600_000)

test('a gift to a pool of V4 between a quote and its transaction changes nothing of what that gives', async () => {
  const amountIn = 1_000n * dollar
  const { tx, amountOut, block } = await routeOnV4(usdt, amountIn)
  expect(BigInt(amountOut)).toBeGreaterThan(990n * dollar)
  const execute = (first: readonly AnswerTransaction[]) =>
    executeOnFork({
      nodeUrl: traders.url,
      blockNumber: block,
      tx,
      watch: [{ token: usdt, owner: trader }],
      first,
      async inspect(anvil) {
        const receipts = await anvil.rpc<{ status: Hex }[]>('eth_getBlockReceipts', ['latest'])
        expect(receipts.map(({ status }) => status)).toEqual([...first, tx].map(() => '0x1'))
      },
    })
  const expected = { status: 'success', deltas: [BigInt(amountOut)] }
  expect(await execute([])).toMatchObject(expected)
  expect(await execute([{ ...dollars.donate, value: '0' }])).toMatchObject(expected)
})

function slippageOf(text: string): { readonly bps: number } {
  return JSON.parse(text).slippage
}
