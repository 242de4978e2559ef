/** Requests that would keep forks busy: calls without end, precompiles, memory, absurd amounts. */
import { describe, expect, test } from 'vitest'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { askBundle, own } from '../../support/bundle.js'
import { busiestSince, forkSeconds } from '../../support/fuzz/fork-time.js'
import { hostileContracts } from '../../support/fuzz/hostile-code.js'
import { withHostileService } from '../../support/fuzz/hostile-service.js'

const from = sandboxAccount('alice').address
const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
const service = withHostileService()

const quote = (amountIn: string) =>
  service().get('/api/v1/shortcuts/quote', {
    chainId: '1',
    tokenIn: weth,
    tokenOut: usdc,
    amountIn,
  })

describe('a bundle that calls a contract', () => {
  test.each(hostileContracts)(
    '$name: an answer or the documented refusal, and the next quote is as before',
    async ({ name, address }) => {
      const expected = await quote(`${10n ** 18n}`)
      const call = own('call', {
        address,
        method: 'f',
        abi: 'function f()',
        args: [],
      })
      const begun = performance.now()
      const busy = forkSeconds()
      const query = { fromAddress: from, routingStrategy: 'router' }
      const [answer, beside] = await Promise.all([
        askBundle(service(), query, [call]),
        quote(`${10n ** 18n}`),
      ])
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
      console.info(
        `${name}: ${answer.status} ${answer.body.code ?? ''} after ${seconds} s, forks ${busiestSince(busy).toFixed(2)} s`,
      )
      if (answer.status !== 200) {
        expect(answer.status, answer.text).toBe(422)
        expect(answer.body.code).toMatch(/^SIMULATION_(REVERTED|TOO_LARGE)$/)
      }
      expect(beside.text).toBe(expected.text)
      expect((await quote(`${10n ** 18n}`)).text).toBe(expected.text)
    },
  )

  test('fifty such calls one after the other are no more than one', async () => {
    const actions = Array.from({ length: 50 }, () =>
      own('call', {
        address: hostileContracts[1]?.address,
        method: 'f',
        abi: 'function f()',
        args: [],
      }),
    )
    const busy = forkSeconds()
    const answer = await askBundle(
      service(),
      { fromAddress: from, routingStrategy: 'router' },
      actions,
    )
    console.info(`fifty calls: forks ${busiestSince(busy).toFixed(2)} s`)
    expect(answer.status, answer.text).toBe(422)
  })
})

describe('a quote', () => {
  test.each([2n ** 96n, 2n ** 128n, 2n ** 200n, 2n ** 255n, 2n ** 256n - 1n])(
    'of %s raw units: an answer or the documented refusal',
    async (amount) => {
      const begun = performance.now()
      const busy = forkSeconds()
      const { status, body } = await quote(amount.toString())
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
      console.info(
        `${amount}: ${status} ${body.code ?? ''} after ${seconds} s, forks ${busiestSince(busy).toFixed(2)} s`,
      )
      expect([200, 400, 422]).toContain(status)
    },
  )
})
