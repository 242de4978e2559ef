/**
 * Stated outputs over every bridge and mode: the returned transaction is mined on an Anvil of the source, and what it sent
 * delivered on one of the destination by a script that shares no code with the product. The receiver has at least what was
 * asked for, and an input that is smaller by a basis point gives less.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { larger } from '../../../src/domain/lists.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxPlan } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { allBut } from '../../support/bridges/all-but.js'
import { deliverOnFork, type Place, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import { signed } from '../../support/routing/permits.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const carol = sandboxAccount('carol')
const bob = sandboxAccount('bob').address
const feeReceiver: Address = '0x00000000000000000000000000000000000cafe0'
const bridges = ['across', 'stargate', 'cctp', 'canonical'] as const
const modes = ['direct', 'source', 'destination', 'full'] as const
/** Of each bridge and mode. */
const amounts = Number(process.env.EXACT_AMOUNTS ?? 1)

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

function held(chainId: number, symbol: string) {
  const { address, decimals, priceUsdE12 } = sandboxPlan(chainId).market.token(
    symbol === 'ETH' ? 'WETH' : symbol,
  )
  const price = Number(priceUsdE12) / 1e12
  return { address: symbol === 'ETH' ? nativeToken : address, decimals, price }
}
const ethPrice = held(1, 'ETH').price
const here = (symbol: string) => held(1, symbol).address
const there = (symbol: string) => held(8453, symbol).address

const ask = (query: Record<string, string>) =>
  service.get('/api/v1/shortcuts/route', {
    chainId: '1',
    destinationChainId: '8453',
    fromAddress: alice,
    ...query,
  })

function place(chainId: number, blockNumber: number): Place {
  const nodeUrl = sandboxes.find((one) => one.chainId === chainId)?.url ?? ''
  return { chainId, nodeUrl, blockNumber, blockTimeSeconds: sandboxPlan(chainId).blockSeconds }
}

/** Mines it, delivers what it has sent, and compares what is spent and gained with the answer. */
async function proven(
  { body, text }: Answer,
  asked: {
    readonly tokenIn: Address
    readonly tokenOut: Address
    readonly amountOut: bigint
    readonly receiver?: Address
  },
  { tx, gas } = { tx: body.tx, gas: BigInt(body.gas) },
) {
  const { tokenIn, tokenOut, amountOut, receiver = tx.from } = asked
  const source = place(1, body.blockNumber)
  const destination = place(8453, body.destinationBlockNumber)
  const watched = { token: tokenIn, owner: tx.from }
  const sent = await sendOnFork(source, tx, [], [watched, { ...watched, owner: feeReceiver }])
  expect(sent, text.slice(0, 600)).toMatchObject({ status: 'success', gasUsed: gas })
  const watch = { token: tokenOut, owner: receiver }
  const delivered = await deliverOnFork({ source, destination, logs: sent.logs, watch })
  expect(delivered).toMatchObject({ status: 'delivered', gained: BigInt(body.amountOut) })
  expect(delivered.gained).toBeGreaterThanOrEqual(amountOut)
  return sent.deltas
}

describe.each(bridges)('%s', (bridge) => {
  const carried = bridge === 'cctp' ? ['USDC'] : bridge === 'canonical' ? ['ETH'] : ['USDC', 'ETH']
  test.each(modes)(
    '%s: the receiver gains what is stated, for about the least input',
    async (mode) => {
      const swapsHere = mode === 'source' || mode === 'full'
      const swapsThere = mode === 'destination' || mode === 'full'
      const drawn = fc.record({
        symbol: fc.constantFrom(...carried),
        from: fc.constantFrom('DAI', 'WBTC', 'LINK'),
        to: fc.constantFrom('DAI', 'cbBTC', 'USDbC'),
        cents: fc.integer({ min: 2_000, max: 2_000_000 }),
      })
      const seed = bridges.indexOf(bridge) * modes.length + modes.indexOf(mode)
      for (const { symbol, from, to, cents } of fc.sample(drawn, { seed, numRuns: amounts })) {
        const tokenIn = here(swapsHere ? from : symbol)
        const { address: tokenOut, decimals, price } = held(8453, swapsThere ? to : symbol)
        const amountOut =
          BigInt(Math.floor((cents / 100 / price) * 10 ** Math.min(decimals, 8))) *
          10n ** BigInt(Math.max(decimals - 8, 0))
        const query = {
          tokenIn,
          tokenOut,
          crosschainRouteMode: mode,
          ignoreBridges: allBut(bridge),
        }
        const answer = await ask({ ...query, amountOut: String(amountOut) })
        expect(answer.status, answer.text).toBe(200)
        const { body } = answer
        const [spent] = await proven(answer, { tokenIn, tokenOut, amountOut })
        const amountIn = BigInt(body.amountIn)
        // A native input is sent with the messaging fee, of which what is not needed comes back.
        if (tokenIn !== nativeToken) expect(spent).toBe(-amountIn)
        expect(BigInt(body.minAmountOut)).toBe((BigInt(body.amountOut) * 9_950n) / 10_000n)
        expect(BigInt(body.maxAmountIn)).toBe((amountIn * 10_050n + 9_999n) / 10_000n)
        // By a tenth of a basis point, or by what one unit of the input, of the output or of Stargate's ether is worth.
        const steps = [amountOut / 100_000n, amountOut / amountIn + 1n]
        if (symbol === 'ETH')
          steps.push(BigInt(Math.ceil((ethPrice / 1e6 / price) * 10 ** decimals)))
        const most = steps.reduce(larger)
        expect(BigInt(body.amountOut) - amountOut).toBeLessThanOrEqual(most)
        const less = await ask({ ...query, amountIn: String((amountIn * 9_999n) / 10_000n) })
        expect(less.status, less.text).toBe(200)
        expect(BigInt(less.body.amountOut)).toBeLessThan(amountOut)
      }
    },
  )
})

