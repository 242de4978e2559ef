/**
 * Vaults, staked ether and hooked V4 pools through the whole product: what the answer says is what its transaction does
 * on a fork of its own.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getAddress, maxUint256, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCatalog } from '../../../src/catalog/store.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import { poolIdOf } from '../../../src/protocols/uniswap-v4/pool-key.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { expectExecution, stepsOf } from '../../support/answers.js'
import { askBundle } from '../../support/bundle.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const alice = sandboxAccount('alice').address
const router = contractAddress('Router')
const manager = String(ethereum.venues['uniswap-v4']?.poolManager) as Address
const ether = 10n ** 18n
const dynamicFee = 0x800000
/** The last 14 bits of an address are the permissions of hooks. */
const hooks = {
  outputFee: '0x0000000000000000000000000000000abcd00044',
  feeOverride: '0x0000000000000000000000000000000abcd00080',
  feeSetter: '0x0000000000000000000000000000000abcd00000',
  notAllowed: '0x0000000000000000000000000000000abcd10044',
} as const satisfies Record<string, Address>

let sandbox: Sandbox
let node: NodeWriter
let dataDir: string
let service: TestService
/** Runs hooks that no list names. */
let running: TestService
let vault: Address
const listed: Record<string, Address> = {}

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  await node.rpc('anvil_impersonateAccount', [alice])
  vault = await openVault()
  dataDir = await mkdtemp(join(tmpdir(), 'forkroute-venues-'))
  const catalog = openCatalog(dataDir)
  catalog.importPools(1, await openHookedPools())
  catalog.close()
  const { notAllowed: _notAllowed, ...allowed } = hooks
  service = await startService({
    RPC_URL_1: sandbox.url,
    DATA_DIR: dataDir,
    V4_HOOKS: 'listed',
    V4_HOOKS_ALLOWLIST: Object.values(allowed).join(),
  })
  running = await startService({ RPC_URL_1: sandbox.url, DATA_DIR: dataDir })
})
afterAll(async () => {
  await running.stop()
  await service.stop()
  await node.close()
  await sandbox.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Shares of USDC at an odd price; alice has some, and lets the Router have them. */
async function openVault(): Promise<Address> {
  const { bytecode } = compileTestContracts('Vaults.sol')('OffsetVault')
  const address = await node.deploy(bytecode, 'address, uint8', [token('USDC'), 6])
  const approve = 'function approve(address, uint256)'
  await node.send(token('USDC'), approve, [address, maxUint256], alice)
  await node.send(address, 'function deposit(uint256, address)', [100_000_000_000n, alice], alice)
  await node.send(
    token('USDC'),
    'function transfer(address, uint256)',
    [address, 5_432_109_876n],
    alice,
  )
  await node.send(address, approve, [router, maxUint256], alice)
  return address
}

/** One new token beside DAI for each of the hooks. */
async function openHookedPools(): Promise<Pool[]> {
  const contract = compileTestContracts('Pools.sol')
  const provider = await node.deploy(contract('LiquidityProvider').bytecode)
  const dai = token('DAI')
  await node.rpc('anvil_dealERC20', [provider, dai, numberToHex(10n ** 27n)])
  const codes = {
    outputFee: contract('OutputFeeHook'),
    feeOverride: contract('FeeOverrideHook'),
    feeSetter: contract('FeeSetterHook'),
    notAllowed: contract('OutputFeeHook'),
  }
  const pools: Pool[] = []
  for (const name of ['outputFee', 'feeOverride', 'feeSetter', 'notAllowed'] as const) {
    await node.rpc('anvil_setCode', [hooks[name], codes[name].runtime])
    const other = await node.deploy(
      sandboxBytecode.StandardToken,
      'string, string, uint8, uint256, address',
      [name, name, 18, 10n ** 27n, provider],
    )
    listed[name] = other
    await node.rpc('anvil_dealERC20', [alice, other, numberToHex(10n ** 24n)])
    await node.send(other, 'function approve(address, uint256)', [router, maxUint256], alice)
    const isDynamic = name === 'feeOverride' || name === 'feeSetter'
    const tokens = other < dai ? [other, dai] : [dai, other]
    const [currency0 = other, currency1 = dai] = tokens
    const fee = isDynamic ? dynamicFee : 3_000
    const key = { currency0, currency1, fee, tickSpacing: 60, hooks: hooks[name] }
    const keyType = '(address, address, uint24, int24, address)'
    const price = sqrtPriceAtTick(0)
    const open = `function openV4(address, ${keyType}, uint160, int256)`
    await node.send(provider, open, [manager, Object.values(key), price, 10n ** 24n])
    if (name === 'feeSetter') {
      const setFee = `function setFee(address, ${keyType}, uint24)`
      await node.send(hooks[name], setFee, [manager, Object.values(key), 1_234])
    }
    // An operator may write addresses with their checksum.
    const parameters = { fee, tickSpacing: 60, hooks: getAddress(hooks[name]) }
    const id = poolIdOf(key)
    pools.push({ protocol: 'uniswap-v4', id, address: manager, tokens, parameters })
  }
  return [...pools, notAllowedPool(token('LINK'), dai)]
}

/** Of tokens that other pools swap, too; it is not looked at, so it need not be there. */
function notAllowedPool(...tokens: readonly [Address, Address]): Pool {
  const [currency0, currency1] = tokens[0] < tokens[1] ? tokens : [tokens[1], tokens[0]]
  const key = { currency0, currency1, fee: 3_000, tickSpacing: 60, hooks: hooks.notAllowed }
  return {
    protocol: 'uniswap-v4',
    id: poolIdOf(key),
    address: manager,
    tokens: [currency0, currency1],
    parameters: { fee: key.fee, tickSpacing: key.tickSpacing, hooks: key.hooks },
  }
}

function route(
  tokenIn: Address,
  tokenOut: Address,
  amountIn: bigint,
  more: Readonly<Record<string, string>> = {},
  by: TestService = service,
): Promise<Answer> {
  const query = { fromAddress: alice, tokenIn, tokenOut, amountIn: amountIn.toString(), ...more }
  return by.get('/api/v1/shortcuts/route', query)
}

describe('vaults', () => {
  test('the asset becomes shares by one deposit', async () => {
    const answer = await route(token('USDC'), vault, 1_234_567_890n)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toEqual(['deposit erc-4626'])
    expect(answer.body.route[0].primary).toBe(vault)
    await expectExecution(sandbox.url, answer, vault)
  })

  test('shares become another token: a redemption, then a swap of the asset', async () => {
    const answer = await route(vault, token('WETH'), 20_000n * 10n ** 12n)
    expect(answer.status, answer.text).toBe(200)
    const [first, ...others] = stepsOf(answer)
    expect(first).toBe('redeem erc-4626')
    expect(others.join()).toMatch(/^swap /)
    await expectExecution(sandbox.url, answer, token('WETH'))
  })

  test('native ether becomes shares: the last step pays the receiver', async () => {
    const answer = await route(nativeToken, vault, ether)
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer).at(-1)).toBe('deposit erc-4626')
    await expectExecution(sandbox.url, answer, vault)
  })

  test('shares beside another input: each leg spends its own', async () => {
    const answer = await service.post('/api/v1/shortcuts/route', {
      fromAddress: alice,
      tokenIn: [vault, token('USDC')],
      amountIn: ['5000000000000000', '2000000000'],
      tokenOut: [token('WETH')],
    })
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toContain('redeem erc-4626')
    await expectExecution(sandbox.url, answer, token('WETH'))
  })

  test.each(['router', 'delegate', 'router-legacy', 'delegate-legacy', 'svcwallet-v2'])(
    'whoever runs the steps redeems its own shares: %s',
    async (routingStrategy) => {
      const answer = await service.get('/api/v1/shortcuts/quote', {
        tokenIn: vault,
        tokenOut: token('USDC'),
        amountIn: '1000000000000000',
        routingStrategy,
      })
      expect(answer.status, answer.text).toBe(200)
      expect(stepsOf(answer)).toEqual(['redeem erc-4626'])
      // 100,000 USDC deposited and 5,432.109876 given to a hundred thousand shares of 12 decimals.
      expect(answer.body.amountOut).toBe('1054321098')
    },
  )

  test('a share has no price: its rate is its own word', async () => {
    const answer = await service.get(`/api/v1/prices/1/${vault}`)
    expect(answer.status, answer.text).toBe(404)
  })
})

