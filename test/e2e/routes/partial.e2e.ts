/** Amounts beyond what the pools hold: an answer spends all of the input, or there is none. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { executeOnFork } from '../../support/execute.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const paxg: Address = '0x45804880de22913dafe09f4980848ece6ecbaf78'
const link: Address = '0x514910771af9ca656af840dff83e8264ecf986ca'
const sender: Address = '0x00000000000000000000000000000000000a11ce'
const refundReceiver: Address = '0x0000000000000000000000000000000000000fed'

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})
const cases: readonly (readonly [Address, bigint])[] = [
  ...[24n, 37n, 46n].map((digits) => [weth, digits] as const),
  ...[32n].map((digits) => [link, digits] as const),
  ...[32n, 46n].map((digits) => [nativeToken, digits] as const),
]

describe('GET /api/v1/shortcuts/route', () => {
  test.each(cases)('%s, 1e%d raw units: all spent, or no answer', async (tokenIn, digits) => {
    const amount = 10n ** digits
    const answer = await service.get('/api/v1/shortcuts/route', {
      chainId: '1',
      fromAddress: sender,
      refundReceiver,
      executionMode: 'backend',
      tokenIn,
      tokenOut: usdc,
      amountIn: `${amount}`,
    })
    if (digits === 46n || answer.status !== 200) {
      expect(answer.status, answer.text).toBe(422)
      expect(answer.body.code).toMatch(/^(NO_ROUTE|SIMULATION_REVERTED)$/)
      return
    }
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: answer.body.createdAt,
      tx: answer.body.tx,
      fund: [{ token: tokenIn, amount }],
      approve: contractAddress('Router'),
      // The most that a transaction may use (EIP-7825): a route through all pools uses nearly as much.
      gas: 2n ** 24n,
      watch: [
        { token: tokenIn, owner: sender },
        { token: tokenIn, owner: refundReceiver },
        { token: weth, owner: refundReceiver },
        { token: usdc, owner: sender },
      ],
    })
    expect(done.status).toBe('success')
    expect(done.deltas).toEqual([-amount, 0n, 0n, BigInt(answer.body.amountOut)])
  })

  test('far beyond the pools, an answer names a smaller amount and what it brings, and it does', async () => {
    const ask = (amountIn: bigint) =>
      service.get('/api/v1/shortcuts/route', {
        chainId: '1',
        fromAddress: sender,
        executionMode: 'backend',
        tokenIn: paxg,
        tokenOut: weth,
        amountIn: `${amountIn}`,
      })
    // Some sixty times what its one pair holds.
    const amount = 10n ** 22n
    const all = await ask(amount)
    const told = /: (\d+) of \S+ would bring about (\d+) of/.exec(all.body.warnings.join()) ?? []
    const [nearly, brings] = told.slice(1).map(BigInt)
    if (!nearly || !brings) throw new Error(all.text)
    expect(nearly).toBeLessThan(amount)
    expect(brings).toBeGreaterThanOrEqual((BigInt(all.body.amountOut) * 99n) / 100n)
    const { body } = await ask(nearly)
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: body.createdAt,
      tx: body.tx,
      fund: [{ token: paxg, amount: nearly }],
      approve: contractAddress('Router'),
      watch: [
        { token: paxg, owner: sender },
        { token: weth, owner: sender },
      ],
    })
    expect(done.status).toBe('success')
    const delivered = BigInt(body.amountOut)
    expect(done.deltas).toEqual([-nearly, delivered])
    // The tax of the token is in it as of the whole, which is right to a hundredth of a percent.
    expect(Number(delivered) / Number(brings)).toBeCloseTo(1, 4)
  })
})
