/** A right request for each endpoint of the description, on the sandbox, so that only what a test changes is wrong. */
import { type FamilyEndpoint, nameOf } from './endpoints.js'

const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const pool = '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640'
const positionOut = `1:0xc36442b4a4522e871399cd717abdd847ab11fe88:${pool}--887270-887270`

const quote = { tokenIn: native, tokenOut: usdc, amountIn: '1000000000000000000' }
const route = { fromAddress: sender, ...quote }

interface Sent {
  /** Of the parts that the path leaves open. */
  readonly named?: readonly string[]
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const requests: Readonly<Record<string, Sent>> = {
  'GET /shortcuts/route': { query: route },
  'POST /shortcuts/route': { body: route },
  'GET /shortcuts/route/nontokenized': {
    query: { ...route, tokenOut: '', receiver: sender, positionOut },
  },
  'GET /shortcuts/quote': { query: quote },
  'POST /shortcuts/quote': { body: quote },
  'POST /shortcuts/quotes': { body: { quotes: [quote] } },
  'POST /shortcuts/bundle': {
    query: { fromAddress: sender },
    body: [{ protocol: 'svc', action: 'route', args: quote }],
  },
  'POST /shortcuts/plan': {
    body: {
      inputs: [{ chainId: 1, token: native, amount: '1000000000000000000' }],
      tokenOut: usdc,
      destinationChainId: 1,
      fromAddress: sender,
    },
  },
  'GET /stream/quotes': { query: quote },
  'POST /stream/quotes': { body: { quotes: [quote] } },
  'GET /networks/{}/blocks': { named: ['1'] },
  'GET /prices/{}/{}': { named: ['1', weth] },
  'GET /prices/{}': { named: ['1'], query: { addresses: weth } },
  'GET /projects/{}/protocols': { named: ['uniswap'] },
  'GET /standards/{}': { named: ['uniswap-v2'] },
  'GET /actions/{}': { named: ['svc'] },
  'GET /wallet': { query: { fromAddress: sender } },
  'GET /wallet/approve': { query: { fromAddress: sender, tokenAddress: usdc, amount: '5' } },
  'GET /wallet/balances': { query: { eoaAddress: sender, useEoa: 'true' } },
  'GET /opportunities/{}': { named: [sender] },
  'GET /opportunities/tokenIn/{}': { named: [usdc] },
  'GET /layerzero/pool': { query: { token: native } },
  'GET /stargate/pool': { query: { token: native } },
  'GET /ccip/router': { query: { chainId: '1' } },
  'GET /cctp/bridge/tokenmessengerv2': { query: { chainId: '1' } },
  'GET /cctp/bridge/claim': { query: { txHash: `0x${'ab'.repeat(32)}` } },
  'GET /{}/bridge/check': { named: ['across'], query: { txHash: `0x${'ab'.repeat(32)}` } },
  'GET /{}/bridge/events': { named: ['across'], query: { txHash: `0x${'ab'.repeat(32)}` } },
  'GET /bridge/events': { query: { address: sender } },
  'POST /hindsight': { body: { hash: `0x${'ab'.repeat(32)}` } },
  'POST /api/experimental/multichain/shortcut/route': {
    body: {
      amountIn: '1000000000000000000',
      slippage: '50',
      fromAddress: sender,
      in: { sourceChainId: 1, token: native },
      out: { destinationChainId: 1, token: usdc },
    },
  },
  'POST /pools/import': {
    body: {
      pools: [
        {
          protocol: 'uniswap-v3',
          id: pool,
          address: pool,
          tokens: [usdc, weth],
          parameters: { fee: 500, tickSpacing: 10 },
        },
      ],
    },
  },
  'POST /orders': {
    body: {
      orders: [
        {
          maker: sender,
          tokenIn: weth,
          tokenOut: usdc,
          amountIn: '1000000000000000000',
          amountOut: '3000000000',
          expiry: 1_900_000_000,
          nonce: '1',
          signature: `0x${'11'.repeat(65)}`,
        },
      ],
    },
  },
  'DELETE /orders': { query: { hashes: `0x${'22'.repeat(32)}` } },
  'GET /cassettes/{}/requests/{}': { named: ['none.cassette', '1'] },
  'GET /cassettes/{}': { named: ['none.cassette'] },
  'POST /cassettes/{}/check': { named: ['none.cassette'] },
  'POST /suites': {
    body: {
      suite: `cases: [{ name: a, prices: { addresses: [${weth}] }, expect: { price: 3000 } }]`,
    },
  },
  'POST /keys': { body: { name: 'test' } },
  'POST /backtests': { body: { blocks: { from: 1 }, requests: [quote] } },
}

export interface AskedOf {
  readonly method: FamilyEndpoint['method']
  /** Path and query. */
  readonly target: string
  readonly body: unknown
}

/**
 * @param change - takes the place of what the query, or else the JSON object, says of these names.
 * @param part - takes the place of the last part that the path leaves open.
 */
export function requestFor(
  endpoint: FamilyEndpoint,
  change: Readonly<Record<string, unknown>> = {},
  part?: string,
): AskedOf {
  const { named = [], query = {}, body } = requests[nameOf(endpoint).replace('/api/v1', '')] ?? {}
  // Ids of jobs are the only ones that nothing stands for.
  const parts = part === undefined ? [...named, 'a1b2c3d4'] : [...named.slice(0, -1), part]
  let next = 0
  const path = endpoint.path.replaceAll('{}', () => parts[next++] ?? '')
  const isInBody = typeof body === 'object' && !Array.isArray(body)
  // Only a JSON object has a place for what is no text.
  const texts = Object.entries(change).filter(([, value]) => typeof value === 'string')
  const changed = { ...query, ...(Object.fromEntries(texts) as Record<string, string>) }
  const search = new URLSearchParams(isInBody ? query : changed)
  return {
    method: endpoint.method,
    target: `${path}?${search}`,
    body: isInBody ? { ...body, ...change } : body,
  }
}
