import { padHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { missed, probe } from './probe.js'

const contract = '0x1f98431c8ad98523631ae4a59f267346ea31f984'
const word = (value: `0x${string}`) => padHex(value, { size: 32 })

describe('probe', () => {
  test('names the contract, the function and its arguments', () => {
    const found = probe(
      'Factory',
      contract,
      { signature: 'feeAmountTickSpacing(uint24)', args: [500n] },
      10n,
    )
    expect(found).toEqual({
      title: 'Factory, feeAmountTickSpacing(500)',
      to: contract,
      data: `0x22afcccb${word('0x01f4').slice(2)}`,
      expected: word('0x0a'),
    })
  })
})

describe('missed', () => {
  const asked = (expected: Parameters<typeof probe>[3]) =>
    probe('Vault', contract, 'WETH()', expected)

  test('a word must be the very one', () => {
    expect(missed(asked(contract), word(contract))).toBeNull()
    expect(missed(asked(contract), word('0x01'))).toBe(word(contract))
    expect(missed(asked(contract), '0x')).toBe(word(contract))
  })

  test('an address is 20 bytes that are not all zero', () => {
    expect(missed(asked('address'), word(contract))).toBeNull()
    expect(missed(asked('address'), `${word(contract)}${word('0x').slice(2)}`)).toBeNull()
    for (const other of ['0x', word('0x'), `0x${'f'.repeat(64)}`] as const) {
      expect(missed(asked('address'), other)).toBe('an address')
    }
  })

  test('a number is one word, a text at least two', () => {
    expect(missed(asked('number'), word('0x'))).toBeNull()
    expect(missed(asked('number'), '0x')).toBe('a number')
    expect(missed(asked('positive'), word('0x01'))).toBeNull()
    expect(missed(asked('positive'), word('0x'))).toBe('a number above zero')
    expect(missed(asked('text'), word('0x'))).toBe('a text')
    expect(missed(asked('text'), `${word('0x20')}${word('0x').slice(2)}`)).toBeNull()
  })
})
