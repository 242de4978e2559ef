import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  keccak256,
  padHex,
  size,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { arbitrum } from '../../chains/arbitrum.js'
import { base } from '../../chains/base.js'
import { ethereum } from '../../chains/ethereum.js'
import { optimism } from '../../chains/optimism.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import { contractAddress } from '../../executor/deployments.js'
import { deliver, messengerAbi, standardBridgeAbi } from './abi.js'
import { deliveriesIn, encodeRelay, failureIn, minGasOf, simulation } from './deposits.js'
import { canonical } from './index.js'
import { depositGas } from './metering.js'
import { messenger, standardBridge, tokenBridgeOf } from './settlement.js'

const portal = '0x49048044d57e1c92a77f79988d21fa8faf74e97e'
const alias = '0x977f82a600a1414e583f7f13623f1ac5d58b1c0b'
const receiver: Address = `0x${'22'.repeat(20)}`
const sender: Address = `0x${'33'.repeat(20)}`
const destinationReceiver = contractAddress('DestinationReceiver')
const topic = keccak256(
  new TextEncoder().encode('TransactionDeposited(address,address,uint256,bytes)'),
)

function logOf(
  to: Address,
  data: Hex,
  given: { readonly value?: bigint; readonly from?: Address; readonly address?: Address } = {},
): SimulationLog {
  const { value = 7n, from = alias, address = portal } = given
  const packed = concatHex([
    encodePacked(['uint256', 'uint256', 'uint64', 'bool'], [value, value, 900_000n, false]),
    data,
  ])
  const topics = [topic, padHex(from), padHex(to), padHex('0x0', { size: 32 })]
  return { address, topics, data: encodeAbiParameters([{ type: 'bytes' }], [packed]) }
}

function relayOf(target: Address, message: Hex, value = 7n): Hex {
  return encodeRelay({ nonce: 1n, sender, target, value, minGasLimit: 500_000n, message })
}

const found = (log: SimulationLog, source = ethereum) => deliveriesIn([log], source)
const order = `0x${'ab'.repeat(96)}` as const
const deliverCall = (amount: bigint) =>
  encodeFunctionData({ abi: [deliver], args: [nativeToken, amount, order] })

describe('deliveriesIn', () => {
  test('a call of the DestinationReceiver is a delivery with its message, named by the hash of the relay', () => {
    const data = relayOf(destinationReceiver, deliverCall(7n))
    expect(found(logOf(messenger, data))).toMatchObject([
      {
        bridge: 'canonical',
        id: keccak256(data),
        sourceChainId: 1,
        destinationChainId: base.id,
        token: nativeToken,
        amount: 7n,
        receiver: destinationReceiver,
        message: order,
      },
    ])
  })

  test('one that says another amount than comes with it is any call', () => {
    const data = relayOf(destinationReceiver, deliverCall(8n))
    expect(found(logOf(messenger, data))).toMatchObject([{ amount: 7n, message: deliverCall(8n) }])
  })

  test('a payment has no message', () => {
    const data = relayOf(receiver, '0x')
    expect(found(logOf(messenger, data))).toMatchObject([{ receiver, amount: 7n, message: '0x' }])
  })

  test('the standard bridge pays whom and what its call says', () => {
    const token: Address = `0x${'44'.repeat(20)}`
    const call = encodeFunctionData({
      abi: standardBridgeAbi,
      functionName: 'finalizeBridgeERC20',
      args: [token, sender, sender, receiver, 9n, '0x'],
    })
    const data = relayOf(standardBridge, call, 0n)
    expect(found(logOf(messenger, data, { value: 0n }))).toMatchObject([
      { token, amount: 9n, receiver, message: '0x' },
    ])
  })

  test('what another contract deposits is told as a deposit, whatever call it has', () => {
    const log = logOf(messenger, relayOf(receiver, '0x'), { from: sender })
    expect(found(log)).toMatchObject([{ receiver: messenger, details: { kind: 'deposit' } }])
    expect(found(logOf(messenger, '0xd764ad0b00'))).toMatchObject([
      { details: { kind: 'deposit' }, message: '0xd764ad0b00' },
    ])
  })

  test('another contract’s log is none, nor is it one on another chain', () => {
    const data = relayOf(receiver, '0x')
    expect(found(logOf(messenger, data, { address: receiver }))).toEqual([])
    expect(found(logOf(messenger, data), arbitrum)).toEqual([])
  })
})

