/** Pools and a token that lie, on a sandbox of their own, and the service that was told of the pools. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeDeployData, encodeFunctionData, erc20Abi, parseAbi } from 'viem'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Address, type Hex, toAddress } from '../../src/domain/primitives.js'
import { buildTransaction } from '../../src/executor/compile.js'
import { contractAddress } from '../../src/executor/deployments.js'
import { sandboxAccount } from '../../src/sandbox/accounts.js'
import { contractAddresses, v2PairAddress } from '../../src/sandbox/addresses.js'
import { sandboxToken } from '../../src/sandbox/tokens.js'
import { runCli } from './cli.js'
import { type ExecuteArgs, type Execution, executeOnFork } from './execute.js'
import { mined } from './mined.js'
import { type SandboxContext, withSandbox } from './sandbox.js'
import { type Answer, startService, type TestService } from './service/service.js'
import { compileTestContracts } from './test-contracts.js'

export const alice = sandboxAccount('alice').address
export const weth = sandboxToken('WETH').address
export const usdc = sandboxToken('USDC').address
export const ether = 10n ** 18n
/** A real chain's block maker; Anvil's own is the zero address. */
const miner: Address = '0x4838b106fce9647bdf1e7877bf73ce8b0bad5f97'
/** Makes the blocks in which answers are judged. */
const otherMiner: Address = '0x396343362be2a4da1ce0c1c210945346fb82aa49'

/** In the order of `Moody.Mode`. */
const modes = [
  ...['honest', 'randao', 'coinbase', 'gas price', 'much gas', 'some gas'],
  ...['origin', 'origin has ether', 'origin has tokens'],
  ...['timestamp', 'block number', 'second call'],
  ...['re-entry', 'return bomb', 'revert bomb', 'error bomb', 'burnt gas'],
] as const
export type Mode = (typeof modes)[number]

export interface Adversaries extends SandboxContext {
  readonly service: TestService
  /** V2's form: WETH and USDC, one percent better than the market. */
  readonly pair: Address
  /** The same in V3's form. */
  readonly pool: Address
  /** The only pool of `lonelyToken`: with USDC, in V2's form. */
  readonly lonelyPair: Address
  readonly lonelyToken: Address
  /** In a pair with WETH, too, that Uniswap's own factory made; alice has allowed the Router hers. */
  readonly token: Address
  /** Changes the mind of one of them; what it is honest at is the next block. @returns the number of the head. */
  become(liar: Address, mode: Mode): Promise<number>
  /** A call of the Router that it would take from the liar. */
  orderOf(liar: Address): { readonly from: Address; readonly to: Address; readonly data: Hex }
  /** Brings the pair's price back to what it was before a few swaps. */
  refill(): Promise<void>
  /** Whether name and symbol of the token are a megabyte each. */
  armBomb(armed: boolean): Promise<void>
  /** Name and symbol of `lonelyToken`. @returns the number of the head. */
  rename(name: string, symbol: string): Promise<number>
  /** Asks for alice's route of 0.05 WETH to USDC at the block. */
  route(blockNumber: number, more?: Record<string, string>): Promise<Answer>
  /** Mines it after the block, with another maker of blocks and a tip, and watches WETH and USDC of alice. */
  mine(answer: Answer, more?: Partial<ExecuteArgs>): Promise<Execution>
}

const trade = { tokenIn: weth, tokenOut: usdc, amountIn: (ether / 20n).toString() }
const v2Factory = parseAbi(['function createPair(address a, address b)'])
const v2Pair = parseAbi(['function mint(address to)'])

