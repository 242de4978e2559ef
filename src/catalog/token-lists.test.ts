import { describe, expect, test } from 'vitest'
import { ethereum } from '../chains/ethereum.js'
import { nativeToken, type Token } from '../domain/primitives.js'
import { protocols } from '../protocols/registry.js'
import { projectRecord } from './projects.js'
import { loadTokenLists, withNative } from './token-lists.js'

const weth: Token = {
  chainId: 1,
  address: ethereum.wrappedNative,
  symbol: 'WETH',
  name: 'Wrapped Ether',
  decimals: 18,
  logoUri: 'weth.png',
}
const ether = { chainId: 1, address: nativeToken, name: 'Ether', symbol: 'ETH', decimals: 18 }

test('an installation without the default list says that TOKEN_LISTS has to name one', async () => {
  await expect(loadTokenLists([], '@uniswap/removed-token-list')).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message:
      '@uniswap/removed-token-list is not installed: TOKEN_LISTS has to name a list of tokens.',
  })
})

describe('withNative', () => {
  test('the native token comes first, with the logo of its wrapped one', () => {
    expect(withNative(ethereum, [weth])).toEqual([{ ...ether, logoUri: 'weth.png' }, weth])
    expect(withNative(ethereum, [])).toEqual([{ ...ether, logoUri: null }])
  })

  test('a list that has the native token gives its logo, and no second entry', () => {
    const listed = { ...ether, symbol: 'XETH', decimals: 6, logoUri: 'eth.png' }
    expect(withNative(ethereum, [weth, listed])).toEqual([{ ...ether, logoUri: 'eth.png' }, weth])
  })
})

describe('projectRecord', () => {
  test('every project of a protocol has a description, an account and a logo, but what nobody is the maker of', async () => {
    const tokens = await loadTokenLists([])
    const projects = [...new Set(protocols.map(({ project }) => project))]
    const without = (isThere: (record: ReturnType<typeof projectRecord>) => unknown) =>
      projects.filter((project) => !isThere(projectRecord(project, tokens)))
    const makerless = ['declared', 'erc-4626', 'signed-orders', 'wrapped-native']
    expect(without(({ description }) => description)).toEqual(makerless)
    expect(without(({ twitter }) => twitter)).toEqual(makerless)
    // No list of the service has the tokens of these.
    const bare = without(({ logo }) => logo?.match(/^(https|ipfs):\/\//))
    const unlisted = [
      'camelot',
      'dodo',
      'maverick',
      'thena',
      'lynex',
      'swapx',
      'trader-joe',
      'wombat',
      ...makerless,
    ]
    expect(bare.toSorted()).toEqual(unlisted.toSorted())
  })

  test('without a list that has its token a project has no logo', () => {
    expect(projectRecord('uniswap', [weth])).toMatchObject({ twitter: 'Uniswap', logo: null })
    expect(projectRecord('nobody', [weth])).toEqual({
      description: null,
      logo: null,
      twitter: null,
    })
  })
})
