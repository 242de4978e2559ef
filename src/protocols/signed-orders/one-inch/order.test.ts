import { concatHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { bookData, signedByKey } from '../../../../test/support/orders/one-inch.js'
import type { Address, Hex } from '../../../domain/primitives.js'
import {
  compactSignature,
  extensionOf,
  oneInchProblem,
  targetOf,
  toOneInchOrder,
  traitsOf,
} from './order.js'

const address = (digit: string): Address => `0x${digit.repeat(40)}`
const account = privateKeyToAccount(`0x${'5e'.repeat(32)}`)
const maker = account.address.toLowerCase() as Address
const terms = {
  maker,
  makerAsset: address('2'),
  takerAsset: address('1'),
  makingAmount: 300n,
  takingAmount: 100n,
}

describe('an order of 1inch', () => {
  test('is read from its traits', async () => {
    const data = bookData({ ...terms, nonce: 513n, expiry: 77n, flags: ['multipleFills'] })
    const book = { chainId: 1, ...(await signedByKey(account, data)) }
    expect(oneInchProblem(book)).toBe(null)
    expect(await toOneInchOrder(book)).toMatchObject({
      maker,
      tokenIn: terms.takerAsset,
      tokenOut: terms.makerAsset,
      amountIn: '100',
      amountOut: '300',
      expiry: 77,
      nonce: '513',
      partialFill: true,
      isSignedByKey: true,
    })
    expect(traitsOf(BigInt(data.makerTraits))).toMatchObject({ isOnce: false, needsEpoch: false })
  })

  test.each([
    [['noPartialFills', 'multipleFills'], { partialFill: false, isOnce: true }],
    [[], { partialFill: true, isOnce: true, expiry: null }],
    [['epoch', 'permit2'], { needsEpoch: true, paysByPermit2: true }],
  ] as const)('with the flags %j is of that kind', (flags, expected) => {
    expect(traitsOf(BigInt(bookData({ ...terms, flags }).makerTraits))).toMatchObject(expected)
  })

  test('has the same signer in 64 and in 65 bytes, and another where a bit is another', async () => {
    const book = { chainId: 1, ...(await signedByKey(account, bookData(terms))) }
    const signature = concatHex(compactSignature(book.signature))
    expect(await toOneInchOrder({ ...book, signature })).toMatchObject({ isSignedByKey: true })
    const changed = book.signature.replace(/^0x../, '0x00') as Hex
    const other = await toOneInchOrder({ ...book, signature: changed })
    expect(other.isSignedByKey).toBe(false)
    expect(await toOneInchOrder({ ...book, signature: '0x12' })).toMatchObject({
      isSignedByKey: false,
    })
  })

  test('has the parts of its extension, and none where it points outside of itself', () => {
    const { extension } = bookData({
      ...terms,
      extension: { predicate: '0x1234', callBehind: address('7') },
    })
    expect(extensionOf(extension)).toMatchObject({
      makingAmountData: '0x',
      predicate: '0x1234',
      callBehind: address('7'),
    })
    expect(targetOf(address('7'))).toBe(address('7'))
    expect(targetOf('0x1234')).toBe(null)
    expect(extensionOf(extension.slice(0, -2) as Hex)).toBe(null)
    const falling = `0x${'0'.repeat(48)}0000000100000002${'12'.repeat(3)}` as Hex
    expect(extensionOf(falling)).toBe(null)
    expect(extensionOf('0x')).toMatchObject({ predicate: '0x' })
  })
})
