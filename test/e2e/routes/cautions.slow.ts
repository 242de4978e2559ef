/**
 * Every kind of caution, moved: an answer is taken, its pool moves without a trade, a block is mined, and the transaction is
 * carried out. After a small move it gives another amount and its minimum holds; after a large one it reverts. Where balances
 * alone grow, it gives the same. What was seen stands in docs/reference/cautions.md, which this test writes with UPDATE_DOCS=1 and compares otherwise.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCatalog } from '../../../src/catalog/store.js'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import { base } from '../../../src/chains/base.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, bpsOf, nativeToken, toAddress } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { protocols } from '../../../src/protocols/registry.js'
import { factoriesOf } from '../../../src/protocols/slipstream/discover.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { vaultSpecs } from '../../../src/sandbox/venues/erc-4626.js'
import { askBundle, own } from '../../support/bundle.js'
import { executeOnFork } from '../../support/execute.js'
import { mined } from '../../support/mined.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type CautionCase, cautionCases, tokenOf } from '../../support/protocols/cautions/cases.js'
import { later } from '../../support/protocols/cautions/moves.js'
import { openArbitrum } from '../../support/protocols/cautions/venues.js'
import { placeWoofi } from '../../support/protocols/declared/place-woofi.js'
import { placeFluidLite } from '../../support/protocols/fluid-lite.js'
import { placeSlipstream } from '../../support/protocols/other-venues.js'
import { placePendleOnSandbox } from '../../support/protocols/pendle/place-on-sandbox.js'
import { placeRatedBalancerV2 } from '../../support/protocols/place-balancer-v2.js'
import { placeBalancerV3OnSandbox } from '../../support/protocols/place-balancer-v3.js'
import { placeConverters } from '../../support/protocols/place-converters.js'
import { placeMeta, placeStableNg } from '../../support/protocols/place-curve.js'
import { placeFluid } from '../../support/protocols/place-fluid.js'
import {
  dynamicFeeHooks,
  outputShareHooks,
  placeDynamicFee,
  placeOutputShare,
} from '../../support/protocols/place-hooks.js'
import { placeLentPair } from '../../support/protocols/place-lent-pair.js'
import { placePsm3 } from '../../support/protocols/place-psm3.js'
import { compileSlipstream } from '../../support/protocols/slipstream.js'
import {
  againAlone,
  expectedOf,
  open,
  type Recorded,
} from '../../support/service/cassette-context.js'
import { withoutMarks } from '../../support/service/earlier-cassette.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const document = fileURLToPath(new URL('../../../docs/reference/cautions.md', import.meta.url))
const marks = ['<!-- generated: UPDATE_DOCS=1 -->', '<!-- end of generated -->'] as const
const alice = sandboxAccount('alice').address
const deployer = sandboxAccount('deployer').address
const [dollar, ether] = [10n ** 6n, 10n ** 18n]
const chains = [ethereum, base, arbitrum]

let sandboxes: Sandbox[]
let dataDir: string
let service: TestService
const nodes = new Map<number, NodeWriter>()
const rows: string[] = []
/** Tokens whose addresses follow from the contracts that make them. */
const placed = new Map<string, Address>()

beforeAll(async () => {
  sandboxes = await startSandboxes(chains.map(({ id }) => id))
  for (const { chainId, url } of sandboxes) {
    nodes.set(chainId, await new NodeWriter(url).start())
  }
  await placeConverters(urlOf(ethereum.id))
  await placeFluid(urlOf(ethereum.id))
  await placeFluidLite(nodeOf(ethereum.id))
  await nodeOf(ethereum.id).rpc('anvil_impersonateAccount', [deployer])
  const pools = [
    ...(await placeBalancerV3OnSandbox(urlOf(ethereum.id), { isRated: true, isHooked: true })),
    await placeRatedBalancerV2(nodeOf(ethereum.id)),
    await placeDynamicFee(nodeOf(ethereum.id)),
    await placeOutputShare(nodeOf(ethereum.id)),
    ...(await placeStableNg(nodeOf(ethereum.id))),
    await placeMeta(nodeOf(ethereum.id)),
  ]
  // Other cases let hundreds of days go by.
  const market = await placePendleOnSandbox(nodeOf(ethereum.id), alice, 2_000n)
  pools.push(market)
  for (const [k, name] of ['PT', 'SY'].entries()) placed.set(name, market.tokens[k] ?? '0x')
  await placeLentPair(nodeOf(ethereum.id), alice)
  await openBase()
  await openArbitrum(nodeOf(arbitrum.id))
  dataDir = await mkdtemp(join(tmpdir(), 'forkroute-cautions-'))
  const catalog = openCatalog(dataDir)
  catalog.importPools(ethereum.id, pools)
  catalog.close()
  service = await startService({
    DATA_DIR: dataDir,
    V4_HOOKS_ALLOWLIST: [dynamicFeeHooks, outputShareHooks].join(),
    ...Object.fromEntries(sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])),
    FORKS_PER_BLOCK: '1',
    WORKERS: '1',
    HEAD_POLL_MS: '250',
  })
}, 900_000)
afterAll(async () => {
  await service?.stop()
  await Promise.all([...nodes.values()].map((node) => node.close()))
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
  if (dataDir) await rm(dataDir, { recursive: true, force: true })
})

