/** Loans as clients ask for them: bundles over HTTP, whose transactions are carried out on an Anvil of their own. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type Action, askBundle, executeBundle, output } from '../../support/bundle.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const alice = sandboxAccount('alice').address
const cETH: Address = '0x4ddc2d193948926d02f9b1fe9e1daa0718270ed5'
const cDAI: Address = '0x5d3a536e4d6dbd6114cc1ead35777bab948e3643'
const comet: Address = '0xc3d688b66703497daa19211eedff47f25384cdc3'
const morpho = String(ethereum.venues['morpho-blue']?.morpho)
const marketId = '0xb323495f7e4148be5643a4ea4a8221eef163e4bccfdedc2a6f4696baacbc86cc'
const ether = 10n ** 18n

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})
const action = (protocol: string, name: string, args: Action['args']): Action => ({
  protocol,
  action: name,
  args,
})

/** Collateral, a loan, the loan swapped to WETH. */
const loans: Readonly<Record<string, readonly Action[]>> = {
  'compound-v2': [
    action('compound-v2', 'deposit', {
      primaryAddress: cETH,
      tokenIn: nativeToken,
      amountIn: (10n * ether).toString(),
    }),
    action('compound-v2', 'borrow', {
      primaryAddress: cDAI,
      collateral: cETH,
      tokenOut: token('DAI'),
      amountOut: (8_000n * ether).toString(),
    }),
    action('svc', 'route', { tokenIn: token('DAI'), tokenOut: token('WETH'), amountIn: output(1) }),
  ],
  'morpho-blue': [
    action('morpho-blue', 'deposit', {
      primaryAddress: morpho,
      marketId,
      tokenIn: token('wstETH'),
      amountIn: (10n * ether).toString(),
    }),
    action('morpho-blue', 'borrow', {
      primaryAddress: morpho,
      marketId,
      tokenOut: token('USDC'),
      amountOut: '8000000000',
    }),
    action('svc', 'route', {
      tokenIn: token('USDC'),
      tokenOut: token('WETH'),
      amountIn: output(1),
    }),
  ],
  'compound-v3': [
    action('compound-v3', 'deposit', {
      primaryAddress: comet,
      tokenIn: token('WETH'),
      amountIn: (10n * ether).toString(),
    }),
    action('compound-v3', 'borrow', {
      primaryAddress: comet,
      tokenOut: token('USDC'),
      amountOut: '8000000000',
    }),
    action('svc', 'route', {
      tokenIn: token('USDC'),
      tokenOut: token('DAI'),
      amountIn: output(1),
    }),
  ],
}

describe('collateral, a loan and a swap of it', () => {
  test.each([
    ['compound-v2', 'delegate', 'WETH'],
    ['morpho-blue', 'router', 'WETH'],
    ['morpho-blue', 'delegate', 'WETH'],
    ['compound-v3', 'router', 'DAI'],
    ['compound-v3', 'delegate', 'DAI'],
  ])('%s under %s', async (protocol, routingStrategy, symbol) => {
    const query = { fromAddress: alice, routingStrategy }
    const answer = await askBundle(service, query, loans[protocol] ?? [])
    expect(answer.status, answer.text).toBe(200)
    const { body } = answer
    const approvals: Record<string, string>[] = body.approvals ?? []
    expect(approvals).toHaveLength(routingStrategy === 'router' ? 1 : 0)
    expect(approvals).toEqual(
      (body.prerequisites ?? []).map(({ purpose, ...tx }: Record<string, string>) => ({
        ...tx,
        value: '0',
        description: purpose,
      })),
    )
    const done = await executeBundle(service, body, {
      routingStrategy,
      ...(protocol === 'compound-v2' && { isFunded: false }),
    })
    expect(done.status).toBe('success')
    const gained = BigInt(done.gained[token(symbol)] ?? 0n)
    expect(gained.toString()).toBe(body.amountsOut[token(symbol)])
    expect(gained).toBeGreaterThan(2n * ether)
  })
})

describe('what a market refuses', () => {
  test('a loan beyond the limit fails with the reason of the market', async () => {
    const query = { fromAddress: alice, routingStrategy: 'delegate' }
    for (const [protocol, changes, reason] of [
      ['compound-v2', { amountOut: (80_000n * ether).toString() }, /COMPTROLLER_REJECTION/],
      ['morpho-blue', { amountOut: '80000000000' }, /insufficient collateral/],
      ['compound-v3', { amountOut: '80000000000' }, /NotCollateralized/],
    ] as const) {
      const [deposit, borrow] = loans[protocol] ?? []
      if (!deposit || !borrow) throw new Error('no actions')
      const tooMuch = { ...borrow, args: { ...borrow.args, ...changes } }
      const answer = await askBundle(service, query, [deposit, tooMuch])
      expect(answer.status, answer.text).toBe(422)
      expect(answer.text).toMatch(reason)
    }
  })

  test('Compound V2 through the Router: the answer names the strategies that borrow', async () => {
    const answer = await askBundle(service, { fromAddress: alice }, loans['compound-v2'] ?? [])
    expect(answer.status, answer.text).toBe(400)
    expect(answer.text).toMatch(/delegate or svcwallet-v2/)
  })
})

test('a market of Morpho Blue by its position id, in actions that say so, is the same transaction', async () => {
  const own = loans['morpho-blue'] ?? []
  const named = own.map(({ protocol, action: name, args: { marketId: positionId, ...args } }) =>
    protocol === 'svc'
      ? action(protocol, name, args)
      : action(protocol, `${name === 'deposit' ? 'single' : ''}${name}withpositionid`, {
          ...args,
          positionId,
        }),
  )
  const query = { fromAddress: alice }
  const [plain, other, both, none] = await Promise.all([
    askBundle(service, query, own),
    askBundle(service, query, named),
    askBundle(service, query, [
      action('morpho-blue', 'deposit', {
        ...own[0]?.args,
        positionId: `0x${'12'.repeat(32)}`,
      }),
    ]),
    askBundle(service, query, [
      action('morpho-blue', 'deposit', { ...own[0]?.args, marketId: undefined }),
    ]),
  ])
  expect(other.status, other.text).toBe(200)
  expect(other.body.tx).toEqual(plain.body.tx)
  expect(both.body.message).toBe('action 0, positionId must be left out, or the same as marketId')
  expect(none.body.message).toBe('action 0, marketId must be given')
})
