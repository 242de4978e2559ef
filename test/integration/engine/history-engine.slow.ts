/**
 * What questions about many blocks need of the engine: a route sought by settings of its own, transactions carried out
 * at other blocks, live calls first. On the sandbox, in one engine.
 */
import { setMaxListeners } from 'node:events'
import { isAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  CallContext,
  ExecutionRequest,
  QuoteRequest,
  RouteAnswer,
  RouteRequest,
} from '../../../src/domain/engine.js'
import {
  type Address,
  bigintToString,
  nativeToken,
  zeroAddress,
} from '../../../src/domain/primitives.js'
import type { RouterSettings } from '../../../src/domain/router-settings.js'
import { startEngine, type TestEngine } from '../../support/engine.js'
import { withSandbox } from '../../support/sandbox.js'

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const uni: Address = '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984'
const steth: Address = '0xae7ab96520de3a18e5e111b5eaab095312d7fe84'
const snt: Address = '0x744d70fdbe2ba4cf95131626614a1763df805b9e'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const { signal } = new AbortController()
setMaxListeners(0, signal)
const context: CallContext = { accountId: `0x${'0'.repeat(64)}`, signal }

const sandboxContext = withSandbox()
let one: TestEngine
beforeAll(async () => {
  one = await startEngine({ url: sandboxContext().sandbox.url })
})
afterAll(() => one?.stop())

/** Large enough that the best way of it is a split. */
function wanted(router?: RouterSettings, tokenIn = weth, tokenOut = usdc): QuoteRequest {
  return {
    chainId: 1,
    strategy: 'router',
    executionMode: 'backend',
    inputs: [{ token: tokenIn, amount: 200n * 10n ** 18n }],
    tokensOut: [tokenOut],
    limit: { kind: 'slippage', centiBps: 5_000n },
    ignoreAggregators: [],
    ignoreStandards: [],
    includeTransactionCost: false,
    includePriceImpact: false,
    ...(router && { router }),
  }
}

const ask = (request: QuoteRequest) => one.engine.quote(request, context)
const text = (value: unknown) => JSON.stringify(value, bigintToString)
const past = () => (one.archive.head(1)?.number ?? 0n) - 40n
const legs = ({ route }: RouteAnswer) => route.flatMap(({ internalRoutes = [] }) => internalRoutes)
const pools = (answer: RouteAnswer) => legs(answer).map(({ pool }) => pool)

describe('RouteRequest.router', () => {
  test('settings as those of the service, and none, give the same bytes', async () => {
    const plain = text(await ask(wanted()))
    const same = { maxHops: 3, candidates: 24, splits: true, poolBlacklist: [] }
    for (const router of [{}, same]) expect(text(await ask(wanted(router)))).toBe(plain)
  })

  test('without splits each step has one pool', async () => {
    const split = await ask(wanted())
    const whole = await ask(wanted({ splits: false }))
    expect(legs(split).length).toBeGreaterThan(split.route.length)
    expect(legs(whole).map(({ share }) => share)).toEqual(whole.route.map(() => 10_000))
    expect(whole.outputs[0]?.amountOut).toBeLessThan(split.outputs[0]?.amountOut ?? 0n)
  })

  test('with one hop only pools of the two tokens are used; without such a pool there is no route', async () => {
    const direct = await ask(wanted({ maxHops: 1 }))
    for (const { tokenIn, tokenOut } of legs(direct)) {
      expect([weth, nativeToken]).toContain(tokenIn)
      expect(tokenOut).toBe(usdc)
    }
    const far = (router: RouterSettings) => ask(wanted(router, uni, dai))
    expect((await far({})).route.length).toBeGreaterThan(1)
    await expect(far({ maxHops: 1 })).rejects.toMatchObject({
      code: 'NO_ROUTE',
      details: { maxHops: 1 },
    })
  })

  test('one candidate is one simulated path', async () => {
    const answer = await ask(wanted({ candidates: 1 }))
    expect(legs(answer).map(({ share }) => share)).toEqual(answer.route.map(() => 10_000))
  })

  test('pools of the blacklist are not used, and without all of them there is no route', async () => {
    const first = await ask(wanted())
    const second = await ask(wanted({ poolBlacklist: pools(first) }))
    for (const pool of pools(first)) expect(pools(second)).not.toContain(pool)
    const direct = wanted()
    const seen = new Set<string>()
    for (;;) {
      const router = { maxHops: 1, candidates: 1, poolBlacklist: [...seen] }
      const answer = await ask({ ...direct, router }).catch((error: unknown) => error)
      if (answer instanceof Error) {
        expect(answer).toMatchObject({ code: 'NO_ROUTE' })
        break
      }
      const [pool = ''] = pools(answer as RouteAnswer)
      expect(seen).not.toContain(pool)
      seen.add(pool)
    }
    expect(seen.size).toBeGreaterThan(2)
  })

  test('in a batch each quote has its own', async () => {
    const requests = [wanted(), wanted({ splits: false }), wanted({ maxHops: 1 }), wanted()]
    const { quotes } = await one.engine.quotes({ chainId: 1, requests }, context)
    const singles = await Promise.all(requests.map(ask))
    expect(quotes.map((quote) => quote.ok && text(quote.value))).toEqual(singles.map(text))
  })
})

