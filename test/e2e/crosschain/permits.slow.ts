/**
 * Routes to another chain that take their input by a signature: signed with the key of the sender, mined on an Anvil of the
 * source, and what they have sent delivered on one of the destination. Amounts to the unit, gas to that of the signature's
 * bytes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken, permit2Address } from '../../../src/domain/primitives.js'
import { contractAddress, executorAddress } from '../../../src/executor/deployments.js'
import { permit2Approval } from '../../../src/executor/permit2.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxPlan } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { allBut } from '../../support/bridges/all-but.js'
import { deliverOnFork, type Place, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import type { AnswerTransaction } from '../../support/execute.js'
import { signed } from '../../support/routing/permits.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'

/** Has allowed nobody anything. */
const carol = sandboxAccount('carol')
/** Holds what carol does not. */
const alice = sandboxAccount('alice')
const feeReceiver: Address = '0x00000000000000000000000000000000000cafe0'
const tokenOn = (chainId: number, symbol: string): Address =>
  sandboxPlan(chainId).market.token(symbol).address
const here = (symbol: string) => tokenOn(1, symbol)
const there = (symbol: string) => tokenOn(8453, symbol)

let sandboxes: Sandbox[]
let service: TestService

beforeAll(async () => {
  sandboxes = await startSandboxes([1, 8453])
  const nodes = sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])
  service = await startService(Object.fromEntries(nodes))
})
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

const ask = (query: Record<string, string>) =>
  service.get('/api/v1/shortcuts/route', {
    chainId: '1',
    destinationChainId: '8453',
    fromAddress: carol.address,
    permit: 'true',
    ...query,
  })

function place(chainId: number, blockNumber: number): Place {
  const nodeUrl = sandboxes.find((one) => one.chainId === chainId)?.url ?? ''
  return { chainId, nodeUrl, blockNumber, blockTimeSeconds: sandboxPlan(chainId).blockSeconds }
}

/** Mines it with what came before it in the block, and delivers what it has sent. */
async function carriedOut(
  { body }: Answer,
  { tx, first = [] }: { tx: AnswerTransaction; first?: readonly AnswerTransaction[] },
  trade: { readonly tokenIn: Address; readonly tokenOut: Address },
) {
  const [source, destination] = [
    place(1, body.blockNumber),
    place(8453, body.destinationBlockNumber),
  ]
  const owner = tx.from as Address
  const { tokenIn, tokenOut } = trade
  const watch = [
    ...[owner, contractAddress('Router'), executorAddress(owner), feeReceiver].map((holder) => ({
      token: tokenIn,
      owner: holder,
    })),
  ]
  const sent = await sendOnFork(source, tx, first, watch)
  if (sent.status !== 'success') return { sent, delivered: null }
  const delivered = await deliverOnFork({
    source,
    destination,
    logs: sent.logs,
    watch: { token: tokenOut, owner },
  })
  return { sent, delivered }
}

const trades = [
  ['eip2612', 'across', 'USDC', there('USDC'), { amountIn: '300000000' }],
  ['eip2612', 'stargate', 'USDC', there('DAI'), { amountIn: '300000000' }],
  ['eip2612', 'cctp', 'USDC', there('USDC'), { amountIn: '300000000', fee: '100' }],
  ['eip2612', 'canonical', 'USDC', nativeToken, { amountIn: '300000000' }],
  ['permit2', 'across', 'DAI', there('WETH'), { amountIn: `3${'0'.repeat(20)}` }],
  ['permit2', 'stargate', 'USDT', there('USDC'), { amountIn: '300000000', fee: '100' }],
  [
    'permit2',
    'cctp',
    'USDC',
    there('USDC'),
    { amountIn: '300000000', routingStrategy: 'router-legacy' },
  ],
  ['permit2', 'canonical', 'DAI', nativeToken, { amountIn: `3${'0'.repeat(20)}` }],
] as const

describe.each(trades)('%s over %s: %s to %s', (kind, bridge, symbol, tokenOut, terms) => {
  test('delivers amountOut for amountIn, and leaves no allowance', async () => {
    const tokenIn = here(symbol)
    const owner = kind === 'eip2612' ? carol : alice
    const hasFee = 'fee' in terms
    const answer = await ask({
      ...terms,
      ...(hasFee && { feeReceiver }),
      fromAddress: owner.address,
      tokenIn,
      tokenOut,
      ignoreBridges: allBut(bridge),
      executionMode: kind === 'eip2612' ? 'user' : 'backend',
    })
    expect(answer.status, answer.text).toBe(200)
    const { body } = answer
    expect(body.permit.kind).toBe(kind)
    const amountIn = BigInt(terms.amountIn)
    const stated = { owner: carol.address, value: terms.amountIn }
    const permitted = { token: tokenIn, amount: terms.amountIn }
    expect(body.permit.typedData.message).toMatchObject(
      kind === 'eip2612' ? stated : { permitted, spender: executorAddress(owner.address) },
    )
    const { tx, gas } = await signed(answer, owner)
    const own = { from: owner.address, to: tokenIn, value: '0', key: owner.privateKey }
    const first = kind === 'permit2' ? [{ ...own, data: permit2Approval(amountIn) }] : []
    const { sent, delivered } = await carriedOut(answer, { tx, first }, { tokenIn, tokenOut })
    expect(sent).toMatchObject({ status: 'success', gasUsed: gas })
    expect(sent.deltas).toEqual([-amountIn, 0n, 0n, hasFee ? amountIn / 100n : 0n])
    expect(delivered).toMatchObject({ status: 'delivered', gained: BigInt(body.amountOut) })
  })
})

test("somebody else's signature, and the stand-in, send nothing", async () => {
  const trade = { tokenIn: here('USDC'), tokenOut: there('USDC') }
  const answer = await ask({ ...trade, amountIn: '300000000' })
  const other = await signed(answer, carol, alice)
  expect((await carriedOut(answer, other, trade)).sent.status).toBe('reverted')
  const tx = { ...answer.body.tx, key: carol.privateKey }
  expect((await carriedOut(answer, { tx }, trade)).sent.status).toBe('reverted')
})

test("with the sender's own funds, Permit2 must have been allowed, and the balance is checked", async () => {
  const trade = { tokenOut: there('USDC'), executionMode: 'user' }
  const unallowed = await ask({
    ...trade,
    fromAddress: alice.address,
    tokenIn: here('DAI'),
    amountIn: `3${'0'.repeat(20)}`,
  })
  expect(unallowed.body).toMatchObject({
    code: 'INSUFFICIENT_ALLOWANCE',
    details: { spender: permit2Address },
  })
  const much = await ask({ ...trade, tokenIn: here('USDC'), amountIn: '1000000000000000' })
  expect(much.body.code).toBe('INSUFFICIENT_BALANCE')
})
