/**
 * Pools of Uniswap V4 whose hooks no list names: they are run on the fork, used where they are steady, and left out and
 * named where they are not. Whatever hooks do, an answer is what its transaction does on a fork of its own.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256, maxUint256, stringToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import { contractAddress, quoteSender } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { expectExecution, stepsOf } from '../../support/answers.js'
import { runCli } from '../../support/cli.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { deal, dynamicFee, openHookedPool } from '../../support/protocols/hooked-pools.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const alice = sandboxAccount('alice').address
const dai = sandboxToken('DAI').address
const ether = 10n ** 18n
const liquidity = 10n ** 24n
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
  const environment = { DATA_DIR: dataDir, RPC_URL_1: sandbox.url, UPSTREAM_TIMEOUT_MS: '60000' }
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
    },
  )

  test.each([
    ['volatility', 'what its hooks give changes with the order of swaps in a block'],
    ['liar', 'what its hooks give changes with the sender'],
    ['endlessBurner', 'no swap with its hooks succeeds with 1000000 gas'],
  ] as const)('%s is left out and named', async (name, reason) => {
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
})
