import { describe, expect, test } from 'vitest'
import type { Explanation } from '../mined/explain-transaction.js'
import { conclusion } from './replay-tx.js'
import { namerOf } from './token-names.js'

const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const pair = '0x90f79bf6eb2c4f870365e785982e1f101e93b906'
const nameOf = namerOf([{ chainId: 1, address: usdc, decimals: 6, symbol: 'USDC' }])

const honest = { chainId: 1, culprit: null, simulatedAt: 383n, simulationFails: null }

describe('conclusion', () => {
  test('without a shortfall every step kept its promise', () => {
    expect(conclusion(honest, nameOf)).toBe('Every step that was reached gave what it promised.')
  })

  test('an order that fails at the block before, such as one that is sent again, has no promise there', () => {
    const simulationFails = `InsufficientOutput(${usdc}, 15029627496, 15025743968)`
    expect(conclusion({ ...honest, simulationFails }, nameOf)).toBe(
      'At the end of block 383 it fails: name the block of its answer with --block.',
    )
  })

  test('who gave too little is named with what was due', () => {
    const culprit: Explanation['culprit'] = {
      step: 1,
      payer: pair,
      token: usdc,
      happened: 2_700_000_000n,
      promised: 3_000_000_000n,
      expected: 3_000_000_000n,
      bps: 1_000,
      cause: 'lied',
    }
    expect(conclusion({ ...honest, culprit }, nameOf)).toBe(
      `Step 1: ${pair} lied: it gave 2700 USDC where 3000 USDC were due, 1000 bps less, and nobody had touched it since the simulation.`,
    )
    expect(conclusion({ ...honest, culprit: { ...culprit, cause: 'moved' } }, nameOf)).toBe(
      `Step 1: ${pair} gave 2700 USDC where 3000 USDC were due, 1000 bps less; other transactions had moved it since the simulation.`,
    )
  })
})
