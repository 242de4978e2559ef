/** What the sandbox's Aave V3 refuses of anybody. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { askBundle } from '../../support/bundle.js'
import {
  aAave,
  aave,
  aLink,
  aUni,
  aUsdc,
  aWeth,
  debtWeth,
  depositUsdc,
  expectRefusal,
  from,
} from '../../support/protocols/aave-v3.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const ether = 10n ** 18n
const million = 10n ** 12n

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

describe('reserves that refuse', () => {
  const depositOf = (symbol: string, tokenOut: Address, amountIn: bigint) =>
    aave('deposit', { tokenIn: token(symbol), tokenOut, amountIn })

  test.each([
    ['paused', depositOf('AAVE', aAave, ether), 'the reserve is paused'],
    ['frozen', depositOf('UNI', aUni, ether), 'the reserve is frozen'],
    ['full', depositOf('LINK', aLink, 3_000n * ether), 'the supply cap of the reserve is exceeded'],
  ])('%s', async (_case, action, reason) => {
    await expectRefusal(service, [action], reason)
  })
})

describe('arguments', () => {
  test.each([
    [
      'primaryAddress',
      { ...depositUsdc(million), args: { ...depositUsdc(million).args, primaryAddress: aUsdc } },
    ],
    ['tokenOut', aave('deposit', { tokenIn: token('USDC'), tokenOut: aWeth, amountIn: million })],
    ['tokenIn', aave('deposit', { tokenIn: token('MKR'), tokenOut: aWeth, amountIn: million })],
    ['tokenIn', aave('redeem', { tokenIn: debtWeth, tokenOut: token('WETH'), amountIn: million })],
    [
      'collateral',
      aave('borrow', { collateral: token('MKR'), tokenOut: token('WETH'), amountOut: 1n }),
    ],
    ['token', aave('harvest', { token: aWeth })],
  ])('%s that is not of the protocol is named', async (argument, action) => {
    const query = { fromAddress: from, routingStrategy: 'delegate' }
    const answer = await askBundle(service, query, [action])
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.message).toContain(`action 0, ${argument} must be`)
  })
})
