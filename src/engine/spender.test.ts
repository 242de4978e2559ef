import { describe, expect, test } from 'vitest'
import type { Address } from '../domain/primitives.js'
import { walletAddress } from '../executor/deployments.js'
import { withSpender } from './spender.js'

const owner: Address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const other: Address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const wallet = walletAddress(owner)
const strategy = 'wallet-v2' as const

describe('withSpender', () => {
  test('the sender as spender, or none, changes nothing', () => {
    for (const request of [
      { strategy, fromAddress: owner },
      { strategy: 'delegate' as const, fromAddress: owner, spender: owner },
      { strategy: 'router' as const, fromAddress: owner, spender: owner },
    ]) {
      expect(withSpender(request)).toBe(request)
    }
  })

  test('of a wallet its owner sends and gives, and the wallet gets the output', () => {
    const asked = { strategy, fromAddress: wallet, spender: owner }
    expect(withSpender(asked)).toEqual({ ...asked, fromAddress: owner, receiver: wallet })
  })

  test('a stated receiver wins, and toEoa is the owner', () => {
    const asked = { strategy, fromAddress: wallet, spender: owner, toEoa: true }
    expect(withSpender(asked)).toMatchObject({ fromAddress: owner, receiver: owner })
    expect(withSpender({ ...asked, receiver: other })).toMatchObject({ receiver: other })
    expect(withSpender({ ...asked, toEoa: false })).toMatchObject({ receiver: wallet })
  })

  test.each([
    ['wallet-v2', wallet, other],
    ['wallet-v2', owner, other],
    ['wallet-v2', owner, wallet],
    ['delegate', wallet, owner],
    ['delegate-legacy', owner, other],
    ['router', owner, other],
  ] as const)('%s of %s may not spend what %s has', (strategy, fromAddress, spender) => {
    expect(() => withSpender({ strategy, fromAddress, spender })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', details: { spender, fromAddress } }),
    )
  })
})
