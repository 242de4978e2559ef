/** Transactions with one tag, of which one can be carried out: mined for real, on an Anvil of the test's own. */
import { decodeErrorResult, type Hex, numberToHex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { runnerAddress } from '../../../src/executor/compile.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { executorErrorsAbi } from '../../../src/executor/errors.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { TestAnvil } from '../../support/anvil.js'
import { type AnswerTransaction, asSent, executeOnFork } from '../../support/execute.js'
import type { Answer } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
]
const ether = 10n ** 18n
const sender: Address = '0x00000000000000000000000000000000000a11ce'
const once = '0x0123456789abcdef0123456789abcdef'
const route = '/api/v1/shortcuts/route'
const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${ether}` }

interface Told {
  readonly amountOut: string
  readonly gas: string
  readonly tx: AnswerTransaction
}
type Query = Record<string, string | readonly string[]>

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

function ask(query: Query): Promise<Answer> {
  return service.get(route, { fromAddress: sender, executionMode: 'backend', ...trade, ...query })
}

async function found(query: Query): Promise<Answer['body']> {
  const answer = await ask(query)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

/** Mines one, then the others behind it; each of these reverts, and this is why. */
async function mineThenOthers(
  { createdAt }: { readonly createdAt: number },
  first: Pick<Told, 'tx'>,
  others: readonly AnswerTransaction[],
  prepare?: (anvil: TestAnvil) => Promise<void>,
) {
  const refusals: string[] = []
  const gasOfRefusals: bigint[] = []
  const send = async (anvil: TestAnvil, tx: AnswerTransaction) => {
    const receipt = await mined(anvil, tx)
    expect(receipt).toMatchObject({ status: '0x0', logs: [] })
    gasOfRefusals.push(receipt.gasUsed)
    refusals.push(reasonOf(await revertData(anvil, tx)))
  }
  const done = await executeOnFork({
    nodeUrl: service.nodeUrl,
    blockNumber: createdAt,
    tx: first.tx,
    watch: [{ token: usdc, owner: sender }],
    fund: [{ token: weth, amount: 10n * ether }],
    async prepare(anvil) {
      await prepare?.(anvil)
      await allow(anvil)
    },
    inspect: async (anvil) => {
      for (const tx of others) await send(anvil, tx)
    },
  })
  return { done, refusals, gasOfRefusals }
}

/** In a block 12 seconds after the last, since pools write their observations once a second. */
async function mined(anvil: TestAnvil, tx: AnswerTransaction) {
  const { timestamp } = await anvil.rpc<{ readonly timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  await anvil.rpc('evm_setNextBlockTimestamp', [numberToHex(BigInt(timestamp) + 12n)])
  const hash = await anvil.rpc<Hex>('eth_sendTransaction', [toRequest(tx)])
  await anvil.rpc('evm_mine', [])
  const { status, gasUsed, logs } = await anvil.rpc<{
    readonly status: Hex
    readonly gasUsed: Hex
    readonly logs: readonly unknown[]
  }>('eth_getTransactionReceipt', [hash])
  return { status, gasUsed: BigInt(gasUsed), logs }
}

function toRequest({ from, to, data, value }: AnswerTransaction) {
  return { from, to, data, value: numberToHex(BigInt(value)), gas: numberToHex(5_000_000n) }
}

/** What a call of the transaction reverts with. */
async function revertData(anvil: TestAnvil, tx: AnswerTransaction): Promise<Hex> {
  const response = await fetch(anvil.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [toRequest(tx), 'latest'],
    }),
  })
  const { error } = (await response.json()) as { readonly error?: { readonly data?: Hex } }
  return error?.data ?? '0x'
}

/** More than one transaction takes. */
async function allow(anvil: TestAnvil): Promise<void> {
  for (const spender of [contractAddress('Router'), contractAddress('WalletFactory')]) {
    await anvil.rpc('anvil_impersonateAccount', [sender])
    await anvil.rpc('anvil_setBalance', [sender, numberToHex(100n * ether)])
    const data: Hex = `0x095ea7b3${spender.slice(2).padStart(64, '0')}${'f'.repeat(64)}`
    await anvil.rpc('eth_sendTransaction', [{ from: sender, to: weth, data }])
  }
}

/** The named error inside that of the step. */
function reasonOf(data: Hex): string {
  const outer = decodeErrorResult({ abi: executorErrorsAbi, data })
  const [, , inner] = (outer.args ?? []) as readonly [bigint, Address, Hex]
  const { errorName, args = [] } = decodeErrorResult({ abi: executorErrorsAbi, data: inner })
  return `${outer.errorName}: ${errorName}(${args.join(', ')})`.toLowerCase()
}

function refusal(strategy: 'router' | 'wallet-v2', tag = once): string {
  const runner = runnerAddress(strategy, sender)
  return `stepfailed: tagused(${runner}, ${tag})`
}

describe('once', () => {
  test('the best and its alternatives share the tag: one is mined as it says, the others do nothing', async () => {
    const body = await found({ once, alternatives: '2' })
    const others: Told[] = body.alternatives
    expect(others).toHaveLength(2)
    for (const one of [body, ...others] as Told[]) {
      const done = await executeOnFork({
        nodeUrl: service.nodeUrl,
        blockNumber: body.createdAt,
        tx: one.tx,
        watch: [{ token: usdc, owner: sender }],
        fund: [{ token: weth, amount: ether }],
        approve: contractAddress('Router'),
      })
      expect(done.deltas).toEqual([BigInt(one.amountOut)])
      expect(done.gasUsed).toBe(BigInt(one.gas))
    }
    for (const [first, ...rest] of [
      [body, body, ...others],
      [others[0], body, others[1], others[0]],
    ] as Told[][]) {
      if (!first) continue
      const { done, refusals, gasOfRefusals } = await mineThenOthers(
        body,
        first,
        rest.map(({ tx }) => tx),
      )
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([BigInt(first.amountOut)])
      expect(refusals).toEqual([refusal('router'), refusal('router'), refusal('router')])
      for (const gas of gasOfRefusals) expect(gas).toBeLessThan(120_000n)
    }
  })

  test('other tags are others, and a transaction without a tag is as it was before', async () => {
    const body = await found({ once })
    const blockNumber = `${body.createdAt}`
    const [plain, again] = [await found({ blockNumber }), await found({ blockNumber })]
    expect(plain.tx).toEqual(again.tx)
    expect(plain.tx.data).not.toContain(once.slice(2))
    expect(plain.tx.data.startsWith('0x8119c065')).toBe(true)
    const another = await found({ once: `0x${'0'.repeat(32)}`, blockNumber })
    expect(another.tx.data).not.toBe(body.tx.data)
    expect(another.amountOut).toBe(body.amountOut)
  })

  test.each(['router-legacy', 'svcwallet-v2'])('of %s a second one reverts', async (strategy) => {
    const body = await found({ once, routingStrategy: strategy })
    const { done, refusals } = await mineThenOthers(body, body, [body.tx])
    expect(done.status).toBe('success')
    expect(done.deltas).toEqual([BigInt(body.amountOut)])
    const runner = strategy === 'svcwallet-v2' ? 'wallet-v2' : 'router'
    expect(refusals).toEqual([refusal(runner)])
  })

  test.each([
    ['delegate', 'delegate-legacy'],
    ['delegate-legacy', 'delegate'],
  ])('of %s a second one of the account reverts, and so does one of %s', async (...strategies) => {
    const [body, other] = [
      await found({ once, routingStrategy: strategies[0] }),
      await found({ once, routingStrategy: strategies[1] }),
    ]
    const { tx, prepare } = asSent(body.tx, strategies[0], sender)
    const others = [tx, asSent(other.tx, strategies[1], sender).tx]
    const { done, refusals } = await mineThenOthers(body, { tx }, others, prepare)
    expect([done.status, done.deltas]).toEqual(['success', [BigInt(body.amountOut)]])
    const refused = `stepfailed: tagused(${sender}, ${once})`
    expect(refusals).toEqual([refused, refused])
  })

  test('a bundle that uses the tag by a call of its own is one of them', async () => {
    const body = await found({ once })
    const query = `fromAddress=${sender}&blockNumber=${body.createdAt}`
    const use = {
      protocol: 'svc',
      action: 'call',
      args: {
        address: contractAddress('UsedTags'),
        method: 'use',
        abi: 'function use(bytes16 tag)',
        args: [once],
      },
    }
    const swap = { protocol: 'svc', action: 'route', args: { ...trade, slippage: '50' } }
    const bundle = await service.post(`/api/v1/shortcuts/bundle?${query}`, [use, swap])
    expect(bundle.status, bundle.text).toBe(200)
    const { refusals } = await mineThenOthers(body, body, [bundle.body.tx])
    expect(refusals).toEqual([refusal('router')])
  })

  test('ether in, a split, and a stated output carry it as well', async () => {
    const cases: Query[] = [
      { tokenIn: nativeToken },
      { amountIn: `${500n * ether}` },
      { amountIn: '', amountOut: '1000000000' },
    ]
    for (const more of cases) {
      const { tx } = await found({ once, ...more })
      expect(tx.data).toContain(once.slice(2))
    }
  })

  test('a tag that follows another in its word costs 17,100 gas less, and a second use less than a swap', async () => {
    const body = await found({ once: `0x${'f'.repeat(32)}` })
    const blockNumber = `${body.createdAt}`
    const tagged = (tag: string) => found({ once: tag, blockNumber })
    const [first, next, plain] = [
      await tagged(`0x${'1'.repeat(30)}01`),
      await tagged(`0x${'1'.repeat(30)}02`),
      await found({ blockNumber }),
    ]
    const gas: bigint[] = []
    await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: body.createdAt,
      // Deploys the Executor.
      tx: body.tx,
      watch: [],
      fund: [{ token: weth, amount: 10n * ether }],
      prepare: allow,
      inspect: async (anvil) => {
        for (const { tx } of [first, next, first, plain]) gas.push((await mined(anvil, tx)).gasUsed)
      },
    })
    const [ofFirst = 0n, ofNext = 0n, ofSecondUse = 0n, ofPlain = 0n] = gas
    expect(ofFirst - ofNext).toBeGreaterThan(16_000n)
    expect(ofFirst - ofNext).toBeLessThan(18_000n)
    expect(ofSecondUse).toBeLessThan(ofPlain)
  })

  test.each([
    [{ once: '0x01' }, 'once must be a tag of 16 bytes: 0x and 32 hexadecimal digits'],
    [
      { once, destinationChainId: '8453' },
      'once must not be given with a destinationChainId other than chainId',
    ],
  ])('%o is refused: %s', async (more, message) => {
    const answer = await ask(more)
    expect(answer.status, answer.text).toBe(400)
    expect([answer.body.message].flat()).toContain(message)
  })

  test('a tag that was used up to the block is refused', async () => {
    const { createdAt } = await found({})
    const target = contractAddress('UsedTags')
    const answer = await service.post(route, {
      ...trade,
      fromAddress: sender,
      executionMode: 'backend',
      once,
      blockNumber: createdAt,
      // Anything that says of every tag that it was used.
      stateOverrides: { [target]: { code: '0x600160005260206000f3' } },
    })
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.message).toContain(`The tag ${once} of once was used by ${sender}`)
  })
})