/** Call in a file; the function it gives works inside of tests. */
export function withAdversaries(): () => Adversaries {
  const chain = withSandbox()
  let context: Adversaries
  let dataDir: string
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'forkroute-adversaries-'))
    context = await setUp(chain(), dataDir)
  })
  afterAll(async () => {
    await context?.service.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  return () => context
}

async function setUp(chain: SandboxContext, dataDir: string): Promise<Adversaries> {
  const { client, sandbox } = chain
  const contract = compileTestContracts('Adversaries.sol')
  await client.request('anvil_setCoinbase', [miner])

  async function send(data: Hex, to?: Address): Promise<Address | null> {
    const { contractAddress } = await mined(client.request, { from: alice, data, to: to ?? null })
    return contractAddress
  }
  const deploy = async (name: string, args: readonly unknown[]): Promise<Address> => {
    const { abi: own, bytecode } = contract(name)
    return toAddress((await send(encodeDeployData({ abi: own, bytecode, args }))) ?? '0x')
  }
  const give = (token: Address, to: Address, amount: bigint) =>
    send(encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }), token)
  const run = (name: string, to: Address, functionName: string, args: readonly unknown[] = []) =>
    send(encodeFunctionData({ abi: contract(name).abi, functionName, args }), to)
  const head = () =>
    client.request<{ number: Hex; timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])

  const plain = await startService({ RPC_URL_1: sandbox.url })
  const dust = await plain.get('/api/v1/shortcuts/quote', {
    ...trade,
    amountIn: (ether / 1_000n).toString(),
  })
  await plain.stop()
  const usdcPerWeth = BigInt(dust.body.amountOut) * 1_000n

  const pair = await deploy('LyingPair', [usdc, weth])
  await give(weth, pair, 20n * ether)
  await give(usdc, pair, (20n * usdcPerWeth * 101n) / 100n)
  await run('LyingPair', pair, 'sync')

  const token = await deploy('LyingToken', [alice, 1_000_000n * ether])
  const lonelyToken = await deploy('LyingToken', [alice, 1_000_000n * ether])
  const lonelySides = lonelyToken < usdc ? [lonelyToken, usdc] : [usdc, lonelyToken]
  const lonelyPair = await deploy('LyingPair', lonelySides)
  await give(lonelyToken, lonelyPair, 100_000n * ether)
  await give(usdc, lonelyPair, 100_000n * 10n ** 6n)
  await run('LyingPair', lonelyPair, 'sync')

  // The square root of WETH per USDC at one percent above the market, and as deep as the pair.
  const price = (ether * 100n * 2n ** 192n) / (usdcPerWeth * 101n)
  const sqrtPrice = squareRoot(price)
  const tick = Math.floor((2 * Math.log(Number(sqrtPrice) / 2 ** 96)) / Math.log(1.0001))
  const depth = squareRoot(20n * ether * 20n * usdcPerWeth)
  const pool = await deploy('LyingPool', [usdc, weth, sqrtPrice, tick, depth])
  await give(weth, pool, 20n * ether)
  await give(usdc, pool, 20n * usdcPerWeth)
  // It takes part only where a test wants it.
  await run('LyingPool', pool, 'become', [14, alice, usdc, alice, '0x'])

  // Uniswap's own factory makes pairs of any token.
  const sides = [token, weth] as const
  await send(
    encodeFunctionData({ abi: v2Factory, functionName: 'createPair', args: sides }),
    contractAddresses.v2Factory,
  )
  const factoryPair = v2PairAddress('uniswap-v2', token, weth)
  await give(token, factoryPair, 100_000n * ether)
  await give(weth, factoryPair, 30n * ether)
  await send(encodeFunctionData({ abi: v2Pair, functionName: 'mint', args: [alice] }), factoryPair)
  const approval = [contractAddress('Router'), 2n ** 255n] as const
  for (const each of [token, lonelyToken]) await run('LyingToken', each, 'approve', approval)

  const file = join(dataDir, 'pools.json')
  const v2 = (address: Address, tokens: readonly Address[]) => ({
    protocol: 'uniswap-v2',
    id: address,
    address,
    tokens,
    parameters: { feeBps: 0 },
  })
  const v3 = { fee: 100, tickSpacing: 1 }
  await writeFile(
    file,
    JSON.stringify([
      v2(pair, [usdc, weth]),
      v2(lonelyPair, lonelySides),
      { protocol: 'uniswap-v3', id: pool, address: pool, tokens: [usdc, weth], parameters: v3 },
    ]),
  )
  const imported = await runCli(['pools', 'import', file, '--json'], { DATA_DIR: dataDir })
  expect(imported.out, imported.err).toContain('"added": 3')
  const service = await startService({
    RPC_URL_1: sandbox.url,
    DATA_DIR: dataDir,
    HEAD_POLL_MS: '250',
  })

  /** An order of the liar's own that the Router would take from it at any other time. */
  const order = (from: Address): Hex =>
    buildTransaction({
      strategy: 'router',
      from,
      order: {
        inputs: [],
        feeReceiver: from,
        steps: [],
        outputs: [],
        sweep: [],
        receiver: from,
        refundReceiver: from,
        deadline: 2n ** 32n,
        accountId: `0x${'0'.repeat(64)}`,
        referralCode: `0x${'0'.repeat(32)}`,
      },
    }).data

  return {
    ...chain,
    service,
    pair,
    pool,
    lonelyPair,
    token,
    lonelyToken,
    orderOf: (liar) => ({ from: liar, to: contractAddress('Router'), data: order(liar) }),
    async become(liar, mode) {
      const router = contractAddress('Router')
      const args = [modes.indexOf(mode), alice, usdc, router, order(liar)]
      await run('LyingPair', liar, 'become', args)
      if (mode === 'timestamp' || mode === 'block number') {
        const { number, timestamp } = await head()
        // The next block is that of this transaction, the one after it the simulated one; a block is twelve seconds.
        const at = mode === 'timestamp' ? BigInt(timestamp) % 2n : BigInt(number) + 2n
        await run('LyingPair', liar, 'expectAt', [at])
      }
      return Number((await head()).number)
    },
    async refill() {
      await give(usdc, pair, usdcPerWeth / 5n)
      await run('LyingPair', pair, 'sync')
    },
    async armBomb(armed) {
      await run('LyingToken', token, 'armBomb', [armed])
    },
    async rename(name, symbol) {
      await run('LyingToken', lonelyToken, 'rename', [name, symbol])
      return Number((await head()).number)
    },
    route: (blockNumber, more = {}) =>
      service.get('/api/v1/shortcuts/route', {
        fromAddress: alice,
        ...trade,
        blockNumber: String(blockNumber),
        ...more,
      }),
    mine: (answer, more = {}) =>
      executeOnFork({
        nodeUrl: sandbox.url,
        blockNumber: answer.body.blockNumber,
        tx: answer.body.tx,
        watch: [
          { token: weth, owner: alice },
          { token: usdc, owner: alice },
        ],
        tip: 2n * 10n ** 9n,
        gas: 700_000n,
        ...more,
        async prepare(anvil) {
          await anvil.rpc('anvil_setCoinbase', [otherMiner])
          await more.prepare?.(anvil)
        },
      }),
  }
}

function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
