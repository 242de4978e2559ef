/**
 * Pools of Uniswap V4 whose hooks no list names: they are run on the fork, used where they are steady, and left out and
 * named where they are not. Whatever hooks do, an answer is what its transaction does on a fork of its own.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256, maxUint256, numberToHex, stringToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/config.js'
import { type Address, type Hex, zeroAddress } from '../../../src/domain/primitives.js'
import { contractAddress, quoteSender } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { openLocalService } from '../../../src/service/local-service.js'
import { createLogger } from '../../../src/telemetry/log.js'
import { expectExecution, stepsOf } from '../../support/answers.js'
import { runCli } from '../../support/cli.js'
import { judge } from '../../support/execute.js'
import { leaseJudge } from '../../support/judges.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { deal, dynamicFee, openHookedPool } from '../../support/protocols/hooked-pools.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const alice = sandboxAccount('alice').address
const dai = sandboxToken('DAI').address
const ether = 10n ** 18n
const liquidity = 10n ** 24n
const twoHours = 7_200n
const never = [maxUint256, maxUint256, maxUint256, maxUint256, 0n]
/** Whom hooks see in the second place where they are run; no secret, so that a liar may know it. */
const otherSender: Address = `0x${keccak256(stringToHex('forkroute.other-sender')).slice(-40)}`

/** The last 14 bits of an address are the permissions of hooks. */
const kinds = {
  quiet: { hooks: '0x000000000000000000000000000000000abd00c0', code: 'QuietHook', fee: 3_000 },
  extraFee: {
    hooks: '0x000000000000000000000000000000000abd0080',
    code: 'FeeOverrideHook',
    fee: dynamicFee,
  },
  delta: { hooks: '0x000000000000000000000000000000000abd0044', code: 'OutputFeeHook', fee: 3_000 },
  volatility: {
    hooks: '0x000000000000000000000000000000000abd4080',
    code: 'VolatilityFeeHook',
    fee: dynamicFee,
  },
  liar: {
    hooks: '0x000000000000000000000000000000000abd8080',
    code: 'LiarHook',
    fee: dynamicFee,
  },
  knowingLiar: {
    hooks: '0x000000000000000000000000000000000abdc080',
    code: 'LiarHook',
    fee: dynamicFee,
  },
  burner: {
    hooks: '0x000000000000000000000000000000000abe0080',
    code: 'GasBurnerHook',
    fee: 3_000,
  },
  endlessBurner: {
    hooks: '0x000000000000000000000000000000000abe4080',
    code: 'GasBurnerHook',
    fee: 3_000,
  },
  untilTime: {
    hooks: '0x000000000000000000000000000000000abe8044',
    code: 'TurningHook',
    fee: 3_000,
  },
  untilBlock: {
    hooks: '0x000000000000000000000000000000000abec044',
    code: 'TurningHook',
    fee: 3_000,
  },
  untilAmount: {
    hooks: '0x000000000000000000000000000000000abf0044',
    code: 'TurningHook',
    fee: 3_000,
  },
  untilGas: {
    hooks: '0x000000000000000000000000000000000abf4044',
    code: 'TurningHook',
    fee: 3_000,
  },
  fromGas: {
    hooks: '0x000000000000000000000000000000000abf8044',
    code: 'TurningHook',
    fee: 3_000,
  },
} as const satisfies Record<
  string,
  { readonly hooks: Address; readonly code: string; readonly fee: number }
>
type Kind = keyof typeof kinds

const tokens = {} as Record<Kind, Address>
const ids = {} as Record<Kind, string>
let sandbox: Sandbox
let node: NodeWriter
let dataDir: string
let service: TestService

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  await node.rpc('anvil_impersonateAccount', [alice])
  await openPools()
  dataDir = await mkdtemp(join(tmpdir(), 'forkroute-hooks-'))
  const environment = environmentOf(dataDir)
  const built = await runCli(['pools', 'sync'], environment)
  expect(built.code, built.err).toBe(0)
  service = await startService({ ...environment, POOL_INDEX: 'on', AUTH_MODE: 'open' })
})
afterAll(async () => {
  await service.stop()
  await node.close()
  await sandbox.stop()
  await rm(dataDir, { recursive: true, force: true })
})

function environmentOf(folder: string): Readonly<Record<string, string>> {
  return { DATA_DIR: folder, RPC_URL_1: sandbox.url, UPSTREAM_TIMEOUT_MS: '60000' }
}

