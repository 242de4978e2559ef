/** The relayer of the sandbox: transfers with plain calls over both bridges, between all of its chains. */
import { setImmediate } from 'node:timers/promises'
import {
  concatHex,
  encodeFunctionData,
  encodePacked,
  pad,
  parseAbi,
  parseEther,
  parseUnits,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { buildDeliveryMessage } from '../../../src/executor/compile.js'
import { composeLanding, contractAddress } from '../../../src/executor/deployments.js'
import { acrossRelayer, sandboxAccount } from '../../../src/sandbox/accounts.js'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { composeOptions } from '../../support/bridges/raw-transfers.js'
import {
  acrossToken,
  acrossTransfer,
  chainIds,
  directions,
  etherOrder,
  type RelayedSandboxes,
  type Route,
  stargatePool,
  stargateTransfer,
  startRelayedSandboxes,
} from '../../support/bridges/relayed-sandboxes.js'

const fallbackReceiver: Address = '0x00000000000000000000000000000000000fa110'
const destinationReceiver = contractAddress('DestinationReceiver')
const alice = sandboxAccount('alice').address
const transferAbi = parseAbi(['function transfer(address to, uint256 amount)'])
const orderGas = 1_200_000n
/** Below what 1,000 USDC buy at any time of the sandbox, above half of it. */
const leastEther = parseEther('0.3')

let relayed: RelayedSandboxes
let receivers = 0

beforeAll(async () => {
  relayed = await startRelayedSandboxes()
})

afterAll(() => relayed?.stop())

/** Nobody has used it. */
function freshReceiver(): Address {
  receivers += 1
  return `0x${(0xcafe_0000 + receivers).toString(16).padStart(40, '0')}`
}

/** Until no process has the id. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await setImmediate()
  }
}

async function sendByStargate(
  route: Route,
  sent: Parameters<typeof stargateTransfer>[1],
  gas?: bigint,
): Promise<bigint> {
  const chain = relayed.on(route.from)
  const transfer = {
    ...stargateTransfer(route, sent),
    ...(gas !== undefined && { options: composeOptions(gas) }),
  }
  const { received, nativeFee } = await chain.quote(transfer)
  await chain.send(transfer, nativeFee)
  return received
}

/** Whom the pool of the destination pays, so that an order runs. */
const landingOn = (chainId: number, symbol: string) =>
  composeLanding(stargatePool(chainId, symbol)).address

function swapMessage(chainId: number, receiver: Address, minAmountOut = leastEther) {
  const { order, ...rest } = etherOrder(chainId, receiver, minAmountOut)
  const message = buildDeliveryMessage({ order, fallbackReceiver, minimumGas: 500_000n })
  return { message, ...rest }
}

describe.each(directions)('from $from to $to', (route) => {
  test.each([
    ['USDC', parseUnits('1000', 6)],
    ['ETH', parseEther('3')],
  ] as const)('Stargate delivers what it quoted: %s', async (symbol, amount) => {
    const receiver = freshReceiver()
    const received = await sendByStargate(route, { symbol, amount, receiver })
    expect((await relayed.relay()).waiting).toEqual([])
    const token = symbol === 'ETH' ? undefined : acrossToken(route.to, symbol)
    expect(await relayed.on(route.to).balance(token, receiver)).toBe(received)
  })

  test.each([
    ['USDC', parseUnits('1000', 6)],
    ['WETH', parseEther('3')],
  ] as const)('Across delivers what the deposit says: %s', async (symbol, amount) => {
    const receiver = freshReceiver()
    const outputAmount = (amount * 998n) / 1_000n
    const transfer = acrossTransfer(route, { symbol, amount, receiver, outputAmount })
    await relayed.on(route.from).deposit(transfer)
    expect((await relayed.relay()).waiting).toEqual([])
    // An account without code is paid ether.
    const token = symbol === 'WETH' ? undefined : acrossToken(route.to, symbol)
    expect(await relayed.on(route.to).balance(token, receiver)).toBe(outputAmount)
  })

  test.each(['stargate', 'across'])('an order swaps what %s delivers', async (bridge) => {
    const receiver = freshReceiver()
    const { message, pool, usdc, weth } = swapMessage(route.to, receiver)
    const { balance } = relayed.on(route.to)
    const before = { usdc: await balance(usdc, pool), weth: await balance(weth, pool) }
    const sent = { symbol: 'USDC', amount: parseUnits('1000', 6), message }
    const outputAmount = parseUnits('998', 6)
    let delivered = outputAmount
    if (bridge === 'across') {
      const transfer = acrossTransfer(route, {
        ...sent,
        receiver: destinationReceiver,
        outputAmount,
      })
      await relayed.on(route.from).deposit(transfer)
    } else {
      const landing = landingOn(route.to, 'USDC')
      delivered = await sendByStargate(route, { ...sent, receiver: landing }, orderGas)
    }
    expect((await relayed.relay()).waiting).toEqual([])
    expect(await balance(usdc, pool)).toBe(before.usdc + delivered)
    const gained = await balance(weth, receiver)
    expect(gained).toBe(before.weth - (await balance(weth, pool)))
    expect(gained).toBeGreaterThanOrEqual(leastEther)
    expect(await balance(usdc, fallbackReceiver)).toBe(0n)
  })
})

describe('modes', () => {
  const route = { from: 42161, to: 8453 }
  const usdc = () => acrossToken(route.to, 'USDC')
  const amount = parseUnits('500', 6)

  test('a block of the source alone makes it deliver', async () => {
    const receiver = freshReceiver()
    const { client } = relayed.on(route.to)
    const paid = new Promise<bigint>((resolve) => {
      const unwatch = client.watchBlockNumber({
        pollingInterval: 20,
        async onBlockNumber() {
          const found = await relayed.on(route.to).balance(usdc(), receiver)
          if (found === 0n) return
          unwatch()
          resolve(found)
        },
      })
    })
    const received = await sendByStargate(route, { symbol: 'USDC', amount, receiver })
    expect(await paid).toBe(received)
  })

  test('held back, then delivered', async () => {
    const receiver = freshReceiver()
    expect(await relayed.relay('hold')).toEqual({ mode: 'hold', waiting: [] })
    await sendByStargate(route, { symbol: 'USDC', amount, receiver })
    const outputAmount = amount - 1n
    const deposit = acrossTransfer(route, { symbol: 'USDC', amount, receiver, outputAmount })
    await relayed.on(route.from).deposit(deposit)
    const { waiting } = await relayed.relay()
    expect(waiting.map(({ bridge }) => bridge)).toEqual(['stargate', 'across'])
    expect(await relayed.on(route.to).balance(usdc(), receiver)).toBe(0n)
    expect(await relayed.relay('deliver')).toEqual({ mode: 'deliver', waiting: [] })
    const paid = amount - (amount * 60n) / 1_000_000n - 1n + outputAmount
    expect(await relayed.on(route.to).balance(usdc(), receiver)).toBe(paid)
  })

  test('a relayer that is short of funds leaves deposits unfilled and delivers messages', async () => {
    const receiver = freshReceiver()
    await relayed.relay('short')
    const transfer = { symbol: 'USDC', amount, receiver }
    await relayed
      .on(route.from)
      .deposit(acrossTransfer(route, { ...transfer, outputAmount: amount }))
    const received = await sendByStargate(route, transfer)
    const { waiting } = await relayed.relay()
    expect(waiting).toMatchObject([{ bridge: 'across', hasFailed: false }])
    expect(await relayed.on(route.to).balance(usdc(), receiver)).toBe(received)
    expect((await relayed.relay('deliver')).waiting).toEqual([])
    expect(await relayed.on(route.to).balance(usdc(), receiver)).toBe(received + amount)
  })

  test('a deposit that asks for more than it pays stays unfilled', async () => {
    const receiver = freshReceiver()
    const sent = { symbol: 'USDC', amount, receiver, outputAmount: amount + 1n }
    await relayed.on(route.from).deposit(acrossTransfer(route, sent))
    expect((await relayed.relay()).waiting).toEqual([])
    expect(await relayed.on(route.to).balance(usdc(), receiver)).toBe(0n)
  })

  test('a deposit above what the relayer has waits until it has as much', async () => {
    const own = await relayed.on(route.to).balance(usdc(), acrossRelayer.address)
    const lacking = 5_000_000n
    const receiver = freshReceiver()
    const drained = own - amount + lacking
    await relayed.rpc(route.to, 'anvil_impersonateAccount', [acrossRelayer.address])
    const move = (from: Address, to: Address, raw: bigint) =>
      relayed.rpc(route.to, 'eth_sendTransactionSync', [
        { from, to: usdc(), data: encodeFunctionData({ abi: transferAbi, args: [to, raw] }) },
      ])
    await move(acrossRelayer.address, alice, drained)
    const sent = { symbol: 'USDC', amount, receiver, outputAmount: amount }
    await relayed.on(route.from).deposit(acrossTransfer(route, sent))
    expect((await relayed.relay()).waiting).toMatchObject([{ bridge: 'across' }])
    await move(alice, acrossRelayer.address, drained)
    expect((await relayed.relay()).waiting).toEqual([])
    expect(await relayed.on(route.to).balance(usdc(), receiver)).toBe(amount)
  })

  test('a starved compose fails, its tokens wait at the landing, and it succeeds later', async () => {
    const receiver = freshReceiver()
    const { message, weth } = swapMessage(route.to, receiver)
    const landing = landingOn(route.to, 'USDC')
    await relayed.relay('starve')
    const sent = { symbol: 'USDC', amount: parseUnits('1000', 6), receiver: landing, message }
    const received = await sendByStargate(route, sent, orderGas)
    expect((await relayed.relay()).waiting).toMatchObject([{ hasFailed: true }])
    const { balance } = relayed.on(route.to)
    expect(await balance(usdc(), landing)).toBe(received)
    expect(await balance(weth, receiver)).toBe(0n)
    expect((await relayed.relay('deliver')).waiting).toEqual([])
    expect(await balance(usdc(), landing)).toBe(0n)
    expect(await balance(weth, receiver)).toBeGreaterThanOrEqual(leastEther)
  })

  test('received and not composed, then composed', async () => {
    const receiver = freshReceiver()
    const { message, weth } = swapMessage(route.to, receiver)
    const landing = landingOn(route.to, 'USDC')
    await relayed.relay('uncomposed')
    const sent = { symbol: 'USDC', amount: parseUnits('1000', 6), receiver: landing, message }
    const received = await sendByStargate(route, sent, orderGas)
    expect((await relayed.relay()).waiting).toMatchObject([{ hasFailed: false }])
    expect(await relayed.on(route.to).balance(usdc(), landing)).toBe(received)
    await relayed.relay('deliver')
    expect(await relayed.on(route.to).balance(weth, receiver)).toBeGreaterThan(0n)
  })

  test('ether that is bought for an account of the destination arrives, and is paid for', async () => {
    const [receiver, poor] = [freshReceiver(), freshReceiver()]
    const plain = stargateTransfer(route, { symbol: 'USDC', amount, receiver })
    const drop = parseEther('0.01')
    const options = concatHex([
      '0x0003',
      encodePacked(['uint8', 'uint16', 'uint8', 'uint128', 'bytes32'], [1, 49, 2, drop, pad(poor)]),
    ])
    const chain = relayed.on(route.from)
    const { nativeFee } = await chain.quote({ ...plain, options })
    expect(nativeFee).toBe((await chain.quote(plain)).nativeFee + drop)
    await chain.send({ ...plain, options }, nativeFee)
    expect((await relayed.relay()).waiting).toEqual([])
    expect(await relayed.on(route.to).balance(undefined, poor)).toBe(drop)
  })

  test('value that is bought for a compose reaches the order', async () => {
    const receiver = freshReceiver()
    const { order, usdc: token } = etherOrder(route.to, receiver, 0n)
    const value = parseEther('0.02')
    const message = buildDeliveryMessage({
      order: {
        ...order,
        steps: [],
        outputsPaidBySteps: false,
        inputs: [...order.inputs, { token: nativeToken, amount: 0n }],
        outputs: [
          { token, minAmountOut: 1n },
          { token: nativeToken, minAmountOut: value },
        ],
      },
      fallbackReceiver,
      minimumGas: 300_000n,
      minimumValue: value,
    })
    const landing = landingOn(route.to, 'USDC')
    const sent = stargateTransfer(route, { symbol: 'USDC', amount, receiver: landing, message })
    const transfer = { ...sent, options: composeOptions(orderGas, value) }
    const chain = relayed.on(route.from)
    const { nativeFee, received } = await chain.quote(transfer)
    await chain.send(transfer, nativeFee)
    expect((await relayed.relay()).waiting).toEqual([])
    expect(await relayed.on(route.to).balance(undefined, receiver)).toBe(value)
    expect(await relayed.on(route.to).balance(token, receiver)).toBe(received)
  })

  test('an order below its minimum gives the token to the fallback receiver', async () => {
    const receiver = freshReceiver()
    const { message } = swapMessage(route.to, receiver, parseEther('100'))
    const landing = landingOn(route.to, 'USDC')
    const sent = { symbol: 'USDC', amount, receiver: landing, message }
    const received = await sendByStargate(route, sent, orderGas)
    await relayed.relay()
    expect(await relayed.on(route.to).balance(usdc(), fallbackReceiver)).toBe(received)
  })

  test('no such mode, no such method, and no relayer of one chain alone', async () => {
    await expect(relayed.relay('lose')).rejects.toThrow('no such mode')
    await expect(relayed.rpc(1, 'sandbox_other', [])).rejects.toThrow('no method sandbox_other')
    const alone = await startSandbox({ chainId: 8453 })
    const response = await fetch(alone.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'sandbox_setRelayer', params: [] }),
    })
    expect(await response.json()).toMatchObject({ id: 7, error: { code: -32602 } })
    await alone.stop()
  })
})

