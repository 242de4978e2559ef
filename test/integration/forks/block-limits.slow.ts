/** Where the answers about old blocks end: state that a node has dropped, and blocks before there were contracts. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import { type NodeCall, startFaultyNode } from '../../support/nodes/rpc-node.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'

const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
/** Anvil gives it ether in its first block. */
const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const swap = { tokenIn: weth, tokenOut: usdc, amountIn: '1000000000000000', fromAddress: sender }

/** Everything that calculates at a block. */
function questions(service: TestService, blockNumber: string) {
  const get = (path: string, query: Record<string, string> = {}) =>
    service.get(`/api/v1${path}`, { blockNumber, ...query })
  const route = {
    protocol: 'svc',
    action: 'route',
    args: { tokenIn: native, tokenOut: usdc, amountIn: swap.amountIn },
  }
  const supply = {
    protocol: 'aave-v3',
    action: 'deposit',
    args: {
      tokenIn: usdc,
      tokenOut: '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c',
      amountIn: '1000000',
      primaryAddress: '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2',
    },
  }
  const bundle = (action: object, mode = 'user') =>
    service.post(
      `/api/v1/shortcuts/bundle?fromAddress=${sender}&blockNumber=${blockNumber}&executionMode=${mode}`,
      [action],
    )
  return {
    quote: () => get('/shortcuts/quote', swap),
    'quote of native': () => get('/shortcuts/quote', { ...swap, tokenIn: native }),
    'quote of wrapping': () =>
      get('/shortcuts/quote', { ...swap, tokenIn: native, tokenOut: weth }),
    route: () => get('/shortcuts/route', swap),
    'route of native': () => get('/shortcuts/route', { ...swap, tokenIn: native }),
    'route of a backend': () => get('/shortcuts/route', { ...swap, executionMode: 'backend' }),
    quotes: () =>
      service.post('/api/v1/shortcuts/quotes', {
        blockNumber: Number(blockNumber),
        quotes: [swap],
      }),
    'bundle with a route': () => bundle(route),
    action: () => bundle(supply, 'backend'),
    price: () => get(`/prices/1/${weth}`),
    prices: () => service.get('/api/v1/prices/1', { blockNumber, addresses: [weth, usdc, native] }),
    balances: () => get('/wallet/balances', { eoaAddress: sender, useEoa: 'true' }),
    approval: () => get('/wallet/approve', { ...swap, tokenAddress: usdc, amount: '1' }),
    wallet: () => get('/wallet', { fromAddress: sender }),
  }
}

async function askAll(service: TestService, blockNumber: string): Promise<Record<string, Answer>> {
  const asked = Object.entries(questions(service, blockNumber))
  const answers = await Promise.all(asked.map(([, ask]) => ask()))
  return Object.fromEntries(asked.map(([name], index) => [name, answers[index] as Answer]))
}

describe('a node without old state', () => {
  /** As geth, Erigon and a node without the block itself say it. */
  const words: Readonly<Record<number, string>> = {
    201: 'missing trie node 5ce1 (path ) state 0x5ce1 is not available',
    202: 'required historical state unavailable (reexec=128)',
    203: 'header not found',
  }
  let sandbox: Awaited<ReturnType<typeof startSandbox>>
  let node: Awaited<ReturnType<typeof startFaultyNode>>
  let service: TestService
  const numbers = new Map<string, number>()

  /** Of a call that reads state; null of any other. */
  function blockOf({ method, params }: NodeCall): number | null {
    const places: Record<string, number> = {
      eth_getBalance: 1,
      eth_getCode: 1,
      eth_getTransactionCount: 1,
      eth_call: 1,
      eth_getStorageAt: 2,
      eth_getProof: 2,
      eth_getBlockByNumber: 0,
    }
    const tag = params[places[method] ?? -1]
    const { blockHash } = (tag ?? {}) as { blockHash?: string }
    if (blockHash !== undefined) return numbers.get(blockHash) ?? null
    return typeof tag === 'string' && tag.startsWith('0x') ? Number(tag) : null
  }

  beforeAll(async () => {
    sandbox = await startSandbox()
    node = await startFaultyNode(sandbox.url, {
      behave: () => ({
        edit(call, reply) {
          const block = reply.result as { hash?: string; number?: string } | null
          if (typeof block === 'object' && block?.hash) {
            numbers.set(block.hash, Number(block.number))
          }
          const message = words[blockOf(call) ?? 0]
          const isHeader = call.method === 'eth_getBlockByNumber'
          if (message === undefined || (isHeader && message !== words[203])) return reply
          return { id: call.id, error: { code: -32000, message } }
        },
      }),
    })
    service = await startService({ RPC_URL_1: node.url })
  })
  afterAll(async () => {
    await service?.stop()
    await node?.close()
    await sandbox?.stop()
  })

  test.each(Object.entries(words))(
    'block %s, "%s": UNKNOWN_BLOCK, which says what is needed',
    async (blockNumber, message) => {
      const { quote, price } = questions(service, blockNumber)
      for (const { status, body } of [await quote(), await price()]) {
        expect({ status, code: body.code }).toEqual({ status: 400, code: 'UNKNOWN_BLOCK' })
        expect(body.message).toContain(message)
        expect(body.message).toMatch(/ Blocks this old need an archive node\.$/)
      }
    },
  )

  test('all that calculates says the same; blocks that the node has are answered', async () => {
    const answers = await askAll(service, '201')
    for (const [name, { status, body }] of Object.entries(answers)) {
      expect({ name, status, code: body.code }).toEqual({
        name,
        status: 400,
        code: 'UNKNOWN_BLOCK',
      })
    }
    const kept = await questions(service, '204').quote()
    expect(kept.status, kept.text).toBe(200)
    const unborn = await questions(service, '1000000').quote()
    expect(unborn.body).toMatchObject({ code: 'UNKNOWN_BLOCK' })
    expect(unborn.body.message).not.toContain('archive')
  })
})