/** One new token beside DAI for each of the hooks; that of the liar who knows all has a pool without hooks as well. */
async function openPools(): Promise<void> {
  const contract = compileTestContracts('Pools.sol')
  const provider = await node.deploy(contract('LiquidityProvider').bytecode)
  await deal(node, provider, dai, 10n ** 27n)
  for (const [name, { hooks, code, fee }] of Object.entries(kinds) as [
    Kind,
    (typeof kinds)[Kind],
  ][]) {
    const other = await node.deploy(
      sandboxBytecode.StandardToken,
      'string, string, uint8, uint256, address',
      [name, name, 18, 10n ** 27n, provider],
    )
    tokens[name] = other
    await deal(node, alice, other, 10n ** 24n)
    const approve = 'function approve(address, uint256)'
    await node.send(other, approve, [contractAddress('Router'), maxUint256], alice)
    const pair = [other, dai] as const
    const wanted = { provider, tokens: pair, hooks, contract: contract(code), fee, liquidity }
    ids[name] = (await openHookedPool(node, wanted)).id
    if (name !== 'knowingLiar') continue
    const plain = { ...wanted, hooks: zeroAddress, fee: 3_000, liquidity: liquidity / 10n }
    const { contract: _hooks, ...rest } = plain
    await openHookedPool(node, rest)
  }
  const know = 'function know(address)'
  await node.send(kinds.liar.hooks, know, [quoteSender])
  for (const one of [quoteSender, otherSender])
    await node.send(kinds.knowingLiar.hooks, know, [one])
  await node.send(kinds.burner.hooks, 'function burn(uint256)', [400_000n])
  await node.send(kinds.endlessBurner.hooks, 'function burn(uint256)', [maxUint256])
  await turn()
}

/** Says when each of the turning hooks begins to take half. */
async function turn(): Promise<void> {
  const { timestamp } = await node.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  await setTurn('untilTime', never.with(0, BigInt(timestamp) + twoHours))
  await setTurn('untilBlock', never)
  await setTurn('untilAmount', never.with(2, 120_000n * ether))
  // A swap that is tried has a million gas.
  await setTurn('untilGas', never.with(3, 2_000_000n))
  await setTurn('fromGas', never.with(4, 4_000_000n))
}

function setTurn(name: Kind, values: readonly bigint[]): Promise<void> {
  const all = 'function turn(uint256, uint256, uint256, uint256, uint256)'
  return node.send(kinds[name].hooks, all, values)
}

async function head(): Promise<number> {
  return Number(await node.rpc<Hex>('eth_blockNumber', []))
}

/** Sends the transaction of an answer with the gas of a wallet, or otherwise. @returns what Alice gained of both tokens, too. */
async function execute(
  { body }: Answer,
  tokenOut: Address,
  changed: {
    readonly blockTimeSeconds?: number
    readonly gas?: bigint
    /** So many blocks that hold nothing come before it. */
    readonly blocksLater?: number
  } = {},
) {
  const { createdAt, tx, route: steps } = body
  const { blocksLater = 0, ...more } = { gas: 600_000n, ...changed }
  const lease = await leaseJudge(sandbox.url, createdAt)
  return judge(lease, {
    nodeUrl: sandbox.url,
    blockNumber: createdAt + blocksLater,
    tx,
    watch: [tokenOut, steps[0].tokenIn[0]].map((token) => ({ token, owner: alice })),
    ...(blocksLater > 0 && {
      prepare: (anvil) => anvil.rpc('anvil_mine', [numberToHex(blocksLater)]),
    }),
    ...more,
  })
}

/** What the list says of the hooks of a pool. */
async function hooksOf(name: Kind): Promise<unknown> {
  const query = { source: 'indexed', pool: ids[name] }
  const { body } = await service.get('/api/v1/pools', query)
  return body.data[0].hooks
}

function route(
  tokenIn: Address,
  tokenOut: Address,
  amountIn: bigint,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const query = { fromAddress: alice, tokenIn, tokenOut, amountIn: amountIn.toString(), ...more }
  return service.get('/api/v1/shortcuts/route', query)
}