describe('executions', () => {
  const strategies = [
    'router',
    'delegate',
    'wallet-v2',
    'router-legacy',
    'delegate-legacy',
  ] as const
  const sender: Address = '0x00000000000000000000000000000000005e4de4'
  const receiver: Address = '0x00000000000000000000000000000000007ece17'

  async function found(change: Partial<RouteRequest>): Promise<[ExecutionRequest, RouteAnswer]> {
    const request = { ...wanted(), fromAddress: sender, blockNumber: past(), ...change }
    const answer = await one.engine.quote(request, context)
    return [{ request, tx: answer.tx }, answer]
  }

  let pairs: readonly (readonly [ExecutionRequest, RouteAnswer])[] = []
  const requests = () => pairs.map(([request]) => request)

  test('at the block of the quote they give its very amounts and gas, by every strategy and for every kind of token', async () => {
    const limit = { kind: 'slippage', centiBps: 0n } as const
    const { inputs } = wanted()
    const amount = 200n * 10n ** 18n
    pairs = await Promise.all([
      ...strategies.map((strategy) => found({ strategy, limit })),
      found({ inputs: [{ token: nativeToken, amount }], tokensOut: [dai], receiver }),
      found({ tokensOut: [nativeToken] }),
      found({
        inputs: [
          { token: weth, amount: 10n ** 18n },
          { token: dai, amount: 10n ** 18n },
        ],
        tokensOut: [usdc, uni],
      }),
      found({ inputs: inputs.map((input) => ({ ...input, feeBps: 25n })), feeReceiver: receiver }),
      // No slot decides its balances: a pool off the path lends it.
      found({ inputs: [{ token: snt, amount: 10n ** 18n }], tokensOut: [weth] }),
      // Its balances are shares.
      found({ inputs: [{ token: steth, amount: 10n ** 18n }], tokensOut: [weth] }),
      // Holds some of it already.
      found({ fromAddress: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266' }),
    ])
    const answers = await one.engine.executions(1, past(), requests(), context)
    expect(answers).toEqual(
      pairs.map(([, { outputs, gas }]) => ({
        status: 'filled',
        outputs: outputs.map(({ token, amountOut }) => ({ token, amount: amountOut })),
        gas,
      })),
    )
  })

  test('later ones give what the chain then gives, or revert on their minimum with its name', async () => {
    const later = [1n, 10n, 30n].map((delay) =>
      one.engine.executions(1, past() + delay, requests(), context),
    )
    const answers = (await Promise.all(later)).flat()
    const filled = answers.filter(({ status }) => status === 'filled')
    expect(filled.length).toBeGreaterThan(0)
    expect(answers.length).toBeGreaterThan(filled.length)
    for (const [index, answer] of answers.entries()) {
      const quoted = pairs[index % pairs.length]?.[1].outputs ?? []
      if (answer.status === 'filled') {
        expect(answer.outputs).toHaveLength(quoted.length)
        for (const [place, { amount }] of answer.outputs.entries()) {
          expect(amount).toBeGreaterThanOrEqual(quoted[place]?.minAmountOut ?? 0n)
        }
      } else {
        const reason = expect.stringContaining('InsufficientOutput(')
        expect(answer).toMatchObject({ status: 'reverted', reason })
      }
    }
  })

  test('nothing asked is nothing done; an unknown block is said', async () => {
    expect(await one.engine.executions(1, past(), [], context)).toEqual([])
    await expect(one.engine.executions(1, 10n ** 9n, [], context)).rejects.toMatchObject({
      code: 'UNKNOWN_BLOCK',
    })
  })
})

describe('blocks', () => {
  const pin = (number: bigint) => one.engine.block(1, number, context)

  test('by time: the newest that is not later, the head for the future, none before the first', async () => {
    const [block, next] = await Promise.all([pin(past()), pin(past() + 1n)])
    const at = (timestamp: bigint) => one.engine.blockAtTime(1, timestamp, context)
    expect(await at(block.timestamp)).toEqual(block)
    expect(await at(next.timestamp - 1n)).toEqual(block)
    expect(await at(next.timestamp)).toEqual(next)
    expect(await at(2n ** 40n)).toEqual(one.archive.head(1))
    await expect(at(1_000n)).rejects.toMatchObject({ code: 'UNKNOWN_BLOCK' })
  })

  test('by events: those in which one of the pools left one, as its blocks tell', async () => {
    // Not those of the Vault, whose names are longer than addresses.
    const own = pools(await ask(wanted())).filter((id) => isAddress(id))
    const [pool = zeroAddress, other = zeroAddress] = own
    const range = { chainId: 1, from: past() - 9n, to: past() }
    const changed = (addresses: readonly Address[], to = range.to) =>
      one.engine.changedBlocks({ ...range, to, addresses }, context)
    const expected = async (addresses: readonly Address[]) => {
      const numbers = new Set<bigint>()
      for (let number = range.from; number <= range.to; number++) {
        const { hash } = await one.archive.header(1, number)
        const query = [{ blockHash: hash, address: addresses }]
        const logs = await sandboxContext().client.request<unknown[]>('eth_getLogs', query)
        if (logs.length) numbers.add(number)
      }
      return [...numbers]
    }
    const alone = await changed([pool])
    expect(alone).toEqual(await expected([pool]))
    expect(alone.length).toBeGreaterThan(0)
    expect(alone.length).toBeLessThan(10)
    expect(await changed([pool, other])).toEqual(await expected([pool, other]))
    expect(await changed([zeroAddress])).toEqual([])
    await expect(changed([pool], 10n ** 9n)).rejects.toMatchObject({ code: 'UNKNOWN_BLOCK' })
  })
})

describe('background calls', () => {
  test('live ones asked during a flood are answered before it is over, and the forks of the head stay; the flood ends too', async () => {
    const head = await one.engine.block(1, 'latest', context)
    const forksOf = async () => {
      const lease = await one.forks.acquire(head)
      lease.release()
      return [...lease.urls]
    }
    const forks = await forksOf()
    const cheap = (blockNumber: bigint): QuoteRequest => ({
      ...wanted({ maxHops: 1, candidates: 2, splits: false }),
      blockNumber,
    })
    const leave = new AbortController()
    setMaxListeners(0, leave.signal)
    const numbers = Array.from({ length: 12 }, (_, index) => head.number - 60n - BigInt(index))
    let done = 0
    const background = (signal: AbortSignal) =>
      numbers.map((number) =>
        one.engine
          .quote(cheap(number), { ...context, signal, isBackground: true })
          .finally(() => done++),
      )
    const staying = Promise.all(background(signal))
    const live = await Promise.all([ask(wanted()), ask(wanted({}, dai, usdc)), ask(wanted())])
    expect(live.map(({ block }) => block.number)).toEqual(live.map(() => head.number))
    expect(done).toBeLessThan(numbers.length)
    const leaving = Promise.allSettled(background(leave.signal))
    await one.engine.block(1, head.number, context)
    leave.abort(new Error('left'))
    for (const left of await leaving) {
      expect(left).toMatchObject({ status: 'rejected', reason: { message: 'left' } })
    }
    expect((await staying).map(({ block }) => block.number)).toEqual(numbers)
    expect(await forksOf()).toEqual(forks)
    await expect.poll(() => one.forks.stats().leases).toBe(0)
  })
})
