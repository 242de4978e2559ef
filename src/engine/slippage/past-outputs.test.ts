import { describe, expect, test } from 'vitest'
import type { CallContext, RouteAnswer, RouteRequest } from '../../domain/engine.js'
import { noAccount } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, BlockPin } from '../../domain/primitives.js'
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

/** An engine whose transaction gives the number of the block. @param lacks - blocks without state. */
function recorded(lacks: (number: bigint) => boolean = () => false) {
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
      return answerAt(block)
    },
    async executions(_chainId, number) {
      executed.push(number)
      return [{ status: 'filled', outputs: [{ token: get, amount: number }], gas: 1n }]
    },
    stopping: new AbortController().signal,
  })
  return { past, quoted, amounts, executed }
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
    const { past, quoted } = recorded((number) => number < 130n)
    expect(await past.before(request(1n), pinAt(187n), context)).toMatchObject({ outputs: null })
    expect(await past.before(request(1n), pinAt(59n), context)).toMatchObject({ outputs: null })
    expect(quoted).toEqual([])
  })

  test('an error that may pass is thrown, and the next request measures anew', async () => {
    let isDown = true
    const { past } = recorded((number) => {
      if (isDown && number === 170n) throw new ForkrouteError('FORK_UNAVAILABLE', 'Later.')
      return false
    })
    await expect(past.before(request(1n), pinAt(187n), context)).rejects.toThrow('Later.')
    isDown = false
    const { outputs } = await past.before(request(1n), pinAt(187n), context)
    expect(outputs).toHaveLength(53)
  })
})
