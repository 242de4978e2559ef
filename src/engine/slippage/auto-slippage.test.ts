import { describe, expect, test } from 'vitest'
import { slippageOf } from './auto-slippage.js'
import type { BlockOutput } from './losses.js'

const past = (outputs: readonly BlockOutput[] | null) => ({ from: 8n, to: 60n, outputs, pins: [] })
const at = (...amounts: number[]): BlockOutput[] => amounts.map((amount) => [BigInt(amount)])
const quiet = Array.from({ length: 53 }, (): BlockOutput => [1_000_000n])

describe('slippageOf', () => {
  test('a pair that does not move: one basis point, held as long as is measured', () => {
    expect(slippageOf(past(quiet), 300n)).toEqual({
      slippage: {
        bps: 1n,
        maxBps: 300n,
        source: 'measured',
        blocks: { from: 8n, to: 60n },
        samples: 153,
        filledShare: 1,
      },
      held: 25,
      warnings: [],
    })
  })

  test('one loss in 153 samples counts', () => {
    const outputs = [...quiet.slice(1), ...at(990_000)]
    const { slippage, held } = slippageOf(past(outputs), 300n)
    expect([slippage.bps, slippage.filledShare, held]).toEqual([100n, 1, 25])
  })

  test('the most is kept, and what would have been needed is said', () => {
    const outputs = [...quiet.slice(1), ...at(990_000)]
    const { slippage, held, warnings } = slippageOf(past(outputs), 20n)
    expect([slippage.bps, slippage.filledShare, held]).toEqual([20n, 0.9803, 0])
    expect(warnings).toEqual([
      'maxSlippage 20 would have filled 98.03 % of the quotes of the blocks 8 to 60, and 99.5 % need 100 basis points.',
      'Not even for one block have 99.5 % of the quotes before this block held.',
    ])
  })

  test('no slippage fills where the transaction reverts', () => {
    const outputs: BlockOutput[] = [...quiet.slice(2), 'reverted', 'reverted']
    expect(slippageOf(past(outputs), 10_000n).warnings[0]).toContain('more than any slippage')
  })

  test.each([
    ['no state', null],
    ['it reverts everywhere', quiet.map((): BlockOutput => 'reverted')],
  ])('the default where nothing is measured: %s', (_name, outputs) => {
    const { slippage, held, warnings } = slippageOf(past(outputs), 300n)
    expect(slippage).toMatchObject({ bps: 50n, source: 'default', blocks: null, samples: 0 })
    expect([held, warnings.length]).toEqual([null, 1])
    expect(slippageOf(past(outputs), 30n).slippage.bps).toBe(30n)
  })
})
