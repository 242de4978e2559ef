/** What `slippage=auto` is to the engine, what is refused beside it, and what answers say of it. */
import { expect, test } from 'vitest'
import { Quote, RouteTransaction } from '../../src/api/records/transactions.js'
import type { FoundSlippage } from '../../src/domain/validity.js'
import { answerTo, documented, sender, startTestApi, usdc, weth } from './test-api.js'

const trade = { tokenIn: weth, tokenOut: usdc, amountIn: '1000' }
const route = { ...trade, fromAddress: sender, slippage: 'auto' }
const found: FoundSlippage = {
  bps: 21n,
  maxBps: 300n,
  source: 'measured',
  blocks: { from: 318n, to: 370n },
  samples: 153,
  filledShare: 0.9967,
}
const onWire = {
  bps: 21,
  source: 'measured',
  blocks: { from: 318, to: 370 },
  samples: 153,
  filledShare: 0.9967,
  maxSlippage: 300,
}
const search = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields)

test.each([
  [{}, 300n],
  [{ maxSlippage: '1' }, 1n],
  [{ maxSlippage: '10000' }, 10_000n],
])('it reaches the engine with the most that it may be: %o', async (more, maxBps) => {
  const api = await startTestApi()
  const autoSlippage = { maxBps }
  await api.get(`/shortcuts/route?${search({ ...route, ...more })}`)
  await api.post('/shortcuts/route', { ...route, ...more })
  const { fromAddress: _, ...quote } = route
  await api.get(`/shortcuts/quote?${search({ ...quote, ...more })}`)
  await api.post('/shortcuts/quotes', { quotes: [{ ...quote, ...more }] })
  expect(api.asked.routes.map((one) => one.autoSlippage)).toEqual([autoSlippage, autoSlippage])
  expect(api.asked.quotes.map((one) => one.autoSlippage)).toEqual([autoSlippage, autoSlippage])
})

test('how it was found is in the answer, and nothing of it where it was not asked for', async () => {
  const api = await startTestApi(
    {},
    {
      route: async (request) => ({ ...answerTo(request), slippage: found }),
      quote: async (request) => ({ ...answerTo(request), slippage: found }),
    },
  )
  const routed = await documented(api, `/shortcuts/route?${search(route)}`, RouteTransaction)
  expect(routed.slippage).toEqual(onWire)
  const { fromAddress: _, ...quote } = route
  const quoted = await documented(api, `/shortcuts/quote?${search(quote)}`, Quote)
  expect(quoted.slippage).toEqual(onWire)
  const plain = await startTestApi()
  const { body } = await plain.get(`/shortcuts/quote?${search(trade)}`)
  expect(body).not.toHaveProperty('slippage')
  expect(plain.asked.quotes[0]).not.toHaveProperty('autoSlippage')
})

test.each([
  [{ slippage: '50', maxSlippage: '100' }, 'maxSlippage must not be given without slippage=auto'],
  [{ maxSlippage: '0' }, 'maxSlippage must be an integer from 1 to 10000'],
  [{ maxSlippage: '10001' }, 'maxSlippage must be an integer from 1 to 10000'],
  [{ minAmountOut: '1' }, 'slippage must not be given together with minAmountOut'],
  [
    { destinationChainId: '8453' },
    'slippage must not be auto with a destinationChainId other than chainId',
  ],
  [
    { stateOverrides: { [weth]: { balance: '0x1' } } },
    'slippage must not be auto with stateOverrides',
  ],
  [
    { slippage: 'auto1' },
    'slippage must be basis points from 0 to 10000 with at most two decimals',
  ],
])('%o is a 400', async (more, message) => {
  const api = await startTestApi()
  const { status, body } = await api.post('/shortcuts/route', { ...route, ...more })
  expect([status, [body.message].flat()]).toEqual([400, [message]])
})

test('an exact output is a 400', async () => {
  const api = await startTestApi()
  const { amountIn: _, ...exact } = route
  const { body } = await api.post('/shortcuts/route', { ...exact, amountOut: '5' })
  expect(body.message).toBe('slippage must not be auto with amountOut')
})

test('plans of backtests take it, in a request and in a variant', async () => {
  const api = await startTestApi()
  const plan = {
    blocks: { from: 5, to: 6 },
    requests: [
      { ...trade, slippage: 'auto' },
      { ...trade, name: 'other', slippage: 30 },
    ],
    variants: [{ name: 'auto', slippage: 'auto', maxSlippage: 40 }, { name: 'own' }],
  }
  const { status, body, text } = await api.post('/backtests', plan)
  expect(status, text).toBeLessThan(300)
  expect(body.plan.variants).toEqual([
    { name: 'auto', router: {}, ignoreStandards: [], autoSlippage: { maxBps: '40' } },
    { name: 'own', router: {}, ignoreStandards: [] },
  ])
  const [first, second] = body.plan.requests
  expect(first.request.autoSlippage).toEqual({ maxBps: '300' })
  expect(second.request.limit).toEqual({ kind: 'slippage', centiBps: '3000' })
  const wrong = { ...plan, variants: [{ name: 'auto', maxSlippage: 40 }] }
  expect((await api.post('/backtests', wrong)).body.message).toBe(
    'variants[0].maxSlippage must not be given without slippage=auto',
  )
})