test('the same transactions give the same blocks', async () => {
  const run = async () => {
    const own = await startRelayedSandboxes()
    const transfer = stargateTransfer(
      { from: 1, to: 42161 },
      { symbol: 'USDC', amount: 10n ** 9n, receiver: fallbackReceiver },
    )
    const { nativeFee } = await own.on(1).quote(transfer)
    await own.on(1).send(transfer, nativeFee)
    await own.relay()
    const sent = { symbol: 'WETH', amount: 10n ** 18n, receiver: fallbackReceiver }
    const deposit = acrossTransfer({ from: 8453, to: 42161 }, { ...sent, outputAmount: 10n ** 17n })
    await own.on(8453).deposit(deposit)
    await own.relay()
    const heads = chainIds.map(async (chainId) => (await own.on(chainId).client.getBlock()).hash)
    const found = await Promise.all(heads)
    await own.stop()
    return found
  }
  expect(await run()).toEqual(await run())
})

test('a chain whose Anvil has died is put back, and both directions deliver again', async () => {
  const [restarted, other] = [42161, 1] as const
  const sandbox = relayed.sandboxes.find(({ chainId }) => chainId === restarted)
  if (!sandbox) throw new Error('no sandbox')
  const { pid } = sandbox
  process.kill(pid, 'SIGKILL')
  await gone(pid)
  expect((await relayed.relay('deliver')).waiting).toEqual([])
  for (const route of [
    { from: restarted, to: other },
    { from: other, to: restarted },
  ]) {
    const receiver = freshReceiver()
    const sent = { symbol: 'USDC', amount: 10n ** 9n, receiver }
    const received = await sendByStargate(route, sent)
    expect((await relayed.relay()).waiting).toEqual([])
    const token = acrossToken(route.to, 'USDC')
    expect(await relayed.on(route.to).balance(token, receiver)).toBe(received)
  }
})