function urlOf(chainId: number): string {
  return sandboxes.find((one) => one.chainId === chainId)?.url ?? ''
}

function nodeOf(chainId: number): NodeWriter {
  const node = nodes.get(chainId)
  if (!node) throw new Error(`no node of ${chainId}`)
  return node
}

async function openBase(): Promise<void> {
  await placeWoofi(nodeOf(base.id))
  // 4.5 % of a share at one a year.
  await placePsm3(nodeOf(base.id), (10n ** 27n * 45n) / 1_000n / (365n * 86_400n))
  const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => tokenOf(base.id, symbol)) as [
    Address,
    Address,
  ]
  await placeSlipstream({ node: nodeOf(base.id), chain: base }, [
    {
      tickSpacing: 100,
      sides: [
        [weth, 1_000n * ether],
        [usdc, 3_000_000n * dollar],
      ],
      width: 100,
      liquidity: 10n ** 16n,
    },
  ])
}

const addressOf = (chainId: number, token: string): Address =>
  token.startsWith('0x') ? toAddress(token) : (placed.get(token) ?? tokenOf(chainId, token))

async function prepareSender(chainId: number, token: Address, isFunded = false): Promise<void> {
  if (token === nativeToken) return
  const node = nodeOf(chainId)
  await node.rpc('anvil_impersonateAccount', [alice])
  if (!isFunded) await node.rpc('anvil_dealERC20', [alice, token, numberToHex(10n ** 25n)])
  const approve = 'function approve(address, uint256)'
  await node.send(token, approve, [contractAddress('Router'), 10n ** 30n], alice)
}

interface Asked {
  readonly chainId: number
  readonly protocol: string
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly slippage: string
  readonly blockPosition?: string
}

/** The route through this protocol alone, at the newest block. */
async function ask({ chainId, protocol, amountIn, ...query }: Asked) {
  const others = protocols.map(({ slug }) => slug).filter((slug) => slug !== protocol)
  const block = BigInt(await nodeOf(chainId).rpc<Hex>('eth_blockNumber', []))
  const answer = await service.get('/api/v1/shortcuts/route', {
    chainId: String(chainId),
    fromAddress: alice,
    amountIn: String(amountIn),
    blockNumber: String(block),
    ignoreStandards: others.join(),
    ...query,
  })
  expect(answer.status, answer.text.slice(0, 500)).toBe(200)
  return answer.body
}

/** The answer's transaction in the next block of the chain as it is now. */
async function carryOut(
  { chainId, tokenOut }: Pick<Asked, 'chainId' | 'tokenOut'>,
  body: Awaited<ReturnType<typeof ask>>,
) {
  const block = Number(await nodeOf(chainId).rpc<Hex>('eth_blockNumber', []))
  return executeOnFork({
    nodeUrl: urlOf(chainId),
    blockNumber: block,
    blockTimeSeconds: chains.find(({ id }) => id === chainId)?.blockTimeSeconds ?? 12,
    tx: body.tx,
    watch: [{ token: tokenOut, owner: alice }],
  })
}

