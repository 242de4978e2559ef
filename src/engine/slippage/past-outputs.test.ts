import { describe, expect, test, vi } from 'vitest'
import type { ChainDefinition } from '../../chains/chain.js'
import { ethereum } from '../../chains/ethereum.js'
import { defined } from '../../domain/defined.js'
import type { CallContext, RouteAnswer, RouteRequest } from '../../domain/engine.js'
import { noAccount } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { type Address, type BlockPin, type Hex, zeroAddress } from '../../domain/primitives.js'
import type { RouteStepRecord } from '../../domain/route-step.js'
import { type PackedHop, packSwap } from '../../executor/swap-order.js'
import { PastOutputs } from './past-outputs.js'

const give: Address = '0x00000000000000000000000000000000000000a1'
const get: Address = '0x00000000000000000000000000000000000000a2'
const sender: Address = '0x00000000000000000000000000000000000000a3'
const context: CallContext = { accountId: noAccount, signal: new AbortController().signal }

function pinAt(number: bigint): BlockPin {
  return {
    chainId: 1,
    number,
    hash: `0x${number.toString(16).padStart(64, '0')}`,
    parentHash: `0x${(number - 1n).toString(16).padStart(64, '0')}`,
    extraData: '0x',
    timestamp: 12n * number,
    baseFeePerGas: 1n,
    gasUsed: 1n,
    gasLimit: 1n,
    difficulty: 0n,
    miner: sender,
    shownHardFork: 'osaka',
  }
}

function request(amount: bigint, more: Partial<RouteRequest> = {}): RouteRequest {
  return {
    chainId: 1,
    fromAddress: sender,
    strategy: 'router',
    executionMode: 'user',
    inputs: [{ token: give, amount }],
    tokensOut: [get],
    limit: { kind: 'slippage', centiBps: 5_000n },
    ignoreAggregators: [],
    ignoreStandards: [],
    includeTransactionCost: true,
    includePriceImpact: true,
    ...more,
  }
}

function answerAt(block: BlockPin): RouteAnswer {
  return {
    chainId: 1,
    route: [],
    gas: 1n,
    outputs: [],
    priceImpact: null,
    block,
    tx: { from: sender, to: sender, data: '0x01', value: 0n },
    warnings: [],
  }
}

interface Chain {
  /** Blocks without state. */
  readonly lacks?: (number: bigint) => boolean
  /** What the transaction gives at the block; default: its number. */
  readonly given?: (number: bigint) => bigint
  readonly route?: RouteAnswer['route']
  /** Call data of the transaction. */
  readonly data?: Hex
  /** Blocks with events of the pools; undefined: no node serves them. */
  readonly events?: readonly bigint[]
  /** Default: Ethereum. */
  readonly definition?: ChainDefinition
  readonly heads?: Heads
}

/** Heads that the test makes known. */
class Heads {
  readonly #waiting: ((head: BlockPin) => void)[] = []
  asked = 0

