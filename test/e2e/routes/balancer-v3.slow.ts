/**
 * Balancer V3 by the whole service: its own contracts on the sandbox chain, pools by import and by the index, and every
 * transaction carried out on a separate Anvil by the Router and its Executor.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { protocols } from '../../../src/protocols/registry.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { askBundle, executeBundle } from '../../support/bundle.js'
import { runCli } from '../../support/cli.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { placeBalancerV3OnSandbox, wideSymbols } from '../../support/protocols/place-balancer-v3.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const anybody: Address = '0x00000000000000000000000000000000000f0ac7'
const ether = 10n ** 18n
const [weth, usdc, dai, susd, frax] = ['WETH', 'USDC', 'DAI', 'sUSD', 'FRAX'].map(
  (name) => sandboxToken(name).address,
) as [Address, Address, Address, Address, Address]
/** Of the wide pool: its connector, and what is none. */
const [wbtc, ...outside] = wideSymbols.map((name) => sandboxToken(name).address) as [
  Address,
  ...Address[],
]
const others = protocols.map(({ slug }) => slug).filter((slug) => slug !== 'balancer-v3')

const context = withSandbox()
const folders: string[] = []
let pools: readonly Pool[]
let service: TestService
let indexed: TestService

beforeAll(async () => {
  const { url } = context().sandbox
  pools = await placeBalancerV3OnSandbox(url, { isHooked: true, isWide: true })
  const node = await new NodeWriter(url).start()
  await node.rpc('anvil_impersonateAccount', [alice])
  const approval = [contractAddress('Router'), 10n ** 30n]
  for (const token of [weth, usdc, dai, susd, wbtc, ...outside]) {
    await node.rpc('anvil_dealERC20', [alice, token, numberToHex(10n ** 24n)])
    await node.send(token, 'function approve(address, uint256)', approval, alice)
  }
  await node.close()
  const common = { RPC_URL_1: url, WORKERS: '1', SERVICE_NAME: 'svc' }
  const file = join(await folder(), 'pools.json')
  await writeFile(file, JSON.stringify(pools))
  // What is imported is read when a service starts.
  const [own, other] = [await folder(), await folder()]
  const imported = await runCli(['pools', 'import', file, '--json'], { DATA_DIR: own })
  expect(imported.out, imported.err).toContain('"added": 4')
  const synced = await runCli(['pools', 'sync', '--chain', '1', '--json'], {
    RPC_URL_1: url,
    DATA_DIR: other,
  })
  expect(JSON.parse(synced.out).protocols).toContainEqual({ protocol: 'balancer-v3', pools: 4 })
  service = await startService({ ...common, DATA_DIR: own })
  indexed = await startService({ ...common, DATA_DIR: other, POOL_INDEX: 'on' })
}, 900_000)
afterAll(async () => {
  await service?.stop()
  await indexed?.stop()
  await Promise.all(folders.map((each) => rm(each, { recursive: true, force: true })))
})

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'forkroute-balancer-v3-'))
  folders.push(made)
  return made
}

/** The route over these pools alone, carried out: amounts and gas have to be those of the answer. */
async function prove(from: TestService, tokenIn: Address, tokenOut: Address, amountIn: bigint) {
  const { status, text, body } = await from.get('/api/v1/shortcuts/route', {
    fromAddress: alice,
    tokenIn,
    tokenOut,
    amountIn: amountIn.toString(),
    ignoreStandards: others.join(),
    slippage: '100',
  })
  expect(status, text.slice(0, 400)).toBe(200)
  const execution = await executeOnFork({
    nodeUrl: context().sandbox.url,
    blockNumber: body.createdAt,
    tx: body.tx,
    watch: [{ token: tokenOut, owner: alice }],
  })
  expect([execution.status, execution.deltas]).toEqual(['success', [BigInt(body.amountOut)]])
  expect(execution.gasUsed).toBe(BigInt(body.gas))
  return body
}

