/**
 * Gauges over HTTP: tokens into a gauge by one route and out again, listed or by the address alone, each executed on an
 * Anvil of its own; and what lists, wallets and prices say of them.
 */
import { maxUint256, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { expectExecution, stepsOf } from '../../support/answers.js'
import { askBundle, executeBundle, output } from '../../support/bundle.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import {
  createGauge,
  createOldGauge,
  deployGauges,
  type GaugeSet,
  listGauge,
} from '../../support/protocols/place-gauges.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const [usdc, weth, crv, uni] = ['USDC', 'WETH', 'CRV', 'UNI'].map(
  (symbol) => sandboxToken(symbol).address,
) as [Address, Address, Address, Address]
const pools = sandboxPools()
const curveShare = toAddress(
  String(pools.find(({ protocol }) => protocol === 'curve')?.parameters.lpToken),
)
const balancerPool = pools.find(
  ({ protocol, tokens }) => protocol === 'balancer-v2' && tokens.includes(weth),
)
const balancerShare = toAddress(String(balancerPool?.id.slice(0, 42)))
const ether = 10n ** 18n
const approve = 'function approve(address, uint256)'

let node: NodeWriter
let service: TestService
let curve: GaugeSet
let balancer: GaugeSet
let unlisted: Address
let old: Address
let second: Address

beforeAll(async () => {
  service = await startService({ SERVICE_NAME: 'svc' })
  node = await new NodeWriter(service.nodeUrl).start()
  curve = await deployGauges(node, {
    at: 'curve-gauge',
    style: 'curve',
    reward: crv,
    staked: [curveShare],
  })
  unlisted = await createGauge(node, curve, curveShare)
  old = await createOldGauge(node, curveShare)
  second = await createOldGauge(node, curveShare, 2)
  for (const gauge of [old, second]) await listGauge(node, curve, gauge)
  balancer = await deployGauges(node, {
    at: 'balancer-gauge',
    style: 'balancer',
    reward: uni,
    staked: [balancerShare],
  })
  await node.rpc('anvil_impersonateAccount', [alice])
  for (const token of [usdc, weth, curveShare, listed(), unlisted, second, ofBalancer()]) {
    await node.send(token, approve, [contractAddress('Router'), maxUint256], alice)
  }
  // What leaving takes.
  for (const [share, gauge] of [
    [curveShare, listed()],
    [curveShare, unlisted],
    [curveShare, second],
    [balancerShare, ofBalancer()],
  ] as const) {
    await node.rpc('anvil_dealERC20', [alice, share, numberToHex(100n * ether)])
    await node.send(share, approve, [gauge, maxUint256], alice)
    await node.send(gauge, 'function deposit(uint256)', [50n * ether], alice)
  }
})
afterAll(async () => {
  await node?.close()
  await service?.stop()
})

const listed = () => curve.gauges[0] as Address
const ofBalancer = () => balancer.gauges[0] as Address

async function proven(tokenIn: Address, tokenOut: Address, amountIn: bigint) {
  const query = { fromAddress: alice, tokenIn, tokenOut, amountIn: amountIn.toString() }
  const answer = await service.get('/api/v1/shortcuts/route', query)
  expect(answer.status, answer.text).toBe(200)
  await expectExecution(service.nodeUrl, answer, tokenOut)
  return answer
}