/** What the table says of the transaction after the move. */
function outcomeOf(
  { isHarmless }: CautionCase,
  isLarge: boolean,
  body: Awaited<ReturnType<typeof ask>>,
  { status, deltas }: Awaited<ReturnType<typeof carryOut>>,
): string {
  const [given = 0n] = deltas
  const isSame = isHarmless === 'always' || (isHarmless === 'small' && !isLarge)
  if (isLarge && !isSame) {
    expect([status, given]).toEqual(['reverted', 0n])
    return 'reverts at its minimum'
  }
  expect(status).toBe('success')
  expect(given).toBeGreaterThanOrEqual(BigInt(body.minAmountOut))
  const change = given - BigInt(body.amountOut)
  // A balance that has earned is rounded otherwise.
  if (isSame) expect(change * change).toBeLessThanOrEqual(1n)
  else expect(change).not.toBe(0n)
  const bps = (Number(change) / Number(body.amountOut)) * 10_000
  return isSame ? 'gives the same' : `gives ${bps.toFixed(1)} bps`
}

/** What the transaction gives at first, and after each pause, seconds: never less than before. */
async function givenAfter(
  query: Pick<Asked, 'chainId' | 'tokenOut'>,
  body: Awaited<ReturnType<typeof ask>>,
  pauses: readonly number[],
): Promise<bigint[]> {
  const given = [BigInt(body.amountOut)]
  expect((await carryOut(query, body)).deltas).toEqual(given)
  for (const seconds of pauses) {
    await later(nodeOf(query.chainId), seconds)
    const { status, deltas } = await carryOut(query, body)
    expect(status).toBe('success')
    given.push(deltas[0] ?? 0n)
  }
  expect(given).toEqual(given.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
  expect(given.at(-1)).toBeGreaterThan(given[0] ?? 0n)
  return given
}

/** Basis points between the first and the last. */
function gainOf(given: readonly bigint[]): string {
  const [first = 0n, last = 0n] = [given[0], given.at(-1)]
  return ((Number(last - first) / Number(first)) * 10_000).toFixed(1)
}

async function swapped(node: NodeWriter, { to, data }: { to: Address; data: Hex }): Promise<void> {
  await mined((method, params) => node.rpc(method, params), { from: alice, to, data })
}

async function slipstreamPool(weth: Address, usdc: Address) {
  const factory = factoriesOf(base.venues['aerodrome-slipstream'] ?? {})[0] ?? '0x'
  const key = [weth, usdc].sort()
  const getPool = 'function getPool(address, address, int24) view'
  const found = await nodeOf(base.id).read(factory, getPool, [...key, 100])
  return { factory, pool: toAddress(`0x${found.slice(26)}`) }
}

describe('what moves without a trade', () => {
  test.each(cautionCases)('$protocol: $kind, by $moves', async (each) => {
    const { kind, protocol, chainId, amountIn, slippage, moves } = each
    const node = nodeOf(chainId)
    const [tokenIn, tokenOut] = [
      addressOf(chainId, each.tokenIn),
      addressOf(chainId, each.tokenOut),
    ]
    await prepareSender(chainId, tokenIn, each.isFunded)
    const query = { chainId, protocol, tokenIn, tokenOut, amountIn, slippage }
    const outcomes: string[] = []
    for (const isLarge of [false, true]) {
      await each.prepare?.(node)
      const body = await ask(query)
      const caution = body.cautions?.find((one: { kind: string }) => one.kind === kind)
      expect(caution, JSON.stringify(body.route)).toEqual({
        pool: expect.any(String),
        protocol,
        kind,
        message: expect.any(String),
      })
      expect((await carryOut(query, body)).deltas).toEqual([BigInt(body.amountOut)])
      await each.move(node, isLarge, caution.pool)
      await node.rpc('evm_mine', [])
      outcomes.push(outcomeOf(each, isLarge, body, await carryOut(query, body)))
    }
    rows.push(`| ${[protocol, kind, moves, ...outcomes].join(' | ')} |`)
  })

  test('a quote carries what a route does, a bundle that of its routes, and a pool without such a part nothing', async () => {
    const [usdcVault] = vaultSpecs
    const [tokenIn, tokenOut] = [tokenOf(ethereum.id, 'USDC'), usdcVault?.address]
    const amountIn = String(1_000n * dollar)
    const block = BigInt(await nodeOf(ethereum.id).rpc<Hex>('eth_blockNumber', []))
    const trade = { tokenIn, tokenOut, amountIn }
    const at = { chainId: '1', fromAddress: alice, blockNumber: String(block) }
    const expected = [
      {
        pool: tokenOut,
        protocol: 'erc-4626',
        kind: 'rate',
        message: 'The worth of a share moves as the vault earns, loses or reports.',
      },
    ]
    const quote = await service.get('/api/v1/shortcuts/quote', { ...at, ...trade })
    expect(quote.body.cautions, quote.text).toEqual(expected)
    const query = { ...at, routingStrategy: 'router' }
    const bundle = await askBundle(service, query, [own('route', trade)])
    expect(bundle.body.cautions, bundle.text).toEqual(expected)
    const plain = { ...trade, tokenOut: tokenOf(ethereum.id, 'WETH') }
    const others = protocols.map(({ slug }) => slug).filter((slug) => slug !== 'uniswap-v3')
    const without = await service.get('/api/v1/shortcuts/quote', {
      ...at,
      ...plain,
      ignoreStandards: others.join(),
    })
    expect(without.status, without.text).toBe(200)
    expect(without.body).not.toHaveProperty('cautions')
  })

  test('Slipstream: the fee falls with time after the price has moved, so that the next block is the dearest', async () => {
    const node = nodeOf(base.id)
    const contract = await compileSlipstream()
    const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => tokenOf(base.id, symbol)) as [
      Address,
      Address,
    ]
    const { pool, factory } = await slipstreamPool(weth, usdc)
    const module = await node.deploy(
      contract('DynamicSwapFeeModule').bytecode,
      'address, uint256, uint256, address[], uint24[]',
      [factory, 20_000_000n, 50_000n, [], []],
    )
    await node.send(factory, 'function setSwapFeeModule(address)', [module])
    await node.send(module, 'function setSecondsAgo(uint32)', [60])
    await node.send(pool, 'function increaseObservationCardinalityNext(uint16)', [100])
    await prepareSender(base.id, weth)
    const query = {
      chainId: base.id,
      protocol: 'aerodrome-slipstream',
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: ether,
      slippage: '50',
    }
    // Each swap leaves an observation; the last one moves the price away from its average.
    for (const [amountIn, seconds] of [
      [ether, 90],
      [ether, 90],
      [2n * ether, 4],
    ] as const) {
      const { tx } = await ask({ ...query, amountIn, slippage: '5000' })
      await swapped(node, tx)
      await later(node, seconds)
    }
    const body = await ask(query)
    expect(body.cautions).toMatchObject([{ protocol: 'aerodrome-slipstream', kind: 'fee' }])
    const given = await givenAfter(query, body, [10, 20, 60])
    // The average price also depends on the seconds that a busy machine takes between blocks.
    const gain = Math.round(Number(gainOf(given)) / 10) * 10
    rows.push(
      `| aerodrome-slipstream | fee | 90 seconds after the price has moved | gives some ${gain} bps | |`,
    )
  })

  test('Slipstream: where the first swap of a block pays less, the dearer fee is quoted, unless the transaction is the first', async () => {
    const node = nodeOf(base.id)
    const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => tokenOf(base.id, symbol)) as [
      Address,
      Address,
    ]
    const { pool, factory } = await slipstreamPool(weth, usdc)
    const module = await node.deploy(
      compileTestContracts('Slipstream.sol')('InitialFeeModule').bytecode,
    )
    await node.send(factory, 'function setSwapFeeModule(address)', [module])
    const config = '(uint24, uint24, uint64, bool, uint24)'
    // At first 7.5 bps, then as far as the price is from its average, 27 bps at most.
    const fees = [2_700, 2_700, 20_000_000n, true, 750]
    await node.send(module, `function set(address, ${config})`, [pool, fees])
    await prepareSender(base.id, weth)
    const query = {
      chainId: base.id,
      protocol: 'aerodrome-slipstream',
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: ether,
      slippage: '10',
    }
    const [any, first] = [await ask(query), await ask({ ...query, blockPosition: 'first' })]
    expect([any.simulatedPosition, first.simulatedPosition]).toEqual([1, 0])
    const lessBps = bpsOf(BigInt(first.amountOut) - BigInt(any.amountOut), BigInt(first.amountOut))
    expect(lessBps).toBeCloseTo(19.5, 0)
    // A swap that moves the price by one tick at most, of the same sender.
    const ahead = await ask({ ...query, amountIn: ether / 40n, slippage: '100' })
    const carriedOut = (body: typeof any, isAhead: boolean) =>
      executeOnFork({
        nodeUrl: urlOf(base.id),
        blockNumber: body.createdAt,
        blockTimeSeconds: base.blockTimeSeconds,
        tx: body.tx,
        first: isAhead ? [ahead.tx] : [],
        watch: [{ token: usdc, owner: alice }],
      })
    expect((await carriedOut(first, false)).deltas).toEqual([BigInt(first.amountOut)])
    expect((await carriedOut(any, false)).deltas).toEqual([BigInt(first.amountOut)])
    const { status, deltas } = await carriedOut(any, true)
    expect(status).toBe('success')
    const fallsBps = bpsOf(BigInt(any.amountOut) - (deltas[0] ?? 0n), BigInt(any.amountOut))
    expect(fallsBps).toBeLessThan(2)
    expect((await carriedOut(first, true)).status).toBe('reverted')
    const others = protocols.map(({ slug }) => slug).filter((slug) => slug !== query.protocol)
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn: String(ether) }
    const at = { chainId: String(base.id), fromAddress: alice, blockNumber: String(any.createdAt) }
    const bundle = await askBundle(
      service,
      { ...at, routingStrategy: 'router', ignoreStandards: others.join() },
      [own('route', trade)],
    )
    expect(bundle.body.simulatedPosition, bundle.text).toBe(1)
    expect(bundle.body.amountsOut).toEqual({ [usdc]: any.amountOut })
    // A recording has both, and one of an earlier version knows the first swap alone.
    const file = join(dataDir, 'first.cassette')
    const path = '/shortcuts/route'
    const asked = { ...at, ...trade, ignoreStandards: others.join(), executionMode: 'backend' }
    const recorder = await open(dataDir, { kind: 'record', file }, { RPC_URL_8453: urlOf(base.id) })
    const recorded: Recorded[] = []
    for (const query of [asked, { ...asked, blockPosition: 'first' }]) {
      const { status, text, recording } = await recorder.ask({ path, query })
      recorded.push({ request: { path, query }, status, text, number: recording ?? 0 })
    }
    await recorder.close()
    const folder = { folder: dataDir, file }
    for (const one of recorded) expect(await againAlone(folder, one)).toBe(expectedOf(one))
    const earlier = { folder: dataDir, file: join(dataDir, 'earlier.cassette') }
    await withoutMarks(file, earlier.file)
    const replayed = await againAlone(earlier, recorded[0] as Recorded)
    expect(replayed).toContain(`"amountOut":"${first.amountOut}"`)
    expect(recorded[0]?.text).toContain(`"amountOut":"${any.amountOut}"`)
    rows.push(
      `| aerodrome-slipstream | fee | someone swaps first in the block, where that is cheaper | gives ${fallsBps <= 0 ? 'no less' : `${(-fallsBps).toFixed(1)} bps`} | asked for as the first: reverts at its minimum |`,
    )
  })

  test('Liquidity Book: the fee that a swap over bins has raised falls with time', async () => {
    const query = {
      chainId: arbitrum.id,
      protocol: 'liquidity-book',
      tokenIn: tokenOf(arbitrum.id, 'USDT'),
      tokenOut: tokenOf(arbitrum.id, 'USDC'),
      amountIn: 1_000n * dollar,
      slippage: '5',
    }
    await prepareSender(arbitrum.id, query.tokenIn)
    const { tx } = await ask({ ...query, amountIn: 350_000n * dollar, slippage: '5000' })
    await swapped(nodeOf(arbitrum.id), tx)
    await later(nodeOf(arbitrum.id), 1)
    const body = await ask(query)
    const given = await givenAfter(query, body, [100, 600])
    rows.push(
      `| liquidity-book | fee | 700 seconds after a swap over three bins | gives ${gainOf(given)} bps | |`,
    )
  })

  test('the page says what was seen: UPDATE_DOCS=1 writes it', async () => {
    const page = await readFile(document, 'utf8')
    const [head = '', rest = ''] = page.split(marks[0])
    const tail = rest.split(marks[1])[1] ?? ''
    const table = [
      '| protocol | kind | what moved | the transaction after the small move | after the large one |',
      '| --- | --- | --- | --- | --- |',
      ...rows.sort(),
    ].join('\n')
    const written = `${head}${marks[0]}\n\n${table}\n\n${marks[1]}${tail}`
    if (process.env.UPDATE_DOCS) await writeFile(document, written)
    else expect(page).toBe(written)
  })
})