describe('hooks that no list names', () => {
  test.each([
    ['quiet', 'does nothing', 997n, 0n],
    ['extraFee', 'sets a fee of 2 or 4%', 980n, 960n],
    ['delta', 'takes a part of what comes out', 987n, 0n],
    ['burner', 'burns 400,000 gas', 997n, 0n],
  ] as const)(
    '%s: one that %s is used, and pays what was answered',
    async (name, _what, best, worst) => {
      const other = tokens[name]
      for (const [tokenIn, tokenOut] of [
        [dai, other],
        [other, dai],
      ] as const) {
        for (const amountIn of [ether, 20_000n * ether]) {
          const answer = await route(tokenIn, tokenOut, amountIn)
          expect(answer.status, answer.text).toBe(200)
          expect(stepsOf(answer)).toEqual(['swap uniswap-v4'])
          await expectExecution(sandbox.url, answer, tokenOut)
          if (amountIn !== ether) continue
          const perMille = (BigInt(answer.body.amountOut) * 1_000n + ether / 2n) / ether
          expect([best, worst || best]).toContain(perMille)
        }
      }
      const isExact = name === 'quiet' || name === 'burner'
      expect(await hooksOf(name)).toEqual({
        class: isExact ? 'exact' : 'steady',
        reason: null,
        contract: kinds[name].hooks,
        codeHash: keccak256(await node.rpc<Hex>('eth_getCode', [kinds[name].hooks, 'latest'])),
        blockNumber: expect.stringMatching(/^\d+$/),
      })
    },
  )

  test.each([
    ['volatility', 'changing', 'what its hooks give changes with the order of swaps in a block'],
    ['liar', 'changing', 'what its hooks give changes with the sender'],
    ['endlessBurner', 'closed', 'no swap with its hooks succeeds with 1000000 gas'],
  ] as const)('%s is left out and named', async (name, className, reason) => {
    const answer = await route(dai, tokens[name], ether, { explain: 'true' })
    expect([answer.status, answer.body.code], answer.text).toEqual([422, 'NO_ROUTE'])
    expect(answer.body.details.warnings).toEqual([
      `uniswap-v4: the pool ${ids[name]} was left out: ${reason}.`,
    ])
    expect(answer.body.details.explanation.pools.refused).toContainEqual({
      pool: ids[name],
      protocol: 'uniswap-v4',
      reason,
    })
    expect(await hooksOf(name)).toMatchObject({ class: className, reason })
    const query = { source: 'indexed', hooks: className }
    const { body } = await service.get('/api/v1/pools', query)
    expect(body.data.map(({ id }: { id: string }) => id)).toContain(ids[name])
  })

  test('a liar who knows whom to lie to costs a candidate, and is never what was promised', async () => {
    const answer = await route(dai, tokens.knowingLiar, 100n * ether, { explain: 'true' })
    expect(answer.status, answer.text).toBe(200)
    const { candidates } = answer.body
    expect(candidates.map(({ path }: { path: { pool: string }[] }) => path[0]?.pool)).toContain(
      ids.knowingLiar,
    )
    expect(candidates[0].path[0].pool).not.toBe(ids.knowingLiar)
    expect(BigInt(answer.body.amountOut)).toBeGreaterThan(99n * ether)
    expect(answer.body).not.toHaveProperty('warnings')
    await expectExecution(sandbox.url, answer, tokens.knowingLiar)
  })

  test.each([
    ['untilAmount', 130_000n * ether, 'above what was tried'],
    ['fromGas', ether, 'with the gas that a wallet gives'],
  ] as const)(
    '%s: hooks that take half of %d %s are told with what they leave',
    async (name, amountIn, _when) => {
      const answer = await route(tokens[name], dai, amountIn)
      expect(answer.status, answer.text).toBe(200)
      expect(BigInt(answer.body.amountOut)).toBeLessThan(amountIn / 2n)
      const done = await execute(answer, dai)
      expect([done.status, done.deltas[0]]).toEqual(['success', BigInt(answer.body.amountOut)])
    },
  )

  test.each([
    ['untilTime', 'two hours later', { blockTimeSeconds: Number(twoHours) }],
    ['untilBlock', 'some blocks later', { blocksLater: 8 }],
    ['untilGas', 'with more gas than a wallet gives', { gas: 8_000_000n }],
  ] as const)(
    '%s: hooks that were seen to take nothing and take half %s cost the sender nothing',
    async (name, _when, changed) => {
      const turnsAt = BigInt(await head()) + 9n
      if (name === 'untilBlock') await setTurn(name, never.with(1, turnsAt))
      const more = { blockNumber: String(await head()) }
      const answer = await route(dai, tokens[name], ether, more)
      expect(answer.status, answer.text).toBe(200)
      expect(await hooksOf(name)).toMatchObject({ class: 'exact' })
      expect(BigInt(answer.body.amountOut)).toBeGreaterThan((ether * 99n) / 100n)
      const done = await execute(answer, tokens[name])
      expect([done.status, done.deltas[0]]).toEqual(['success', BigInt(answer.body.amountOut)])
      const turned = await execute(answer, tokens[name], changed)
      expect([turned.status, ...turned.deltas]).toEqual(['reverted', 0n, 0n])
    },
  )

  test('what was recorded of hooks is replayed to the byte without a node', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'forkroute-hooks-cassette-'))
    const file = join(folder, 'hooks.cassette')
    const blockNumber = String(await head())
    const names = ['quiet', 'delta', 'liar'] as const
    const askAll = async (
      environment: Readonly<Record<string, string>>,
      kind: 'record' | 'replay',
    ) => {
      const config = loadConfig({ ...environment, WORKERS: '1' })
      const options = { logger: createLogger('error'), mode: { kind, file } }
      const local = await openLocalService(config, options)
      const answers: string[] = []
      for (const name of names) {
        const pair = { fromAddress: alice, tokenIn: dai, tokenOut: tokens[name] }
        const query = { ...pair, amountIn: `${7n * ether}`, explain: 'true', blockNumber }
        const answer = await local.ask({ path: '/shortcuts/route', query })
        expect(answer.status, answer.text).toBe(name === 'liar' ? 422 : 200)
        // An answer that is an error has the id of its own request.
        answers.push(answer.text.replace(/"requestId":"[^"]+"/, ''))
      }
      await local.close()
      return answers
    }
    const recorded = await askAll({ ...environmentOf(dataDir), POOL_INDEX: 'on' }, 'record')
    for (const [k, name] of names.entries()) expect(recorded[k]).toContain(ids[name])
    const replayed = await askAll({ DATA_DIR: join(folder, 'other') }, 'replay')
    await rm(folder, { recursive: true })
    expect(replayed).toEqual(recorded)
  })
})
