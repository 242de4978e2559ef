/**
 * Every action that the service lists, behind somebody who takes more from it than the slippage: its transaction reverts,
 * or nothing can be taken. What was tried stands in docs/reference/front-runs.md, which this test writes with UPDATE_DOCS=1 and
 * compares otherwise.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, type Hex, toAddress } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { contractAddresses, v3PoolAddress } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { askBundle, executeBundle } from '../../support/bundle.js'
import { executeBehind, type Move, minimumReasons, swap } from '../../support/front-run.js'
import { poolJudgesOf } from '../../support/judges.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { withoutContracts } from '../../support/protocols/action-cases.js'
import { placeGsm } from '../../support/protocols/declared/place-gsm.js'
import { placeFluidLite } from '../../support/protocols/fluid-lite.js'
import { placeForkVenues } from '../../support/protocols/fork-venues.js'
import {
  answerTo,
  expectCase,
  expectOpposite,
  type Ground,
  type Happened,
} from '../../support/protocols/front-runs/carry-out.js'
import { type FrontRunCase, frontRunCases } from '../../support/protocols/front-runs/cases.js'
import { placeConverters } from '../../support/protocols/place-converters.js'
import { placeFluid } from '../../support/protocols/place-fluid.js'
import { placeGauges } from '../../support/protocols/place-gauges.js'
import { placeLitePsm } from '../../support/protocols/place-lite-psm.js'
import { earnFees, lendAndStake, mintPosition } from '../../support/protocols/sandbox-positions.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'

const anybody: Address = '0x00000000000000000000000000000000000f0ac7'
const other: Address = '0x00000000000000000000000000000000000f0ac8'
const token = (symbol: string): Address => sandboxToken(symbol).address
const [weth, usdc] = [token('WETH'), token('USDC')]
const ether = 10n ** 18n
const document = new URL('../../../docs/reference/front-runs.md', import.meta.url)

interface Listed {
  readonly protocol: { readonly slug: string }
  readonly actions: readonly { action: string; supportedChains: { id: number }[] }[]
}

let service: TestService
let node: NodeWriter
let blockNumber: string
let nft: string
let cases: ReadonlyMap<string, FrontRunCase>
const rows = new Map<string, readonly string[]>()

function byName(facts: Parameters<typeof frontRunCases>[0]): ReadonlyMap<string, FrontRunCase> {
  return new Map(
    frontRunCases(facts).map((each) => [`${each.protocol} ${each.actions.at(-1)?.action}`, each]),
  )
}

const planned = [...byName({ anybody, nft: '0', pancakePair: '0x' })]
const names = planned.map(([name]) => name)

beforeAll(async () => {
  service = await startService({ SERVICE_NAME: 'svc', AUTH_MODE: 'open' })
  node = await new NodeWriter(service.nodeUrl).start()
  const pools = await placeForkVenues(service.nodeUrl)
  await placeConverters(service.nodeUrl)
  await placeLitePsm(service.nodeUrl)
  await placeGsm(node)
  await placeFluid(service.nodeUrl)
  await placeFluidLite(node)
  await placeGauges(service.nodeUrl)
  const pancakePair = pools.find(({ protocol }) => protocol === 'pancakeswap-v2')?.address ?? '0x'
  await lendAndStake(node)
  const position = await mintPosition(service, node)
  nft = position.nft
  await earnFees(service, node)
  blockNumber = BigInt(await node.rpc<Hex>('eth_blockNumber', [])).toString()
  cases = byName({ anybody, nft, pancakePair })
  poolJudgesOf(service.nodeUrl)
})
afterAll(async () => {
  await node?.close()
  await service?.stop()
})

function caseOf(name: string): FrontRunCase {
  const found = cases.get(name)
  if (!found) throw new RangeError(`There is no case of ${name}.`)
  return found
}

const ground = (): Ground => ({ service, node, blockNumber, anybody })

const [gains, loses] = [
  'It gets no less than without the move.',
  'What it loses is within the slippage.',
]

function rowOf(
  { protocol, actions, routingStrategy = 'router', keeps }: FrontRunCase,
  { is, direction }: Move,
  { transaction, takes, smaller }: Happened,
): string {
  const isLess = transaction === 'gives what is promised'
  const why = transaction.startsWith('reverts') ? '' : (keeps ?? (isLess ? loses : gains))
  const cells = [
    ...[protocol, actions.at(-1)?.action, routingStrategy, is, direction, transaction],
    ...[takes, smaller, why],
  ]
  return `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |')
}

describe('behind a front-run', () => {
  test.each(names)('%s', async (name) => {
    const actionCase = caseOf(name)
    const { move, opposite } = actionCase
    const answered = await answerTo(ground(), actionCase)
    const [one, other] = [
      await expectCase(actionCase, answered),
      await expectOpposite(actionCase, answered),
    ]
    rows.set(name, [rowOf(actionCase, move, one), rowOf(actionCase, opposite, other)])
  })

  test.each(planned.filter(([, each]) => each.takesReceiver).map(([name]) => name))(
    '%s, for a receiver that it names',
    async (name) => {
      const actionCase = caseOf(name)
      await expectCase(actionCase, await answerTo(ground(), actionCase, other), other)
    },
  )

  test('every listed action is among them, and the document says what happens', async () => {
    const listed = (await service.get('/api/v1/standards')).body as readonly Listed[]
    const wanted = listed.flatMap(({ protocol, actions }) =>
      (withoutContracts.includes(protocol.slug) ? [] : actions)
        .filter(({ supportedChains }) => supportedChains.some(({ id }) => id === 1))
        .map(({ action }) => `${protocol.slug} ${action}`),
    )
    expect([...rows.keys()].sort()).toEqual(wanted.sort())
    const table = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, both]) => both)
    const text = `${heading}${table.join('\n')}\n`
    if (process.env.UPDATE_DOCS) await writeFile(document, text)
    expect(await readFile(document, 'utf8')).toBe(text)
  })
})

test('redeemclmm gives both tokens in the order asked for, and no less behind a swap', async () => {
  const args = {
    tokenIn: contractAddresses.v3PositionManager,
    tokenOut: [weth, usdc],
    tokenId: nft,
  }
  const action = { protocol: 'uniswap-v3', action: 'redeemclmm' }
  const alice = sandboxAccount('alice').address
  const query = { fromAddress: alice, blockNumber }
  const all = await askBundle(service, query, [{ ...action, args }])
  expect(all.status, all.text).toBe(200)
  const part = { ...args, liquidity: '1000000000000', receiver: other }
  const { status, body } = await askBundle(service, query, [{ ...action, args: part }])
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.payments.map(({ token: each }: { token: Address }) => each)).toEqual([weth, usdc])
  const amounts = { in: body.amountsIn, out: body.amountsOut }
  await expectRevert(body, amounts, dump(1_000n * ether, v3PoolAddress(usdc, weth, 500)), {})
})

async function allBut(slug: string): Promise<string[]> {
  const listed = (await service.get('/api/v1/standards')).body as readonly Listed[]
  return listed.map(({ protocol }) => protocol.slug).filter((each) => each !== slug)
}

const dump = (amount: bigint, pool?: Address) =>
  swap({ protocol: 'uniswap-v3', tokenIn: weth, tokenOut: usdc, amount, ...(pool && { pool }) })

async function expectRevert(
  body: Answer['body'],
  amounts: { readonly in: Record<string, string>; readonly out: Record<string, string> },
  move: Parameters<typeof executeBehind>[2],
  options: Parameters<typeof executeBehind>[3],
) {
  const bundle = { ...body, amountsIn: amounts.in, amountsOut: amounts.out }
  expect((await executeBundle(service, bundle, options)).status).toBe('success')
  const { status, reason } = await executeBehind(service, bundle, move, options)
  expect(status).toBe('reverted')
  expect(reason).toMatch(minimumReasons)
}

test('more liquidity for an NFT that is there does not go in at a price that a swap has moved', async () => {
  const args = {
    tokenIn: [usdc, weth],
    amountIn: ['30000000000', (10n * ether).toString()],
    primaryAddress: contractAddresses.v3PositionManager,
    tokenId: nft,
  }
  const action = { protocol: 'uniswap-v3', action: 'deposit', args }
  const { status, body } = await askBundle(service, { fromAddress: anybody, blockNumber }, [action])
  expect(status, JSON.stringify(body)).toBe(200)
  const amounts = { in: body.amountsIn, out: body.amountsOut }
  await expectRevert(body, amounts, dump(1_000n * ether, v3PoolAddress(usdc, weth, 500)), {})
})

describe('a route behind a swap, to a receiver', () => {
  test.each(['router', 'router-legacy', 'delegate', 'delegate-legacy', 'svcwallet-v2'])(
    '%s',
    async (routingStrategy) => {
      const { status, body } = await service.get('/api/v1/shortcuts/route', {
        fromAddress: anybody,
        receiver: other,
        routingStrategy,
        blockNumber,
        tokenIn: weth,
        tokenOut: usdc,
        amountIn: ether.toString(),
        executionMode: 'backend',
        ignoreStandards: await allBut('uniswap-v3'),
      })
      expect(status, JSON.stringify(body)).toBe(200)
      const amounts = { in: { [weth]: ether.toString() }, out: { [usdc]: body.amountOut } }
      const options = { routingStrategy, receiver: other }
      await expectRevert(body, amounts, dump(10_000n * ether), options)
    },
  )
})

describe('a route into a position without a token, to a receiver', () => {
  test('of Uniswap V3: both amounts as they enter, and no less behind a swap', async () => {
    const pool = v3PoolAddress(usdc, weth, 500)
    const { status, body } = await service.get('/api/v1/shortcuts/route/nontokenized', {
      fromAddress: anybody,
      receiver: other,
      blockNumber,
      executionMode: 'backend',
      tokenIn: weth,
      amountIn: (10n * ether).toString(),
      positionOut: `1:${contractAddresses.v3PositionManager}:${pool}--887270-887270`,
    })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.unprotected).toBeUndefined()
    const amounts = { in: { [weth]: (10n * ether).toString() }, out: {} }
    const taken: string[] = []
    const alone = await executeBundle(
      service,
      { ...body, amountsIn: amounts.in, amountsOut: amounts.out },
      { receiver: other },
    )
    for (const { address, data, topics } of alone.logs) {
      if (toAddress(address) !== contractAddresses.v3PositionManager || topics.length !== 2)
        continue
      taken.push(
        ...[1, 2].map((k) => BigInt(`0x${data.slice(2 + 64 * k, 66 + 64 * k)}`).toString()),
      )
    }
    expect(body.amountDepositedList).toEqual(taken)
    expect(body.amountDeposited).toBe(taken[0])
    await expectRevert(body, amounts, dump(2_000n * ether, pool), { receiver: other })
  })
})

const heading = `# Front-runs and what they take

Written by test/e2e/bundles/front-runs.slow.ts (\`UPDATE_DOCS=1 npx vitest run test/e2e/bundles/front-runs.slow.ts\`), which fails when
this table is not what it finds. Every action that /api/v1/standards lists for the chain is asked as a bundle on the sandbox
chain. On a separate Anvil somebody moves what the action uses by far more than the slippage, in the same block ahead of the
returned transaction, in one direction and then, on another, in the opposite one; who has swapped swaps back behind it. Then the
transaction reverts at a minimum or a maximum and takes nothing, or it gives to the unit what the answer has promised (or more), and the
last column says why. Where it reverts at a swap or a gift, a 30th of that is tried, a 900th, a 27,000th, until it goes through.

Of each that goes through all of this holds: the sender has lost of no token more than \`maxAmountsIn\` and gained of none less than
\`minAmountsOut\`, ether that goes as value included; of positions without a token (shares of Morpho, stakes, NFTs, debts) none is
worse by more than the slippage; and what the sender has in the end, at the prices that nobody has moved, is worth no less than without the
front-run, but for the slippage of what it gave: nothing stays in a pool either.

Where an action can name a \`receiver\`, the first direction is tried with one. What leaves a vault, a market
or a pool belongs to a holder of its shares: who deposits and leaves in one transaction does both at one rate.

| protocol | action | strategy | ahead of it | direction | the transaction | of the inputs it takes | behind a smaller move | why nothing can be taken |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
`
