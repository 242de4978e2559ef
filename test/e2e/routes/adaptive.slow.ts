/** `proof=adaptive`: the answers of the proof of all candidates, by fewer simulations. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxTokens } from '../../../src/sandbox/tokens.js'
import { type Mode, withAdversaries } from '../../support/adversaries.js'
import { agreement, pricedTokens } from '../../support/routing/adaptive-agreement.js'
import { startService, type TestService } from '../../support/service/service.js'

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${10n ** 18n}` }
const quote = '/api/v1/shortcuts/quote'

interface Candidate {
  readonly status: string
  readonly reason?: string
}

describe('on the sandbox', () => {
  let service: TestService
  let blockNumber: bigint

  beforeAll(async () => {
    service = await startService({ AUTH_MODE: 'open', RATE_LIMIT_PER_MINUTE: '1000000' })
    const { body } = await service.get('/api/v1/networks')
    blockNumber = BigInt(body[0].blockNumber)
  })
  afterAll(() => service?.stop())

  test('over 400 requests of all tokens and sizes', async () => {
    const addresses = [nativeToken, ...sandboxTokens.map(({ address }) => address)]
    const tokens = await pricedTokens(service, addresses, blockNumber)
    const found = await agreement(service, tokens, { count: 400, seed: 17n, blockNumber })
    console.log(
      `${found.answered} answers, ${found.same} the same: ${JSON.stringify(found.simulated)}`,
    )
    for (const one of found.differences) console.log(one)
    expect(found.exceptions).toEqual([])
    expect(found.answered).toBeGreaterThan(300)
    expect(found.simulated.adaptive).toBeLessThan(0.7 * found.simulated.all)
  }, 600_000)

  test('the answer says so, and explains what was not simulated; the other fields are the same', async () => {
    const [all, adaptive, again] = await Promise.all(
      [{}, { proof: 'adaptive' }, { proof: 'adaptive' }].map((more) =>
        service.get(quote, { ...trade, ...more, explain: 'true', blockNumber: `${blockNumber}` }),
      ),
    )
    expect(adaptive?.status, adaptive?.text).toBe(200)
    expect(adaptive?.text).toBe(again?.text)
    const { candidates, proof, ...rest } = adaptive?.body ?? {}
    const { candidates: every, ...full } = all?.body ?? {}
    expect(proof).toBe('adaptive')
    expect(rest).toEqual(full)
    const isSkipped = ({ status }: Candidate) => status === 'skipped'
    const isSpared = ({ reason }: Candidate) => reason?.startsWith('by native math') ?? false
    const simulated = every.filter((one: Candidate) => !isSkipped(one)).length
    expect(candidates).toHaveLength(every.length)
    expect(every.filter(isSpared)).toEqual([])
    const spared = candidates.filter(isSpared)
    expect(spared.length).toBeGreaterThan(simulated / 2)
    expect(spared.every(isSkipped)).toBe(true)
    expect(candidates.filter((one: Candidate) => !isSkipped(one))).toHaveLength(
      simulated - spared.length,
    )
  })

  test('in routes and batches, too', async () => {
    const route = await service.get('/api/v1/shortcuts/route', {
      ...trade,
      proof: 'adaptive',
      executionMode: 'backend',
      fromAddress: '0x00000000000000000000000000000000000d35c0',
    })
    expect(route.body).toMatchObject({ proof: 'adaptive' })
    const batch = await service.post('/api/v1/shortcuts/quotes', {
      quotes: [{ ...trade, proof: 'adaptive' }, trade],
    })
    const [fast, full] = batch.body.quotes
    expect({ ...full, proof: 'adaptive' }).toEqual(fast)
  })

  test('as a setting: a request may ask for all', async () => {
    // Both in open mode: the calldata has the account's id, whose bytes that are zero cost less gas.
    const adaptive = await startService({
      RPC_URL_1: service.nodeUrl,
      AUTH_MODE: 'open',
      PROOF: 'adaptive',
    })
    try {
      const at = { ...trade, blockNumber: `${blockNumber}` }
      const [set, asked] = [
        await adaptive.get(quote, at),
        await service.get(quote, { ...at, proof: 'adaptive' }),
      ]
      expect(set.text).toBe(asked.text)
      expect((await adaptive.get(quote, { ...at, proof: 'all' })).text).toBe(
        (await service.get(quote, at)).text,
      )
    } finally {
      await adaptive.stop()
    }
  })
})

describe('among adversaries', () => {
  const context = withAdversaries()
  const modes: readonly Mode[] = [
    'honest',
    'coinbase',
    'gas price',
    'much gas',
    'origin',
    'revert bomb',
  ]

  test.each((['pair', 'pool'] as const).flatMap((kind) => modes.map((mode) => ({ kind, mode }))))(
    'with a $kind that lies: $mode',
    async ({ kind, mode }) => {
      const { become, service, token, [kind]: liar } = context()
      const blockNumber = BigInt(await become(liar, mode))
      const tokens = await pricedTokens(service, [weth, usdc, dai, nativeToken], blockNumber)
      const odd = { address: token, decimals: 18, priceUsd: 1 }
      const options = { count: 20, seed: BigInt(mode.length), blockNumber }
      const found = await agreement(service, [...tokens, odd], options)
      for (const one of found.differences) console.log(one)
      expect(found.exceptions).toEqual([])
      expect(found.answered).toBeGreaterThan(8)
    },
  )
})
