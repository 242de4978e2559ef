import { describe, expect, test } from 'vitest'
import { toApiRequest } from './requests.js'

const eth = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const ether = 10n ** 18n

describe('toApiRequest', () => {
  test('amounts beyond 2^53 travel as digits, lists as repeated fields', () => {
    const pair = { tokenIn: [eth], amountIn: [ether, 5n], tokenOut: 'x', chainId: undefined }
    expect(toApiRequest('quote', pair)).toEqual({
      path: '/shortcuts/quote',
      query: { tokenIn: [eth], amountIn: ['1000000000000000000', '5'], tokenOut: 'x' },
    })
    expect(toApiRequest('route', { amountIn: ether, slippage: 12.5 })).toEqual({
      path: '/shortcuts/route',
      body: { amountIn: '1000000000000000000', slippage: 12.5 },
    })
  })

  test('actions are the body of a bundle, amounts inside them included', () => {
    const args = { amountIn: { useOutputOfCallAt: 0n }, amounts: [ether] }
    expect(
      toApiRequest('bundle', { fromAddress: eth, blockNumber: 7n, actions: [{ args }] }),
    ).toEqual({
      path: '/shortcuts/bundle',
      query: { fromAddress: eth, blockNumber: '7' },
      body: [{ args: { amountIn: { useOutputOfCallAt: 0 }, amounts: ['1000000000000000000'] } }],
    })
  })

  test('the chain of prices is part of the path', () => {
    expect(toApiRequest('prices', { addresses: [eth] }).path).toBe('/prices/1')
    expect(toApiRequest('prices', { chainId: 8453, addresses: [eth] })).toEqual({
      path: '/prices/8453',
      query: { addresses: [eth] },
    })
  })
})
