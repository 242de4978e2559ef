import { describe, expect, test } from 'vitest'
import {
  type Draft,
  earlier,
  parseDraft,
  referencesIn,
  tokenOf,
  withArgument,
  without,
} from './draft.js'

const at = (of: number) => ({ useOutputOfCallAt: of })
const one = (action: string, args: Record<string, unknown> = {}) => ({
  protocol: 'svc',
  action,
  args,
})
/** b takes of a, d takes of b and c. */
const draft: Draft = [
  one('a', { amountIn: '5' }),
  one('b', { amountIn: at(0) }),
  one('c'),
  one('d', { amountA: at(1), amountB: at(2) }),
]

describe('a draft', () => {
  test('removing an action moves references to later ones, and drops those to it', () => {
    expect(without(draft, 1)).toEqual([
      one('a', { amountIn: '5' }),
      one('c'),
      one('d', { amountB: at(1) }),
    ])
    expect(referencesIn(without(draft, 0))).toEqual([
      { index: 2, argument: 'amountA', of: 0 },
      { index: 2, argument: 'amountB', of: 1 },
    ])
  })

  test('moving an action takes its references along, and drops what would look ahead', () => {
    expect(earlier(draft, 1).slice(0, 2)).toEqual([one('b'), one('a', { amountIn: '5' })])
    expect(earlier(draft, 2)).toEqual([
      draft[0],
      one('c'),
      one('b', { amountIn: at(0) }),
      one('d', { amountA: at(2), amountB: at(1) }),
    ])
    expect(earlier(draft, 0)).toBe(draft)
  })

  test('an empty argument is left out', () => {
    const set = withArgument(draft, 2, 'token', '0x1')
    expect(set[2]).toEqual(one('c', { token: '0x1' }))
    expect(withArgument(set, 2, 'token', '')[2]).toEqual(one('c'))
  })

  test('a text is a draft or none', () => {
    expect(parseDraft('[{"protocol":"svc","action":"a"}]')).toEqual([one('a')])
    for (const text of ['', '{}', '[1]', '[{"protocol":"svc"}]', '[null]']) {
      expect(parseDraft(text), text).toBeNull()
    }
  })

  test('an amount is of the token that is named beside it', () => {
    expect(tokenOf({ tokenIn: '0x1', tokenOut: '0x2' }, 'amountIn')).toBe('0x1')
    expect(tokenOf({ tokenIn: '0x1', tokenOut: '0x2' }, 'minAmountOut')).toBe('0x2')
    expect(tokenOf({ token: '0x3' }, 'amount')).toBe('0x3')
    expect(tokenOf({ tokenIn: ['0x1', '0x2'] }, 'amountIn')).toBe('')
  })
})
