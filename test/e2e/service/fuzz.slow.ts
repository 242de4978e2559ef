/** Requests at random, hostile contracts among what they name: no answer that is not documented, nothing changed. */
import { describe, expect, test } from 'vitest'
import { withHostileService } from '../../support/fuzz/hostile-service.js'
import { fuzz } from '../../support/fuzz/run.js'

const service = withHostileService()

const quote = () =>
  service().get('/api/v1/shortcuts/quote', {
    tokenIn: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    tokenOut: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    amountIn: `${10n ** 18n}`,
  })

describe('requests at random', () => {
  test('each is answered as its endpoint documents, and a quote of before is the same to the byte', async () => {
    const expected = await quote()
    expect(expected.status).toBe(200)
    const asked = await fuzz(service(), { requests: 700, seed: 20_261_128 })
    expect(asked.filter(({ fault }) => fault)).toEqual([])
    const of = (name: string, first: number) =>
      asked.filter(
        ({ request, status }) =>
          request.endpoint.endsWith(name) && Math.floor(status / 100) === first,
      )
    // Some of them got as far as a calculation.
    for (const name of ['/quote', '/quotes', '/route', '/bundle']) {
      expect(of(name, 2).length, name).toBeGreaterThan(0)
    }
    expect((await quote()).text).toBe(expected.text)
  })
})
