import { describe, expect, test } from 'vitest'
import { createForkrouteClient } from '../client/client.js'
import { amountOf, namerOf, nativeAmountOf, tokenNamer } from './token-names.js'

const addressOf = (index: number) => `0x${index.toString(16).padStart(40, '0')}`
const meta = {
  total: 0,
  lastPage: 1,
  currentPage: 1,
  perPage: 1_000,
  prev: null,
  next: null,
  cursor: null,
}

/** A service that lists every token it is asked for, and what it was asked for. */
function listingAll() {
  const asked: string[][] = []
  const client = createForkrouteClient({
    url: 'http://service.example',
    fetch: async (request) => {
      const { searchParams } = new URL(new Request(request).url)
      const addresses = searchParams.getAll('address').flatMap((text) => text.split(','))
      asked.push(addresses)
      const data = addresses.map((address) => ({ chainId: 1, address, symbol: 'T', decimals: 6 }))
      return Response.json({ meta, data })
    },
  })
  return { client, asked }
}

describe('tokenNamer', () => {
  test('asks for 250 tokens a hundred at a time, and names all of them', async () => {
    const { client, asked } = listingAll()
    const places = Array.from({ length: 250 }, (_place, index) => ({
      chainId: 1,
      address: addressOf(index + 1),
    }))
    const nameOf = await tokenNamer(client, [...places, ...places])
    expect(asked.map((addresses) => addresses.length)).toEqual([100, 100, 50])
    expect(asked.flat()).toEqual(places.map(({ address }) => address))
    expect(places.map((place) => nameOf(place).symbol)).toEqual(places.map(() => 'T'))
  })

  test('asks for neither the native token nor what is known', async () => {
    const { client, asked } = listingAll()
    const known = { chainId: 1, address: addressOf(7), decimals: 8, symbol: 'WBTC' }
    const native = { chainId: 1, address: `0x${'e'.repeat(40)}` }
    const nameOf = await tokenNamer(client, [known, native], { known: [known] })
    expect(asked).toEqual([])
    expect([nameOf(known).symbol, nameOf(native).symbol]).toEqual(['WBTC', 'ETH'])
  })
})

describe('namerOf', () => {
  test('names a token of another chain, or one that nothing knows, by its shortened address', () => {
    const address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
    const nameOf = namerOf([{ chainId: 1, address, decimals: 6, symbol: 'USDC' }])
    expect(nameOf({ chainId: 1, address }).symbol).toBe('USDC')
    expect(nameOf({ chainId: 10, address })).toEqual({
      address,
      decimals: null,
      symbol: '0xa0b8…eb48',
    })
  })
})

describe('amountOf', () => {
  test.each([
    [1_500_000n, 6, '1.5 T'],
    [10n ** 30n, 18, '1000000000000 T'],
    [7n, 0, '7 T'],
    [7n, null, '7 raw units of T'],
  ])('%s raw units with %s decimals are %s', (raw, decimals, text) => {
    expect(amountOf(raw, { address: addressOf(1), decimals, symbol: 'T' })).toBe(text)
  })
})

describe('nativeAmountOf', () => {
  test.each([
    [12_300_000_000_000_000n, 1, '0.0123 ETH'],
    [0n, 1, '0 ETH'],
    [5n * 10n ** 18n, 56, '5 BNB'],
    [7n, 999_999_999, '7 raw units of 0xeeee…eeee'],
  ])('%s wei on chain %s are %s', (wei, chainId, text) => {
    expect(nativeAmountOf(wei, chainId)).toBe(text)
  })
})
