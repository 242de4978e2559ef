import { encodeAbiParameters, type Hex, padHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { type Address, nativeToken, zeroAddress } from '../../domain/primitives.js'
import type { RouteStepRecord } from '../../domain/route-step.js'
import type { SimulationLog } from '../../domain/state.js'
import type { FlowEdge } from '../search/flow.js'
import { withAmounts } from './step-amounts.js'

const address = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c, weth] = ['a', 'b', 'c', 'e'].map(address) as [Address, Address, Address, Address]
const [p, q, r] = ['1', '2', '3'].map(address) as [Address, Address, Address]
const [sender, runner, receiver] = ['7', '8', '9'].map(address) as [Address, Address, Address]

/** @param paidInLogs - what the adapter reads from the logs; absent: it has none of that. */
function swap(
  pool: Address,
  tokenIn: Address,
  tokenOut: Address,
  spends: FlowEdge['spends'] = 10_000,
  paidInLogs?: bigint,
): FlowEdge {
  const adapter = { slug: 's', swaps: { ...(paidInLogs && { paidInLogs: () => paidInLogs }) } }
  const market = { adapter, loaded: { pool: { address: pool } } }
  return { hop: { kind: 'swap', tokenIn, tokenOut, market } as unknown as FlowEdge['hop'], spends }
}

function transfer(token: Address, from: Address, to: Address, amount: bigint): SimulationLog {
  const topic: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  return {
    address: token,
    topics: [topic, padHex(from, { size: 32 }), padHex(to, { size: 32 })],
    data: encodeAbiParameters([{ type: 'uint256' }], [amount]),
  }
}

function amounts(steps: number, edges: readonly FlowEdge[], logs: readonly SimulationLog[]) {
  const records = Array.from({ length: steps }, () => ({}) as RouteStepRecord)
  const inputs = [{ token: a, amount: 1_000n }]
  const route = { edges, inputs, runner, sender, receiver, wrappedNative: weth, logs }
  return withAmounts(records, route).map(({ amountIn, amountOut }) => [amountIn, amountOut])
}

describe('withAmounts', () => {
  test('a step of two pools takes all, and gives what both paid', () => {
    const edges = [swap(p, a, b, 3_333), swap(q, a, b)]
    const logs = [
      transfer(a, runner, p, 333n),
      transfer(b, p, receiver, 50n),
      transfer(a, runner, q, 667n),
      transfer(b, q, runner, 90n),
      transfer(b, runner, receiver, 90n),
    ]
    expect(amounts(1, edges, logs)).toEqual([[[1_000n], [140n]]])
  })

  test('a payment from pool to pool is what one gave and the other took', () => {
    const logs = [
      transfer(a, sender, p, 1_000n),
      transfer(b, p, q, 70n),
      transfer(c, q, receiver, 30n),
    ]
    expect(amounts(2, [swap(p, a, b), swap(q, b, c)], logs)).toEqual([
      [[1_000n], [70n]],
      [[70n], [30n]],
    ])
  })

  test('of a taxed token what arrives is given', () => {
    const logs = [transfer(b, p, runner, 95n), transfer(b, p, address('f'), 5n)]
    expect(amounts(1, [swap(p, a, b)], logs)).toEqual([[[1_000n], [95n]]])
  })

  test('minted shares, and wraps, which transfer nothing', () => {
    const wrap: FlowEdge = { hop: { kind: 'wrap', tokenIn: a, tokenOut: weth }, spends: 10_000 }
    // Wrapped tokens of some chains log the deposit as a transfer from nowhere.
    const logs = [transfer(weth, zeroAddress, runner, 1_000n), transfer(b, zeroAddress, runner, 8n)]
    expect(amounts(2, [wrap, swap(p, weth, b)], logs)).toEqual([
      [[1_000n], [1_000n]],
      [[1_000n], [8n]],
    ])
  })

  test('two steps into one token through one contract are told apart by their order', () => {
    const edges = [swap(p, a, b, 5_000), swap(q, a, c), swap(q, b, c)]
    const logs = [
      transfer(b, p, runner, 40n),
      transfer(c, q, runner, 25n),
      transfer(c, q, runner, 11n),
    ]
    expect(amounts(3, edges, logs)).toEqual([
      [[500n], [40n]],
      [[500n], [25n]],
      [[40n], [11n]],
    ])
  })

  test('what never moves between pools of one contract is read from its logs', () => {
    const edges = [swap(p, a, b, 10_000, 44n), swap(p, b, c)]
    expect(amounts(2, edges, [transfer(c, p, receiver, 9n)])).toEqual([
      [[1_000n], [44n]],
      [[44n], [9n]],
    ])
  })

  test('native counts as a token', () => {
    const logs = [transfer(nativeToken, r, receiver, 5n)]
    expect(amounts(1, [swap(r, a, nativeToken)], logs)).toEqual([[[1_000n], [5n]]])
  })

  test('amounts that cannot be told apart are left away, with those that follow from them', () => {
    const edges = [swap(p, a, b, 5_000), swap(q, a, c), swap(p, c, b), swap(r, b, weth)]
    const logs = [
      transfer(b, p, runner, 1n),
      transfer(b, p, runner, 2n),
      transfer(b, p, runner, 3n),
      transfer(c, q, runner, 7n),
      transfer(weth, r, receiver, 6n),
    ]
    expect(amounts(4, edges, logs)).toEqual([
      [undefined, undefined],
      [[500n], [7n]],
      [undefined, undefined],
      [undefined, undefined],
    ])
  })
})
