/** What bundles do with positions of V3 pools: each action in a transaction of its own on an Anvil of its own. */
import { type AbiFunction, decodeFunctionResult, encodeFunctionData, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { RoutingStrategy } from '../../../src/domain/order.js'
import { type Address, type Hex, zeroAddress } from '../../../src/domain/primitives.js'
import type { StateReader } from '../../../src/domain/state.js'
import { buildTransaction, runnerAddress } from '../../../src/executor/compile.js'
import { contractAddress, executorAddress } from '../../../src/executor/deployments.js'
import { ForkReader } from '../../../src/forks/reader.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { Position } from '../../../src/protocols/positions.js'
import type { SwapAdapter } from '../../../src/protocols/protocol.js'
import { uniswapV3 } from '../../../src/protocols/uniswap-v3/index.js'
import {
  collectAbi,
  decreaseAbi,
  increaseAbi,
  mintAbi,
  positionsAbi,
} from '../../../src/protocols/uniswap-v3/nft-abi.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { contractAddresses } from '../../../src/sandbox/addresses.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { readPin } from '../../support/pin.js'
import {
  type ActionArgs,
  buildAction,
  executeAction,
} from '../../support/protocols/build-action.js'

const alice = sandboxAccount('alice').address
const receiver: Address = '0x00000000000000000000000000000000beef0005'
const [usdc, weth] = [sandboxToken('USDC').address, sandboxToken('WETH').address]
const manager = contractAddresses.v3PositionManager
const adapter = uniswapV3 as ActionArgs['adapter']
const venue = ethereum.venues['uniswap-v3'] ?? {}
const maxUint128 = 2n ** 128n - 1n
const latestDeadline = 2n ** 64n - 1n
const amounts = { usdc: 30_000_000_000n, weth: 10n * 10n ** 18n }
/** keccak256('Transfer(address,address,uint256)') */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

let sandbox: Sandbox
let node: NodeWriter
let reader: StateReader
let pool: Pool
let tickLower: number
let tickUpper: number
/** Of an NFT that alice owns; its range has earned fees. */
let id: bigint
let liquidity: bigint

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  const found = sandboxPools().find(
    ({ protocol, tokens, parameters }) =>
      protocol === 'uniswap-v3' &&
      tokens.includes(usdc) &&
      tokens.includes(weth) &&
      Number(parameters.fee) > 100,
  )
  if (!found) throw new Error('no pool')
  pool = found
  const spacing = Number(pool.parameters.tickSpacing)
  tickUpper = Math.floor(887_272 / spacing) * spacing
  tickLower = -tickUpper
  await node.rpc('anvil_impersonateAccount', [alice])
  for (const token of [usdc, weth]) {
    for (const spender of [manager, contractAddress('Router')]) {
      await node.send(token, 'function approve(address, uint256)', [spender, 2n ** 255n], alice)
    }
  }
  const [minted] = await ask(mintAbi, [mintParams(alice)])
  id = minted as bigint
  await send(manager, encode(mintAbi, [mintParams(alice)]))
  await trade(usdc, 5_000_000_000_000n)
  await trade(weth, 1_000n * 10n ** 18n)
  liquidity = (await ask(positionsAbi, [id]))[7] as bigint
  for (const [token, amount] of [
    [usdc, amounts.usdc],
    [weth, amounts.weth],
  ] as const) {
    await node.rpc('anvil_dealERC20', [alice, token, numberToHex(2n * amount)])
  }
  const pin = await readPin(sandbox.url)
  reader = new ForkReader({ pin, archiveUrl: sandbox.url, forkUrls: [sandbox.url] })
})
afterAll(async () => {
  await node.close()
  await sandbox.stop()
})

function mintParams(recipient: Address) {
  const [token0, token1] = pool.tokens
  const isFirst = token0 === usdc
  return {
    token0,
    token1,
    fee: pool.parameters.fee,
    tickLower,
    tickUpper,
    amount0Desired: isFirst ? amounts.usdc : amounts.weth,
    amount1Desired: isFirst ? amounts.weth : amounts.usdc,
    amount0Min: 0n,
    amount1Min: 0n,
    recipient,
    deadline: latestDeadline,
  }
}