describe('simulation', () => {
  const { block } = storageReader({})
  const data = relayOf(destinationReceiver, deliverCall(7n))
  const [delivery] = found(logOf(messenger, data))
  if (!delivery) throw new Error('no delivery')

  test('is the transaction of the deposit, of the alias, which has what was minted', () => {
    expect(simulation(delivery, base, block, 0n)).toEqual({
      from: alias,
      to: messenger,
      value: 7n,
      data,
      gasLimit: 900_000n,
      overrides: { [alias]: { balance: 7n } },
    })
  })

  test('with another message it has the gas that this one would buy', () => {
    const other = { ...delivery, message: `0x${'cd'.repeat(200)}` as const }
    const simulated = simulation(other, base, block, 800_000n)
    const message = encodeFunctionData({
      abi: [deliver],
      args: [nativeToken, 7n, other.message],
    })
    const minGasLimit = minGasOf(800_000n)
    expect(simulated.gasLimit).toBe(depositGas(size(message), minGasLimit))
    const relay = { nonce: 1n, sender, target: destinationReceiver, value: 7n }
    expect(simulated.data).toBe(encodeRelay({ ...relay, minGasLimit, message }))
  })
})

test('a relay that the messenger has kept is a failure', () => {
  const { name } = messengerAbi[5]
  const failed = keccak256(new TextEncoder().encode(`${name}(bytes32)`))
  const log = { address: messenger, topics: [failed, topic], data: '0x' } as const
  expect(failureIn([log])).toContain('another try')
  expect(failureIn([{ ...log, address: receiver }])).toBeNull()
  expect(failureIn([])).toBeNull()
})

describe('canonical', () => {
  test('has a lane of ether, and of tokens of the standard bridge, to each chain that settles on Ethereum, and back where the bridge is named', () => {
    for (const destination of [base, optimism]) {
      const lanes = canonical.lanes(ethereum, destination)
      const [ether, ...tokens] = lanes
      expect(ether).toMatchObject({ symbol: 'ETH', tokenIn: nativeToken, tokenOut: nativeToken })
      expect(ether?.withoutOrders).toBeUndefined()
      expect(tokens.map(({ symbol }) => symbol)).toEqual(
        destination === base ? ['DAI', 'USDC'] : ['USDC', 'USDT', 'WBTC'],
      )
      for (const one of tokens) {
        expect(one).toMatchObject({ primary: tokenBridgeOf(destination)?.bridge })
        expect(one.withoutOrders).toContain('calls nobody')
      }
      expect(structuredClone(lanes)).toEqual(lanes)
      const back = canonical.lanes(destination, ethereum)
      expect(back.map(({ symbol, tokenIn, tokenOut }) => [symbol, tokenOut, tokenIn])).toEqual(
        lanes.map(({ symbol, tokenIn, tokenOut }) => [symbol, tokenIn, tokenOut]),
      )
      for (const { afterwards = [], estimatedSeconds, withoutOrders } of back) {
        expect(afterwards.map(({ action }) => action)).toEqual(['prove', 'finalize'])
        expect(afterwards.at(-1)?.afterSeconds).toBe(estimatedSeconds)
        expect(estimatedSeconds).toBeGreaterThan(604_800)
        expect(withoutOrders).toContain('days later')
      }
    }
    expect(canonical.lanes(ethereum, arbitrum).map(({ symbol }) => symbol)).toEqual(['ETH'])
    expect(canonical.lanes(arbitrum, ethereum)).toEqual([])
    expect(canonical.lanes(base, optimism)).toEqual([])
  })

  test('asks for the contracts of either side', () => {
    const asked = (chain: typeof base) => new Set(canonical.probes(chain).map(({ to }) => to))
    expect(asked(ethereum).has(portal)).toBe(true)
    expect(asked(base).has(messenger)).toBe(true)
    expect(asked(arbitrum)).toEqual(new Set(['0x000000000000000000000000000000000000006e']))
  })
})
