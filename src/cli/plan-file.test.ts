import { describe, expect, test } from 'vitest'
import { ConfigError } from '../config/config.js'
import { parsePlanText } from './plan-file.js'

const text = `name: a day
blocks: { from: latest-20 }
requests:
  - name: one
    tokenIn: 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2
    amountIn: 1000000000000000000000000001
  - name: two
variants:
  - splits: false
`

describe('parsePlanText', () => {
  test('addresses, amounts and flags stay the text that was written', () => {
    expect(parsePlanText(text).body).toEqual({
      name: 'a day',
      blocks: { from: 'latest-20' },
      requests: [
        {
          name: 'one',
          tokenIn: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
          amountIn: '1000000000000000000000000001',
        },
        { name: 'two' },
      ],
      variants: [{ splits: 'false' }],
    })
  })

  test('JSON is read as well', () => {
    expect(parsePlanText('{"blocks": {"step": 5}}').body).toEqual({ blocks: { step: '5' } })
  })

  test('a problem gets the line of its place, or of what it is missing in', () => {
    const { withLines } = parsePlanText(text)
    expect(
      withLines([
        'requests[0].tokenIn must be an address',
        'requests[1].amountIn is required',
        'variants[0].splits must be true or false',
        'baseline must be the name of a variant',
        'Something else is wrong.',
      ]),
    ).toEqual([
      'line 5: requests[0].tokenIn must be an address',
      'line 7: requests[1].amountIn is required',
      'line 9: variants[0].splits must be true or false',
      'baseline must be the name of a variant',
      'Something else is wrong.',
    ])
  })

  test('what is no YAML is refused with its line', () => {
    expect(() => parsePlanText('name: a\nblocks: {from: 1\n')).toThrow(ConfigError)
    expect(() => parsePlanText('name: a\nname: b\n')).toThrow(/line 2/)
  })
})
