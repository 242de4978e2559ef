import { expect, test } from 'vitest'
import { built, keysOf, out, success, task } from '../../../test/support/routing/candidates.js'
import { ethereum } from '../../chains/ethereum.js'
import { rank } from '../route/choose.js'
import { atDeliveryPrice } from './delivery-price.js'

test('swaps of a delivery are chosen by what the sender pays for their gas, which is more than the block asks for', () => {
  // At equal prices and 2 wei per gas, 100 gas cost 200 units here, and 300 by a bridge.
  const price = { decimals: 18, priceUsd: 1 }
  const priced = new Map([
    [ethereum.wrappedNative, price],
    [out, price],
  ])
  const attempts = [
    success(built('cheap'), [1_000n], 100n),
    success(built('gives 250 more for 100 gas'), [1_250n], 200n),
  ]
  const byBridge = atDeliveryPrice({ ...task, tip: 1_000n })
  expect(byBridge.tip).toBe(1_500n)
  expect(keysOf(rank(task, attempts, priced))[0]).toBe('gives 250 more for 100 gas')
  expect(keysOf(rank(byBridge, attempts, priced))[0]).toBe('cheap')
})
