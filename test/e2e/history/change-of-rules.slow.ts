/** A backtest over a change of rules, from Shanghai's to Cancun's, and what else is asked of blocks on both sides. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadCodes } from '../../../bench/alternatives/venues.js'
import { follow } from '../../support/backtest/ether-plan.js'
import { runCli } from '../../support/cli.js'
import { rulesIn, startEraService } from '../../support/eras/describe-era.js'
import { startChange, tokens } from '../../support/eras/era-market.js'
import type { TestService } from '../../support/service/service.js'

const { WETH, DAI, USDC } = tokens
const ether = 10n ** 18n
const amountIn = 5n * ether

let change: Awaited<ReturnType<typeof startChange>>
let service: TestService
beforeAll(async () => {
  change = await startChange(['shanghai', 'cancun'], await loadCodes())
  service = await startEraService(change.node)
})
afterAll(async () => {
  await service?.stop()
  await change?.node.stop()
  for (const { anvil } of change?.markets ?? []) await anvil.stop()
})

const atBlock = (path: string, blockNumber: number, query: Record<string, string>) =>
  service.get(path, { blockNumber: String(blockNumber), ...query })

test('rows and executions on both sides are what the router gives there', async () => {
  const { markets, border } = change
  const plan = {
    name: 'over the border',
    blocks: { from: String(border - 1), to: String(border + 1), step: 1 },
    requests: [
      { name: 'pair', tokenIn: WETH, tokenOut: DAI, amountIn: `${amountIn}`, slippage: 10 },
    ],
    variants: [{ name: 'v2', ignoreStandards: ['uniswap-v3', 'curve'] }],
    delays: [1, 2],
  }
  const { body: job } = await service.post('/api/v1/backtests', plan)
  expect(await follow(service.url, job.id)).toBe('finished')
  const { body } = await service.get(`/api/v1/backtests/${job.id}/results`)
  const amountAt = (block: number) => {
    const market = block <= border ? markets[0] : markets[1]
    return market.v2([WETH, DAI], amountIn, block).then(String)
  }
  expect(await amountAt(border)).not.toBe(await amountAt(border + 1))
  expect(body.blocks).toHaveLength(3)
  for (const block of body.blocks) {
    const { blockNumber, rows } = block
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ amountsOut: [await amountAt(blockNumber)] })
    expect(rows[0].executions).toMatchObject([
      { delay: 1, status: 'filled', amountsOut: [await amountAt(blockNumber + 1)] },
      { delay: 2, status: 'filled', amountsOut: [await amountAt(blockNumber + 2)] },
    ])
    // Gas is told of the block in which a transaction is simulated.
    for (const [index, told] of [rows[0], ...rows[0].executions].entries()) {
      expect(rulesIn(told) !== null).toBe(blockNumber + index <= border)
    }
  }
  const csv = (await service.get(`/api/v1/backtests/${job.id}/results?format=csv`)).text
  expect(csv.match(/Gas by the rules of Cancun/g)).toHaveLength(2)
})

test('each block keeps its answer when blocks of both sides alternate', async () => {
  const { markets, border } = change
  const query = { tokenIn: WETH, tokenOut: DAI, amountIn: `${amountIn}`, ignoreStandards: 'curve' }
  const seen = new Map<number, string>()
  for (const block of [border, border + 1, border - 1, border + 2, border, border + 1]) {
    const answer = await atBlock('/api/v1/shortcuts/quote', block, {
      ...query,
      fromAddress: markets[0].trader,
    })
    expect(answer).toMatchObject({ status: 200, body: { blockNumber: block } })
    const { amountOut, gas, warnings } = answer.body
    expect(rulesIn(answer.body) !== null).toBe(block <= border)
    const told = JSON.stringify({ amountOut, gas, warnings })
    expect(seen.get(block) ?? told).toBe(told)
    seen.set(block, told)
  }
})

test('a bundle, an approval and a route say by which rules their gas is', async () => {
  const { markets, border } = change
  const { trader } = markets[0]
  const actions = [
    {
      protocol: 'svc',
      action: 'route',
      args: { tokenIn: WETH, tokenOut: DAI, amountIn: `${ether}` },
    },
  ]
  for (const block of [border, border + 1]) {
    const isOlder = block === border
    const approval = await atBlock('/api/v1/wallet/approve', block, {
      fromAddress: trader,
      tokenAddress: USDC,
      amount: '7',
    })
    expect(approval.status).toBe(200)
    expect(rulesIn(approval.body) !== null).toBe(isOlder)
    const bundle = await service.post(
      `/api/v1/shortcuts/bundle?fromAddress=${trader}&blockNumber=${block}`,
      actions,
    )
    expect(bundle, bundle.text).toMatchObject({ status: 200 })
    expect(rulesIn(bundle.body) !== null).toBe(isOlder)
    const rest = bundle.body.warnings?.filter((one: string) => one !== rulesIn(bundle.body)) ?? []
    expect(rest).toEqual([])
  }
})

test('prices, wallets, balances, networks and the command line know such blocks', async () => {
  const { markets, border, node } = change
  const { trader } = markets[0]
  const price = await atBlock(`/api/v1/prices/1/${WETH}`, border, {})
  expect(price, price.text).toMatchObject({ status: 200, body: { blockNumber: border } })
  expect(price.body.price).toBeGreaterThan(1_700)
  expect(price.body.price).toBeLessThan(1_900)
  const wallet = await atBlock('/api/v1/wallet', border, { fromAddress: trader })
  expect(wallet).toMatchObject({ status: 200, body: { isDeployed: false } })
  const balances = await atBlock('/api/v1/wallet/balances', border, {
    eoaAddress: trader,
    useEoa: 'true',
  })
  expect(balances.status).toBe(200)
  expect(balances.body.map(({ token }: { token: string }) => token)).toContain(WETH)
  const found = await service.get(`/api/v1/networks/1/blocks?at=${border}`)
  expect(found).toMatchObject({ status: 200, body: { hash: node.header(border).hash } })
  const doctor = await runCli(['doctor'], { RPC_URL_1: node.url })
  expect(doctor.code, doctor.out + doctor.err).toBe(0)
})
