/** Signed orders as liquidity: imported, used, executed on a chain of its own, private to a key, and gone when the chain says so. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openKeyStore } from '../../../src/api/key-store.js'
import { standaloneContracts } from '../../../src/executor/deployments.js'
import { orderSettlement, toTypedOrder } from '../../../src/executor/order-settlement.js'
import { runCli } from '../../support/cli.js'
import { alice } from '../../support/declared-venues.js'
import { executeOnFork } from '../../support/execute.js'
import {
  ether,
  makerKey,
  type OrderMarket,
  openOrderMarket,
  usdc,
  weth,
} from '../../support/orders/order-market.js'
import { withSandbox } from '../../support/sandbox.js'

const approve = 'function approve(address, uint256)'
const context = withSandbox()

describe('signed orders', () => {
  let dataDir: string
  let market: OrderMarket
  let otherKey: string
  let nonce = 100n

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'forkroute-orders-'))
    market = await openOrderMarket(context(), async (node, makerAddress) => {
      await node.place(orderSettlement, standaloneContracts.OrderSettlement.initCode)
      await node.send(usdc, approve, [orderSettlement, 2n ** 255n], makerAddress)
    })
    const keys = openKeyStore(market.service.dataDir)
    otherKey = keys.createKey({ name: 'other' }).key
    keys.close()
  })
  afterAll(async () => {
    await market?.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  afterEach(async () => {
    const { body } = await market.service.get('/api/v1/orders')
    if (body.data.length) await market.forget(body.data.map(({ hash }: { hash: string }) => hash))
  })

  const from = () => market.makerAddress
  const allow = (amount: bigint) =>
    market.node.send(usdc, approve, [orderSettlement, amount], from())
  const cancel = (which: bigint) =>
    market.node.send(orderSettlement, 'function cancel(uint256)', [which], from())
  /** Gives so much better a price than the market. */
  async function signed(amountIn: bigint, bps: bigint, more: { partialFill?: boolean } = {}) {
    nonce += 1n
    const terms = {
      maker: from(),
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: String(amountIn),
      amountOut: String(market.better(amountIn, bps)),
      expiry: market.expiry,
      nonce: String(nonce),
      partialFill: true,
      ...more,
    }
    const signature = await market.maker.signTypedData(toTypedOrder({ chainId: 1, ...terms }))
    return { ...terms, signature }
  }

  test('an order is the way where it pays best, alone and as a part of a split, to the wei', async () => {
    const [hash = ''] = await market.imported(await signed(ether, 200n))
    const whole = await market.route(ether)
    expect(whole.status, whole.text).toBe(200)
    expect(whole.text).toContain(hash)
    expect(BigInt(whole.body.amountOut)).toBe(
      (ether * ((market.price * 10_200n) / 10_000n)) / ether,
    )
    expect(await market.delivered(whole, ether)).toBe(BigInt(whole.body.amountOut))
    expect(whole.body.cautions).toMatchObject([{ pool: hash, kind: 'order' }])

    const split = await market.route(3n * ether)
    expect(split.text).toContain(hash)
    const legs = split.body.route.flatMap((step: { internalRoutes?: { pool: string }[] }) =>
      (step.internalRoutes ?? []).map(({ pool }) => pool),
    )
    expect(new Set(legs).size, split.text).toBeGreaterThan(1)
    expect(await market.delivered(split, 3n * ether)).toBe(BigInt(split.body.amountOut))
    await market.forget([hash])
    const without = await market.route(3n * ether)
    expect(without.text).not.toContain(hash)
    expect(BigInt(split.body.amountOut)).toBeGreaterThan(BigInt(without.body.amountOut))
  })

  test('orders of one key are in no answer and no list of another, at the same block and at the same time', async () => {
    const [hash = ''] = await market.imported(await signed(ether, 200n))
    const other = { authorization: `Bearer ${otherKey}` }
    const blockNumber = await market.head()
    const both = [{}, other, {}, other].map((headers) =>
      market.route(ether, { blockNumber, explain: 'true' }, headers),
    )
    const [own, foreign, again, foreignAgain] = await Promise.all(both)
    expect([own, again].map((answer) => answer?.text.includes(hash))).toEqual([true, true])
    expect([foreign, foreignAgain].map((answer) => answer?.text.includes(hash))).toEqual([
      false,
      false,
    ])
    expect(foreign?.status).toBe(200)
    const alone = await market.route(ether, { blockNumber, onlyPools: hash }, other)
    expect(alone.status).toBe(422)
    expect((await market.service.get('/api/v1/orders')).body.data).toMatchObject([
      { hash, maker: from() },
    ])
    expect((await market.service.get('/api/v1/orders', {}, other)).body.data).toEqual([])
    const taken = await market.service.send(`/api/v1/orders?hashes=${hash}`, {
      method: 'DELETE',
      headers: other,
    })
    expect(taken.body).toEqual({ removed: 0 })

    const all = { orders: [await signed(ether, 300n)], visibility: 'all' }
    const body = JSON.stringify(all)
    const headers = { ...other, 'content-type': 'application/json' }
    const refused = await market.service.send('/api/v1/orders', { method: 'POST', headers, body })
    expect([refused.status, refused.body.code]).toEqual([403, 'SCOPE_MISSING'])
    const shown = await market.service.post('/api/v1/orders', all)
    expect((await market.route(ether, { blockNumber }, other)).text).toContain(shown.body.hashes[0])
    await market.forget([hash, shown.body.hashes[0]])
    expect((await market.route(ether, { blockNumber }, other)).text).not.toContain(
      shown.body.hashes[0],
    )
  })

  test('an order that the chain does not honour is no part of any answer', async () => {
    const good = await signed(ether, 200n)
    const lies = [
      { ...(await signed(ether, 500n)), amountOut: String(market.price * 2n) },
      { ...(await signed(ether, 500n)), maker: alice },
      { ...(await signed(ether, 500n)), expiry: market.expiry - 2 * 86_400 },
      { ...(await signed(ether, 500n)), signature: `0x${'11'.repeat(65)}` },
    ]
    const hashes = await market.imported(good, ...lies)
    const used = async () => {
      const { text, body } = await market.route(ether)
      expect(await market.delivered({ body } as never, ether)).toBe(BigInt(body.amountOut))
      return hashes.map((hash) => text.includes(hash))
    }
    expect(await used()).toEqual([true, false, false, false, false])
    await allow(0n)
    expect(await used()).toEqual([false, false, false, false, false])
    await allow(2n ** 255n)
    expect((await used())[0]).toBe(true)
    await cancel(BigInt(good.nonce))
    expect(await used()).toEqual([false, false, false, false, false])
    await market.forget(hashes)
  })

  test('an order that ends between the answer and its transaction undoes the transaction', async () => {
    const order = await signed(ether, 200n)
    const hashes = await market.imported(order)
    const { body } = await market.route(ether)
    const done = await executeOnFork({
      nodeUrl: context().sandbox.url,
      blockNumber: body.createdAt,
      tx: body.tx,
      watch: [
        { token: usdc, owner: alice },
        { token: weth, owner: from() },
      ],
      fund: [{ token: weth, amount: ether }],
      approve: body.tx.to,
      async prepare(anvil) {
        await anvil.rpc('anvil_impersonateAccount', [from()])
        const data = `0x40e58ee5${BigInt(order.nonce).toString(16).padStart(64, '0')}`
        await anvil.rpc('eth_sendTransaction', [
          { from: from(), to: orderSettlement, data, gas: '0x30d40', gasPrice: '0xe8d4a51000' },
        ])
      },
    })
    expect([done.status, ...done.deltas]).toEqual(['reverted', 0n, 0n])
    await market.forget(hashes)
  })

  test('orders of a maker that has less than they offer are not filled together', async () => {
    const orders = await market.imported(
      await signed(8n * ether, 250n),
      await signed(8n * ether, 200n),
    )
    const answer = await market.route(10n * ether)
    expect(orders.map((hash) => answer.text.includes(hash))).toEqual([true, false])
    expect(await market.delivered(answer, 10n * ether)).toBe(BigInt(answer.body.amountOut))
    await market.forget(orders)
  })

  test('the example signs what the command imports, and a cassette keeps it', async () => {
    const amountOut = String((market.price * 10_300n) / 10_000n)
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['examples/orders/sign-order.mjs', weth, usdc, String(ether), amountOut, '3600'],
      { env: { ...process.env, MAKER_KEY: makerKey, RPC_URL: context().sandbox.url } },
    )
    const file = join(dataDir, 'orders.json')
    await writeFile(file, stdout)
    const remote = ['--url', market.service.url, '--key', market.service.key]
    const done = await runCli(['orders', 'import', file, ...remote], {})
    expect(done.out, done.err).toContain('Orders added: 1')
    const listed = await runCli(['orders', 'list', '--json', ...remote], {})
    const [{ hash }] = JSON.parse(listed.out)
    expect((await market.route(ether)).text).toContain(hash)
    expect((await runCli(['orders', 'remove', hash, ...remote], {})).out).toContain(
      'Orders removed: 1',
    )

    // A service without keys has them in its own folder; the replay has another one.
    const env = { RPC_URL_1: context().sandbox.url, DATA_DIR: dataDir }
    const local = await runCli(['orders', 'import', file], env)
    expect(local.out, local.err).toContain('Orders added: 1')
    const requests = join(dataDir, 'requests.json')
    const cassette = join(dataDir, 'orders.cassette')
    const query = {
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: String(ether),
      onlyPools: hash,
      blockNumber: Number(await market.head()),
    }
    await writeFile(requests, JSON.stringify({ requests: [{ path: '/shortcuts/quote', query }] }))
    const recorded = await runCli(['record', cassette, '--requests', requests], env)
    expect(recorded.code, recorded.err).toBe(0)
    const verified = await runCli(['verify', cassette], { DATA_DIR: join(dataDir, 'empty') })
    expect(verified.out, verified.err).toContain('1 the same')
  })
})
