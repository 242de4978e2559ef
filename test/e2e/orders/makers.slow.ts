/** Makers that sign when they are asked: what they sign is what is proven, and whoever does not keep its word is left out. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { standaloneContracts } from '../../../src/executor/deployments.js'
import { orderSettlement } from '../../../src/executor/order-settlement.js'
import { openCassetteFile } from '../../../src/rpc/cassette/cassette-file.js'
import { CassetteRequests } from '../../../src/rpc/cassette/cassette-requests.js'
import { runCli } from '../../support/cli.js'
import { alice } from '../../support/declared-venues.js'
import {
  ether,
  makerKey,
  type OrderMarket,
  openOrderMarket,
  usdc,
  weth,
} from '../../support/orders/order-market.js'
import { type QuotingMaker, startQuotingMaker } from '../../support/orders/quoting-maker.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService } from '../../support/service/service.js'

const context = withSandbox()

describe('makers that sign when they are asked', () => {
  let folder: string
  let maker: QuotingMaker
  let market: OrderMarket

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forkroute-makers-'))
    maker = await startQuotingMaker(privateKeyToAccount(makerKey))
    await writeFile(join(folder, 'makers.yaml'), fileFor(maker.levelsUrl))
    const place: Parameters<typeof openOrderMarket>[1] = async (node, makerAddress) => {
      await node.place(orderSettlement, standaloneContracts.OrderSettlement.initCode)
      const approve = 'function approve(address, uint256)'
      await node.send(usdc, approve, [orderSettlement, 2n ** 255n], makerAddress)
    }
    const env = { MAKERS: join(folder, 'makers.yaml'), MAKER_POLL_MS: '20', MAKER_SIGN_MS: '2000' }
    market = await openOrderMarket(context(), place, env)
  })
  afterAll(async () => {
    await market?.stop()
    await maker?.stop()
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(() => {
    maker.answers(null)
    maker.asked.length = 0
  })

  const fileFor = (levels: string) =>
    `makers:\n  - name: desk\n    levels: ${levels}\n    quote: ${maker.quoteUrl}\n    authorization: Bearer of-the-desk\n`

  /** At the newest block, as makers are asked. */
  const route = (amountIn: bigint, more: Record<string, string> = {}) =>
    market.route(amountIn, { blockNumber: '', ...more })

  const usesOrder = (text: string) => text.includes('"signed-orders"')

  /** The maker offers so much WETH at a price above the market's, and the service has seen it. */
  async function offered(amountIn: bigint, bps: bigint): Promise<void> {
    maker.offer([{ amountIn, amountOut: market.better(amountIn, bps) }], market.expiry)
    await expect.poll(async () => usesOrder((await route(ether / 7n)).text)).toBe(bps > 0n)
    maker.asked.length = 0
  }

  test('what it signs is the way where it pays best, and arrives to the unit', async () => {
    await offered(10n * ether, 200n)
    const answer = await route(ether)
    expect(answer.status, answer.text).toBe(200)
    expect(maker.asked).toEqual([ether])
    expect(BigInt(answer.body.amountOut)).toBe(market.better(ether, 200n))
    expect(await market.delivered(answer, ether)).toBe(BigInt(answer.body.amountOut))
    expect(answer.body.cautions).toMatchObject([{ kind: 'order' }])
    const bare = { tokenIn: weth, tokenOut: usdc, amountIn: String(ether) }
    const quote = await market.service.get('/api/v1/shortcuts/quote', bare)
    expect(quote.body.amountOut).toBe(answer.body.amountOut)
    expect([...maker.authorizations.values()]).toEqual(['Bearer of-the-desk', 'Bearer of-the-desk'])
  })

  test('a part of a split, and a stated output, are asked for no more than they need', async () => {
    await offered(ether, 200n)
    const split = await route(4n * ether)
    expect(usesOrder(split.text), split.text).toBe(true)
    expect(maker.asked).toEqual([ether])
    expect(await market.delivered(split, 4n * ether)).toBe(BigInt(split.body.amountOut))
    maker.asked.length = 0
    const amountOut = String(market.better(ether / 2n, 100n))
    const exact = await route(0n, { amountIn: '', amountOut })
    expect(exact.status, exact.text).toBe(200)
    expect(usesOrder(exact.text)).toBe(true)
    expect(maker.asked).toHaveLength(1)
    expect(BigInt(exact.body.amountIn)).toBeLessThan(ether / 2n)
  })

  test('it is asked for nothing where it is not needed', async () => {
    await offered(10n * ether, 200n)
    const blockNumber = await market.head()
    const answers = await Promise.all([
      route(ether, { blockNumber }),
      route(ether, { ignoreAggregators: 'signed-orders' }),
      route(ether, { tokenIn: usdc, tokenOut: weth, amountIn: '1000000000' }),
    ])
    expect(answers.map(({ status, text }) => [status, usesOrder(text)])).toEqual([
      [200, false],
      [200, false],
      [200, false],
    ])
    await offered(10n * ether, -100n)
    await route(ether)
    expect(maker.asked).toEqual([])
  })

  test.each([
    ['nothing', async () => ({})],
    ['no JSON', async () => '<html>'],
    ['another pair', (terms) => signedAs(terms, { tokenIn: usdc, tokenOut: weth })],
    ['for somebody else', (terms) => signedAs(terms, { maker: alice })],
    ['an order that has ended', (terms) => maker.signed(terms, market.expiry - 2 * 86_400)],
  ] as [string, (terms: Parameters<QuotingMaker['signed']>[0]) => Promise<unknown>][])(
    'a maker that signs %s is left out',
    async (_, reply) => {
      await offered(10n * ether, 200n)
      maker.answers(reply)
      const answer = await route(ether)
      expect(answer.status, answer.text).toBe(200)
      expect(maker.asked).toEqual([ether])
      expect(usesOrder(answer.text)).toBe(false)
      expect(await market.delivered(answer, ether)).toBe(BigInt(answer.body.amountOut))
    },
  )

  /** The signature is of other terms than the order states. */
  async function signedAs(terms: Parameters<QuotingMaker['signed']>[0], more: object) {
    return { ...(await maker.signed(terms, market.expiry)), ...more }
  }

  test('a maker that signs less than it offers is no promise', async () => {
    await offered(10n * ether, 200n)
    maker.answers(({ amountIn }) =>
      maker.signed({ amountIn, amountOut: market.better(amountIn, -300n) }, market.expiry),
    )
    const worse = await route(ether)
    expect(usesOrder(worse.text)).toBe(false)
    maker.answers(({ amountIn }) =>
      maker.signed({ amountIn, amountOut: market.better(amountIn, 100n) }, market.expiry),
    )
    const less = await route(ether)
    expect(BigInt(less.body.amountOut)).toBe(market.better(ether, 100n))
    expect(await market.delivered(less, ether)).toBe(BigInt(less.body.amountOut))
  })

  test('a maker that does not answer is left out in time, and is told of in the metrics', async () => {
    await offered(10n * ether, 200n)
    let answerNow = (_: unknown) => {}
    maker.answers(
      () =>
        new Promise((resolve) => {
          answerNow = resolve
        }),
    )
    const answer = await route(ether)
    answerNow({})
    expect([answer.status, usesOrder(answer.text)]).toEqual([200, false])
    // The maker may take two seconds, but the caller has one.
    const hurried = await route(ether, { deadlineMs: '1000' })
    answerNow({})
    expect([hurried.status, usesOrder(hurried.text)]).toEqual([200, false])
    const { text } = await market.service.get('/metrics')
    expect(text).toMatch(/forkroute_maker_orders_total\{maker="desk",outcome="late"\} 2/)
    expect(text).toMatch(/forkroute_maker_orders_total\{maker="desk",outcome="signed"\} [1-9]/)
  })

  test('levels that have ended are no offer', async () => {
    await offered(10n * ether, 200n)
    maker.offer([{ amountIn: ether, amountOut: market.better(ether, 900n) }], 1_700_000_000)
    await expect.poll(async () => usesOrder((await route(ether)).text)).toBe(false)
    maker.asked.length = 0
    await route(ether)
    expect(maker.asked).toEqual([])
  })

  test('a socket sends its levels', async () => {
    const file = join(folder, 'socket.yaml')
    await writeFile(file, fileFor(maker.socketUrl))
    const own = await startService({
      RPC_URL_1: context().sandbox.url,
      MAKERS: file,
      HEAD_POLL_MS: '250',
    })
    try {
      const query = { tokenIn: weth, tokenOut: usdc, amountIn: String(ether) }
      const quote = () => own.get('/api/v1/shortcuts/quote', query)
      maker.offer([{ amountIn: ether, amountOut: market.better(ether, 200n) }], market.expiry)
      await expect.poll(async () => usesOrder((await quote()).text)).toBe(true)
      maker.offer([{ amountIn: ether, amountOut: market.better(ether, 400n) }], market.expiry)
      await expect
        .poll(async () => BigInt((await quote()).body.amountOut))
        .toBe(market.better(ether, 400n))
    } finally {
      await own.stop()
    }
  })

  test('the example signs, and a cassette keeps what it signed when it is gone', async () => {
    const price = String((market.better(ether, 300n) / 10_000n) * 10_000n)
    const example = spawn(
      process.execPath,
      ['examples/makers/maker.mjs', `${Number(price) / 1e6}`, '5', '0'],
      { env: { ...process.env, MAKER_KEY: makerKey, RPC_URL: context().sandbox.url } },
    )
    try {
      const [line] = await once(example.stdout, 'data')
      const text = await readFile('examples/makers/makers.yaml', 'utf8')
      const file = join(folder, 'example.yaml')
      await writeFile(file, text.replaceAll('http://127.0.0.1:4100', String(line).trim()))
      const env = { RPC_URL_1: context().sandbox.url, MAKERS: file, DATA_DIR: folder }
      const requests = join(folder, 'requests.json')
      const cassette = join(folder, 'makers.cassette')
      const query = { tokenIn: weth, tokenOut: usdc, amountIn: String(ether) }
      await writeFile(requests, JSON.stringify({ requests: [{ path: '/shortcuts/quote', query }] }))
      const recorded = await runCli(['record', cassette, '--requests', requests], env)
      expect(recorded.code, recorded.err).toBe(0)
      const verified = await runCli(['verify', cassette], { DATA_DIR: join(folder, 'empty') })
      expect(verified.out, verified.err).toContain('1 the same')
      const db = openCassetteFile(cassette, 'read')
      const row = new CassetteRequests(db).get(1)
      db.close()
      expect(row?.answer).toContain('signed-orders')
    } finally {
      example.kill()
      await once(example, 'exit')
    }
  })
})
