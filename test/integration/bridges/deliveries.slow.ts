/** Deliveries by the contracts that run on mainnet: what they pay, when they call, and what a thief has of it. */
import {
  encodeFunctionData,
  encodePacked,
  type Hex,
  numberToHex,
  padHex,
  parseAbi,
  zeroAddress,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { buildDeliveryMessage } from '../../../src/executor/compile.js'
import { contractAddress, executorContracts } from '../../../src/executor/deployments.js'
import { ether, fallbackReceiver, receiver } from '../../support/bridges/chain.js'
import { type Destination, startDestination } from '../../support/bridges/destination.js'

const { abi: receiverAbi, address: destinationReceiver } = executorContracts.DestinationReceiver
const amount = 4_999n * ether + ether / 2n
/** The market takes a thousandth. */
const swapped = amount - amount / 1_000n

let chain: Destination
let snapshot: Hex

beforeAll(async () => {
  chain = await startDestination()
  snapshot = await chain.anvil.rpc<Hex>('evm_snapshot')
})

afterAll(() => chain?.anvil.stop())

async function fresh(): Promise<Destination> {
  await chain.anvil.rpc('evm_revert', [snapshot])
  snapshot = await chain.anvil.rpc<Hex>('evm_snapshot')
  return chain
}

function swapMessage(token: Address, minAmountOut: bigint, minimumGas = 0n, minimumValue = 0n) {
  const order = chain.swapOrder(token, minAmountOut)
  const inputs =
    minimumValue > 0n ? [...order.inputs, { token: nativeToken, amount: 0n }] : order.inputs
  return buildDeliveryMessage({
    order: { ...order, inputs },
    fallbackReceiver,
    minimumGas,
    minimumValue,
  })
}

/** All of the ether that arrives. */
function etherMessage(minAmountOut: bigint) {
  const plain = chain.swapOrder(chain.weth, 0n)
  const order = {
    ...plain,
    steps: [],
    outputsPaidBySteps: false,
    inputs: [{ token: nativeToken, amount: 0n }],
    outputs: [{ token: nativeToken, minAmountOut }],
  }
  return buildDeliveryMessage({ order, fallbackReceiver, minimumGas: 0n })
}

/** Says that what lies there is the thief's: an order that fails at once, and the thief as its fallback. */
function theft(token: Address): Hex {
  const order = { ...chain.swapOrder(token, 0n), deadline: 1n }
  return buildDeliveryMessage({ order, fallbackReceiver: chain.thief, minimumGas: 0n })
}

const composer = parseAbi([
  'function lzCompose(address from, bytes32 guid, bytes message, address executor, bytes extraData)',
  'function sendCompose(address to, bytes32 guid, uint16 index, bytes message)',
])

/** All that a stranger can try with tokens that lie at `at`. */
function thefts(at: Address, token: Address, stolen: bigint): { to: Address; data: Hex }[] {
  const { thief, tokenPool } = chain
  const message = theft(token)
  const handled = [token, stolen, thief, message] as const
  const composed = encodePacked(
    ['uint64', 'uint32', 'uint256', 'bytes32', 'bytes'],
    [1n, 30_110, stolen, padHex('0x01', { size: 32 }), message],
  )
  const guid = padHex('0xbad', { size: 32 })
  return [
    {
      to: destinationReceiver,
      data: encodeFunctionData({
        abi: receiverAbi,
        functionName: 'handleV3AcrossMessage',
        args: handled,
      }),
    },
    {
      to: destinationReceiver,
      data: encodeFunctionData({
        abi: receiverAbi,
        functionName: 'deliver',
        args: [token, stolen, message],
      }),
    },
    {
      to: at,
      data: encodeFunctionData({
        abi: composer,
        functionName: 'lzCompose',
        args: [tokenPool, guid, composed, thief, '0x'],
      }),
    },
  ]
}

describe('Stargate', () => {
  test('tokens that it pays to the DestinationReceiver itself are a thief’s before they are composed', async () => {
    const { pay, sent, balance, usdc, thief, tokenPool } = await fresh()
    await pay(tokenPool, destinationReceiver, amount, swapMessage(usdc, swapped))
    const [front] = thefts(destinationReceiver, usdc, amount)
    expect((await sent({ from: thief, ...front })).ok).toBe(true)
    expect(await balance(usdc, thief)).toBe(amount)
  })

  test('tokens at the landing are out of reach, and the order has all of them', async () => {
    const { pay, sent, compose, queued, balance, usdc, weth, thief, tokenPool, landing } =
      await fresh()
    const delivery = await pay(tokenPool, landing, amount / 100n, swapMessage(usdc, swapped / 100n))
    expect(await balance(usdc, landing)).toBe(amount / 100n)
    for (const tried of thefts(landing, usdc, amount / 100n)) {
      expect((await sent({ from: thief, ...tried })).ok).toBe(false)
    }
    expect(await compose(delivery)).toBe(true)
    expect(await balance(weth, receiver)).toBe(amount / 100n - amount / 100_000n)
    expect(await balance(usdc, thief)).toBe(0n)
    expect(await balance(usdc, landing)).toBe(0n)
    expect(BigInt(await queued(delivery))).toBe(1n)
    // The endpoint carries it out once.
    expect(await compose(delivery)).toBe(false)
  })

  test('a message that somebody else than the pool queued at the endpoint is refused', async () => {
    const { pay, sent, compose, balance, usdc, thief, endpoint, tokenPool, landing } = await fresh()
    await pay(tokenPool, landing, amount, swapMessage(usdc, 0n))
    const guid = padHex('0xbad', { size: 32 })
    const message = encodePacked(
      ['uint64', 'uint32', 'uint256', 'bytes32', 'bytes'],
      [1n, 30_110, amount, padHex('0x01', { size: 32 }), theft(usdc)],
    )
    const args = [landing, guid, 0, message] as const
    const data = encodeFunctionData({ abi: composer, functionName: 'sendCompose', args })
    expect((await sent({ from: thief, to: endpoint, data })).ok).toBe(true)
    expect(await compose({ pool: thief, to: landing, guid, message })).toBe(false)
    expect(await balance(usdc, landing)).toBe(amount)
  })

  test('two in flight at a landing each move their own amount, of tokens and of ether', async () => {
    const { pay, compose, balance, usdc, landing, nativeLanding, tokenPool, nativePool } =
      await fresh()
    const first = await pay(tokenPool, landing, 3n * ether, swapMessage(usdc, 4n * ether))
    const second = await pay(tokenPool, landing, 5n * ether, swapMessage(usdc, 1n))
    expect(await compose(second)).toBe(true)
    expect(await balance(usdc, landing)).toBe(3n * ether)
    // Its minimum is not met.
    expect(await compose(first)).toBe(true)
    expect(await balance(usdc, fallbackReceiver)).toBe(3n * ether)

    const one = await pay(nativePool, nativeLanding, 3n * ether, etherMessage(1n))
    const other = await pay(nativePool, nativeLanding, 5n * ether, etherMessage(6n * ether))
    expect(await balance(nativeToken, nativeLanding)).toBe(8n * ether)
    expect(await compose(other)).toBe(true)
    expect(await balance(nativeToken, fallbackReceiver)).toBe(5n * ether)
    expect(await compose(one, { value: ether / 4n })).toBe(true)
    expect(await balance(nativeToken, receiver)).toBe(3n * ether + ether / 4n)
    expect(await balance(nativeToken, nativeLanding)).toBe(0n)
  })

  test('with too little gas or value the message waits at the endpoint', async () => {
    const { pay, compose, queued, balance, usdc, weth, tokenPool, landing } = await fresh()
    const sparse = await pay(tokenPool, landing, ether, swapMessage(usdc, 1n, 400_000n))
    for (let gas = 100_000n; gas < 600_000n; gas += 50_000n) {
      expect(await compose(sparse, { gas })).toBe(false)
      expect(BigInt(await queued(sparse))).toBeGreaterThan(1n)
    }
    expect(await compose(sparse, { gas: 900_000n })).toBe(true)
    expect(await balance(weth, receiver)).toBe((ether * 999n) / 1_000n)

    const valued = await pay(tokenPool, landing, ether, swapMessage(usdc, 1n, 0n, ether))
    expect(await compose(valued, { value: ether - 1n })).toBe(false)
    expect(await compose(valued, { value: ether })).toBe(true)
    expect(await balance(usdc, fallbackReceiver)).toBe(0n)
  })
})

const spokePoolAbi = parseAbi([
  'struct Relay { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }',
  'function fillRelay(Relay relay, uint256 repaymentChainId, bytes32 repaymentAddress)',
])

describe('Across', () => {
  function fill(outputToken: Address, depositId: bigint, message: Hex, gas = 16_000_000n) {
    const word = (address: Address) => padHex(address, { size: 32 })
    const relay = {
      depositor: word(receiver),
      recipient: word(contractAddress('DestinationReceiver')),
      exclusiveRelayer: word(zeroAddress),
      inputToken: word(chain.usdc),
      outputToken: word(outputToken),
      inputAmount: 6n * ether,
      outputAmount: 5n * ether,
      originChainId: 42_161n,
      depositId,
      fillDeadline: 2 ** 32 - 1,
      exclusivityDeadline: 0,
      message,
    }
    const args = [relay, 1n, word(chain.owner)] as const
    const data = encodeFunctionData({ abi: spokePoolAbi, functionName: 'fillRelay', args })
    return chain.sent({ from: chain.owner, to: chain.spokePool, data, gas: numberToHex(gas) })
  }

  test('a fill pays and runs the order in one transaction, once, with WETH as with any token', async () => {
    const { sent, balance, usdc, weth, thief } = await fresh()
    const out = (5n * ether * 999n) / 1_000n
    expect((await fill(usdc, 1n, swapMessage(usdc, out))).ok).toBe(true)
    expect(await balance(weth, receiver)).toBe(out)
    expect((await fill(usdc, 1n, swapMessage(usdc, out))).ok).toBe(false)
    expect((await fill(weth, 2n, swapMessage(weth, out))).ok).toBe(true)
    expect(await balance(usdc, receiver)).toBe(out)
    for (const tried of thefts(destinationReceiver, usdc, 1n)) {
      expect((await sent({ from: thief, ...tried })).ok).toBe(false)
    }
  })

  test('an order that fails, or that is none, gives all to the fallback', async () => {
    const { balance, usdc } = await fresh()
    expect((await fill(usdc, 1n, swapMessage(usdc, 5n * ether))).ok).toBe(true)
    expect(await balance(usdc, fallbackReceiver)).toBe(5n * ether)
    const garbage: Hex = `${swapMessage(usdc, 1n).slice(0, 2 + 2 * 96)}ff` as Hex
    expect((await fill(usdc, 2n, garbage)).ok).toBe(true)
    expect(await balance(usdc, fallbackReceiver)).toBe(10n * ether)
  })

  test('a starved fill reverts, and can be made again', async () => {
    const { balance, usdc, weth } = await fresh()
    const message = swapMessage(usdc, 1n, 400_000n)
    for (let gas = 150_000n; gas < 650_000n; gas += 50_000n) {
      expect((await fill(usdc, 1n, message, gas)).ok).toBe(false)
    }
    expect((await fill(usdc, 1n, message, 1_000_000n)).ok).toBe(true)
    expect(await balance(weth, receiver)).toBe((5n * ether * 999n) / 1_000n)
  })
})
