/** Native tokens for the receiver on the destination: bought with the messaging fee, paid by who delivers. */
import { concatHex, createWalletClient, http, numberToHex, padHex, toFunctionSelector } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { messageLibrary } from '../../../src/sandbox/bridges/bridge-addresses.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { startAnvil } from '../../support/anvil.js'
import { allBut } from '../../support/bridges/all-but.js'
import { rawTransfers } from '../../support/bridges/raw-transfers.js'
import { runCli } from '../../support/cli.js'
import { receiptOf } from '../../support/mined.js'
import { startService, type TestService } from '../../support/service/service.js'

const { address: alice, privateKey } = sandboxAccount('alice')
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdcThere: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const aero: Address = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'
const gasDrop = 1_234_567_890_123_456n

let sandboxes: Sandbox[]
let service: TestService
const nodeOf = (chainId: number) => sandboxes.find((one) => one.chainId === chainId)?.url ?? ''

beforeAll(async () => {
  sandboxes = await startSandboxes([1, 8453])
  service = await startService({ RPC_URL_1: nodeOf(1), RPC_URL_8453: nodeOf(8453) })
})
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

const crossing = { chainId: '1', destinationChainId: '8453', fromAddress: alice }
const fromUsdc = { tokenIn: usdc, amountIn: '300000000' }

/** Answers when all that can be delivered is. */
async function delivered(): Promise<void> {
  const body = { jsonrpc: '2.0', id: 1, method: 'sandbox_setRelayer', params: [] }
  const headers = { 'content-type': 'application/json' }
  await fetch(nodeOf(1), { method: 'POST', headers, body: JSON.stringify(body) })
}

async function balanceThere(owner: Address): Promise<bigint> {
  return rawTransfers(8453, nodeOf(8453)).client.getBalance({ address: owner })
}

describe('the receiver is paid the drop beside what is asked for', () => {
  test.each([
    ['without a message', '0x00000000000000000000000000000000000d0001', fromUsdc, usdcThere],
    ['with an order', '0x00000000000000000000000000000000000d0002', fromUsdc, aero],
    [
      ...(['of the pool of ether', '0x00000000000000000000000000000000000d0003'] as const),
      ...([{ tokenIn: nativeToken, amountIn: `${10n ** 18n}` }, aero] as const),
    ],
  ] as const)('%s', async (_what, receiver, given, tokenOut) => {
    const asked = { ...crossing, ...given, tokenOut, receiver, ignoreBridges: allBut('stargate') }
    const plain = await service.get('/api/v1/shortcuts/route', asked)
    expect(plain.status, plain.text).toBe(200)
    expect(plain.body).not.toHaveProperty('gasDrop')
    const { status, text, body } = await service.get('/api/v1/shortcuts/route', {
      ...asked,
      gasDrop: String(gasDrop),
      blockNumber: String(plain.body.blockNumber),
      destinationBlockNumber: String(plain.body.destinationBlockNumber),
    })
    expect(status, text).toBe(200)
    expect(body.gasDrop).toEqual({ receiver, amount: String(gasDrop) })
    expect(body.warnings.join(' ')).toContain('gas drop')
    // The sandbox sells wei for wei, as its chains have one native token.
    const more = BigInt(body.bridgeFee.native) - BigInt(plain.body.bridgeFee.native)
    expect(more).toBe(gasDrop)
    if (given.tokenIn === usdc) expect(body.amountOut).toBe(plain.body.amountOut)
    expect(BigInt(body.tx.value)).toBeGreaterThanOrEqual(BigInt(body.bridgeFee.native))

    const { client } = rawTransfers(1, nodeOf(1))
    const account = privateKeyToAccount(privateKey)
    const wallet = createWalletClient({ account, transport: http(nodeOf(1)) })
    const { to, data, value } = body.tx
    const hash = await wallet.sendTransaction({
      to,
      data,
      value: BigInt(value),
      chain: client.chain,
      gas: 3_000_000n,
    })
    expect((await receiptOf(client, hash)).status).toBe('success')
    await delivered()
    expect(await balanceThere(receiver)).toBe(gasDrop)
    const got = await rawTransfers(8453, nodeOf(8453)).balance(tokenOut, receiver)
    expect(got).toBeGreaterThanOrEqual(BigInt(body.minAmountOut))
  })
})

test('a bridge that has none is not taken, and a route without another is refused', async () => {
  const asked = { ...crossing, ...fromUsdc, tokenOut: usdcThere, gasDrop: String(gasDrop) }
  const found = await service.get('/api/v1/shortcuts/quote', asked)
  expect(found.status, found.text).toBe(200)
  expect(found.body.bridgingEstimates[0].bridge).toBe('stargate')
  const none = await service.get('/api/v1/shortcuts/quote', {
    ...asked,
    ignoreBridges: 'layerzero',
  })
  expect(none.status).toBe(422)
  expect(none.body).toMatchObject({
    code: 'NO_ROUTE',
    message: expect.stringContaining('gas drop'),
  })
})

test.each(['0', '-1', '1.5', 'x'])('refuses a drop of %s', async (given) => {
  const asked = { ...crossing, ...fromUsdc, tokenOut: usdcThere, gasDrop: given }
  const refused = await service.get('/api/v1/shortcuts/quote', asked)
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('gasDrop')
})

test('refuses a drop on the same chain', async () => {
  const asked = { chainId: '1', fromAddress: alice, ...fromUsdc, tokenOut: nativeToken }
  const refused = await service.get('/api/v1/shortcuts/quote', { ...asked, gasDrop: '1' })
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('gasDrop must not be given without a destinationChainId')
})

test('more than the executor pays out is refused with that reason', async () => {
  const node = await startAnvil([
    ...['--fork-url', nodeOf(1), '--chain-id', '1', '--no-storage-caching'],
    ...['--code-size-limit', '40000'],
  ])
  onTestFinished(() => node.stop())
  // As ULN302 and its executor's fee library refuse it: any quote of the library reverts so.
  const selector = toFunctionSelector('Executor_NativeAmountExceedsCap(uint256,uint256)')
  const word = (value: bigint) => padHex(numberToHex(value), { size: 32 })
  const data = concatHex([selector, word(gasDrop), word(1n)])
  const code = concatHex(['0x6044600c60003960446000fd', data])
  await node.rpc('anvil_setCode', [messageLibrary, code])
  const other = await startService({ RPC_URL_1: node.url, RPC_URL_8453: nodeOf(8453) })
  onTestFinished(() => other.stop())
  const asked = { ...crossing, ...fromUsdc, tokenOut: usdcThere, gasDrop: String(gasDrop) }
  const refused = await other.get('/api/v1/shortcuts/quote', asked)
  expect(refused.status).toBe(422)
  expect(refused.text).toContain(`pays less than ${gasDrop} wei as a gas drop`)
})

test('the command line takes it in whole tokens', async () => {
  const { code, out, err } = await runCli(
    [
      ...['route', '300', 'USDC', 'USDC', '--chain', '1', '--to-chain', '8453', '--from', alice],
      ...['--gas-drop', '0.001', '--url', service.url],
    ],
    { FORKROUTE_KEY: service.key },
  )
  expect(code, err).toBe(0)
  expect(out).toContain(`0.001 ETH to ${alice.toLowerCase()}`)
})