describe('staked ether', () => {
  test.each([
    ['stETH', 'wstETH', 'wrap lido'],
    ['wstETH', 'stETH', 'unwrap lido'],
  ])('%s becomes %s without a pool', async (from, to, step) => {
    // The sandbox's pools do not follow the rate, so that they may pay more.
    const ignoreAggregators = 'uniswap-v2,uniswap-v3,uniswap-v4,sushiswap-v2,balancer-v2'
    const amountIn = 12_345_678_901_234_567n
    const answer = await route(token(from), token(to), amountIn, { ignoreAggregators })
    expect(answer.status, answer.text).toBe(200)
    expect(stepsOf(answer)).toEqual([step])
    await expectExecution(sandbox.url, answer, token(to))
  })
})

describe('hooked V4 pools', () => {
  test.each([
    ['outputFee', 'hooks that keep a part of the output', 987n],
    ['feeOverride', 'hooks that set the fee of each swap', 960n],
    ['feeSetter', 'hooks that set the fee between swaps', 998n],
  ])('%s: %s are routed both ways when they are allowed', async (name, _what, perMille) => {
    const other = listed[name] ?? nativeToken
    for (const [tokenIn, tokenOut] of [
      [token('DAI'), other],
      [other, token('DAI')],
    ] as const) {
      const answer = await route(tokenIn, tokenOut, 1_000n * ether)
      expect(answer.status, answer.text).toBe(200)
      expect(stepsOf(answer)).toEqual(['swap uniswap-v4'])
      const amountOut = BigInt(answer.body.amountOut)
      expect(amountOut / ether).toBeGreaterThanOrEqual(perMille - 5n)
      expect(amountOut / ether).toBeLessThan(1_000n)
      await expectExecution(sandbox.url, answer, tokenOut)
    }
  })

  test('imported pools of hooks that are not allowed are never routed, and the answer says what was left out', async () => {
    const answer = await route(token('DAI'), listed.notAllowed ?? nativeToken, ether)
    expect(answer.status, answer.text).toBe(422)
    expect(answer.body.code).toBe('NO_ROUTE')
    expect(answer.body.details.warnings).toEqual([expect.stringContaining('uniswap-v4')])
  })

  test('where hooks are run, those that are steady are routed both ways, and a pool that swaps nothing is named', async () => {
    const other = listed.notAllowed ?? nativeToken
    for (const [tokenIn, tokenOut] of [
      [token('DAI'), other],
      [other, token('DAI')],
    ] as const) {
      const answer = await route(tokenIn, tokenOut, 1_000n * ether, {}, running)
      expect(answer.status, answer.text).toBe(200)
      expect(stepsOf(answer)).toEqual(['swap uniswap-v4'])
      await expectExecution(sandbox.url, answer, tokenOut)
    }
    const more = { explain: 'true' }
    const { body } = await route(token('LINK'), token('DAI'), ether, more, running)
    expect(body).not.toHaveProperty('warnings')
    expect(body.pools.refused).toContainEqual({
      pool: notAllowedPool(token('LINK'), token('DAI')).id,
      protocol: 'uniswap-v4',
      reason: 'no swap with its hooks succeeds with 1000000 gas',
    })
  })

  test('a bundle says once what the routes inside it have left out', async () => {
    const trade = { tokenIn: token('LINK'), tokenOut: token('DAI'), amountIn: String(ether) }
    const quote = await service.get('/api/v1/shortcuts/quote', trade)
    expect(quote.body.warnings).toEqual([
      'uniswap-v4: 1 look-up or pool could not be read at this block.',
    ])
    const route = { protocol: 'svc', action: 'route', args: trade }
    const loan = {
      protocol: 'svc',
      action: 'flashloan',
      args: { token: token('USDC'), amount: '1000000', callback: [route] },
    }
    for (const actions of [[route], [route, route], [loan]]) {
      const answer = await askBundle(service, { fromAddress: alice }, actions)
      expect(answer.status, answer.text).toBe(200)
      // Two routes at once move the pools further.
      const others = answer.body.warnings.filter((one: string) => !/price impact/.test(one))
      expect(others).toEqual(quote.body.warnings)
      if (actions.length === 1) expect(answer.body.priceImpact ?? 0).toBeLessThan(1_000)
    }
    const args = { token: token('DAI'), recipient: router, amount: '1' }
    const without = [{ protocol: 'svc', action: 'transfer', args }]
    const answer = await askBundle(service, { fromAddress: alice }, without)
    expect(answer.body).not.toHaveProperty('warnings')
  })
})
