import { encodeAbiParameters, parseAbiParameters, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { nativeToken, toAddress } from '../domain/primitives.js'
import { namerAtNode } from './node-names.js'

const listed = toAddress('0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48')
const unlisted = toAddress(`0x${'a1'.repeat(20)}`)
const silent = toAddress(`0x${'b2'.repeat(20)}`)
const answers = new Map([
  [toFunctionSelector('symbol()'), encodeAbiParameters(parseAbiParameters('string'), ['NEW'])],
  [toFunctionSelector('name()'), encodeAbiParameters(parseAbiParameters('string'), ['New'])],
  [toFunctionSelector('decimals()'), encodeAbiParameters(parseAbiParameters('uint256'), [9n])],
])

test('a listed token is named by the list, another by itself, and one that does not answer by its address', async () => {
  const asked: string[] = []
  const nameOf = await namerAtNode({
    chainId: 1,
    tokenLists: [],
    tokens: [listed, unlisted, silent, unlisted, nativeToken],
    node: {
      async request(_method, params) {
        const [{ to, data }] = params as [{ to: string; data: `0x${string}` }]
        asked.push(to)
        const answer = answers.get(data)
        if (to !== unlisted || !answer) throw new Error('execution reverted')
        return answer
      },
    },
  })
  const named = [listed, unlisted, silent, nativeToken].map((address) => {
    const { symbol, decimals } = nameOf({ chainId: 1, address })
    return `${symbol} ${decimals}`
  })
  expect(named).toEqual(['USDC 6', 'NEW 9', '0xb2b2…b2b2 null', 'ETH 18'])
  expect(new Set(asked)).toEqual(new Set([unlisted, silent]))
})
