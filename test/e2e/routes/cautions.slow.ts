/**
 * Every kind of caution, moved: an answer is taken, its pool moves without a trade, a block is mined, and the transaction is
 * carried out. After a small move it gives another amount and its minimum holds; after a large one it reverts. What was seen
 * stands in docs/reference/cautions.md, which this test writes with UPDATE_DOCS=1 and compares otherwise.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import { base } from '../../../src/chains/base.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken, toAddress } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { protocols } from '../../../src/protocols/registry.js'
import { factoriesOf } from '../../../src/protocols/slipstream/discover.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxPlan } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { vaultSpecs } from '../../../src/sandbox/venues/erc-4626.js'
import { askBundle, own } from '../../support/bundle.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { placeBook, placeSlipstream } from '../../support/protocols/other-venues.js'
import { placeCamelotV4 } from '../../support/protocols/place-algebra.js'
import { converterAddress, placeConverters } from '../../support/protocols/place-converters.js'
import { placeFluid } from '../../support/protocols/place-fluid.js'
import { compileSlipstream } from '../../support/protocols/slipstream.js'
import { startService, type TestService } from '../../support/service/service.js'

const document = fileURLToPath(new URL('../../../docs/reference/cautions.md', import.meta.url))
const marks = ['<!-- generated: UPDATE_DOCS=1 -->', '<!-- end of generated -->'] as const
const alice = sandboxAccount('alice').address
const deployer = sandboxAccount('deployer').address
const [dollar, ether] = [10n ** 6n, 10n ** 18n]
const chains = [ethereum, base, arbitrum]

let sandboxes: Sandbox[]
let service: TestService
const nodes = new Map<number, NodeWriter>()
const rows: string[] = []

beforeAll(async () => {
  sandboxes = await startSandboxes(chains.map(({ id }) => id))
  for (const { chainId, url } of sandboxes) {
    nodes.set(chainId, await new NodeWriter(url).start())
  }
  await placeConverters(urlOf(ethereum.id))
  await placeFluid(urlOf(ethereum.id))
  await nodeOf(ethereum.id).rpc('anvil_impersonateAccount', [deployer])
  await openBase()
  await openArbitrum()
  service = await startService({
    ...Object.fromEntries(sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])),
    FORKS_PER_BLOCK: '1',
    WORKERS: '1',
    HEAD_POLL_MS: '50',
  })
}, 300_000)
afterAll(async () => {
  await service?.stop()
  await Promise.all([...nodes.values()].map((node) => node.close()))
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

function urlOf(chainId: number): string {
  return sandboxes.find((one) => one.chainId === chainId)?.url ?? ''
}

function nodeOf(chainId: number): NodeWriter {
  const node = nodes.get(chainId)
  if (!node) throw new Error(`no node of ${chainId}`)
  return node
}

function tokenOf(chainId: number, symbol: string): Address {
  if (symbol === 'ETH') return nativeToken
  const token = sandboxPlan(chainId).market.tokens.find((one) => one.symbol === symbol)
  if (!token) throw new Error(`no token ${symbol}`)
  return token.address
}

async function openBase(): Promise<void> {
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

async function openArbitrum(): Promise<void> {
  const scene = { node: nodeOf(arbitrum.id), chain: arbitrum }
  const [weth, usdc, usdt] = ['WETH', 'USDC', 'USDT'].map((symbol) =>
    tokenOf(arbitrum.id, symbol),
  ) as [Address, Address, Address]
  await placeBook(scene, {
    tokens: [usdt, usdc],
    binStep: 10,
    activeId: 2 ** 23,
    perBin: [100_000n * dollar, 100_000n * dollar],
  })
  await placeCamelotV4(scene, {
    sides: [
      [weth, 1_000n * ether],
      [usdt, 3_000_000n * dollar],
    ],
    liquidity: 10n ** 18n,
  })
}

interface Case {
  readonly kind: string
  readonly protocol: string
  readonly chainId: number
  readonly tokenIn: string | (() => Address)
  readonly tokenOut: string | (() => Address)
  readonly amountIn: bigint
  /** Basis points. */
  readonly slippage: string
  /** What moves, and how far for it to stay within the slippage and to go beyond it. */
  readonly moves: string
  move(node: NodeWriter, isLarge: boolean, pool: Address): Promise<void>
}

const [usdcVault] = vaultSpecs
const zero: Hex = `0x${'0'.repeat(64)}`

async function shrink(node: NodeWriter, address: Address, slot: Hex, bps: bigint): Promise<void> {
  const word = BigInt(await node.rpc<Hex>('eth_getStorageAt', [address, slot, 'latest']))
  const less = numberToHex((word * (10_000n - bps)) / 10_000n, { size: 32 })
  await node.rpc('anvil_setStorageAt', [address, slot, less])
}

