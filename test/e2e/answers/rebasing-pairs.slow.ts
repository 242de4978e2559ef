/**
 * Pairs that hold less of a token than they count on, as after a slashing of stETH. Nobody has told them yet: what they would
 * give by their reserves they refuse to pay. Answers are carried out on a separate Anvil.
 */
import { type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, bpsDenominator, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { protocols } from '../../../src/protocols/registry.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { executeOnFork } from '../../support/execute.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const stETH = sandboxToken('stETH').address
const [dollar, ether] = [10n ** 6n, 10n ** 18n]
const slippageBps = 50n
const context = withSandbox()
let service: TestService
let block: number
/** Taken before the slashing, which nobody knew of. */
let early: Awaited<ReturnType<typeof ask>>

beforeAll(async () => {
  const { client, sandbox } = context()
  block = Number(await client.request<Hex>('eth_blockNumber', []))
  service = await startService({ RPC_URL_1: sandbox.url, HEAD_POLL_MS: '250' })
  early = await ask('uniswap-v2', 'WETH', 'stETH', ether)
  const slot: Hex = `0x${'0'.repeat(64)}`
  const staked = BigInt(await client.request<Hex>('eth_getStorageAt', [stETH, slot, 'latest']))
  const slashed = numberToHex((staked * 99n) / 100n, { size: 32 })
  await client.request('anvil_setStorageAt', [stETH, slot, slashed])
  await client.request('evm_mine', [])
  block = Number(await client.request<Hex>('eth_blockNumber', []))
}, 300_000)
afterAll(() => service?.stop())

function tokenOf(symbol: string): Address {
  return symbol === 'ETH' ? nativeToken : sandboxToken(symbol).address
}

/** The route through the pairs of one exchange alone. */
async function ask(slug: string, from: string, to: string, amountIn: bigint) {
  const others = protocols.map((one) => one.slug).filter((one) => one !== slug)
  const answer = await service.get('/api/v1/shortcuts/route', {
    chainId: '1',
    fromAddress: alice,
    tokenIn: tokenOf(from),
    tokenOut: tokenOf(to),
    amountIn: String(amountIn),
    slippage: String(slippageBps),
    blockNumber: String(block),
    ignoreStandards: others.join(),
  })
  expect(answer.status, answer.text.slice(0, 500)).toBe(200)
  return answer.body
}

/** The transaction in the block after the slashing. */
function carryOut(tx: Awaited<ReturnType<typeof ask>>['tx'], to: string) {
  return executeOnFork({
    nodeUrl: context().sandbox.url,
    blockNumber: block,
    tx,
    approve: contractAddress('Router'),
    watch: [{ token: tokenOf(to), owner: alice }],
  })
}

test('a transaction from before the slashing reverts, and nothing is lost', async () => {
  expect(early.cautions).toContainEqual(expect.objectContaining({ kind: 'rebase' }))
  const { status, deltas } = await carryOut(early.tx, 'WETH')
  expect([status, deltas]).toEqual(['reverted', [0n]])
})

describe.each(['uniswap-v2', 'sushiswap-v2'])('pairs of %s after a slashing', (slug) => {
  test.each([
    ['WETH', 'stETH', ether / 10n],
    ['WETH', 'stETH', 30n * ether],
    ['stETH', 'WETH', ether / 10n],
    ['stETH', 'WETH', 30n * ether],
    ['ETH', 'stETH', 30n * ether],
    ['USDC', 'stETH', 20_000n * dollar],
    ['stETH', 'USDC', 20n * ether],
  ] as const)('%s into %s deliver what they promise: %s', async (from, to, amountIn) => {
    const { amountOut, minAmountOut, tx, cautions } = await ask(slug, from, to, amountIn)
    expect(cautions).toContainEqual(expect.objectContaining({ protocol: slug, kind: 'rebase' }))
    const least = (BigInt(amountOut) * (bpsDenominator - slippageBps)) / bpsDenominator
    expect(BigInt(minAmountOut)).toBe(least)
    const { status, deltas } = await carryOut(tx, to)
    expect([status, deltas]).toEqual(['success', [BigInt(amountOut)]])
  })
})
