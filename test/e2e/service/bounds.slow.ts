/** Requests that would keep forks busy: calls without end, precompiles, memory, absurd amounts. */
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address, Hex } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { askBundle, own } from '../../support/bundle.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'

const from = sandboxAccount('alice').address
const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
const word = 'f'.repeat(64)
const push32 = (hex: string) => `7f${hex.padStart(64, '0')}`
const store = (offset: number, hex: string) =>
  `${push32(hex)}61${offset.toString(16).padStart(4, '0')}52`
/** Runs the set-up once, then the body for ever. */
const forever = (setUp: string, body: string): Hex => {
  const start = (setUp.length / 2).toString(16).padStart(4, '0')
  return `0x${setUp}5b${body}61${start}56`
}
const modexp = [
  store(0, '7'),
  store(32, '400'),
  store(64, '7'),
  ...[96, 128].map((at) => store(at, word)),
]
const lengthOfModexp = '61046e'

/** Code by what it does. */
const hostile: Readonly<Record<string, Hex>> = {
  'an endless loop': forever('', ''),
  'hashing memory': forever('5f620186a052', '620186a05f2050'.repeat(8)),
  'modular exponents': forever(modexp.join(''), `5f5f${lengthOfModexp}5f60055afa50`.repeat(4)),
  'recovering signers': forever('', '5f5f60805f60015afa50'.repeat(8)),
  'transient storage': forever('', '5a805d'.repeat(16)),
  'calls of itself': '0x5f5f5f5f5f305af1',
  'ever more memory': '0x5f5b6110000180515056',
  'a revert with two megabytes': '0x621e84805ffd',
  'a return of two megabytes': '0x621e84805ff3',
}
const addresses = Object.keys(hostile).map(
  (_, index): Address => `0x00000000000000000000000000000000bad000${(16 + index).toString(16)}`,
)

const context = withSandbox()
let service: TestService

beforeAll(async () => {
  const { client, sandbox } = context()
  for (const [index, code] of Object.values(hostile).entries()) {
    await client.request('anvil_setCode', [addresses[index], code])
  }
  await client.request('evm_mine')
  service = await startService({ RPC_URL_1: sandbox.url, RATE_LIMIT_PER_MINUTE: '1000000' })
})
afterAll(() => service?.stop())

/** Seconds of the processor that the service's Anvils have used. Linux only. */
function forkSeconds(): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  let ticks = 0
  for (const pid of pids) {
    try {
      const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
      const fields = rest.split(' ')
      const isFork = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--fork-url')
      if (Number(fields[1]) === process.pid && isFork)
        ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks / 100
}

const quote = (amountIn: string) =>
  service.get('/api/v1/shortcuts/quote', { chainId: '1', tokenIn: weth, tokenOut: usdc, amountIn })

describe('a bundle that calls a contract', () => {
  test.each(Object.keys(hostile).map((name, index) => [name, index] as const))(
    '%s: an answer or the documented refusal, and the next quote is as before',
    async (name, index) => {
      const expected = await quote(`${10n ** 18n}`)
      const call = own('call', {
        address: addresses[index],
        method: 'f',
        abi: 'function f()',
        args: [],
      })
      const begun = performance.now()
      const busy = forkSeconds()
      const query = { fromAddress: from, routingStrategy: 'router' }
      const [answer, beside] = await Promise.all([
        askBundle(service, query, [call]),
        quote(`${10n ** 18n}`),
      ])
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
      console.info(
        `${name}: ${answer.status} ${answer.body.code ?? ''} after ${seconds} s, forks ${(forkSeconds() - busy).toFixed(2)} s`,
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
      own('call', { address: addresses[1], method: 'f', abi: 'function f()', args: [] }),
    )
    const busy = forkSeconds()
    const answer = await askBundle(
      service,
      { fromAddress: from, routingStrategy: 'router' },
      actions,
    )
    console.info(`fifty calls: forks ${(forkSeconds() - busy).toFixed(2)} s`)
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
        `${amount}: ${status} ${body.code ?? ''} after ${seconds} s, forks ${(forkSeconds() - busy).toFixed(2)} s`,
      )
      expect([200, 400, 422]).toContain(status)
    },
  )
})