describe('gauges in routes', () => {
  test.each([
    ['a listed one of Curve', usdc, listed, 'curve', 'curve-gauge'],
    ['one that nobody lists', usdc, () => unlisted, 'curve', 'curve-gauge'],
    ['one of the second version', usdc, () => second, 'curve', 'curve-gauge'],
    ['one of Balancer', weth, ofBalancer, 'balancer-v2', 'balancer-gauge'],
  ] as const)(
    '%s: a token into it and out of it, by one route',
    async (_name, token, gauge, pool, own) => {
      const into = await proven(token, gauge(), token === usdc ? 1_234_567_890n : ether)
      expect(stepsOf(into).slice(-2)).toEqual([`deposit ${pool}`, `deposit ${own}`])
      const back = await proven(gauge(), token, ether)
      expect(stepsOf(back).slice(0, 2)).toEqual([`withdraw ${own}`, `redeem ${pool}`])
    },
  )

  test('of the first version no stake is a token, and the answer says so', async () => {
    const query = { fromAddress: alice, tokenIn: usdc, tokenOut: old, amountIn: '1000000' }
    const { status, body } = await service.get('/api/v1/shortcuts/route', query)
    expect([status, body.code]).toEqual([422, 'NO_ROUTE'])
  })
})

describe('gauges in bundles', () => {
  test('a share into the gauge and all of it out, as the transaction does', async () => {
    const act = (action: string, args: Record<string, unknown>) => ({
      protocol: 'curve-gauge',
      action,
      args: { primaryAddress: listed(), ...args },
    })
    const { status, body, text } = await askBundle(service, { fromAddress: alice }, [
      act('deposit', { tokenIn: curveShare, amountIn: (4n * ether).toString() }),
      act('withdraw', { amountOut: output(0) }),
    ])
    expect(status, text).toBe(200)
    const done = await executeBundle(service, body, { isFunded: false })
    expect(done.status).toBe('success')
    expect(done.gained).toEqual(body.amountsOut)
    expect(body.amountsOut).toEqual({ [curveShare]: (4n * ether).toString() })
  })

  test('all that a route into the share gives is staked where stakes are no tokens', async () => {
    const into = { tokenIn: usdc, tokenOut: curveShare, amountIn: '5000000' }
    const { status, body, text } = await askBundle(
      service,
      { fromAddress: alice, routingStrategy: 'delegate' },
      [
        { protocol: 'svc', action: 'route', args: into },
        {
          protocol: 'curve-gauge',
          action: 'deposit',
          args: { primaryAddress: old, tokenIn: curveShare, amountIn: output(0) },
        },
      ],
    )
    expect(status, text).toBe(200)
    const done = await executeBundle(service, body, { routingStrategy: 'delegate' })
    expect(done.status).toBe('success')
  })
})

interface Row {
  readonly primaryAddress: Address
  readonly tokenAddress: Address | null
  readonly protocol: { readonly slug: string } | null
  readonly tvl: number | null
}

describe('gauges as positions', () => {
  test('are listed with what they hold, of both families', async () => {
    const { body } = await service.get('/api/v1/positions', { chainId: '1' })
    const found = (body as Row[]).filter(({ protocol }) => protocol?.slug.endsWith('-gauge'))
    const rows = found.map(({ protocol, primaryAddress, tokenAddress }) => [
      ...[protocol?.slug, primaryAddress, tokenAddress],
    ])
    const expected = [
      ['balancer-gauge', ofBalancer(), ofBalancer()],
      ['curve-gauge', listed(), listed()],
      ['curve-gauge', old, null],
    ]
    // One that nobody lists is there once it is known, as any other pool.
    expect(rows).toEqual(expect.arrayContaining(expected))
    const tvl = found.find(({ primaryAddress }) => primaryAddress === listed())?.tvl ?? 0
    expect(tvl).toBeGreaterThan(40)
  })

  test('a listed one is worth what is staked, one that nobody lists has no price', async () => {
    const addresses = [curveShare, listed(), unlisted]
    const { body } = await service.get('/api/v1/prices/1', { addresses })
    const [share, own, none] = body
    expect(own.price).toBeCloseTo(share.price, 9)
    expect(none).toBe(null)
  })

  test('a wallet has the stakes that are asked for', async () => {
    const query = { chainId: '1', eoaAddress: alice, useEoa: 'true', tokens: [listed()] }
    const { status, text } = await service.get('/api/v1/wallet/balances', query)
    expect(status, text).toBe(200)
    expect(text).toContain(listed())
  })
})
