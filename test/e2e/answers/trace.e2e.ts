/** Traces of returned transactions over HTTP and on the command line, each against an Anvil that carries it out. */
import { readFileSync } from 'node:fs'
import { type Hex, toEventSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken, toAddress } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { runCli } from '../../support/cli.js'
import { asSent, executeOnFork } from '../../support/execute.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'

const { address: alice } = sandboxAccount('alice')
const [weth, usdc, dai, link] = ['WETH', 'USDC', 'DAI', 'LINK'].map(
  (symbol) => sandboxToken(symbol).address,
) as [Address, Address, Address, Address]
const ether = 10n ** 18n
const pair: Address = '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc'
/** Where WETH keeps it. */
const balanceOfPair = '0xb374801ace2c02f5db0425ab5920a2b7ed1d5a00abbcd395fda7530ba1d666c0'
const transfer = toEventSelector('event Transfer(address,address,uint256)')

let service: TestService

beforeAll(async () => {
  // Open: the id of an account in the transaction costs gas, and the page shows that of a command without one.
  const env = { AUTH_MODE: 'open', WORKERS: '2', RATE_LIMIT_PER_MINUTE: '100000' }
  service = await startService(env)
})
afterAll(() => service?.stop())

const route = (query: Record<string, string>) =>
  service.get('/api/v1/shortcuts/route', { fromAddress: alice, trace: 'true', ...query })

interface Call {
  readonly type: string
  readonly from: Hex
  readonly to?: Hex | null
  readonly input?: Hex
  readonly selector?: Hex | null
  readonly value?: Hex | string
  readonly gasUsed: Hex | string
  readonly calls?: readonly Call[]
}

/** Of either form, what both tell; Anvil's own trace of the mined transaction is the other. */
function comparable({ type, from, to, input, selector, value, gasUsed, calls }: Call): object {
  const data =
    input === undefined ? (selector ?? null) : input.length < 10 ? null : input.slice(0, 10)
  return {
    type,
    from: toAddress(from),
    to: to && toAddress(to),
    data,
    // A delegated call moves nothing; Anvil repeats what came with the call around it.
    value: type === 'DELEGATECALL' ? 0n : BigInt(value ?? 0),
    gasUsed: BigInt(gasUsed),
    calls: (calls ?? []).map(comparable),
  }
}

/** Carries it out on an Anvil of its own, and holds the trace against what happened there. */
async function expectTrue({ status, body }: Answer, strategy = 'router') {
  expect([status, body.message]).toEqual([200, undefined])
  const { trace } = body
  let mined: Call | undefined
  const done = await executeOnFork({
    nodeUrl: service.nodeUrl,
    blockNumber: body.blockNumber,
    watch: [],
    ...asSent(body.tx, strategy, alice),
    async inspect(anvil, hash) {
      mined = await anvil.rpc<Call>('debug_traceTransaction', [hash, { tracer: 'callTracer' }])
    },
  })
  expect(done.status).toBe('success')
  expect(done.gasUsed).toBe(BigInt(body.gas))
  expect(comparable(trace.call)).toEqual(comparable(mined as Call))
  const sums = new Map<string, bigint>()
  for (const { address, topics, data } of done.logs) {
    const [topic, from, to] = topics
    if (topic !== transfer || !from || !to || BigInt(data) === 0n) continue
    const key = [address, `0x${from.slice(-40)}`, `0x${to.slice(-40)}`].join()
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(data))
  }
  // Wrapping is told as a movement, too, though the token has another event for it.
  const told = (trace.movements as Record<string, string>[]).filter(
    ({ token, from, to }) => token !== nativeToken && from !== weth && to !== weth,
  )
  const asKeys = told.map(({ token, from, to, amount }) => [
    [token, from, to].join(),
    BigInt(amount ?? 0),
  ])
  expect(new Map(asKeys as [string, bigint][])).toEqual(sums)
  return trace
}

/** What the account has gained of the token by the movements. */
function gained(trace: Answer['body'], token: Address, account: Address): bigint {
  return trace.movements.reduce((sum: bigint, one: Record<string, string>) => {
    if (one.token !== token) return sum
    const [into, out] = [one.to === account, one.from === account].map(BigInt) as [bigint, bigint]
    return sum + (into - out) * BigInt(one.amount ?? 0)
  }, 0n)
}

