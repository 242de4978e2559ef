/**
 * A running API over real HTTP with a small engine behind it: for the rules of the wire,
 * where what the engine finds does not matter. The engine keeps what it was asked.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { z } from 'zod'
import { type KeyStore, openKeyStore } from '../../src/api/key-store.js'
import { type ApiServer, createApiServer } from '../../src/api/server.js'
import { serviceVersion } from '../../src/api/version.js'
import { answersKind } from '../../src/backtest/kind.js'
import { openBacktests } from '../../src/backtest/open.js'
import { OrderStore } from '../../src/catalog/order-store.js'
import { openCatalog } from '../../src/catalog/store.js'
import { ethereum } from '../../src/chains/ethereum.js'
import { chains } from '../../src/chains/registry.js'
import { type Config, loadConfig } from '../../src/config/config.js'
import type { BundleAnswer, BundleRequest } from '../../src/domain/bundle.js'
import type {
  CallContext,
  Engine,
  NontokenizedRequest,
  QuoteRequest,
  RouteAnswer,
  RouteRequest,
} from '../../src/domain/engine.js'
import type { BaseListing } from '../../src/domain/metadata.js'
import { nativeToken, type Token } from '../../src/domain/primitives.js'
import { protocolRecords, serviceActionRecords } from '../../src/engine/protocol-records.js'
import { createOperations } from '../../src/operations/operations.js'
import { protocols } from '../../src/protocols/registry.js'
import { createLogger } from '../../src/telemetry/log.js'
import { pinOf } from '../support/pin.js'
import { idleParts } from './operators/idle-parts.js'

export const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
export const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
export const dai = '0x6b175474e89094c44da98b954eedeac495271d0f'
export const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
export const blockNumber = 23_000_000

export interface Asked {
  readonly routes: RouteRequest[]
  readonly quotes: QuoteRequest[]
  /** Where the batches of quotes were to be calculated. */
  readonly batches: { chainId: number; blockNumber?: bigint }[]
  readonly contexts: CallContext[]
  readonly prices: { chainId: number; addresses: readonly string[]; blockNumber?: bigint }[]
  readonly approvals: unknown[]
  readonly balances: unknown[]
  readonly opportunities: unknown[]
  readonly checks: unknown[]
  readonly hindsights: unknown[]
  readonly nontokenized: NontokenizedRequest[]
  readonly bundles: BundleRequest[]
}

export const tokens: readonly Token[] = [
  { chainId: 1, address: dai, symbol: 'DAI', name: 'Dai', decimals: 18, logoUri: null },
  { chainId: 1, address: usdc, symbol: 'USDC', name: 'USD Coin', decimals: 6, logoUri: 'u.png' },
  { chainId: 1, address: weth, symbol: 'WETH', name: 'Ether', decimals: 18, logoUri: null },
  { chainId: 8453, address: usdc, symbol: 'USDC', name: 'USDC', decimals: 6, logoUri: null },
]

export const baseListings: readonly BaseListing[] = tokens.map((token, index) => ({
  kind: 'base',
  id: index + 1,
  token,
}))

export function answerTo(request: QuoteRequest): RouteAnswer {
  const fees = request.inputs.flatMap(({ token, feeBps }) =>
    feeBps === undefined ? [] : { token, amount: feeBps },
  )
  return {
    chainId: request.chainId,
    route: [
      {
        action: 'swap',
        protocol: 'uniswap-v2',
        tokenIn: request.inputs.map(({ token }) => token),
        tokenOut: request.tokensOut,
        positionInId: [],
        positionOutId: [],
        chainId: request.chainId,
        primary: weth,
      },
    ],
    gas: 150_000n,
    outputs: request.tokensOut.map((token, index) => ({
      token,
      amountOut: 2n ** 200n + BigInt(index),
      minAmountOut: 1_000n,
    })),
    priceImpact: 12.5,
    block: pinOf(request.chainId, Number(request.blockNumber ?? blockNumber)),
    tx: { from: request.fromAddress ?? dai, to: dai, data: '0x1234', value: 5n },
    ...(fees.length > 0 && { fees }),
    ...(request.includeTransactionCost && { gasCost: { native: 7n, usd: 0.5 } }),
    warnings: [],
  }
}

function bundleOf({
  chainId,
  fromAddress,
}: Pick<BundleRequest, 'chainId' | 'fromAddress'>): BundleAnswer {
  return {
    chainId,
    actions: [],
    gas: 150_000n,
    outputs: [{ token: dai, amountOut: 5n, minAmountOut: 4n }],
    payments: [],
    fees: [],
    inputs: [{ token: dai, amount: 6n }],
    maximums: [{ token: dai, amount: 6n }],
    route: [],
    block: pinOf(chainId, blockNumber),
    tx: { from: fromAddress, to: dai, data: '0x1234', value: 0n },
    priceImpact: null,
    prerequisites: [],
    unprotected: [],
    warnings: [],
  }
}

