import { describe, expect, test } from 'vitest'
import type { Lane } from '../../bridges/bridge.js'
import { bridges } from '../../bridges/registry.js'
import { base } from '../../chains/base.js'
import { ethereum } from '../../chains/ethereum.js'
import type { CrosschainMode } from '../../domain/bridges/terms.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import { type WaysArgs, waysOver } from './ways.js'

const lanes = bridges.flatMap((bridge) => bridge.lanes(ethereum, base))
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const link: Address = '0x514910771af9ca656af840dff83e8264ecf986ca'
const usdcThere: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const aero: Address = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'

function waysOf(
  tokenIn: Address,
  tokenOut: Address,
  mode: CrosschainMode,
  more: Partial<WaysArgs> = {},
) {
  const request = { inputs: [{ token: tokenIn, amount: 1n }], tokensOut: [tokenOut] }
  return waysOver(lanes, {
    request,
    mode,
    source: ethereum,
    destination: base,
    receiverKind: 'plain',
    takesFeeThere: false,
    entersPosition: false,
    canOrder: () => true,
    ...more,
  })
}

const namesOf = (ways: readonly { lane: Lane; runsOrder: boolean }[]) =>
  ways.map(({ lane, runsOrder }) => `${lane.symbol} ${lane.bridge}${runsOrder ? ' order' : ''}`)

describe('waysOver', () => {
  test.each([
    ['direct', usdc, usdcThere, ['USDC stargate', 'USDC across']],
    ['direct', usdc, aero, []],
    ['source', link, usdcThere, ['USDC stargate', 'USDC across']],
    ['destination', usdc, aero, ['USDC stargate order', 'USDC across order']],
    ['sourceOrDestination', link, aero, []],
  ] as const)('%s allows what swaps where it may', (mode, tokenIn, tokenOut, expected) => {
    expect(namesOf(waysOf(tokenIn, tokenOut, mode).ways)).toEqual(expected)
  })

  test('those with the fewest swaps come first', () => {
    const [first, second, ...others] = waysOf(usdc, usdcThere, 'full').ways
    expect(namesOf([first, second].flatMap((one) => one ?? []))).toEqual([
      'USDC stargate',
      'USDC across',
    ])
    expect(others).toHaveLength(lanes.length - 2)
  })

  test('wrapping is no swap, and an order does it where the bridge pays something else', () => {
    const { wrappedNative } = base
    const direct = (to: Address, receiverKind: WaysArgs['receiverKind']) =>
      namesOf(waysOf(nativeToken, to, 'direct', { receiverKind }).ways)
    expect(direct(nativeToken, 'plain')).toEqual(['ETH stargate', 'WETH across'])
    expect(direct(nativeToken, 'delegated')).toEqual(['ETH stargate', 'WETH across'])
    expect(direct(nativeToken, 'contract')).toEqual(['ETH stargate', 'WETH across order'])
    expect(direct(wrappedNative, 'plain')).toEqual(['ETH stargate order', 'WETH across order'])
    expect(direct(wrappedNative, 'contract')).toEqual(['ETH stargate order', 'WETH across'])
  })

  test('without our contracts there are no orders, and what they keep from being used is told', () => {
    const { ways, undeployed } = waysOf(usdc, usdcThere, 'full', { canOrder: () => false })
    expect(namesOf(ways)).toEqual(['USDC stargate', 'USDC across'])
    expect(undeployed).toHaveLength(lanes.length - 2)
  })

  test('a position is an order’s, and needs no swap where it is made of the bridge’s token alone', () => {
    const entering = (mode: CrosschainMode, tokensOut: readonly Address[]) => {
      const request = { inputs: [{ token: usdc, amount: 1n }], tokensOut }
      return namesOf(waysOf(usdc, usdcThere, mode, { entersPosition: true, request }).ways)
    }
    expect(entering('direct', [usdcThere])).toEqual(['USDC stargate order', 'USDC across order'])
    expect(entering('direct', [usdcThere, aero])).toEqual([])
    expect(entering('destination', [usdcThere, aero])).toEqual([
      'USDC stargate order',
      'USDC across order',
    ])
  })

  test('a fee on the destination is an order’s', () => {
    const { ways } = waysOf(usdc, usdcThere, 'direct', { takesFeeThere: true })
    expect(namesOf(ways)).toEqual(['USDC stargate order', 'USDC across order'])
  })
})
