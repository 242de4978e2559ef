/**
 * Vaults that nobody has listed, honest ones and others, by their address alone: each answer is what its transaction
 * does on an Anvil of its own, or an error that says why there is none.
 */
import { erc20Abi, maxUint256, parseEventLogs, toFunctionSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, type Hex, toAddress } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { expectExecution, stepsOf } from '../../support/answers.js'
import { type Action, askBundle, executeBundle, output } from '../../support/bundle.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const [usdc, crv, weth] = [token('USDC'), token('CRV'), token('WETH')]
const [stETH, paxg] = [token('stETH'), token('PAXG')]
const alice = sandboxAccount('alice').address
const nobody: Address = '0x00000000000000000000000000000000000beef1'
const router = contractAddress('Router')
const ether = 10n ** 18n
const approve = 'function approve(address, uint256)'
const deposit = 'function deposit(uint256, address)'
const transfer = 'function transfer(address, uint256)'

let sandbox: Sandbox
let node: NodeWriter
let service: TestService
let head: string
let contracts: Readonly<Record<'usual' | 'odd', ReturnType<typeof compileTestContracts>>>
const vaults: Record<string, Address> = {}

beforeAll(async () => {
  contracts = {
    usual: compileTestContracts('Vaults.sol'),
    odd: compileTestContracts('OddVaults.sol'),
  }
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  await node.rpc('anvil_impersonateAccount', [alice])
  for (const asset of [usdc, crv, weth, stETH, paxg]) {
    await node.send(asset, approve, [router, maxUint256], alice)
  }
  await openVaults()
  service = await startService({ RPC_URL_1: sandbox.url })
  head = String(BigInt(await node.rpc<string>('eth_blockNumber', [])))
})
afterAll(async () => {
  await service?.stop()
  await node?.close()
  await sandbox?.stop()
})

async function open(
  name: string,
  code: string,
  asset: Address,
  types = 'address',
  more: readonly unknown[] = [],
): Promise<Address> {
  const { usual, odd } = contracts
  const source = ['OffsetVault', 'FeeVault'].includes(code) ? usual : odd
  const address = await node.deploy(source(code).bytecode, types, [asset, ...more])
  vaults[name] = address
  await node.send(address, approve, [router, maxUint256], alice)
  return address
}

/** Alice's own deposit, past any service. */
async function fill(name: string, asset: Address, amount: bigint): Promise<void> {
  const vault = vaultOf(name)
  await node.send(asset, approve, [vault, maxUint256], alice)
  await node.send(vault, deposit, [amount, alice], alice)
}

function vaultOf(name: string): Address {
  const vault = vaults[name]
  if (!vault) throw new RangeError(`There is no vault ${name}.`)
  return vault
}

/** @see EIP-1167 */
function minimalProxyOf(implementation: Address): Hex {
  const code = `363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`
  return `0x3d602d80600a3d3981f3${code}`
}