describe('trace=true', () => {
  test.each([
    ['a split over many pools', weth, usdc, 200n * ether],
    ['native in', nativeToken, dai, ether],
    ['native out', dai, nativeToken, 2_000n * ether],
    ['through the Executor', link, sandboxToken('stETH').address, 10n * ether],
  ])(
    '%s: calls and movements are those of the mined transaction',
    async (_name, tokenIn, tokenOut, amountIn) => {
      const answer = await route({ tokenIn, tokenOut, amountIn: amountIn.toString() })
      const trace = await expectTrue(answer)
      expect(gained(trace, tokenIn, alice)).toBe(-amountIn)
      const out = gained(trace, tokenOut, alice)
      // A rebasing token rounds what it says it sent.
      const difference = out - BigInt(answer.body.amountOut)
      expect(difference >= -2n && difference <= 2n).toBe(true)
      expect(trace).toMatchObject({ omittedCalls: 0, omittedMovements: 0 })
      expect(trace.call.function).not.toBeNull()
      for (const { token } of trace.movements) {
        expect(trace.names[token]).toEqual(token === nativeToken ? 'ETH' : expect.any(String))
      }
    },
  )

  test.each(['delegate', 'svcwallet-v2', 'router-legacy'])('by %s', async (routingStrategy) => {
    const query = { tokenIn: nativeToken, tokenOut: usdc, amountIn: `${ether}`, routingStrategy }
    await expectTrue(await route(query), routingStrategy)
  })

  test('without it the answer is the same but for the trace', async () => {
    const query = { tokenIn: weth, tokenOut: usdc, amountIn: `${ether}` }
    const traced = await route(query)
    const { trace: _, ...rest } = traced.body
    expect((await route({ ...query, trace: 'false' })).body).toEqual(rest)
    expect((await route(query)).text).toBe(traced.text)
  })

  test('of a bundle, with its failed calls; more than a thousand calls are counted', async () => {
    // Calls an account without code 1,500 times, then reverts or stops.
    const loop = '6105dc5b5f5f5f5f5f61dead5af1506001900380600357'
    const contract = '0x00000000000000000000000000000000000c0de5'
    const post = (code: string) =>
      service.post(`/api/v1/shortcuts/bundle?fromAddress=${alice}&trace=true`, {
        actions: [
          {
            protocol: 'svc',
            action: 'call',
            args: {
              address: contract,
              method: 'work',
              abi: 'function work(uint256 rounds)',
              args: ['7'],
            },
          },
        ],
        stateOverrides: { [contract]: { code } },
      })
    const { status, body } = await post(`0x${loop}00`)
    expect([status, body.message]).toEqual([200, undefined])
    const find = (call: Answer['body']): Answer['body'] =>
      call.to === contract ? call : call.calls.map(find).find((found: unknown) => found)
    const work = find(body.trace.call)
    expect(work).toMatchObject({ function: 'work', args: [{ name: 'rounds', value: '7' }] })
    const count = (call: Answer['body']): number =>
      call.calls.reduce((sum: number, one: unknown) => sum + count(one), 1)
    expect(count(body.trace.call)).toBe(1_001)
    expect(count(body.trace.call) + body.trace.omittedCalls).toBeGreaterThan(1_500)
    expect(body.overrides.code).toEqual([contract])
  })

  test('sees overrides: a pool that pays more is paid from in the trace', async () => {
    const { body } = await service.post('/api/v1/shortcuts/route', {
      fromAddress: alice,
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: '1000000000000000',
      trace: true,
      stateOverrides: {
        [pair]: { stateDiff: { '0x8': '0x0de0b6b3a764000000000000000000000000ee6b2800' } },
        [weth]: { stateDiff: { [balanceOfPair]: '0x0de0b6b3a7640000' } },
      },
    })
    expect(body.trace.movements).toContainEqual({
      token: usdc,
      from: pair,
      to: alice,
      amount: '3984027',
    })
    expect(body.trace.names[pair]).toBe('uniswap-v2')
  })

  test('on the command line, as tables; the example of the page', async () => {
    const page = readFileSync(new URL('../../../docs/how-to/traces.md', import.meta.url), 'utf8')
    const [, line = ''] = /```sh\nnpm run forkroute -- (.+)\n```/.exec(page) ?? []
    const { code, out, err } = await runCli([
      ...line.split(' '),
      ...['--url', service.url, '--key', service.key],
    ])
    expect(code, err).toBe(0)
    const [, shown = ''] = /```text\n([\s\S]+?)```/.exec(page) ?? []
    const plain = (text: string) => text.replaceAll(/[─│┌┐└┘├┤┬┴┼]/g, ' ').replaceAll(/ +/g, ' ')
    for (const row of plain(shown).trim().split('\n')) expect(plain(out)).toContain(row.trim())
  })
})