function createEngine(asked: Asked): Engine {
  return {
    networks: () => [
      { id: 1, name: 'Ethereum', isConnected: true, nativeToken, blockNumber },
      { id: 8453, name: 'Base', isConnected: false, nativeToken, blockNumber: null },
    ],
    readiness: () => ({ ready: true, chains: [] }),
    aggregators: (chainId) => [...(chainId === 8453 ? [] : ['uniswap-v2']), 'uniswap-v3'],
    async route(request, context) {
      asked.routes.push(request)
      asked.contexts.push(context)
      return answerTo(request)
    },
    async quote(request, context) {
      asked.quotes.push(request)
      asked.contexts.push(context)
      return answerTo(request)
    },
    async quotes({ requests, ...at }, context) {
      asked.quotes.push(...requests)
      asked.batches.push(at)
      asked.contexts.push(context)
      const quotes = requests.map((request) => ({ ok: true as const, value: answerTo(request) }))
      return { block: pinOf(at.chainId, Number(at.blockNumber ?? blockNumber)), quotes }
    },
    block: async (chainId, at) => pinOf(chainId, at === 'latest' ? blockNumber : Number(at)),
    blockAtTime: async (chainId) => pinOf(chainId, blockNumber),
    changedBlocks: async ({ from }) => [from],
    async bridgeCheck(args) {
      asked.checks.push(args)
      const { chainId, transactionHash } = args
      return { chainId, transactionHash, status: 'pending', hops: [] }
    },
    async bridgeTransfers(address) {
      asked.checks.push({ address })
      return {
        searched: [{ chainId: 1, fromBlock: 1, toBlock: 9 }],
        unsearched: [],
        count: 0,
        transfers: [],
      }
    },
    async hindsight(request) {
      asked.hindsights.push(request)
      return { transactions: [], warnings: [] }
    },
    cctpMessenger: (chainId) => (chainId === 1 ? weth : null),
    async cctpClaim(args) {
      asked.checks.push({ bridge: 'cctp', ...args })
      return { claimable: false, reason: 'It is not attested yet.' }
    },
    messagingPools: ({ chainId, token, destinationChainId = 8453 }) =>
      token === dai
        ? null
        : [
            {
              chainId,
              token,
              pool: weth,
              decimals: 6,
              destinationChainId,
              destination: { pool: dai, token: usdc, decimals: 18 },
            },
          ],
    executions: async (_chainId, _block, requests) =>
      requests.map(() => ({
        status: 'filled',
        outputs: [{ token: usdc, amount: 5n }],
        gas: 100_000n,
      })),
    async nontokenized(request) {
      asked.nontokenized.push(request)
      const { crosschain, positionOut } = request
      const destinationBlock = crosschain && pinOf(crosschain.destinationChainId, blockNumber)
      return {
        ...bundleOf(request),
        positionOut,
        deposits: [{ token: dai, amountOut: 5n, minAmountOut: 4n }],
        ...(destinationBlock && {
          crosschain: { destinationBlock, bridgeFee: { native: 1n, usd: null }, estimates: [] },
        }),
      }
    },
    bundle: async (request) => {
      asked.bundles.push(request)
      return { ...bundleOf(request), actions: request.actions }
    },
    headAfter: (chainId, after, { signal }) =>
      new Promise((resolve, reject) => {
        if (after === null) resolve(pinOf(chainId, blockNumber))
        else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      }),
    async prices(chainId, addresses, block) {
      asked.prices.push({ chainId, addresses, ...(block !== undefined && { blockNumber: block }) })
      return addresses.map((address) =>
        address === dai
          ? null
          : {
              chainId,
              address,
              decimals: 18,
              price: 1.5,
              timestamp: 1_750_000_000,
              confidence: 0.9,
              blockNumber,
              source: 'chainlink',
            },
      )
    },
    tokens: (chainId) => tokens.filter((token) => !chainId || token.chainId === chainId),
    listings: async ({ chainId }) =>
      baseListings.filter((one) => !chainId || one.token.chainId === chainId),
    // Those of Ethereum as if it were the only chain, the others where they are.
    protocols: () =>
      protocols.flatMap((one) =>
        protocolRecords([one], ethereum.venues[one.slug] ? [ethereum] : chains, tokens),
      ),
    serviceActions: () => serviceActionRecords,
    wallet: async ({ chainId, fromAddress: owner }) => ({
      address: dai,
      isDeployed: false,
      owner,
      chainId,
      strategies: {
        router: weth,
        delegate: weth,
        'router-legacy': weth,
        'delegate-legacy': weth,
        'wallet-v2': dai,
      },
    }),
    async approval(args) {
      asked.approvals.push(args)
      const tx = { from: args.fromAddress, to: args.token, data: '0x095ea7b3', value: 0n } as const
      return { tx, gas: 46_000n, spender: weth }
    },
    presentTokens: async ({ tokens: asked }) => asked.filter((token) => token !== dai),
    async opportunities(args) {
      asked.opportunities.push(args)
      return [
        { tokenIn: usdc, tokenOut: dai, amountIn: args.amountIn ?? 1_000_000n },
        { tokenIn: usdc, tokenOut: weth, amountIn: args.amountIn ?? 1_000_000n },
      ]
    },
    async balances(args) {
      asked.balances.push(args)
      const known = { name: null, symbol: 'DAI', logoUri: null, price: '1.0', decimals: 18 }
      return [{ token: dai, amount: 2n ** 100n, chainId: 1, ...known }]
    },
  }
}