describe('Balancer V3 by the whole service', () => {
  test('routes over imported pools deliver what they answer, through one pool and through two', async () => {
    const [weighted, stable] = pools
    const one = await prove(service, weth, dai, 3n * ether + 1n)
    expect(one.route).toMatchObject([{ protocol: 'balancer-v3', primary: weighted?.address }])
    await prove(service, usdc, dai, 1_234_567_891n)
    const two = await prove(service, weth, usdc, 2n * ether)
    expect(two.route).toMatchObject([
      { protocol: 'balancer-v3', primary: weighted?.address },
      { protocol: 'balancer-v3', primary: stable?.address },
    ])
    const back = await prove(service, usdc, weth, 10n ** 10n)
    expect(back.route).toHaveLength(2)
  })

  test('routes over pools of the index are the same', async () => {
    const [found, known] = [
      await prove(indexed, weth, usdc, 5n * ether),
      await prove(service, weth, usdc, 5n * ether),
    ]
    expect(found.amountOut).toBe(known.amountOut)
  })

  test.each([
    ['imported', () => service],
    ['indexed', () => indexed],
  ] as const)(
    'a pool whose hooks set a fee is used (%s), and listed with its class',
    async (source, of) => {
      const hooked = pools.at(-1)
      const { amountOut } = await prove(of(), susd, frax, 1_000n * ether)
      // A hundredth stays in the pool, and the amount moves it a little.
      expect((BigInt(amountOut) * 1_000n) / ether).toBe(989_999n)
      const { body } = await of().get('/api/v1/pools', { source, hooks: 'steady' })
      expect(body.data).toContainEqual(
        expect.objectContaining({
          id: hooked?.id,
          hooks: expect.objectContaining({
            class: 'steady',
            reason: null,
            contract: hooked?.parameters.hooks,
          }),
        }),
      )
    },
  )

  test.each([
    ['imported', () => service],
    ['indexed', () => indexed],
  ] as const)(
    'a pool of six tokens with hooks trades the ten pairs that are run (%s), and no other',
    async (source, of) => {
      const wide = pools.find(({ tokens }) => tokens.length === wideSymbols.length)
      // WBTC is the only connector of the pool: it trades with every other token.
      for (const token of outside) {
        await prove(of(), token, wbtc, 7n * ether + 1n)
        await prove(of(), wbtc, token, 123_456_789n)
      }
      const { body } = await of().get('/api/v1/pools', { source, hooks: 'steady' })
      expect(body.data).toContainEqual(
        expect.objectContaining({
          id: wide?.id,
          hooks: expect.objectContaining({ class: 'steady', reason: null }),
        }),
      )
      const ask = (tokenIn: Address, tokenOut: Address) =>
        of().get('/api/v1/shortcuts/quote', {
          tokenIn,
          tokenOut,
          amountIn: ether.toString(),
          ignoreStandards: others.join(),
        })
      const pairs = outside.flatMap((a) => outside.filter((b) => a < b).map((b) => [a, b] as const))
      const codes = await Promise.all(
        pairs.map(async ([a, b]) => {
          const answer = await ask(a, b)
          return answer.status === 200 ? 'served' : answer.body.code
        }),
      )
      expect(codes.sort()).toEqual([
        ...Array.from({ length: 5 }, () => 'NO_ROUTE'),
        ...Array.from({ length: 5 }, () => 'served'),
      ])
    },
  )

  test('the action swap', async () => {
    const query = { fromAddress: anybody, routingStrategy: 'router' }
    const args = { tokenIn: weth, tokenOut: dai, amountIn: ether.toString(), slippage: '100' }
    const action = { protocol: 'balancer-v3', action: 'swap', args }
    const { status, text, body } = await askBundle(service, query, [action])
    expect(status, text.slice(0, 400)).toBe(200)
    const execution = await executeBundle(service, body)
    expect(execution.status).toBe('success')
    expect(execution.gained).toEqual(body.amountsOut)
    expect(execution.gasUsed.toString()).toBe(body.gas)
  })
})