function encode(abi: AbiFunction, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: [abi], args } as never)
}

/** What the manager would answer alice. */
async function ask(abi: AbiFunction, args: readonly unknown[]): Promise<readonly unknown[]> {
  const data = await node.rpc<Hex>('eth_call', [
    { from: alice, to: manager, data: encode(abi, args) },
    'latest',
  ])
  return decodeFunctionResult({ abi: [abi], data } as never) as unknown as readonly unknown[]
}

async function send(to: Address, data: Hex): Promise<void> {
  const hash = await node.rpc<Hex>('eth_sendTransaction', [
    { from: alice, to, data, gas: numberToHex(8_000_000n) },
  ])
  await node.rpc('evm_mine', [])
  const receipt = await node.rpc<{ status: Hex }>('eth_getTransactionReceipt', [hash])
  if (receipt.status !== '0x1') throw new Error('a transaction failed')
}

/** Alice swaps in the pool itself, so that its liquidity earns. */
async function trade(tokenIn: Address, amountIn: bigint): Promise<void> {
  const tokenOut = tokenIn === usdc ? weth : usdc
  await node.rpc('anvil_dealERC20', [alice, tokenIn, numberToHex(amountIn)])
  const { swaps } = uniswapV3 as SwapAdapter
  const steps = swaps.encodeSwap({
    chain: ethereum,
    venue,
    pool,
    state: null,
    tokenIn,
    tokenOut,
    amountIn,
    executor: executorAddress(alice),
    helpers: {},
    recipient: alice,
  })
  const { to, data } = buildTransaction({
    strategy: 'router',
    from: alice,
    order: {
      inputs: [{ token: tokenIn, amount: amountIn }],
      feeReceiver: zeroAddress,
      steps,
      outputs: [{ token: tokenOut, minAmountOut: 1n }],
      outputsPaidBySteps: true,
      receiver: alice,
      refundReceiver: alice,
      sweep: [],
      deadline: latestDeadline,
      accountId: `0x${'0'.repeat(64)}`,
      referralCode: `0x${'0'.repeat(32)}`,
    },
  })
  await send(to, data)
}

/** Amounts in the order of the pool as [USDC, WETH]. */
function inOrder([amount0, amount1]: readonly unknown[]): [bigint, bigint] {
  const own: [bigint, bigint] = [amount0 as bigint, amount1 as bigint]
  return pool.tokens[0] === usdc ? own : [own[1], own[0]]
}

async function run(
  action: ActionArgs['action'],
  args: ActionArgs['args'],
  strategy: RoutingStrategy = 'router',
) {
  const owners = [receiver, alice, runnerAddress(strategy, alice)]
  const done = await executeAction({
    adapter,
    reader,
    from: alice,
    receiver,
    action,
    args,
    strategy,
    nodeUrl: sandbox.url,
    watch: owners.flatMap((owner) => [usdc, weth].map((token) => ({ token, owner }))),
  })
  expect(done.status).toBe('success')
  if (strategy !== 'delegate') expect(done.deltas.slice(4)).toEqual([0n, 0n])
  const nfts = done.logs
    .filter((log) => log.address === manager && log.topics[0] === transferTopic)
    .map(({ topics: [, from, to, nft] }) => ({
      from: `0x${from?.slice(26)}`,
      to: `0x${to?.slice(26)}`,
      id: BigInt(nft ?? 0),
    }))
  const [gained, sender] = [done.deltas.slice(0, 2), done.deltas.slice(2, 4)]
  return { built: done.built, gained, sender, nfts, logs: done.logs }
}