export interface TestApi {
  readonly url: string
  readonly asked: Asked
  readonly server: ApiServer
  readonly keys: KeyStore
  readonly config: Config
  /** Everything that was logged, as text. */
  readonly log: () => string
  /** GET below /api/v1, or of an absolute path such as `/health`. */
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field.
  readonly body: any
}

export async function read(response: Response): Promise<Reply> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('application/json')
  const { status, headers } = response
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined }
}

/** The body, which must be of the documented shape with nothing undocumented in it. */
export async function documented(api: TestApi, path: string, schema: z.ZodType) {
  const reply = await api.get(path)
  expect(reply.status, reply.text).toBe(200)
  expect(schema.parse(reply.body)).toEqual(reply.body)
  return reply.body
}

/** Headers of a request with an API key. */
export function bearer(key: string) {
  return { authorization: `Bearer ${key}` }
}

/** As `openTestApi`, until the test is over. */
export async function startTestApi(
  env: Record<string, string> = {},
  change: Partial<Engine> = {},
): Promise<TestApi> {
  const { close, ...api } = await openTestApi(env, change)
  onTestFinished(close)
  return api
}

/** @param env - AUTH_MODE is open unless given. @param change - replaces methods of the engine. */
export async function openTestApi(
  env: Record<string, string> = {},
  change: Partial<Engine> = {},
): Promise<TestApi & { close(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-api-'))
  const config = loadConfig({ PORT: '0', AUTH_MODE: 'open', DATA_DIR: dataDir, ...env })
  const asked: Asked = {
    routes: [],
    bundles: [],
    quotes: [],
    batches: [],
    contexts: [],
    prices: [],
    approvals: [],
    balances: [],
    opportunities: [],
    checks: [],
    hindsights: [],
    nontokenized: [],
  }
  const lines: string[] = []
  const logger = createLogger('debug', { write: (line) => void lines.push(line) })
  const keys = openKeyStore(dataDir)
  const engine = { ...createEngine(asked), ...change }
  const backtests = await openBacktests({
    config,
    engine,
    kind: answersKind(config, serviceVersion),
    takesUp: true,
    logger,
  })
  const isOpen = config.authMode === 'open'
  const catalog = openCatalog(dataDir)
  const orders = new OrderStore(dataDir)
  const operations = createOperations({
    config,
    engine,
    catalog,
    orders,
    overlays: { current: () => null },
    evidence: { publicKey: () => `0x${'0'.repeat(64)}`, of: async () => ({}) },
    makers: { levels: () => [], sign: async () => null },
    ...idleParts,
    chains: [ethereum],
    sandboxPools: [],
    urls: config.rpcUrls,
    version: serviceVersion,
    indexDir: dataDir,
    isSandbox: false,
    diskBytes: async () => 4_096,
  })
  const server = createApiServer({
    engine,
    backtests,
    operations,
    config,
    logger,
    keys: isOpen ? null : keys,
  })
  const { url } = await server.listen()
  const close = async () => {
    await server.close()
    await operations.close()
    catalog.close()
    orders.close()
    await backtests.close()
    keys.close()
    rmSync(dataDir, { recursive: true })
  }
  const full = (path: string) =>
    /^\/(api|v1|health|ready|metrics|docs|openapi|\.well-known)/.test(path)
      ? `${url}${path}`
      : `${url}/api/v1${path}`
  return {
    close,
    url,
    asked,
    server,
    keys,
    config,
    log: () => lines.join(''),
    get: async (path, headers = {}) => read(await fetch(full(path), { headers })),
    post: async (path, body, headers = {}) =>
      read(
        await fetch(full(path), {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
  }
}