async function openVaults(): Promise<void> {
  const plain = (name: string, asset: Address, offset = 0) =>
    open(name, 'OffsetVault', asset, 'address, uint8', [offset])
  await plain('offset', usdc, 12)
  await fill('offset', usdc, 5_000_000n)
  await plain('empty', usdc)
  await plain('inflated', usdc)
  await node.send(usdc, transfer, [vaultOf('inflated'), 1_000_000_000n], alice)
  await open('high', 'LyingVault', usdc, 'address, uint256', [12_000n])
  await fill('high', usdc, 100_000_000n)
  await open('low', 'LyingVault', usdc, 'address, uint256', [5_000n])
  await fill('low', usdc, 100_000_000n)
  await open('fees', 'FeeVault', usdc)
  await open('half', 'HalfVault', usdc)
  await open('keeping', 'KeepingVault', usdc)
  await open('cooling', 'CooldownVault', usdc)
  await open('closed', 'CooldownVault', usdc)
  await node.send(vaultOf('closed'), 'function close()')
  await plain('capped', usdc)
  await node.send(vaultOf('capped'), 'function setCap(uint256)', [1_000_000n])
  await open('mute', 'MuteVault', usdc)
  await open('bomb of an asset', 'BombVault', usdc, 'address, bool', [true])
  await open('bomb', 'BombVault', usdc, 'address, bool', [false])
  await open('naive', 'NaiveVault', usdc)
  await fill('naive', usdc, 1n)
  await node.send(usdc, transfer, [vaultOf('naive'), 1_000_000_000n], alice)
  await plain('rebasing', stETH)
  await plain('taxed', paxg)
  for (const name of ['proxy of a full one', 'proxy']) {
    vaults[name] = await node.deploy(minimalProxyOf(vaultOf('offset')))
  }
  await node.send(vaultOf('proxy'), 'function setCap(uint256)', [maxUint256])
  let below = usdc
  for (const name of ['first', 'second', 'third', 'fourth']) below = await plain(name, below)
  await plain('of CRV', crv)
  await plain('twice of CRV', vaultOf('of CRV'))
  await plain('of an account', nobody)
  await open('no vault', 'NamesAsset', usdc)
  for (const name of ['itself', 'one', 'other']) await open(name, 'NamesAsset', usdc)
  for (const [name, asset] of [
    ['itself', 'itself'],
    ['one', 'other'],
    ['other', 'one'],
  ] as const) {
    await node.send(vaultOf(name), 'function name(address)', [vaultOf(asset)])
  }
}

