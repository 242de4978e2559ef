import { domainSeparator, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Address } from '../domain/primitives.js'
import { type DomainFacts, domainOf } from './eip2612.js'

const token: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const salt: Hex = `0x${'5a'.repeat(32)}`
const place = { chainId: 1, verifyingContract: token }
const facts: DomainFacts = {
  chainId: 1,
  token,
  name: 'USD Coin',
  version: undefined,
  stated: undefined,
}

describe('domainOf', () => {
  test("known vector: the separator of USDC on mainnet, with the token's own name and version", () => {
    const separator = '0x06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335'
    const domain = { name: 'USD Coin', version: '2', ...place }
    expect(domainOf({ ...facts, version: '2' }, separator)).toEqual(domain)
  })

  test.each([
    ['a version that is told', { version: '3.1' }, { name: 'USD Coin', version: '3.1', ...place }],
    ['version 1 that is not told', {}, { name: 'USD Coin', version: '1', ...place }],
    [
      'another version than is told',
      { version: '7' },
      { name: 'USD Coin', version: '1', ...place },
    ],
    ['no version', { version: '1' }, { name: 'USD Coin', ...place }],
    ['no name', { name: undefined }, place],
    [
      'what EIP-5267 tells, whatever the name',
      { stated: { fields: '0x1f' as const, name: 'X', version: 'Y', ...place, salt } },
      { name: 'X', version: 'Y', ...place, salt },
    ],
    [
      'the fields alone that EIP-5267 says are used',
      { stated: { fields: '0x0d' as const, name: 'X', version: 'Y', ...place, salt } },
      { name: 'X', ...place },
    ],
  ])('%s', (_, told, domain) => {
    expect(domainOf({ ...facts, ...told }, domainSeparator({ domain }))).toEqual(domain)
  })

  test.each([
    ['another name', { name: 'USD Coin 2', version: '1', ...place }],
    ['another chain', { name: 'USD Coin', version: '1', ...place, chainId: 10 }],
    ['no chain', { name: 'USD Coin', version: '1', verifyingContract: token }],
    [
      'another contract',
      { name: 'USD Coin', version: '1', ...place, verifyingContract: salt.slice(0, 42) as Hex },
    ],
  ])('none for the separator of %s, not even where EIP-5267 tells it', (_, domain) => {
    const separator = domainSeparator({ domain })
    expect(domainOf(facts, separator)).toBeUndefined()
    const bits = 1 + 2 + ('chainId' in domain ? 4 : 0) + 8
    const stated = { fields: `0x0${bits.toString(16)}` as Hex, salt, ...place, ...domain }
    const isForeign = domain.name === 'USD Coin'
    expect(domainOf({ ...facts, stated }, separator)).toEqual(isForeign ? undefined : domain)
  })
})