describe('deposit', () => {
  test.each(['router', 'delegate', 'wallet-v2'] as const)(
    'a new position goes to the receiver, what it does not take comes back: %s',
    async (strategy) => {
      const [nextId, , ...taken] = await ask(mintAbi, [mintParams(receiver)])
      const args = {
        primaryAddress: manager,
        tokenIn: [weth, usdc],
        amountIn: [amounts.weth, amounts.usdc],
        fee: Number(pool.parameters.fee),
        tickLower,
        tickUpper,
      }
      const { built, nfts, sender } = await run('deposit', args, strategy)
      expect(nfts).toEqual([{ from: zeroAddress, to: receiver, id: nextId }])
      const [usdcTaken, wethTaken] = inOrder(taken)
      expect(sender).toEqual([-usdcTaken, -wethTaken])
      expect(usdcTaken === amounts.usdc || wethTaken === amounts.weth).toBe(true)
      expect(built.result.outputs).toMatchObject([{ token: null, isPaid: true }])
      expect(built.result.positionsOut).toEqual([`${pool.address}-${tickLower}-${tickUpper}`])
    },
  )
  test('the widest range is taken where none is named', async () => {
    const fee = Number(pool.parameters.fee)
    const wide = { tokenIn: [weth, usdc], amountIn: [amounts.weth, amounts.usdc], fee }
    const { built } = await run('deposit', wide)
    expect(built.result.positionsOut).toEqual([`${pool.address}-${tickLower}-${tickUpper}`])
  })
  test('a range above the price takes token0 alone', async () => {
    const fee = Number(pool.parameters.fee)
    const [token0, token1] = pool.tokens
    const amountIn = token0 === usdc ? amounts.usdc : amounts.weth
    const spacing = Number(pool.parameters.tickSpacing)
    const above = { tickLower: tickUpper - spacing, tickUpper }
    const args = { tokenIn: [token1, token0], amountIn: [0n, amountIn], fee, ...above }
    const { sender, built } = await run('deposit', args)
    expect(built.result.spends.map(({ token }) => token)).toEqual([token0])
    expect(sender.filter((amount) => amount < 0n)).toHaveLength(1)
  })
  test('an NFT is enlarged by its id', async () => {
    const { amount0Desired, amount1Desired } = mintParams(alice)
    const params = {
      tokenId: id,
      amount0Desired,
      amount1Desired,
      amount0Min: 0n,
      amount1Min: 0n,
      deadline: latestDeadline,
    }
    const [, ...taken] = await ask(increaseAbi, [params])
    const args = { tokenId: id, tokenIn: [usdc, weth], amountIn: [amounts.usdc, amounts.weth] }
    const { sender, nfts } = await run('deposit', args)
    expect(sender).toEqual(inOrder(taken).map((amount) => -amount))
    expect(nfts).toEqual([])
  })
})

describe('harvest, withdraw and redeem', () => {
  const collectParams = () => ({
    tokenId: id,
    recipient: alice,
    amount0Max: maxUint128,
    amount1Max: maxUint128,
  })
  async function withdrawn(share: bigint): Promise<[bigint, bigint]> {
    const params = {
      tokenId: id,
      liquidity: share,
      amount0Min: 0n,
      amount1Min: 0n,
      deadline: latestDeadline,
    }
    const fees = inOrder(await ask(collectAbi, [collectParams()]))
    const own = inOrder(await ask(decreaseAbi, [params]))
    return [fees[0] + own[0], fees[1] + own[1]]
  }

  test.each(['router', 'delegate'] as const)(
    'fees come to the receiver, after the NFT was approved to whoever collects: %s',
    async (strategy) => {
      const fees = inOrder(await ask(collectAbi, [collectParams()]))
      expect(fees.every((amount) => amount > 0n)).toBe(true)
      const { built, gained } = await run('harvest', { tokenId: id }, strategy)
      expect(gained).toEqual(fees)
      expect(built.result.prerequisites ?? []).toHaveLength(strategy === 'router' ? 1 : 0)
    },
  )
  test('a part of the liquidity comes with the fees, and the NFT stays', async () => {
    const part = liquidity / 3n
    const { gained, nfts } = await run('withdraw', { tokenId: id, amountIn: part })
    expect(gained).toEqual(await withdrawn(part))
    expect(nfts).toEqual([])
  })
  test('all of it where no part is named', async () => {
    const { gained } = await run('withdraw', { tokenId: id, primaryAddress: manager })
    expect(gained).toEqual(await withdrawn(liquidity))
  })
  test.each(['router', 'delegate'] as const)(
    'a position is closed: everything comes, and the NFT is burnt: %s',
    async (strategy) => {
      const { gained, nfts } = await run('redeem', { tokenId: id }, strategy)
      expect(gained).toEqual(await withdrawn(liquidity))
      expect(nfts).toEqual([{ from: alice, to: zeroAddress, id }])
    },
  )
})

