/** Vaults and stakes in bundles over HTTP; every returned transaction is carried out on a separate Anvil. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { walletAddress } from '../../../src/executor/deployments.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { sandboxVault } from '../../../src/sandbox/venues/erc-4626.js'
import { gaugeSpecs, stakedToken } from '../../../src/sandbox/venues/staking-rewards.js'
import { yearnVaultSpecs } from '../../../src/sandbox/venues/yearn-v2.js'
import { type Action, askBundle, executeBundle, output } from '../../support/bundle.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const addressOf = (symbol: string) => sandboxToken(symbol).address
const [weth, crv, dai] = [addressOf('WETH'), addressOf('CRV'), addressOf('DAI')]
const from: Address = '0x00000000000000000000000000000000000f04a1'
const ether = 10n ** 18n
const [yearn] = yearnVaultSpecs
const [plan] = gaugeSpecs
if (!yearn || !plan) throw new Error('no plan')

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})
/** The answer, which its own transaction has kept to the wei and to the unit of gas. */
async function prove(actions: readonly Action[], query: Record<string, string> = {}) {
  const { status, body } = await askBundle(service, { fromAddress: from, ...query }, actions)
  expect(status, JSON.stringify(body)).toBe(200)
  const { routingStrategy } = query
  const execution = await executeBundle(service, body, {
    ...(routingStrategy && { routingStrategy }),
  })
  expect(execution.status).toBe('success')
  expect(execution.gained).toEqual(body.amountsOut)
  expect(execution.gasUsed.toString()).toBe(body.gas)
  return body
}

async function refused(actions: readonly Action[], query: Record<string, string> = {}) {
  return askBundle(service, { fromAddress: from, ...query }, actions)
}

const erc4626 = (action: string, args: Record<string, unknown>): Action => ({
  protocol: 'erc-4626',
  action,
  args,
})

describe('vaults in bundles', () => {
  test('what a route brings is deposited', async () => {
    const vault = sandboxVault('CRV')
    const route = { tokenIn: weth, tokenOut: crv, amountIn: ether.toString(), slippage: '50' }
    const body = await prove([
      { protocol: 'svc', action: 'route', args: route },
      erc4626('deposit', { primaryAddress: vault, tokenIn: crv, amountIn: output(0) }),
    ])
    expect(Object.keys(body.amountsOut)).toEqual([vault])
  })

  test('a route from WETH leads into a vault of CRV through its asset', async () => {
    const vault = sandboxVault('CRV')
    const args = { tokenIn: weth, tokenOut: vault, amountIn: ether.toString(), slippage: '50' }
    const body = await prove([{ protocol: 'svc', action: 'route', args }])
    expect(BigInt(body.amountsOut[vault])).toBeGreaterThan(0n)
    const back = { tokenIn: vault, tokenOut: weth, amountIn: body.amountsOut[vault] }
    const returned = await prove([
      { protocol: 'svc', action: 'route', args: { ...back, slippage: '50' } },
    ])
    expect(BigInt(returned.amountsOut[weth])).toBeGreaterThan((ether * 95n) / 100n)
  })

  test('deposit and withdrawal of exact assets in one transaction', async () => {
    const vault = sandboxVault('WETH')
    const body = await prove([
      erc4626('deposit', { primaryAddress: vault, tokenIn: weth, amountIn: ether.toString() }),
      erc4626('withdraw', {
        primaryAddress: vault,
        tokenOut: weth,
        amountOut: (ether / 4n).toString(),
        amountIn: output(0),
      }),
    ])
    expect(body.amountsOut[weth]).toBe((ether / 4n).toString())
    expect(body.amountsIn).toEqual({ [weth]: ether.toString() })
  })

  test('the own words of a vault that refuses reach the caller', async () => {
    for (const [symbol, amountIn, reason] of [
      ['USDT', '1000000', 'EnforcedPause()'],
      ['DAI', (20_000n * ether).toString(), 'ERC4626ExceededMaxDeposit('],
    ] as const) {
      const args = { primaryAddress: sandboxVault(symbol), tokenIn: addressOf(symbol), amountIn }
      const { status, body } = await refused([erc4626('deposit', args)])
      expect(status).toBe(422)
      expect(JSON.stringify(body)).toContain(reason)
    }
    const args = { primaryAddress: sandboxVault('LINK'), amountIn: (60_000n * ether).toString() }
    const { status, body } = await refused([erc4626('redeem', args)])
    expect(status).toBe(422)
    expect(JSON.stringify(body)).toContain('not enough liquidity')
  })

  test('of an asset that taxes transfers what arrives is deposited', async () => {
    const [vault, tokenIn] = [sandboxVault('PAXG'), addressOf('PAXG')]
    const args = { primaryAddress: vault, tokenIn, amountIn: ether.toString() }
    const body = await prove([erc4626('deposit', args)])
    expect(BigInt(body.amountsOut[vault])).toBeGreaterThan(0n)
  })

  test('stETH is wrapped, and unwrapped again', async () => {
    const [stETH, wstETH] = [addressOf('stETH'), addressOf('wstETH')]
    const args = { tokenIn: stETH, tokenOut: wstETH, amountIn: ether.toString() }
    const funded = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
    const { status, body } = await askBundle(service, { fromAddress: funded }, [
      { protocol: 'lido', action: 'deposit', args },
      { protocol: 'lido', action: 'redeem', args: { amountIn: output(0) } },
    ])
    expect(status, JSON.stringify(body)).toBe(200)
    const back = BigInt(body.amountsOut[stETH])
    expect(back <= ether && back >= ether - 8n, `${back}`).toBe(true)
  })

  test('a vault of Yearn is entered and left', async () => {
    const { vault } = yearn
    const args = { primaryAddress: vault, tokenIn: dai, amountIn: (1_000n * ether).toString() }
    const body = await prove([
      { protocol: 'yearn-v2', action: 'deposit', args },
      {
        protocol: 'yearn-v2',
        action: 'redeem',
        args: { primaryAddress: vault, amountIn: output(0) },
      },
    ])
    expect(BigInt(body.amountsOut[dai])).toBeGreaterThan(999n * ether)
  })
})

describe('stakes in bundles', () => {
  const stake = (amountIn: string, more = {}): Action => ({
    protocol: 'staking-rewards',
    action: 'deposit',
    args: { primaryAddress: plan.gauge, tokenIn: stakedToken(plan), amountIn, ...more },
  })

  test.each(['delegate', 'svcwallet-v2'])(
    'an account of strategy %s owns its stake',
    async (routingStrategy) => {
      const unstake = {
        protocol: 'staking-rewards',
        action: 'withdraw',
        args: { primaryAddress: plan.gauge, amountOut: '1000000000000' },
      }
      const body = await prove([stake('3000000000000'), unstake], { routingStrategy })
      expect(body.amountsOut).toEqual({ [stakedToken(plan)]: '1000000000000' })
    },
  )

  test('by the Router it is refused with the strategies that work; for others by any', async () => {
    const byRouter = await refused([stake('3000000000000')])
    expect(byRouter.status).toBe(400)
    expect(JSON.stringify(byRouter.body)).toContain('delegate or svcwallet-v2')
    const query = { routingStrategy: 'svcwallet-v2' }
    const forOther = await refused([stake('3000000000000', { receiver: dai })], query)
    expect(forOther.status).toBe(400)
    expect(JSON.stringify(forOther.body)).toContain(walletAddress(from))
  })
})
