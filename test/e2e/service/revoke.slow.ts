/** `forkroute wallet revoke` against a node: what it finds, and what its transactions do on a separate Anvil. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Address, type Hex, maxUint256 } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { formerDeployments, spendersOf } from '../../../src/executor/former-deployments.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { startAnvil } from '../../support/anvil.js'
import { type Outcome, runCli } from '../../support/cli.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { secretKey, startFaultyNode } from '../../support/nodes/rpc-node.js'
import { withSandbox } from '../../support/sandbox.js'

const context = withSandbox()
const { owner } = NodeWriter
const usdc = sandboxToken('USDC').address
/** Refuses to replace an allowance by another that is not zero. */
const usdt = sandboxToken('USDT').address
const present = contractAddress('Router')
const [former, factory] = (['Router', 'WalletFactory'] as const).map((name) => {
  const [first] = spendersOf({ withPresent: false }).filter(({ contract }) => contract === name)
  if (!first) throw new Error(`no former ${name}`)
  return first
}) as [ReturnType<typeof spendersOf>[0], ReturnType<typeof spendersOf>[0]]
const hostile: Address = '0x000000000000000000000000000000000000bad1'

interface Found {
  readonly allowances: readonly { token: Address; spender: Address; amount: string }[]
  readonly transactions: readonly { from: Address; to: Address; data: Hex; value: string }[]
  readonly unread: readonly Address[]
}

let writer: NodeWriter
const approve = (token: Address, spender: Address, amount: bigint): Promise<void> =>
  writer.send(token, 'function approve(address spender, uint256 amount)', [spender, amount])

const revoke = (args: readonly string[], env?: Record<string, string>): Promise<Outcome> =>
  runCli(['wallet', 'revoke', ...args], env)

async function found(...args: string[]): Promise<Found> {
  const { code, out, err } = await revoke(['--json', ...args])
  expect(code, err).toBe(0)
  return JSON.parse(out)
}

const node = () => ['--rpc-url', context().sandbox.url]
const facts = ({ allowances }: Found) =>
  allowances.map(({ token, spender, amount }) => [token, spender, amount])

beforeAll(async () => {
  writer = await new NodeWriter(context().sandbox.url).start()
  await approve(usdc, former.address, 5_000_000n)
  await approve(usdt, factory.address, maxUint256)
  await approve(usdc, present, 7n)
  await context().client.request('anvil_setCode', [hostile, '0x60006000fd'])
}, 60_000)
afterAll(() => writer.close())

describe('former deployments', () => {
  test('are distinct, newest first, and lower case', () => {
    for (const list of Object.values(formerDeployments)) {
      const addresses = list.map(({ address }) => address)
      expect(new Set(addresses).size).toBe(addresses.length)
      for (const address of addresses) expect(address).toMatch(/^0x[0-9a-f]{40}$/)
      const days = list.map(({ replaced }) => replaced)
      expect(days).toEqual(days.toSorted().toReversed())
    }
  })

  test('do not hold what is in use', () => {
    const addresses = spendersOf({ withPresent: false }).map(({ address }) => address)
    expect(addresses).not.toContain(present)
    expect(addresses).not.toContain(contractAddress('WalletFactory'))
  })
})