describe('what is refused', () => {
  const refused = (action: ActionArgs['action'], args: ActionArgs['args']) =>
    expect(buildAction({ adapter, reader, from: alice, receiver, action, args })).rejects
  test('a pool that there is not, ticks that it has not, an NFT that there is not', async () => {
    const fee = Number(pool.parameters.fee)
    const mint = { tokenIn: [usdc, weth], amountIn: [1n, 1n], fee }
    await refused('deposit', { ...mint, fee: 12_345 }).toThrow(/fee: the fee of a pool/)
    await refused('deposit', { ...mint, tickLower: 1 }).toThrow(/tickLower: a multiple of/)
    await refused('deposit', { ...mint, tickLower: 0, tickUpper: 0 }).toThrow(/tickUpper: a tick/)
    await refused('deposit', { ...mint, amountIn: [1n] }).toThrow(/amountIn: 2 amounts/)
    await refused('deposit', { ...mint, primaryAddress: usdc }).toThrow(/primaryAddress: 0xc364/)
    await refused('harvest', { tokenId: 10n ** 9n }).toThrow(/tokenId: an NFT of/)
    const dai = sandboxToken('DAI').address
    const enlarge = { tokenId: id, tokenIn: [dai], amountIn: [1n] }
    await refused('deposit', enlarge).toThrow(/tokenIn: tokens of the position/)
  })
})

describe('positions', () => {
  let position: Position
  test('every pool that is known is one with its widest range, named by its tokens and fee', async () => {
    const pools = sandboxPools().filter(({ protocol }) => protocol === 'uniswap-v3')
    const listed = await adapter.positions?.list({ reader, chain: ethereum, venue, pools })
    expect(listed?.positions).toHaveLength(pools.length)
    position = listed?.positions.find(({ poolAddress }) => poolAddress === pool.address) as Position
    expect(position).toMatchObject({
      key: `${pool.address}-${tickLower}-${tickUpper}`,
      token: null,
      primaryAddress: manager,
      underlyingTokens: pool.tokens,
    })
    expect(position.name).toMatch(/^Uniswap V3 (USDC\/WETH|WETH\/USDC) 0\.\d+%$/)
  })
  test('holders of all ranges own what the pool holds; what a range earns is not known', async () => {
    const args = { reader, chain: ethereum, venue, positions: [position] }
    const [read] = (await adapter.positions?.read(args)) ?? []
    if (!read || !('holdings' in read)) throw new Error('not read')
    expect(read.base).toBeNull()
    expect(read.holdings?.map(({ token }) => token)).toEqual(pool.tokens)
    expect(read.holdings?.every(({ amount }) => amount > 0n)).toBe(true)
  })
  test('it is entered by a deposit of both tokens, about half of the value each', async () => {
    const args = { reader, chain: ethereum, venue, position }
    const shares = await adapter.positions?.enterShares?.(args)
    expect(shares).toEqual([5_000, 5_000])
    const given = [
      { token: usdc, amount: amounts.usdc },
      { token: weth, amount: amounts.weth },
    ]
    const entered = adapter.positions?.enter?.(position, given) ?? {}
    const amountIn = (entered.amountIn as readonly string[]).map(BigInt)
    const { built } = await run('deposit', { ...entered, amountIn })
    expect(built.result.positionsOut).toEqual([position.key])
  })
})
