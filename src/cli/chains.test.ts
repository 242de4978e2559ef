import { describe, expect, test } from 'vitest'
import { chains } from '../chains/registry.js'
import { chainText, knownChain, parseChain, parseChains } from './chains.js'

describe('parseChain', () => {
  test.each([
    ['1', 1],
    ['base', 8453],
    ['Arbitrum One', 42161],
    ['arbitrum-one', 42161],
    ['arbitrum', 42161],
    ['ARB', 42161],
    ['op', 10],
    ['bsc', 56],
    ['mainnet', 1],
    ['31337', 31337],
  ])('%s is chain %i', (text, id) => {
    expect(parseChain('--chain', text)).toBe(id)
  })

  test('every known chain answers to its own name', () => {
    expect(chains.map(({ name }) => parseChain('--chain', name))).toEqual(
      chains.map(({ id }) => id),
    )
  })

  test.each(['', '0', '01', '0x1', '-1', 'mars'])('%j is no chain', (text) => {
    expect(() => parseChain('--to-chain', text)).toThrow(
      /--to-chain: no chain is called .*; known: 1 \(Ethereum\), 8453 \(Base\)/,
    )
  })
})

describe('knownChain', () => {
  test('is the definition of a chain that a file describes', () => {
    expect(knownChain(8453).name).toBe('Base')
  })

  test('refuses another id, and lists what is known', () => {
    expect(() => knownChain(5)).toThrow(
      /--chain: 5 is not known here; 1 \(Ethereum\), 8453 \(Base\)/,
    )
  })
})

describe('parseChains', () => {
  test('takes names and ids together', () => {
    expect(parseChains('eth, base,42161')).toEqual([1, 8453, 42161])
  })

  test('refuses a chain that is named twice', () => {
    expect(() => parseChains('1,ethereum')).toThrow('must be different chains')
  })
})

describe('chainText', () => {
  test('has id and name, or the id alone', () => {
    expect([chainText(8453), chainText(7)]).toEqual(['chain 8453 (Base)', 'chain 7'])
  })
})
