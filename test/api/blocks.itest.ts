import { beforeEach, describe, expect, test } from 'vitest'
import { Block } from '../../src/api/records/records.js'
import { ForkrouteError } from '../../src/domain/errors.js'
import { runCli } from '../support/cli.js'
import { pinOf } from '../support/pin.js'
import { blockNumber, dai, sender, startTestApi, type TestApi, usdc, weth } from './test-api.js'

let api: TestApi
/** Times that the engine was asked for. */
const times: bigint[] = []
beforeEach(async () => {
  times.length = 0
  api = await startTestApi(
    {},
    {
      async block(chainId, at) {
        if (at === 'latest') return pinOf(chainId, blockNumber)
        if (at <= BigInt(blockNumber)) return pinOf(chainId, Number(at))
        throw new ForkrouteError('UNKNOWN_BLOCK', `Block ${at} is not known.`)
      },
      async blockAtTime(chainId, timestamp) {
        times.push(timestamp)
        return pinOf(chainId, 21_000_000)
      },
    },
  )
})

describe('GET /networks/{chainId}/blocks', () => {
  test.each([
    ['', blockNumber],
    ['?at=latest', blockNumber],
    ['?at=latest-100', blockNumber - 100],
    ['?at=17', 17],
    ['?at=2026-03-01T12:00:00Z', 21_000_000],
  ])('%s is block %i', async (query, number) => {
    const { status, body } = await api.get(`/networks/1/blocks${query}`)
    expect(status).toBe(200)
    expect(Block.parse(body)).toEqual(body)
    const hash = pinOf(1, number).hash
    expect(body).toEqual({ chainId: 1, number, hash, timestamp: 1_750_000_000 })
    expect(times).toEqual(query.includes('2026') ? [1_772_366_400n] : [])
  })

  test.each([
    ['1', 'yesterday', 400, 'INVALID_REQUEST', /^at must be a block number, latest, latest-N/],
    ['1', `latest-${blockNumber + 1}`, 400, 'UNKNOWN_BLOCK', /no block 23000001 below its newest/],
    ['1', '23000001', 400, 'UNKNOWN_BLOCK', /^Block 23000001 is not known/],
    ['7', 'latest', 400, 'UNKNOWN_CHAIN', /^chainId 7/],
  ])('chain %s, %s: %i %s', async (chain, at, status, code, message) => {
    const reply = await api.get(`/networks/${chain}/blocks?at=${at}`)
    expect(reply.status).toBe(status)
    expect(reply.body).toMatchObject({ code, message: expect.stringMatching(message) })
  })
})

describe('blockNumber of what a wallet has', () => {
  const owner = `eoaAddress=${sender}&useEoa=true`

  test('balances and approvals are calculated there', async () => {
    const approve = `fromAddress=${sender}&tokenAddress=${usdc}&amount=1&blockNumber=99`
    expect((await api.get(`/wallet/approve?${approve}`)).status).toBe(200)
    expect(api.asked.approvals).toMatchObject([{ blockNumber: 99n }])
    expect((await api.get(`/wallet/balances?${owner}&blockNumber=98`)).status).toBe(200)
    expect(api.asked.balances).toMatchObject([{ chainId: 1, blockNumber: 98n }])
    expect((await api.get(`/wallet?fromAddress=${sender}&blockNumber=97`)).status).toBe(200)
  })

  test('of all chains together there is no block', async () => {
    const reply = await api.get(`/wallet/balances?${owner}&chainId=all&blockNumber=98`)
    expect(reply.status).toBe(400)
    expect(reply.body.message).toMatch(/^blockNumber must not be given with chainId=all/)
  })
})

describe('--block', () => {
  test('a number, a distance and a time come to the same endpoint as a number', async () => {
    const cases = [
      [['quote', '1', 'WETH', 'USDC'], 'latest-30', blockNumber - 30],
      [['route', '1', 'WETH', 'USDC', '--from', sender], '2026-03-01', 21_000_000],
      [['prices', 'WETH'], '@1772366400', 21_000_000],
    ] as const
    await Promise.all(
      cases.map(async ([args, block]) => {
        const outcome = await runCli([...args, '--block', block, '--url', api.url, '--json'])
        expect(outcome).toMatchObject({ code: 0, err: '' })
      }),
    )
    const asked = ({ blockNumber: number }: { blockNumber?: bigint }) => Number(number)
    expect(api.asked.quotes.map(asked)).toEqual([blockNumber - 30])
    expect(api.asked.routes.map(asked)).toEqual([21_000_000])
    expect(api.asked.prices.map(asked)).toEqual([21_000_000])
    expect(times.toSorted()).toEqual([1_772_323_200n, 1_772_366_400n])
  })

  test('latest is the newest, and what names no block is said before anything is asked', async () => {
    const quote = ['quote', '1', weth, dai, '--url', api.url]
    const [latest, wrong] = await Promise.all([
      runCli([...quote, '--block', 'latest']),
      runCli([...quote, '--block', 'soon']),
    ])
    expect(latest.code).toBe(0)
    expect(api.asked.quotes.map(({ blockNumber: number }) => number)).toEqual([undefined])
    expect(wrong.code).toBe(1)
    expect(wrong.err.trim()).toMatch(/^"soon" names no block: give a block number, latest/)
  })
})
