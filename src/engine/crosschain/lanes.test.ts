import { describe, expect, test } from 'vitest'
import { createAcross } from '../../bridges/across/index.js'
import type { Lane } from '../../bridges/bridge.js'
import { canonical } from '../../bridges/canonical/index.js'
import { stargate } from '../../bridges/stargate/index.js'
import { base } from '../../chains/base.js'
import { ethereum } from '../../chains/ethereum.js'
import type { CrosschainMode } from '../../domain/bridges/terms.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import { type LaneCandidatesArgs, laneCandidates } from './lanes.js'

const lanes = [stargate, createAcross()].flatMap((bridge) => bridge.lanes(ethereum, base))
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const link: Address = '0x514910771af9ca656af840dff83e8264ecf986ca'
const usdcOnBase: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const aero: Address = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'

function candidatesOf(
  tokenIn: Address,
  tokenOut: Address,
  mode: CrosschainMode,
  {
    among = lanes,
    ...more
  }: Partial<LaneCandidatesArgs> & { readonly among?: readonly Lane[] } = {},
) {
  const request = { inputs: [{ token: tokenIn, amount: 1n }], tokensOut: [tokenOut] }
  return laneCandidates(among, {
    request,
    mode,
    source: ethereum,
    destination: base,
    receiverKind: 'plain',
    takesDestinationFee: false,
    entersPosition: false,
    canOrder: () => true,
    ...more,
  })
}

const namesOf = (candidates: readonly { lane: Lane; runsOrder: boolean }[]) =>
  candidates.map(
    ({ lane, runsOrder }) => `${lane.symbol} ${lane.bridge}${runsOrder ? ' order' : ''}`,
  )

describe('laneCandidates', () => {
  test.each([
    ['direct', usdc, usdcOnBase, ['USDC stargate', 'USDC across']],
    ['direct', usdc, aero, []],
    ['source', link, usdcOnBase, ['USDC stargate', 'USDC across']],
    ['destination', usdc, aero, ['USDC stargate order', 'USDC across order']],
    ['sourceOrDestination', link, aero, []],
  ] as const)('%s allows what swaps where it may', (mode, tokenIn, tokenOut, expected) => {
    expect(namesOf(candidatesOf(tokenIn, tokenOut, mode).candidates)).toEqual(expected)
  })

  test('those with the fewest swaps come first', () => {
    const [first, second, ...others] = candidatesOf(usdc, usdcOnBase, 'full').candidates
    expect(namesOf([first, second].flatMap((one) => one ?? []))).toEqual([
      'USDC stargate',
      'USDC across',
    ])
    expect(others).toHaveLength(lanes.length - 2)
  })

  test('wrapping is no swap, and an order does it where the bridge pays something else', () => {
    const { wrappedNative } = base
    const direct = (to: Address, receiverKind: LaneCandidatesArgs['receiverKind']) =>
      namesOf(candidatesOf(nativeToken, to, 'direct', { receiverKind }).candidates)
    expect(direct(nativeToken, 'plain')).toEqual(['ETH stargate', 'WETH across'])
    expect(direct(nativeToken, 'delegated')).toEqual(['ETH stargate', 'WETH across'])
    expect(direct(nativeToken, 'contract')).toEqual(['ETH stargate', 'WETH across order'])
    expect(direct(wrappedNative, 'plain')).toEqual(['ETH stargate order', 'WETH across order'])
    expect(direct(wrappedNative, 'contract')).toEqual(['ETH stargate order', 'WETH across'])
  })

  test('without our contracts there are no orders, and what they keep from being used is told', () => {
    const { candidates, undeployed } = candidatesOf(usdc, usdcOnBase, 'full', {
      canOrder: () => false,
    })
    expect(namesOf(candidates)).toEqual(['USDC stargate', 'USDC across'])
    expect(undeployed).toHaveLength(lanes.length - 2)
  })

  test('a lane that runs no order is taken where the bridge pays what is asked for', () => {
    const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
    const daiOnBase: Address = '0x50c5725949a6f0c72e6c4a641f24049a917db0cb'
    const asked = (tokenOut: Address, more: Partial<LaneCandidatesArgs> = {}) =>
      candidatesOf(dai, tokenOut, 'destination', {
        ...more,
        among: canonical.lanes(ethereum, base),
      })
    expect(namesOf(asked(daiOnBase).candidates)).toEqual(['DAI canonical'])
    for (const { candidates, withoutOrders } of [
      asked(aero),
      asked(daiOnBase, { takesDestinationFee: true }),
      asked(daiOnBase, { canOrder: () => false, entersPosition: true }),
    ]) {
      expect(candidates).toEqual([])
      expect(withoutOrders.map(({ symbol }) => symbol)).toEqual(['DAI'])
    }
  })

  test('a position is an order’s, and needs no swap where it is made of the bridge’s token alone', () => {
    const entering = (mode: CrosschainMode, tokensOut: readonly Address[]) => {
      const request = { inputs: [{ token: usdc, amount: 1n }], tokensOut }
      return namesOf(
        candidatesOf(usdc, usdcOnBase, mode, { entersPosition: true, request }).candidates,
      )
    }
    expect(entering('direct', [usdcOnBase])).toEqual(['USDC stargate order', 'USDC across order'])
    expect(entering('direct', [usdcOnBase, aero])).toEqual([])
    expect(entering('destination', [usdcOnBase, aero])).toEqual([
      'USDC stargate order',
      'USDC across order',
    ])
  })

  test('a fee on the destination is an order’s', () => {
    const { candidates } = candidatesOf(usdc, usdcOnBase, 'direct', { takesDestinationFee: true })
    expect(namesOf(candidates)).toEqual(['USDC stargate order', 'USDC across order'])
  })
})
