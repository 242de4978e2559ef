import { expect, test } from 'vitest'
import { burntGas, depositBaseFee, depositGas } from './metering.js'

const gwei = 1_000_000_000n
const config = {
  maxResourceLimit: 20_000_000,
  elasticityMultiplier: 10,
  baseFeeMaxChangeDenominator: 8,
  minimumBaseFee: 1_000_000_000,
  maximumBaseFee: 2n ** 128n - 1n,
}

test('a message buys its overhead, 16 gas a byte and 64/63 of what its call is to have', () => {
  expect(depositGas(0, 0n)).toBe(285_000n)
  expect(depositGas(10, 63_000n)).toBe(285_000n + 160n + 64_000n)
})

test('the price of deposits stays within a block, and changes by an eighth between two', () => {
  const idle = { prevBaseFee: 8n * gwei, prevBoughtGas: 0n, prevBlockNum: 100n }
  expect(depositBaseFee(idle, config, 100n)).toBe(8n * gwei)
  expect(depositBaseFee(idle, config, 101n)).toBe(7n * gwei)
  expect(depositBaseFee(idle, config, 102n)).toBe((49n * gwei) / 8n)
  expect(depositBaseFee(idle, config, 10_000n)).toBe(gwei)
  // Twice the target.
  const busy = { ...idle, prevBoughtGas: 4_000_000n }
  expect(depositBaseFee(busy, config, 101n)).toBe(9n * gwei)
})

test('gas is burnt by the prices of both sides, where a base fee below 1 gwei counts as that', () => {
  expect(burntGas(600_000n, gwei, 2n * gwei)).toBe(300_000n)
  expect(burntGas(600_000n, 3n * gwei, 1n)).toBe(1_800_000n)
})
