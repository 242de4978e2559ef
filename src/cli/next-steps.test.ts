import { describe, expect, test } from 'vitest'
import { nextStepsOf } from './next-steps.js'

const token = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const sender = '0x90f79bf6eb2c4f870365e785982e1f101e93b906'

describe('nextStepsOf', () => {
  test('the approval that the service names is a command to paste', () => {
    const query = { chainId: '8453', fromAddress: sender, tokenAddress: token, amount: '1000000' }
    const next = [
      { endpoint: 'GET /api/v1/wallet/approve', query },
      { parameter: 'executionMode', value: 'backend' },
    ]
    expect(nextStepsOf({ code: 'INSUFFICIENT_ALLOWANCE', details: { next } })).toBe(
      `Next: allow it by the transaction of forkroute approve 1000000 ${token} --raw --from ${sender} --chain 8453; ` +
        'or calculate without asking for the funds by --backend.',
    )
  })

  test('parameters are options, with their value or without', () => {
    const next = [
      { parameter: 'slippage', value: '50' },
      { parameter: 'blockNumber', value: null },
      { parameter: 'amountIn', value: '5000' },
      { parameter: 'fromAddress' },
    ]
    expect(nextStepsOf({ code: 'INVALID_REQUEST', details: { next } })).toBe(
      'Next: give --slippage 50; or leave out --block; or give the amount 5000 with --raw; or give another --from.',
    )
  })

  test('steps of no use on the command line are left out', () => {
    const next = [
      { parameter: 'tokenIn' },
      { parameter: 'explain', value: 'true' },
      { header: 'authorization', value: 'Bearer <key>' },
      { endpoint: 'GET /api/v1/networks' },
      'nonsense',
    ]
    expect(nextStepsOf({ code: 'NO_ROUTE', details: { next } })).toBeNull()
  })

  test('a service that tells none is helped out where funds or allowances lack', () => {
    expect(nextStepsOf({ code: 'INSUFFICIENT_ALLOWANCE', details: {} })).toMatch(
      /forkroute approve.*--backend/,
    )
    expect(nextStepsOf({ code: 'NO_ROUTE', details: {} })).toBeNull()
  })
})
