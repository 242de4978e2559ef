/** Bundles behind a front-run that takes more than the slippage: what they promise is enforced wherever it goes. */
import { toFunctionSelector } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, plusSlippage } from '../../../src/domain/primitives.js'
import {
  contractAddresses,
  curvePoolAddresses,
  curveSharesAddresses,
  v2PairAddress,
} from '../../../src/sandbox/addresses.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { sandboxVault } from '../../../src/sandbox/venues/erc-4626.js'
import { type Action, askBundle, executeBundle, output, own, route } from '../../support/bundle.js'
import {
  donation,
  executeBehind,
  loss,
  type Move,
  minimumReasons,
  swap,
} from '../../support/front-run.js'
import type { Answer } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const addressOf = (symbol: string) => sandboxToken(symbol).address
const [weth, uni] = [addressOf('WETH'), addressOf('UNI')]
const [crv, dai] = [addressOf('CRV'), addressOf('DAI')]
const from: Address = '0x00000000000000000000000000000000000f0b27'
const other: Address = '0x00000000000000000000000000000000000f0b28'
const ether = 10n ** 18n

const atMinimum = expect.stringMatching(minimumReasons)

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

async function ask(actions: readonly Action[], more: Readonly<Record<string, string>> = {}) {
  const { status, body } = await askBundle(service, { fromAddress: from, ...more }, actions)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** It works by itself, and reverts at a minimum behind the move. */
async function expectRevert(actions: readonly Action[], move: Move) {
  const body = await ask(actions)
  expect((await executeBundle(service, body)).status).toBe('success')
  const { status, reason } = await executeBehind(service, body, move)
  expect({ status, reason }).toEqual({ status: 'reverted', reason: atMinimum })
}

const mint = {
  protocol: 'uniswap-v3',
  action: 'deposit',
  args: {
    primaryAddress: contractAddresses.v3PositionManager,
    tokenIn: [weth, uni],
    amountIn: [(10n * ether).toString(), (3_000n * ether).toString()],
    fee: 500,
  },
}

const vault = sandboxVault('CRV')
const thousand = (1_000n * ether).toString()
const deposit = {
  protocol: 'erc-4626',
  action: 'deposit',
  args: { primaryAddress: vault, tokenIn: crv, amountIn: thousand },
}

/** Of UNI and WETH at 0.05 percent, 300,000 USD deep. */
const shallow = sandboxPools().find(
  ({ protocol, tokens, parameters }) =>
    protocol === 'uniswap-v3' &&
    parameters.fee === 500 &&
    tokens.includes(uni) &&
    tokens.includes(weth),
)

const sell = swap({
  protocol: 'uniswap-v3',
  pool: shallow?.address ?? '0x',
  tokenIn: weth,
  tokenOut: uni,
  amount: 40n * ether,
})

describe('a position of Uniswap V3', () => {
  test('does not take its tokens at a price that 40 WETH have moved', () =>
    expectRevert([mint], sell))

  test('nor with what a flash loan lends', () => {
    const loan = { token: weth, amount: (10n * ether).toString() }
    const args = { tokenIn: dai, tokenOut: weth, amountIn: (40_000n * ether).toString() }
    const callback = [mint, { protocol: 'uniswap-v2', action: 'swap', args }]
    return expectRevert([own('flashloan', { ...loan, callback })], sell)
  })

  test('takes what a wider slippage of its own allows', async () => {
    const wide = { ...mint, args: { ...mint.args, slippage: '9900' } }
    const { status } = await executeBehind(service, await ask([wide]), sell)
    expect(status).toBe('success')
  })

  test('is looked at for its liquidity, and carries the deadline of the order', async () => {
    const { tx } = await ask([mint])
    expect(tx.data).toContain(toFunctionSelector('positions(uint256)').slice(2))
    // Year 2106, as that of the order.
    expect(tx.data).toContain('f'.repeat(8).padStart(64, '0'))
    expect(tx.data).not.toContain('f'.repeat(16).padStart(64, '0'))
  })
})

describe('what a vault or a pool pays elsewhere than to the runner', () => {
  test('shares that a vault mints to a receiver', () => {
    const args = { ...deposit.args, receiver: other }
    return expectRevert([{ ...deposit, args }], donation(crv, vault, 1_000_000n * ether))
  })

  test('shares of which some are transferred to somebody', async () => {
    const transfer = own('transfer', { token: vault, recipient: other, amount: output(0) })
    await expectRevert([deposit, transfer], donation(crv, vault, 1_000_000n * ether))
  })

  test('shares that a withdrawal of exact assets leaves', () => {
    const args = { primaryAddress: vault, tokenIn: vault, tokenOut: crv, amountIn: thousand }
    const withdraw = { ...args, amountOut: (100n * ether).toString() }
    return expectRevert(
      [{ protocol: 'erc-4626', action: 'withdraw', args: withdraw }],
      loss(crv, vault, 50n),
    )
  })
})

test('the receiver of an action gets what the protocol pays to its caller', async () => {
  const args = { primaryAddress: vault, tokenIn: [dai], amountIn: [thousand] }
  const pool = { primaryAddress: curvePoolAddresses[0], tokenOut: curveSharesAddresses[0] }
  const join = { protocol: 'curve', action: 'deposit', args: { ...args, ...pool, receiver: other } }
  const body = await ask([join])
  const watch = [{ token: pool.tokenOut as Address, owner: other }]
  const { status, deltas } = await executeBundle(service, body, { watch })
  expect(status).toBe('success')
  expect(body.amountsOut).toEqual({ [curveSharesAddresses[0] ?? '']: String(deltas.at(-1)) })
  expect(deltas.at(-1)).toBeGreaterThan(900n * ether)
})

describe('what comes back of an input', () => {
  const million = 10n ** 6n
  const usdc = addressOf('USDC')
  const pair = v2PairAddress('uniswap-v2', weth, usdc)
  const vaultMint = {
    protocol: 'erc-4626',
    action: 'mint',
    args: {
      primaryAddress: vault,
      tokenIn: crv,
      tokenOut: vault,
      amountIn: (2_000n * ether).toString(),
      amountOut: thousand,
    },
  }
  const plenty = {
    protocol: 'uniswap-v2',
    action: 'deposit',
    args: {
      primaryAddress: pair,
      tokenIn: [weth, usdc],
      amountIn: [(10n * ether).toString(), (80_000n * million).toString()],
    },
  }
  const plentyOfUni = {
    ...mint,
    args: { ...mint.args, amountIn: [(10n * ether).toString(), (12_000n * ether).toString()] },
  }
  const buyWeth = swap({
    protocol: 'uniswap-v2',
    pool: pair,
    tokenIn: usdc,
    tokenOut: weth,
    amount: 2n * million * million,
  })
  const buyShallow = swap({
    protocol: 'uniswap-v3',
    pool: shallow?.address ?? '0x',
    tokenIn: uni,
    tokenOut: weth,
    amount: 5_000n * ether,
  })

  /** What the sender gives of a token in the end. */
  async function takenOf(body: Answer['body'], token: Address): Promise<bigint> {
    const watch = [{ token, owner: from }]
    const { status, deltas } = await executeBundle(service, body, { watch })
    expect(status).toBe('success')
    return -(deltas.at(-1) ?? 0n)
  }

  test.each([
    ['a deposit into a pair with too much of one side', plenty, usdc, buyWeth],
    ['a position of Uniswap V3 with too much of one side', plentyOfUni, uni, buyShallow],
    [
      'exact shares of a vault that a gift makes dearer',
      vaultMint,
      crv,
      donation(crv, vault, 1_000_000n * ether),
    ],
  ])(
    '%s takes no more than it was simulated to, and the slippage',
    async (_name, action, token, move) => {
      const body = await ask([action])
      expect(body.unprotected).toBeUndefined()
      const given = BigInt(body.amountsIn[token])
      const most = BigInt(body.maxAmountsIn[token])
      const taken = await takenOf(body, token)
      expect(taken).toBeLessThan((given * 9n) / 10n)
      expect(most - plusSlippage(taken, 5_000n)).toBeLessThanOrEqual(1n)
      expect(most).toBeGreaterThanOrEqual(taken)
      const { status, reason } = await executeBehind(service, body, move)
      expect({ status, reason }).toEqual({ status: 'reverted', reason: atMinimum })
    },
  )
})

describe('what the answer calls unprotected', () => {
  test('nothing where all is simulated', async () => {
    expect((await ask([mint, deposit])).unprotected).toBeUndefined()
  })

  test('a call of the own without tokenOut', async () => {
    const wrap = own('call', {
      address: weth,
      method: 'deposit',
      abi: 'function deposit()',
      args: [],
      value: ether.toString(),
    })
    const { unprotected } = await ask([deposit, wrap])
    expect(unprotected).toEqual([{ action: 1, reason: expect.stringContaining('tokenOut') }])
    const tokens = { ...wrap, args: { ...wrap.args, tokenOut: weth } }
    expect((await ask([deposit, tokens])).unprotected).toBeUndefined()
  })

  test('with skipQuote, all but what a swap was quoted', async () => {
    const swapped = route(weth, uni, ether)
    const { unprotected } = await ask([swapped, deposit, mint], { skipQuote: 'true' })
    const reason = expect.stringContaining('skipQuote')
    expect(unprotected).toEqual([
      { action: 1, token: vault, receiver: from, reason },
      {
        action: 2,
        position: expect.stringContaining(shallow?.address ?? '0x'),
        receiver: from,
        reason,
      },
      // A position takes of each of both what the price asks for.
      { action: 2, token: weth, receiver: from, reason },
      { action: 2, token: uni, receiver: from, reason },
    ])
  })

  test('with skipQuote a last swap still has its minimum', async () => {
    const move = swap({
      protocol: 'uniswap-v3',
      tokenIn: weth,
      tokenOut: uni,
      amount: 500n * ether,
    })
    const action = { protocol: 'uniswap-v3', action: 'swap' }
    const args = { tokenIn: weth, tokenOut: uni, amountIn: ether.toString() }
    const body = await ask([{ ...action, args }], { skipQuote: 'true' })
    expect(body.unprotected).toBeUndefined()
    expect((await executeBundle(service, body)).status).toBe('success')
    const { status, reason } = await executeBehind(service, body, move)
    expect({ status, reason }).toEqual({ status: 'reverted', reason: atMinimum })
  })
})