describe('a block that came since the service looked for a head', () => {
  test.each(['header not found', 'missing trie node 5ce1 (path ) state 0x5ce1 is not available'])(
    '"%s" of all its state: UNKNOWN_BLOCK, and no advice for old blocks',
    async (message) => {
      const sandbox = await startSandbox()
      onTestFinished(() => sandbox.stop())
      let late: Readonly<Record<'hash' | 'number', string>> | null = null
      const node = await startFaultyNode(sandbox.url, {
        behave: () => ({
          edit({ id, method, params }, reply) {
            const text = JSON.stringify(params)
            const isOfLate =
              late && [late.hash, `"${late.number}"`].some((name) => text.includes(name))
            if (!isOfLate || method.startsWith('eth_getBlock')) return reply
            return { id, error: { code: -32000, message } }
          },
        }),
      })
      onTestFinished(() => node.close())
      const service = await startService({ RPC_URL_1: node.url, HEAD_POLL_MS: '600000' })
      onTestFinished(() => service.stop())
      const client = createRpcClient(sandbox.url)
      onTestFinished(() => client.close())
      await client.request('evm_mine', [])
      late = await client.request('eth_getBlockByNumber', ['latest', false])
      const number = String(BigInt(late?.number ?? 0))
      for (const [name, { status, body }] of Object.entries(await askAll(service, number))) {
        expect({ name, status, body }, body.message).toMatchObject({
          name,
          status: 400,
          body: {
            code: 'UNKNOWN_BLOCK',
            message: `The state of block ${number} is not available: ${message}.`,
          },
        })
      }
    },
  )
})

describe('blocks before there were contracts', () => {
  let node: TestAnvil
  let service: TestService
  beforeAll(async () => {
    node = await startAnvil(['--chain-id', '1'])
    await node.rpc('anvil_mine', ['0x2'])
    service = await startService({ RPC_URL_1: node.url })
  })
  afterAll(async () => {
    await service?.stop()
    await node?.stop()
  })

  test.each(['0', '1'])('block %s: no route, no price, no token; nothing fails', async (number) => {
    const answers = await askAll(service, number)
    const { price, prices, quotes, balances, wallet, approval, action, ...routes } = answers
    for (const [name, { status, body }] of Object.entries(routes)) {
      expect({ name, status, body }, body.message).toMatchObject({
        name,
        status: 422,
        body: { code: 'NO_ROUTE' },
      })
    }
    expect(quotes?.body).toMatchObject({
      blockNumber: Number(number),
      quotes: [{ error: { code: 'NO_ROUTE' } }],
    })
    expect(price?.body).toMatchObject({ statusCode: 404, code: 'NO_PRICE' })
    expect(prices?.body).toEqual([null, null, null])
    expect(balances?.body).toMatchObject([{ token: native, price: null }])
    expect(wallet?.body).toMatchObject({ isDeployed: false })
    // The protocol is not there either.
    expect(action?.body).toMatchObject({ statusCode: 400, code: 'INVALID_REQUEST' })
    expect(action?.body.message).toMatch(/tokenIn must be a token that Aave V3 lends/)
    expect(approval?.body).toMatchObject({ statusCode: 400, code: 'INVALID_REQUEST' })
  })

  test('no position is listed', async () => {
    const { status, body } = await service.get('/api/v1/tokens', { chainId: '1', type: 'defi' })
    expect(status).toBe(200)
    expect(body.data).toEqual([])
  })
})