describe('forkroute wallet revoke', () => {
  test('without --token: former contracts in all listed tokens, and not the present ones', async () => {
    const list = await found('--owner', owner, ...node())
    expect(facts(list)).toEqual([
      [usdc, former.address, '5000000'],
      [usdt, factory.address, maxUint256.toString()],
    ])
    expect(list).toMatchObject({
      chainId: 1,
      owner,
      allowances: [
        { symbol: 'USDC', contract: 'Router', replaced: former.replaced },
        { symbol: 'USDT', contract: 'WalletFactory', replaced: factory.replaced },
      ],
      transactions: [
        { from: owner, to: usdc, value: '0' },
        { from: owner, to: usdt, value: '0' },
      ],
      unread: [],
    })
  })

  test('--all: the present Router too; the nodes of the configuration', async () => {
    const args = ['--owner', owner, '--all', '--token', usdc, usdt, '--json']
    const { out } = await revoke(args, { RPC_URL_1: context().sandbox.url })
    const list: Found = JSON.parse(out)
    expect(facts(list)).toEqual([
      [usdc, present, '7'],
      [usdc, former.address, '5000000'],
      [usdt, factory.address, maxUint256.toString()],
    ])
    expect(list).toMatchObject({ allowances: [{ replaced: null }, {}, {}] })
  })

  test('a token in no list is looked at when it is named', async () => {
    const dai = sandboxToken('DAI').address
    await approve(dai, former.address, 9n)
    onTestFinished(() => approve(dai, former.address, 0n))
    const folder = mkdtempSync(join(tmpdir(), 'forkroute-revoke-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const TOKEN_LISTS = join(folder, 'list.json')
    writeFileSync(TOKEN_LISTS, JSON.stringify({ tokens: [] }))
    const outcome = await revoke(['--owner', owner, '--token', dai, ...node()], { TOKEN_LISTS })
    expect(outcome.out).toContain(dai)
    expect(outcome.out).toContain('9 raw')
    const unlisted = await revoke(['--owner', owner, ...node()], { TOKEN_LISTS })
    expect(unlisted.out).toMatch(/^Nothing to revoke .* none of the 0 tokens/)
  })

  test('its transactions make the allowances zero', async () => {
    const { sandbox } = context()
    const list = await found('--owner', owner, '--all', ...node())
    const judge = await startAnvil(['--fork-url', sandbox.url, '--auto-impersonate'])
    onTestFinished(() => judge.stop())
    const left = async () =>
      (await found('--owner', owner, '--all', '--rpc-url', judge.url)).allowances
    expect(await left()).toHaveLength(3)
    for (const { from, to, data, value } of list.transactions) {
      const receipt = await judge.rpc('eth_sendTransactionSync', [
        { from, to, data, value: `0x${BigInt(value).toString(16)}` },
      ])
      expect(receipt).toMatchObject({ status: '0x1' })
    }
    expect(await left()).toEqual([])
  })

  test('tables for people: what, whose, how much, and what to sign', async () => {
    const { code, out } = await revoke(['--owner', owner, '--all', ...node()])
    expect(code).toBe(0)
    expect(out).toMatch(/USDC .*Router .*present .*0\.000007/)
    expect(out).toMatch(new RegExp(`USDC .*Router .*until ${former.replaced} .* 5 `))
    expect(out).toMatch(/USDT .*WalletFactory .*unlimited/)
    expect(out).toContain(`0x095ea7b3${former.address.slice(2).padStart(64, '0')}${'0'.repeat(64)}`)
  })

  test('nothing to revoke is said, and is no error', async () => {
    const nobody = '0x00000000000000000000000000000000000a11ce'
    const { code, out } = await revoke(['--owner', nobody, ...node()])
    expect(code).toBe(0)
    expect(out).toMatch(/^Nothing to revoke at block \d+: /)
    expect(await found('--owner', nobody, '--all', ...node())).toMatchObject({
      allowances: [],
      transactions: [],
    })
  })

  test('a token that answers nothing is named, and hides no other', async () => {
    const args = ['--owner', owner, '--token', hostile, usdc, ...node()]
    const { code, out, err } = await revoke([...args, '--json'])
    expect(code).toBe(0)
    // What takes long is said before.
    const warning = `warning: allowances cannot be read of ${hostile}\n`
    expect([warning, `Reading allowances …\n${warning}`]).toContain(err)
    const list: Found = JSON.parse(out)
    expect(list.unread).toEqual([hostile])
    expect(facts(list)).toEqual([[usdc, former.address, '5000000']])
    const alone = await revoke(['--owner', owner, '--token', hostile, '--json', ...node()])
    expect(alone.code).toBe(1)
    expect(JSON.parse(alone.out)).toMatchObject({ code: 'STATE_UNAVAILABLE' })
  })

  test.each([
    ['an owner that is no address', ['--owner', 'me'], '--owner must be an address'],
    [
      'a wrong checksum',
      ['--owner', '0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
      '--owner has a wrong EIP-55 checksum',
    ],
    ['a token that is no address', ['--owner', owner, '--token', usdc, 'x'], '--token must be'],
    [
      'a token without code',
      ['--owner', owner, '--token', usdc, '0x000000000000000000000000000000000000bad2'],
      '--token 0x000000000000000000000000000000000000bad2 is no contract',
    ],
    [
      'ether',
      ['--owner', owner, '--token', `0x${'e'.repeat(40)}`],
      'the native token has no allowances',
    ],
  ])('refuses %s', async (_what, args, message) => {
    const { code, out, err } = await revoke([...args, '--json', ...node()])
    expect(code).toBe(1)
    expect(err).toContain(message)
    expect(JSON.parse(out)).toMatchObject({ code: 'INVALID_REQUEST' })
  })

  test('refuses a chain that it does not know, and one without a node', async () => {
    const unknown = await revoke(['--owner', owner, '--chain', '77', '--json', ...node()])
    expect(JSON.parse(unknown.out)).toMatchObject({ code: 'UNKNOWN_CHAIN' })
    const without = await revoke(['--owner', owner])
    expect(without).toMatchObject({ code: 1, out: '' })
    expect(without.err).toContain(
      '--rpc-url (or the variable RPC_URL_1): is needed, the URL of a node',
    )
  })
})

describe('forkroute wallet revoke, by a bad node', () => {
  const faulty: { close(): Promise<void> }[] = []
  afterAll(() => Promise.all(faulty.map((one) => one.close())))

  async function failure(args: readonly string[]): Promise<Outcome> {
    const outcome = await revoke(['--owner', owner, '--json', ...args])
    expect(outcome.code).toBe(1)
    expect(outcome.out + outcome.err).not.toContain(secretKey)
    return outcome
  }

  test('one that is not there, and one of another chain', async () => {
    const absent = await failure(['--rpc-url', `http://127.0.0.1:9/${secretKey}`])
    expect(JSON.parse(absent.out)).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
    const other = await failure(['--chain', '8453', ...node()])
    expect(JSON.parse(other.out)).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
  })

  test('one that fails in the middle, or refuses every call, is never "nothing to revoke"', async () => {
    const isCall = (calls: readonly { method: string }[]) =>
      calls.some(({ method }) => method === 'eth_call')
    const failing = await startFaultyNode(context().sandbox.url, {
      behave: (calls) => (isCall(calls) ? { status: 400 } : null),
    })
    const refusing = await startFaultyNode(context().sandbox.url, {
      behave: (calls) =>
        isCall(calls)
          ? {
              edit: (call, reply) =>
                call.method === 'eth_call'
                  ? { ...reply, result: undefined, error: { code: -32601, message: 'no method' } }
                  : reply,
            }
          : null,
    })
    faulty.push(failing, refusing)
    for (const { url } of [failing, refusing]) {
      const { out } = await failure(['--token', usdc, '--rpc-url', url])
      expect(JSON.parse(out).code).toMatch(/^(UPSTREAM|STATE)_UNAVAILABLE$/)
    }
  })
})