  after(): Promise<BlockPin> {
    this.asked += 1
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Resolves once it has been taken in. */
  async come(number: bigint): Promise<void> {
    const { asked } = this
    this.#waiting.shift()?.(pinAt(number))
    await vi.waitFor(() => expect(this.asked).toBe(asked + 1))
  }
}

function recorded(chain: Chain = {}) {
  const { lacks = () => false, given = (number) => number, heads = new Heads() } = chain
  const { definition = ethereum } = chain
  const questions: unknown[] = []
  const quoted: bigint[] = []
  const amounts: (bigint | undefined)[] = []
  const executed: bigint[] = []
  const past = new PastOutputs({
    async pin({ blockNumber = 0n }, { onBlock }) {
      if (lacks(blockNumber)) throw new ForkrouteError('UNKNOWN_BLOCK', 'It is gone.')
      onBlock?.(pinAt(blockNumber), false)
      return pinAt(blockNumber)
    },
    async quoteAt({ inputs }, block) {
      quoted.push(block.number)
      amounts.push(inputs[0]?.amount)
      const answer = answerAt(block)
      const tx = { ...answer.tx, data: chain.data ?? answer.tx.data }
      return { ...answer, tx, ...defined({ route: chain.route }) }
    },
    async executions(_chainId, number) {
      executed.push(number)
      return [{ status: 'filled', outputs: [{ token: get, amount: given(number) }], gas: 1n }]
    },
    async changedBlocks(question) {
      questions.push(question)
      if (!chain.events) throw new ForkrouteError('STATE_UNAVAILABLE', 'No events here.')
      return chain.events
    },
    headAfter: () => heads.after(),
    chainOf: () => definition,
    stopping: new AbortController().signal,
  })
  return { past, quoted, amounts, executed, questions }
}

describe('PastOutputs', () => {
  test('the window ends at a multiple of ten, and the transaction is found at one of fifty', async () => {
    const { past, quoted, amounts, executed } = recorded()
    const seen: bigint[] = []
    const watched = { ...context, onBlock: ({ number }: BlockPin) => seen.push(number) }
    const { from, to, outputs } = await past.before(request(1_500n), pinAt(187n), watched)
    expect([from, to, quoted, amounts]).toEqual([128n, 180n, [150n], [1_024n]])
    const numbers = Array.from({ length: 53 }, (_one, index) => 128n + BigInt(index))
    expect(outputs).toEqual(numbers.map((number) => [number]))
    expect([...executed].sort()).toEqual(numbers)
    expect(new Set(seen)).toEqual(new Set(numbers))
  })

  test('who asks for the same size in the same window gets what is there; the next window adds ten blocks', async () => {
    const { past, quoted, executed } = recorded()
    const asked = [
      past.before(request(1_500n), pinAt(187n), context),
      past.before(request(1_024n, { fromAddress: give }), pinAt(180n), context),
    ]
    const [first, second] = await Promise.all(asked)
    expect(second).toBe(first)
    expect([quoted.length, executed.length]).toEqual([1, 53])
    await past.before(request(1_500n), pinAt(190n), context)
    expect([quoted.length, executed.length]).toEqual([2, 63])
    await past.before(request(2_048n), pinAt(190n), context)
    await past.before(request(1_500n, { ignoreStandards: ['curve'] }), pinAt(190n), context)
    expect(quoted).toHaveLength(4)
  })

  test('nothing is measured without the first block, nor on a young chain', async () => {
    const { past, quoted } = recorded({ lacks: (number) => number < 130n })
    expect(await past.before(request(1n), pinAt(187n), context)).toMatchObject({ outputs: null })
    expect(await past.before(request(1n), pinAt(59n), context)).toMatchObject({ outputs: null })
    expect(quoted).toEqual([])
  })

  test('an error that may pass is thrown, and the next request measures anew', async () => {
    let isDown = true
    const { past } = recorded({
      lacks(number) {
        if (isDown && number === 170n) throw new ForkrouteError('FORK_UNAVAILABLE', 'Later.')
        return false
      },
    })
    await expect(past.before(request(1n), pinAt(187n), context)).rejects.toThrow('Later.')
    isDown = false
    const { outputs } = await past.before(request(1n), pinAt(187n), context)
    expect(outputs).toHaveLength(53)
  })
})

describe('the events of the pools', () => {
  const pool: Address = '0x00000000000000000000000000000000000000b1'
  const route = [swapIn('uniswap-v3', pool)]
  /** The price moves with each third event alone. */
  const events = [131n, 140n, 141n, 142n, 165n, 180n]
  const given = (number: bigint) =>
    1_000n + BigInt(events.filter((one, index) => index % 3 === 0 && one <= number).length)

  test('tell which blocks need no execution, and the outputs are those of all executions', async () => {
    const all = recorded({ route, given })
    const few = recorded({ route, given, events })
    const { outputs } = await few.past.before(request(1n), pinAt(187n), context)
    expect(outputs).toEqual((await all.past.before(request(1n), pinAt(187n), context)).outputs)
    expect(all.executed).toHaveLength(53)
    expect([...few.executed].sort()).toEqual([
      128n,
      130n,
      131n,
      139n,
      140n,
      141n,
      142n,
      164n,
      165n,
      179n,
      180n,
    ])
    expect(few.questions).toEqual([{ chainId: 1, from: 128n, to: 180n, addresses: [pool] }])
  })

  describe('of a hop', () => {
    const manager: Address = '0x00000000000000000000000000000000000000b2'
    const id: Hex = `0x${'cd'.repeat(32)}`
    const hop: PackedHop = {
      family: 'v2',
      zeroForOne: true,
      isLast: true,
      share: 0,
      target: pool,
      tokenIn: give,
      tokenOut: zeroAddress,
      fee: 30,
      tickSpacing: 0,
    }
    const orderOf = (changed: Partial<PackedHop>) =>
      packSwap({
        deadline: null,
        amountIn: 1n,
        minimum: 1n,
        tokenIn: give,
        tokenOut: get,
        wraps: false,
        unwraps: false,
        tags: null,
        receiver: null,
        fee: null,
        hops: [{ ...hop, ...changed }],
      })
    const pairs = [swapIn('uniswap-v2', pool)]
    const inManager = [
      {
        ...swapIn('uniswap-v4', manager),
        internalRoutes: swapIn('uniswap-v4', manager).internalRoutes?.map((leg) => ({
          ...leg,
          pool: id,
        })),
      },
    ] as RouteAnswer['route']
    const range = { chainId: 1, from: 128n, to: 180n }

    test.each<[string, Partial<PackedHop>, RouteAnswer['route'], unknown[]]>([
      ['a pair', {}, pairs, [{ addresses: [pool] }]],
      [
        'a pool of V4',
        { family: 'v4', target: manager, zeroForOne: false },
        inManager,
        [{ addresses: [manager], indexed: [id] }],
      ],
      [
        'both',
        {},
        [...pairs, ...inManager],
        [{ addresses: [pool] }, { addresses: [manager], indexed: [id] }],
      ],
    ])('of %s tell of every change', async (_name, changed, steps, expected) => {
      const data = orderOf(changed)
      const { past, executed, questions } = recorded({
        route: steps,
        data,
        given: () => 7n,
        events: [],
      })
      await past.before(request(1n), pinAt(187n), context)
      expect(executed).toHaveLength(2)
      expect(questions).toEqual(expected.map((one) => ({ ...range, ...(one as object) })))
    })

    test.each<[string, Hex, RouteAnswer['route']]>([
      ['looks what has arrived', orderOf({ family: 'v2-measured' }), pairs],
      ['pays another pair', orderOf({ target: get }), pairs],
      ['carries out steps, in which a pool of V4 may have hooks', '0x01', inManager],
    ])('are not asked for where the order %s', async (_name, data, steps) => {
      const { past, executed, questions } = recorded({ route: steps, data, events: [] })
      await past.before(request(1n), pinAt(187n), context)
      expect([executed.length, questions]).toEqual([53, []])
    })
  })

  test('a window in which nothing happens takes two executions, and the next one two more', async () => {
    const { past, executed } = recorded({ route, given: () => 7n, events: [] })
    await past.before(request(1n), pinAt(187n), context)
    expect([...executed].sort()).toEqual([128n, 180n])
    await past.before(request(1n), pinAt(190n), context)
    expect([...executed].sort()).toEqual([128n, 138n, 180n, 190n])
  })

  test('are not believed where the ends of a quiet run differ', async () => {
    const { past, executed } = recorded({ route, events: [] })
    const { outputs } = await past.before(request(1n), pinAt(187n), context)
    expect(outputs).toEqual(Array.from({ length: 53 }, (_one, index) => [128n + BigInt(index)]))
    expect(executed).toHaveLength(53)
  })

  test('are not asked for where a token that the chain names rebases', async () => {
    const rebasing: Address = '0xae7ab96520de3a18e5e111b5eaab095312d7fe84'
    const swapsIt = [{ ...swapIn('uniswap-v3', pool), tokenOut: [rebasing] }]
    const connectorTokens = [...ethereum.connectorTokens, rebasing]
    const { past, executed, questions } = recorded({
      route: swapsIt,
      events: [],
      definition: { ...ethereum, connectorTokens },
    })
    await past.before(request(1n), pinAt(187n), context)
    expect([executed.length, questions]).toEqual([53, []])
  })

  test.each([
    ['a pool that moves with time', [swapIn('curve', pool)]],
    ['a pair that takes what it is sent, by steps', [swapIn('uniswap-v2', pool)]],
    ['a token that the chain does not name', [{ ...swapIn('uniswap-v3', pool), tokenOut: [get] }]],
    ['a step without pools', [{ ...swapIn('uniswap-v3', pool), internalRoutes: [] }]],
  ])('are not asked for with %s', async (_name, other) => {
    const { past, executed, questions } = recorded({ route: [...route, ...other], events: [] })
    await past.before(request(1n), pinAt(187n), context)
    expect([executed.length, questions]).toEqual([53, []])
  })
})

describe('the next window', () => {
  test('is measured when the newest block lies in it, while the pair is asked for', async () => {
    const heads = new Heads()
    const { past, executed } = recorded({ heads })
    await past.before(request(1n), pinAt(187n), context)
    await heads.come(187n)
    await heads.come(189n)
    expect(executed).toHaveLength(53)
    await heads.come(190n)
    expect(executed).toHaveLength(63)
    await past.before(request(1n), pinAt(191n), context)
    expect(executed).toHaveLength(63)
  })

  test.each([
    ['at a stated block', request(1n, { blockNumber: 187n }), context],
    ['in the background', request(1n), { ...context, isBackground: true }],
  ])('is not measured for what is asked %s', async (_name, asked, inContext) => {
    const heads = new Heads()
    const { past } = recorded({ heads })
    await past.before(asked, pinAt(187n), inContext)
    expect(heads.asked).toBe(0)
  })

  test('is measured for the sixteen that were asked for last', async () => {
    const heads = new Heads()
    const { past, quoted } = recorded({ heads })
    for (let power = 0n; power < 20n; power += 1n) {
      await past.before(request(1n << power), pinAt(187n), context)
    }
    await heads.come(187n)
    await heads.come(190n)
    expect(quoted).toHaveLength(20 + 16)
  })
})

function swapIn(protocol: string, pool: Address): RouteStepRecord {
  const [tokenIn, tokenOut] = ethereum.connectorTokens.slice(0, 2) as [Address, Address]
  return {
    action: 'swap',
    protocol,
    tokenIn: [tokenIn],
    tokenOut: [tokenOut],
    positionInId: [],
    positionOutId: [],
    chainId: 1,
    internalRoutes: [{ tokenIn, tokenOut, protocol, pool, primary: pool, share: 10_000 }],
  }
}
