import { describe, expect, test } from 'vitest'
import { parseReference, priceAt } from './reference.js'

describe('parseReference', () => {
  const same = new Map([
    [378, 3000.5],
    [379, 3001],
  ])
  test.each([
    ['lines', '378,3000.5\n379,3001'],
    [
      'lines with names, semicolons and another end of line',
      'block;price\r\n378;3000.5\r\n379;3001\r\n',
    ],
    ['lists', '[[378, 3000.5], [379, "3001"]]'],
    ['objects', '[{"block": 378, "price": 3000.5}, {"blockNumber": 379, "price": 3001}]'],
    ['one object', '{"378": 3000.5, "379": 3001}'],
  ])('reads %s', (_name, text) => {
    expect(parseReference(text)).toEqual(same)
  })
  test('nothing is no reference', () => {
    expect(parseReference(' \n')).toEqual(new Map())
  })
  test.each([
    ['a price that is no number', '378,3000\n379,much', 'Entry 2 is no block and price.'],
    ['a price of zero', '378,0', 'Entry 1 is no block and price.'],
    ['a line without a price', '378', 'Entry 1 is no block and price.'],
    ['words alone', 'nonsense', 'Entry 1 is no block and price.'],
    ['a list of nothing', '[null]', 'Entry 1 is no block and price.'],
  ])('refuses %s', (_name, text, message) => {
    expect(() => parseReference(text)).toThrow(message)
  })
})

describe('priceAt', () => {
  const reference = new Map([
    [10, 1],
    [20, 2],
  ])
  test.each([
    [9, null],
    [10, 1],
    [19, 1],
    [20, 2],
    [99, 2],
  ])('at block %i the latest price so far is %s', (block, price) => {
    expect(priceAt(reference, [10, 20], block)).toBe(price)
  })
})
