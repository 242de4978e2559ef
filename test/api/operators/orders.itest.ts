/** Signed orders over HTTP: imported, listed and removed by their key alone, and given to its calculations. */
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { OrderImport, OrderPage } from '../../../src/api/records/order-records.js'
import { mostOrders, OrderStore } from '../../../src/catalog/order-store.js'
import {
  hashOfOrder,
  orderSettlement,
  toTypedOrder,
} from '../../../src/executor/order-settlement.js'
import { bearer, read, startTestApi, usdc, weth } from '../test-api.js'

const maker = privateKeyToAccount(`0x${'5e'.repeat(32)}`)
const terms = {
  maker: maker.address.toLowerCase() as `0x${string}`,
  tokenIn: weth as `0x${string}`,
  tokenOut: usdc as `0x${string}`,
  amountIn: '1000000000000000000',
  amountOut: '3100000000',
  expiry: 1_900_000_000,
  nonce: '1',
  partialFill: true,
}
const orderOf = (nonce: number, more: object = {}) => ({
  ...terms,
  nonce: String(nonce),
  signature: `0x${'11'.repeat(65)}`,
  ...more,
})

async function start(env: Record<string, string> = {}) {
  const api = await startTestApi({ AUTH_MODE: 'key', ...env })
  const headers = bearer(api.keys.createKey({ name: 'a', isAdmin: true }).key)
  return { api, headers, other: bearer(api.keys.createKey({ name: 'b' }).key) }
}

const quote = `/shortcuts/quote?tokenIn=${weth}&tokenOut=${usdc}&amountIn=1000000`

describe('/orders', () => {
  test('an order has the hash that its maker signed', async () => {
    const signed = { chainId: 1, ...terms }
    const signature = await maker.signTypedData(toTypedOrder(signed))
    const { api, headers } = await start()
    const { body } = await api.post('/orders', { orders: [{ ...terms, signature }] }, headers)
    expect(OrderImport.parse(body)).toEqual({
      added: 1,
      updated: 0,
      hashes: [hashOfOrder(signed)],
      settlement: orderSettlement,
    })
  })

  test('what a key imports is listed a page at a time, replaced, and removed by it alone', async () => {
    const { api, headers, other } = await start()
    const orders = [1, 2, 3].map((nonce) => orderOf(nonce))
    const { hashes } = (await api.post('/orders', { orders }, headers)).body
    const again = await api.post(
      '/orders',
      { orders: [orderOf(3, { signature: '0x12' })] },
      headers,
    )
    expect(again.body).toMatchObject({ added: 0, updated: 1 })
    const page = await api.get('/orders?pageSize=2&page=2', headers)
    expect(OrderPage.parse(page.body)).toEqual(page.body)
    expect(page.body).toMatchObject({
      meta: { total: 3 },
      data: [{ hash: hashes[2], signature: '0x12', visibility: 'key' }],
    })
    expect((await api.get('/orders', other)).body.data).toEqual([])
    const remove = async (by: Record<string, string>, list = hashes.slice(0, 2).join()) =>
      read(
        await fetch(`${api.url}/api/v1/orders?hashes=${list}`, { method: 'DELETE', headers: by }),
      )
    expect((await remove(headers, '0x12')).body.message).toEqual(
      'hashes must be the hash of an order (32 bytes)',
    )
    expect((await remove(other)).body).toEqual({ removed: 0 })
    expect((await remove(headers)).body).toEqual({ removed: 2 })
    expect((await api.get('/orders', headers)).body.meta.total).toBe(1)
  })

  test('a calculation gets the orders of its key and those of all, and a stranger those of all', async () => {
    const { api, headers, other } = await start()
    const own = (await api.post('/orders', { orders: [orderOf(1)] }, headers)).body.hashes[0]
    const all = { orders: [orderOf(2)], visibility: 'all' }
    const shown = (await api.post('/orders', all, headers)).body.hashes[0]
    const given = async (by: Record<string, string>) => {
      await api.get(quote, by)
      return (
        api.asked.contexts
          .at(-1)
          ?.orders?.(1)
          .map(({ hash }) => hash) ?? []
      )
    }
    expect(await given(headers)).toEqual([own, shown].sort())
    expect(await given(other)).toEqual([shown])
    const refused = await api.post('/orders', all, other)
    expect([refused.status, refused.body.code]).toEqual([403, 'SCOPE_MISSING'])
    // A record of the same order by its owner counts for the owner.
    await api.post('/orders', { orders: [orderOf(2, { signature: '0x99' })] }, other)
    await api.get(quote, other)
    expect(api.asked.contexts.at(-1)?.orders?.(1)).toMatchObject([{ signature: '0x99' }])
  })

  test('callers without keys have their orders in common', async () => {
    const { api } = await start({ AUTH_MODE: 'open' })
    const added = await api.post('/orders', { orders: [orderOf(1)], visibility: 'all' })
    expect(added.status, JSON.stringify(added.body)).toBe(200)
    expect((await api.get('/orders')).body.meta.total).toBe(1)
  })

  test('every wrong field is named', async () => {
    const { api, headers } = await start()
    const wrong = orderOf(1, {
      tokenOut: weth,
      amountIn: '0',
      expiry: 'soon',
      signature: '0x1',
      tokenIn: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
    })
    const { status, body } = await api.post('/orders', { orders: [wrong] }, headers)
    expect(status).toBe(400)
    const text = JSON.stringify(body.message)
    for (const field of ['amountIn', 'expiry', 'signature', 'tokenIn']) {
      expect(text).toContain(`orders[0].${field}`)
    }
  })

  test(`a key has ${mostOrders} orders at most`, async () => {
    const { api, headers } = await start()
    const orders = (from: number, count: number) =>
      Array.from({ length: count }, (_, k) => orderOf(from + k, { signature: '0x11' }))
    for (let from = 0; from < mostOrders; from += 500) {
      const { status } = await api.post('/orders', { orders: orders(from, 500) }, headers)
      expect(status).toBe(200)
    }
    const more = await api.post('/orders', { orders: orders(mostOrders, 1) }, headers)
    expect(more.body.message).toContain('remove some')
    expect((await api.get('/orders', headers)).body.meta.total).toBe(mostOrders)
  })
})

test('orders of another folder are taken over with their owners', async () => {
  const { api } = await start()
  const source = new OrderStore(api.config.dataDir)
  const order = {
    ...terms,
    chainId: 1,
    format: 'forkroute',
    hash: hashOfOrder({ chainId: 1, ...terms }),
    settlement: orderSettlement,
    signature: '0x11',
  } as const
  source.import('somebody', 'key', [order])
  const other = await startTestApi()
  const store = new OrderStore(other.config.dataDir)
  store.takeFrom(api.config.dataDir)
  expect(store.usableBy('somebody', 1)).toEqual([order])
  expect(store.usableBy('somebody', 10)).toEqual([])
  store.close()
  source.close()
})