function route(tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<Answer> {
  const query = { fromAddress: alice, tokenIn, tokenOut, blockNumber: head }
  return service.get('/api/v1/shortcuts/route', { ...query, amountIn: amountIn.toString() })
}

async function proven(tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<Answer> {
  const answer = await route(tokenIn, tokenOut, amountIn)
  expect(answer.status, answer.text).toBe(200)
  await expectExecution(sandbox.url, answer, tokenOut)
  return answer
}

const act = (action: string, name: string, args: Record<string, unknown>): Action => ({
  protocol: 'erc-4626',
  action,
  args: { primaryAddress: vaultOf(name), ...args },
})
const bundle = (...actions: readonly Action[]) =>
  askBundle(service, { fromAddress: alice, blockNumber: head }, actions)

/** The answer, which its own transaction has kept to the wei and to the unit of gas. */
async function provenBundle(...actions: readonly Action[]): Promise<Answer['body']> {
  const { status, body, text } = await bundle(...actions)
  expect(status, text).toBe(200)
  const done = await executeBundle(service, body, { isFunded: false })
  expect(done.status).toBe('success')
  expect(done.gained).toEqual(body.amountsOut)
  expect(done.gasUsed.toString()).toBe(body.gas)
  return body
}

describe('a vault by its address', () => {
  test.each([
    ['offset', usdc, 123_456_789n],
    ['empty', usdc, 123_456_789n],
    ['inflated', usdc, 3_000_000_000n],
    ['high', usdc, 123_456_789n],
    ['low', usdc, 123_456_789n],
    ['fees', usdc, 123_456_789n],
    ['mute', usdc, 123_456_789n],
    ['rebasing', stETH, 1_234_567_890_123_456_789n],
    ['taxed', paxg, ether],
  ] as const)('%s: into it by a route, as its transaction does', async (name, asset, amountIn) => {
    const answer = await proven(asset, vaultOf(name), amountIn)
    expect(stepsOf(answer)).toEqual(['deposit erc-4626'])
    expect(answer.body.priceImpact).toBe(null)
  })

  test.each(['offset', 'high', 'low', 'naive'])('%s: out of it by a route', async (name) => {
    const balance = await node.read(vaultOf(name), 'function balanceOf(address)', [alice])
    const answer = await proven(vaultOf(name), usdc, BigInt(balance))
    expect(stepsOf(answer)).toEqual(['redeem erc-4626'])
  })

  test.each(['offset', 'empty', 'high', 'low', 'fees', 'mute', 'bomb'])(
    '%s: in, half of it out, and an exact amount out, in one bundle',
    async (name) => {
      const body = await provenBundle(
        act('deposit', name, { tokenIn: usdc, amountIn: '900000000' }),
        act('withdraw', name, { amountIn: output(0), amountOut: '200000000' }),
      )
      expect(body.amountsOut[usdc]).toBe('200000000')
    },
  )

  test('mint gives exactly the shares asked, takes no more than amountIn, and leaves no allowance', async () => {
    const shares = (77n * ether).toString()
    const args = { tokenIn: usdc, amountOut: shares, amountIn: '80000000' }
    const { status, body, text } = await bundle(act('mint', 'offset', args))
    expect(status, text).toBe(200)
    expect(body.amountsOut).toEqual({ [vaultOf('offset')]: shares })
    expect(body.amountsIn).toEqual({ [usdc]: '80000000' })
    const watch = [
      { token: usdc, owner: alice },
      { token: vaultOf('offset'), owner: alice },
    ]
    const done = await executeOnFork({
      nodeUrl: sandbox.url,
      blockNumber: body.blockNumber,
      tx: body.tx,
      watch,
    })
    expect(done).toMatchObject({ status: 'success', deltas: [-77_000_000n, 77n * ether] })
    expect(done.gasUsed.toString()).toBe(body.gas)
    const approvals = parseEventLogs({
      abi: erc20Abi,
      eventName: 'Approval',
      logs: done.logs as never,
    })
    const toVault = approvals.filter(({ args }) => toAddress(args.spender) === vaultOf('offset'))
    expect(toVault.map(({ args }) => args.value)).toEqual([80_000_000n, 0n])
  })

  test('mint for less than the shares cost is refused by the asset', async () => {
    const args = { tokenIn: usdc, amountOut: (77n * ether).toString(), amountIn: '76999999' }
    const { status, body } = await bundle(act('mint', 'offset', args))
    expect(status).toBe(422)
    expect(body.message).toContain('action 0 (erc-4626 mint) fails in mint')
  })

  test('behind a proxy that has a state of its own: full until its own cap allows more', async () => {
    const full = await route(usdc, vaultOf('proxy of a full one'), 1_000_000n)
    expect(full).toMatchObject({ status: 422, body: { code: 'NO_ROUTE' } })
    await proven(usdc, vaultOf('proxy'), 1_000_000n)
  })

  test('a vault of a vault of a vault, in and out; of one more there is no way in three swaps', async () => {
    const into = await proven(usdc, vaultOf('third'), 55_555_555n)
    expect(stepsOf(into)).toEqual(Array(3).fill('deposit erc-4626'))
    const twice = await proven(weth, vaultOf('twice of CRV'), ether)
    expect(stepsOf(twice).slice(-2)).toEqual(Array(2).fill('deposit erc-4626'))
    const fourth = await route(usdc, vaultOf('fourth'), 55_555_555n)
    expect(fourth).toMatchObject({ status: 422, body: { code: 'NO_ROUTE' } })
    const steps = ['first', 'second', 'third', 'fourth'].map((name, at, all) =>
      act('deposit', name, {
        tokenIn: at ? vaultOf(all[at - 1] ?? '') : usdc,
        amountIn: at ? output(at - 1) : '55555555',
      }),
    )
    const body = await provenBundle(...steps)
    expect(body.amountsOut).toEqual({ [vaultOf('fourth')]: '55555555' })
  })

  test('an exact number of shares by a route', async () => {
    const query = { fromAddress: alice, tokenIn: weth, tokenOut: vaultOf('offset') }
    const amountOut = (1_000n * ether).toString()
    const answer = await service.get('/api/v1/shortcuts/route', {
      ...query,
      amountOut,
      blockNumber: head,
    })
    expect(answer.status, answer.text).toBe(200)
    expect(BigInt(answer.body.amountOut)).toBeGreaterThanOrEqual(1_000n * ether)
    await expectExecution(sandbox.url, answer, vaultOf('offset'))
  })

  test('it gives no price', async () => {
    for (const name of ['offset', 'high']) {
      const answer = await service.get(`/api/v1/prices/1/${vaultOf(name)}`, { blockNumber: head })
      expect(answer.status, answer.text).toBe(404)
    }
  })
})

describe('a vault that is not what it says', () => {
  test('takes half: what it leaves comes back', async () => {
    const answer = await proven(usdc, vaultOf('half'), 100_000_000n)
    expect(answer.body.amountOut).toBe('50000000')
    const body = await provenBundle(act('deposit', 'half', { tokenIn: usdc, amountIn: '100' }))
    expect(body.amountsOut[vaultOf('half')]).toBe('50')
  })

  test.each(['keeping', 'naive'])(
    '%s: a deposit that gives no shares is no route, and a bundle says so',
    async (name) => {
      const answer = await route(usdc, vaultOf(name), 123_456_789n)
      expect(answer.status, answer.text).toBe(422)
      expect(['NO_ROUTE', 'SIMULATION_REVERTED']).toContain(answer.body.code)
      const args = { tokenIn: usdc, amountIn: '123456789' }
      const { status, body } = await bundle(act('deposit', name, args))
      expect(status).toBe(200)
      expect(body.amountsOut).toEqual({})
      expect(body.warnings).toContain(
        `deposit of erc-4626 takes 123456789 of ${usdc} and gives no ${vaultOf(name)}.`,
      )
    },
  )

  test.each([
    ['closed', `0x${toFunctionSelector('OnlyMembers(address)').slice(2)}`, 'SIMULATION_REVERTED'],
    ['capped', 'ERC4626ExceededMaxDeposit', 'NO_ROUTE'],
  ])('%s: it refuses in its own words', async (name, reason, code) => {
    const answer = await route(usdc, vaultOf(name), 123_456_789n)
    expect(answer).toMatchObject({ status: 422, body: { code } })
    if (code === 'SIMULATION_REVERTED') expect(answer.text).toContain(reason)
    const { status, text } = await bundle(
      act('deposit', name, { tokenIn: usdc, amountIn: '123456789' }),
    )
    expect(status).toBe(422)
    expect(text).toContain(reason)
  })

  test('shares in a cooldown cannot be left, before or in the same transaction', async () => {
    const { status, body } = await bundle(
      act('deposit', 'cooling', { tokenIn: usdc, amountIn: '1000000' }),
      act('redeem', 'cooling', { amountIn: output(0) }),
    )
    expect(status).toBe(422)
    expect(body.details).toMatchObject({ action: 1, name: 'redeem' })
    const into = await proven(usdc, vaultOf('cooling'), 1_000_000n)
    expect(into.body.amountOut).toBe('1000000')
  })

  test.each(['no vault', 'itself', 'one', 'of an account', 'bomb of an asset', 'bomb'])(
    '%s: no route, in few words',
    async (name) => {
      const answer = await route(usdc, vaultOf(name), 1_000_000n)
      expect(answer, answer.text.slice(0, 500)).toMatchObject({
        status: 422,
        body: { code: 'NO_ROUTE' },
      })
      expect(answer.text.length).toBeLessThan(2_000)
    },
  )

  test('a token that has asset() and no previews is named as what could not be read', async () => {
    const { body } = await route(usdc, vaultOf('no vault'), 1_000_000n)
    expect(body.details.warnings).toEqual([expect.stringContaining('erc-4626')])
    const { status, body: refused } = await bundle(
      act('deposit', 'no vault', { tokenIn: usdc, amountIn: '1000000' }),
    )
    expect(status).toBe(422)
    expect(refused.message).toBe(
      'action 0 (erc-4626 deposit) fails in deposit: reverted without a reason',
    )
  })

  test.each([
    ['itself', 'primaryAddress'],
    ['bomb of an asset', 'primaryAddress'],
    ['of an account', 'tokenIn'],
    ['one', 'tokenIn'],
  ])('%s: a bundle is told which argument is wrong: %s', async (name, argument) => {
    const { status, body } = await bundle(
      act('deposit', name, { tokenIn: usdc, amountIn: '1000000' }),
    )
    expect(status).toBe(400)
    expect(body.details).toMatchObject({ action: 0, argument })
  })
})