/** Base factor, filter and decay periods, reduction, variable fee, protocol share, limit of volatility, active bin. */
function bookWord(baseFactor: bigint): bigint {
  const fields = [baseFactor, 30n, 600n, 5_000n, 40_000n, 1_000n, 350_000n, 2n ** 23n]
  const places = [0n, 16n, 28n, 40n, 54n, 78n, 92n, 232n]
  return fields.reduce((sum, field, index) => sum | (field << (places[index] ?? 0n)), 0n)
}

const feeConfiguration =
  'function changeFeeConfiguration((uint16 alpha1, uint16 alpha2, uint32 beta1, uint32 beta2, uint16 gamma1, uint16 gamma2, uint16 baseFee) config)'

const cases: readonly Case[] = [
  {
    kind: 'rate',
    protocol: 'erc-4626',
    chainId: ethereum.id,
    tokenIn: 'USDC',
    tokenOut: () => usdcVault?.address ?? '0x',
    amountIn: 10_000n * dollar,
    slippage: '50',
    moves: 'a gift of 0.1 %, and of 3 % of what the vault holds',
    async move(node, isLarge, pool) {
      const usdc = tokenOf(ethereum.id, 'USDC')
      const amount = (isLarge ? 240_000n : 8_000n) * dollar
      await node.rpc('anvil_dealERC20', [NodeWriter.owner, usdc, numberToHex(amount)])
      await node.send(usdc, 'function transfer(address, uint256)', [pool, amount])
    },
  },
  {
    kind: 'rate',
    protocol: 'rocket-pool',
    chainId: ethereum.id,
    tokenIn: () => converterAddress('rocket-pool', 'rETH'),
    tokenOut: 'ETH',
    amountIn: ether,
    slippage: '50',
    moves: 'a report of its oracle: 0.1 % less ether, and 20 % less',
    async move(node, isLarge) {
      const total = isLarge ? 440_000n : 570_663n
      await node.send(
        converterAddress('rocket-pool', 'storage'),
        'function report(uint256 total, uint256 supply)',
        [total * ether, 500_000n * ether],
      )
    },
  },
  {
    kind: 'rebase',
    protocol: 'lido',
    chainId: ethereum.id,
    tokenIn: 'wstETH',
    tokenOut: 'stETH',
    amountIn: ether,
    slippage: '50',
    moves: 'a slashing of 0.1 %, and of 10 % of what is staked',
    move: (node, isLarge) =>
      shrink(node, tokenOf(ethereum.id, 'stETH'), zero, isLarge ? 1_000n : 10n),
  },
  {
    kind: 'price',
    protocol: 'fluid-dex-t1',
    chainId: ethereum.id,
    tokenIn: 'DAI',
    tokenOut: 'USDC',
    amountIn: 1_000n * ether,
    slippage: '50',
    moves: 'reserves shift by 0.1 %, and by 2 %',
    async move(node, isLarge, pool) {
      const million = 10n ** 18n
      const reserves = '(uint256[2], uint256[2])'
      const set = `function set(uint256, ${reserves}, ${reserves}, uint256, uint256, uint256[2], uint256[2])`
      const shift = isLarge ? 980n : 999n
      const imaginary = [20n * million, (20n * million * shift) / 1_000n]
      const price = (10n ** 27n * shift) / 1_000n
      await node.send(pool, set, [
        1n | (100n << 2n),
        [[million, million], imaginary],
        [
          [0n, 0n],
          [0n, 0n],
        ],
        price,
        price,
        [10n ** 40n, 10n ** 40n],
        [0n, 0n],
      ])
    },
  },
  {
    kind: 'fee',
    protocol: 'liquidity-book',
    chainId: arbitrum.id,
    tokenIn: 'USDT',
    tokenOut: 'USDC',
    amountIn: 1_000n * dollar,
    slippage: '5',
    moves: 'its owner sets the base fee from 8 to 10, and to 60 bps',
    move: (node, isLarge, pool) =>
      node.send(pool, 'function set(uint256)', [bookWord(isLarge ? 60_000n : 10_000n)]),
  },
  {
    kind: 'plugin',
    protocol: 'camelot-v4',
    chainId: arbitrum.id,
    tokenIn: 'WETH',
    tokenOut: 'USDT',
    amountIn: ether,
    slippage: '5',
    moves: 'its manager sets the base fee of the plugin from 1 to 3, and to 60 bps',
    async move(node, isLarge, pool) {
      const plugin = await node.read(pool, 'function plugin() view')
      const baseFee = isLarge ? 6_000 : 300
      await node.send(toAddress(`0x${plugin.slice(26)}`), feeConfiguration, [
        {
          alpha1: 2_900,
          alpha2: 12_000,
          beta1: 360,
          beta2: 60_000,
          gamma1: 59,
          gamma2: 8_500,
          baseFee,
        },
      ])
    },
  },
]

