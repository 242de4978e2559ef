/** Tokens whose balances no plain override gives: what quotes and bundles do about funds that nobody holds. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const [usdc, weth, snt] = ['USDC', 'WETH', 'SNT'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
  Address,
]
/** Lets a spender take everything or nothing. */
const comet: Address = '0xc3d688b66703497daa19211eedff47f25384cdc3'
const stranger: Address = '0x00000000000000000000000000000000000a11ce'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

function quote(tokenIn: Address, tokenOut: Address, amountIn: bigint, more = {}) {
  const query = { tokenIn, tokenOut, amountIn: amountIn.toString(), ...more }
  return service.get('/api/v1/shortcuts/quote', query)
}

describe('GET /api/v1/shortcuts/quote without funds', () => {
  test.each([1_000_000n, 1_234_567_890n, 99_999_999_999n])(
    '%s of the base token of a market of Compound III: all of it is paid',
    async (amountIn) => {
      for (const more of [{}, { fromAddress: stranger }]) {
        const { status, text, body } = await quote(comet, usdc, amountIn, more)
        expect(status, text).toBe(200)
        // Claims are rounded down at each of two moves.
        expect(amountIn - BigInt(body.amountOut)).toBeLessThanOrEqual(2n)
        expect(BigInt(body.amountOut)).toBeLessThanOrEqual(amountIn)
      }
    },
  )

  test('more of a token than anybody could lend: 422 that says why, and that no repetition helps', async () => {
    const amountIn = 10n ** 28n
    const { status, text, body, headers } = await quote(snt, weth, amountIn)
    expect(status, text).toBe(422)
    expect(headers.get('retry-after')).toBeNull()
    expect(body).toMatchObject({
      code: 'NOT_FUNDABLE',
      details: { tokens: [snt], amounts: [amountIn.toString()] },
    })
    expect(body.message).toContain(`${amountIn} of ${snt}`)
  })
})

describe('POST /api/v1/shortcuts/bundle without funds', () => {
  function swap(amountIn: bigint) {
    const query = new URLSearchParams({ fromAddress: stranger })
    const args = { tokenIn: snt, tokenOut: weth, amountIn: amountIn.toString() }
    return service.post(`/api/v1/shortcuts/bundle?${query}`, [
      { protocol: 'svc', action: 'route', args },
    ])
  }

  test('what no slot decides is lent by a pool that the transaction does not name', async () => {
    const amountIn = 1_000n * 10n ** 18n
    const { status, text, body } = await swap(amountIn)
    expect(status, text).toBe(200)
    const single = await quote(snt, weth, amountIn, { fromAddress: stranger })
    expect(body.amountsOut[weth]).toBe(single.body.amountOut)
  })

  test('more than anybody could lend: 422', async () => {
    const { status, text, body } = await swap(10n ** 28n)
    expect(status, text).toBe(422)
    expect(body.code).toBe('NOT_FUNDABLE')
  })
})
