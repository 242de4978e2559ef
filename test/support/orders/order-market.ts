/** What tests of signed orders share: a service over a sandbox's node, the market's price, and requests about orders. */
import { type Hex, numberToHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { alice, deliveredByRoute } from '../declared-venues.js'
import { NodeWriter } from '../nodes/node-writer.js'
import type { SandboxContext } from '../sandbox.js'
import { startService, type TestService } from '../service/service.js'

export const weth = sandboxToken('WETH').address
export const usdc = sandboxToken('USDC').address
export const ether = 10n ** 18n
export const makerKey: Hex = `0x${'5e'.repeat(32)}`

export interface OrderMarket {
  readonly service: TestService
  readonly node: NodeWriter
  readonly maker: PrivateKeyAccount
  /** Lower case. */
  readonly makerAddress: Address
  /** Raw units of USDC for one WETH in the market. */
  readonly price: bigint
  /** A day after the newest block, unix seconds. */
  readonly expiry: number
  /** Raw units of USDC for an amount of WETH that are worth so much more than in the market. */
  better(amountIn: bigint, bps: bigint): bigint
  head(): Promise<string>
  imported(...orders: object[]): Promise<string[]>
  forget(hashes: readonly string[]): Promise<void>
  /** WETH for USDC of alice, at the newest block. */
  route(
    amountIn: bigint,
    more?: Record<string, string>,
    headers?: Record<string, string>,
  ): ReturnType<TestService['get']>
  /** What alice gets by the route on a fork of its own. */
  delivered(answer: Awaited<ReturnType<TestService['get']>>, amountIn: bigint): Promise<unknown>
  stop(): Promise<void>
}

/** The maker has 30,000 USDC. @param placeContracts - runs before the service starts. */
export async function openOrderMarket(
  { sandbox, client }: SandboxContext,
  placeContracts: (node: NodeWriter, makerAddress: Address) => Promise<void>,
  env: Record<string, string> = {},
): Promise<OrderMarket> {
  const node = await new NodeWriter(sandbox.url).start()
  const maker = privateKeyToAccount(makerKey)
  const makerAddress = toAddress(maker.address)
  for (const account of [alice, makerAddress]) {
    await node.rpc('anvil_impersonateAccount', [account])
  }
  await node.rpc('anvil_setBalance', [makerAddress, numberToHex(100n * ether)])
  const transfer = 'function transfer(address, uint256)'
  await node.send(usdc, transfer, [makerAddress, 30_000_000_000n], alice)
  await placeContracts(node, makerAddress)
  const newest = await client.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  const service = await startService({
    RPC_URL_1: sandbox.url,
    HEAD_POLL_MS: '250',
    FIRST_PIN_WAIT_MS: '60000',
    REQUEST_TIMEOUT_MS: '600000',
    UPSTREAM_TIMEOUT_MS: '120000',
    ...env,
  })
  const small = { tokenIn: weth, tokenOut: usdc, amountIn: String(ether / 10n) }
  const quote = await service.get('/api/v1/shortcuts/quote', small)
  expect(quote.status, quote.text).toBe(200)
  const price = BigInt(quote.body.amountOut) * 10n
  const head = async () => String(Number(await client.request<Hex>('eth_blockNumber', [])))
  return {
    service,
    node,
    maker,
    makerAddress,
    price,
    expiry: Number(newest.timestamp) + 86_400,
    better: (amountIn, bps) => (amountIn * price * (10_000n + bps)) / ether / 10_000n,
    head,
    async imported(...orders) {
      const { status, body, text } = await service.post('/api/v1/orders', { orders })
      expect(status, text).toBe(200)
      return body.hashes
    },
    async forget(hashes) {
      const path = `/api/v1/orders?hashes=${hashes.join()}`
      const { body } = await service.send(path, { method: 'DELETE' })
      expect(body).toEqual({ removed: hashes.length })
    },
    async route(amountIn, more = {}, headers = {}) {
      const query = { fromAddress: alice, executionMode: 'backend', tokenIn: weth, tokenOut: usdc }
      const asked = { ...query, amountIn: String(amountIn), blockNumber: await head(), ...more }
      return service.get('/api/v1/shortcuts/route', asked, headers)
    },
    delivered: (answer, amountIn) =>
      deliveredByRoute(sandbox.url, answer, {
        tokenIn: weth,
        tokenOut: usdc,
        amountIn: String(amountIn),
      }),
    async stop() {
      await service.stop()
      await node.close()
    },
  }
}