const addressOf = (chainId: number, token: string | (() => Address)): Address =>
  typeof token === 'string' ? tokenOf(chainId, token) : token()

async function prepareSender(chainId: number, token: Address): Promise<void> {
  if (token === nativeToken) return
  const node = nodeOf(chainId)
  await node.rpc('anvil_impersonateAccount', [alice])
  await node.rpc('anvil_dealERC20', [alice, token, numberToHex(10n ** 25n)])
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
    blockTimeSeconds: sandboxPlan(chainId).blockSeconds,
    tx: body.tx,
    watch: [{ token: tokenOut, owner: alice }],
  })
}

describe('what moves without a trade', () => {
  test.each(cases)('$protocol: $kind, by $moves', async (each) => {
    const { kind, protocol, chainId, moves } = each
    const node = nodeOf(chainId)
    const [tokenIn, tokenOut] = [
      addressOf(chainId, each.tokenIn),
      addressOf(chainId, each.tokenOut),
    ]
    await prepareSender(chainId, tokenIn)
    const query = {
      chainId,
      protocol,
      tokenIn,
      tokenOut,
      amountIn: each.amountIn,
      slippage: each.slippage,
    }
    const outcomes: string[] = []
    for (const isLarge of [false, true]) {
      const body = await ask(query)
      const [caution] = body.cautions ?? []
      expect(body.cautions, JSON.stringify(body.route)).toContainEqual({
        pool: expect.any(String),
        protocol,
        kind,
        message: expect.any(String),
      })
      expect((await carryOut(query, body)).deltas).toEqual([BigInt(body.amountOut)])
      await each.move(node, isLarge, caution.pool)
      await node.rpc('evm_mine', [])
      const done = await carryOut(query, body)
      const [given = 0n] = done.deltas
      if (isLarge) {
        expect(done.status).toBe('reverted')
        expect(given).toBe(0n)
        outcomes.push('reverts at its minimum')
      } else {
        expect(done.status).toBe('success')
        expect(given).not.toBe(BigInt(body.amountOut))
        expect(given).toBeGreaterThanOrEqual(BigInt(body.minAmountOut))
        const bps = (Number(given - BigInt(body.amountOut)) / Number(body.amountOut)) * 10_000
        outcomes.push(`gives ${bps.toFixed(1)} bps`)
      }
    }
    rows.push(`| ${[protocol, kind, moves, ...outcomes].join(' | ')} |`)
  })

  test('a quote carries what a route does, a bundle that of its routes, and a pool without such a part nothing', async () => {
    const [tokenIn, tokenOut] = [tokenOf(ethereum.id, 'USDC'), usdcVault?.address ?? zero]
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
    const factory = factoriesOf(base.venues['aerodrome-slipstream'] ?? {})[0] ?? '0x'
    const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => tokenOf(base.id, symbol)) as [
      Address,
      Address,
    ]
    const key = [weth, usdc].sort()
    const getPool = 'function getPool(address, address, int24) view'
    const pool = toAddress(`0x${(await node.read(factory, getPool, [...key, 100])).slice(26)}`)
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
      const sent = { from: alice, to: tx.to, data: tx.data, gas: numberToHex(5_000_000n) }
      await node.rpc('eth_sendTransaction', [sent])
      await later(node, seconds)
    }
    const body = await ask(query)
    expect(body.cautions).toMatchObject([{ protocol: 'aerodrome-slipstream', kind: 'fee' }])
    expect((await carryOut(query, body)).deltas).toEqual([BigInt(body.amountOut)])
    const given = [BigInt(body.amountOut)]
    for (const seconds of [10, 20, 60]) {
      await later(node, seconds)
      const { status, deltas } = await carryOut(query, body)
      expect(status).toBe('success')
      given.push(deltas[0] ?? 0n)
    }
    expect(given).toEqual(given.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
    const gained = (given.at(-1) ?? 0n) - (given[0] ?? 0n)
    expect(gained).toBeGreaterThan(0n)
    const bps = (Number(gained) / Number(given[0])) * 10_000
    rows.push(
      `| aerodrome-slipstream | fee | 90 seconds after the price has moved | gives ${bps.toFixed(1)} bps | |`,
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

/** A block so many seconds after the newest. */
async function later(node: NodeWriter, seconds: number): Promise<void> {
  const { timestamp } = await node.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  await node.rpc('evm_setNextBlockTimestamp', [numberToHex(BigInt(timestamp) + BigInt(seconds))])
  await node.rpc('evm_mine', [])
}