describe('the terms of a request', () => {
  const tokenIn = here('USDC')
  const tokenOut = there('DAI')
  const amountOut = 2_500n * 10n ** 18n
  const stated = { tokenIn, tokenOut, amountOut: String(amountOut) }

  test('a fee on the source is of what goes in', async () => {
    const answer = await ask({ ...stated, fee: '100', feeReceiver })
    expect(answer.status, answer.text).toBe(200)
    const amountIn = BigInt(answer.body.amountIn)
    const deltas = await proven(answer, { tokenIn, tokenOut, amountOut })
    expect(deltas).toEqual([-amountIn, amountIn / 100n])
    expect(answer.body.feeAmount).toEqual([String(amountIn / 100n)])
  })

  test('a fee on the destination is of what is delivered, and another receiver gains the rest', async () => {
    const answer = await ask({
      ...stated,
      fee: '50',
      feeReceiver: bob,
      destinationFeeReceiver: bob,
      receiver: bob,
    })
    expect(answer.status, answer.text).toBe(200)
    await proven(answer, { tokenIn, tokenOut, amountOut, receiver: bob })
  })

  test('a permit is for the amount that was found', async () => {
    const answer = await ask({ ...stated, permit: 'true', fromAddress: carol.address })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.permit.typedData.message.value).toBe(answer.body.amountIn)
    const [spent] = await proven(
      answer,
      { tokenIn, tokenOut, amountOut },
      await signed(answer, carol),
    )
    expect(spent).toBe(-BigInt(answer.body.amountIn))
  })

  test('a quote, alone and in a batch, takes what a route does, and no lane costs less', async () => {
    const asked = { ...stated, fromAddress: alice }
    const terms = { chainId: 1, destinationChainId: 8453 }
    const backend = { ...stated, executionMode: 'backend', includeTransactionCost: 'true' }
    const [route, quote, batch] = [
      await ask(backend),
      await service.get('/api/v1/shortcuts/quote', {
        ...asked,
        chainId: '1',
        destinationChainId: '8453',
      }),
      await service.post('/api/v1/shortcuts/quotes', {
        chainId: 1,
        quotes: [{ ...asked, ...terms }],
      }),
    ]
    expect(quote.body.amountIn, quote.text).toBe(route.body.amountIn)
    expect(batch.body.quotes, batch.text).toMatchObject([{ amountIn: route.body.amountIn }])
    const cost = ({ amountIn, bridgeFee, gasCost }: Answer['body']) =>
      Number(amountIn) / 1e6 + bridgeFee.usd + gasCost.usd
    // Who is to claim of CCTP pays for that besides.
    for (const bridge of ['across', 'stargate', 'canonical']) {
      const one = await ask({ ...backend, ignoreBridges: allBut(bridge) })
      expect(cost(route.body), bridge).toBeLessThan(cost(one.body) + 0.06)
    }
  })

  test('without the funds for it, the amount that is needed is told', async () => {
    const { amountIn } = (await ask({ ...stated, executionMode: 'backend', fromAddress: bob })).body
    const unallowed = await ask({ ...stated, executionMode: 'user', fromAddress: carol.address })
    expect(unallowed.body).toMatchObject({
      code: 'INSUFFICIENT_ALLOWANCE',
      details: { required: amountIn },
    })
    const poor = { ...stated, fromAddress: '0x00000000000000000000000000000000000000b0' }
    expect((await ask({ ...poor, executionMode: 'user' })).body).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: { required: amountIn },
    })
  })
})

test.each([
  ['credit of the path', 'stargate', 'USDC', 'USDC'],
  ['limit of one burn', 'cctp', 'USDC', 'USDC'],
  ['pools of the destination', 'cctp', 'USDC', 'AERO'],
  ['pools of the source', 'canonical', 'LINK', 'ETH'],
])(
  'more than the %s gives is a 422 with what can be asked for',
  async (_limit, bridge, from, to) => {
    const query = {
      tokenIn: here(from),
      tokenOut: there(to),
      executionMode: 'backend',
      ignoreBridges: allBut(bridge),
    }
    const { decimals } = held(8453, to)
    const much = await ask({ ...query, amountOut: String(10n ** BigInt(decimals + 10)) })
    expect(much, much.text).toMatchObject({ status: 422, body: { code: 'NO_ROUTE' } })
    const { largestAmountOut, next } = much.body.details
    expect(next).toEqual([{ parameter: 'amountOut', value: largestAmountOut }])
    const again = await ask({ ...query, amountOut: largestAmountOut })
    expect(again.status, again.text).toBe(200)
    expect(BigInt(again.body.amountOut)).toBeGreaterThanOrEqual(BigInt(largestAmountOut))
  },
)
