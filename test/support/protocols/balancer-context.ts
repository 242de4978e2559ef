/** The real Vault of Balancer v2 on a bare chain, with pools of every kind, and swaps compared with the adapter's. */
import {
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  maxUint256,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { expect } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { CallStep } from '../../../src/domain/order.js'
import { type Address, type Hex, toAddress, zeroAddress } from '../../../src/domain/primitives.js'
import { balancerV2 } from '../../../src/protocols/balancer-v2/index.js'
import type { BalancerState } from '../../../src/protocols/balancer-v2/state.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { LoadedPool } from '../../../src/protocols/protocol.js'
import { loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { erc20Abi, PoolContext } from './pool-context.js'

const weightedFactoryAbi = parseAbi([
  'function create(string, string, address[], uint256[], uint256, address)',
])
const stableFactoryAbi = parseAbi([
  'function create(string, string, address[], uint256, uint256, address)',
])
const composableFactoryAbi = parseAbi([
  'function create(string, string, address[], uint256, address[], uint256[], bool[], uint256, address)',
])
const poolAbi = parseAbi([
  'function getPoolId() view returns (bytes32)',
  'function getPoolTokens(bytes32) view returns (address[], uint256[], uint256)',
])
const vaultAbi = parseAbi([
  'function joinPool(bytes32, address, address, JoinRequest)',
  'struct JoinRequest { address[] assets; uint256[] maxAmountsIn; bytes userData; bool fromInternalBalance; }',
])

const e18 = 10n ** 18n
const recipient: Address = '0x00000000000000000000000000000000000000aa'

interface Pools {
  readonly weighted: readonly Pool[]
  readonly stable: readonly Pool[]
  readonly composable: readonly Pool[]
  /** A composable pool that time passes for. */
  readonly aging: Pool
  /** What gives the rates of its tokens. */
  readonly providers: readonly Address[]
}

export class BalancerContext {
  private constructor(
    readonly chain: PoolContext,
    readonly vault: Address,
    readonly pools: Pools,
  ) {}

  static async start(): Promise<BalancerContext> {
    const chain = await PoolContext.start()
    const artifacts = await loadArtifacts('.cache/sandbox', () => {})
    const code = (name: string): Hex => artifacts[name] ?? '0x'
    const vault = await chain.deploy(
      code('balancerVault'),
      'address, address, uint256, uint256',
      // Whoever asks may do anything.
      [await chain.answering(1n), chain.trader, 0n, 0n],
    )
    return new BalancerContext(chain, vault, await createPools({ chain, vault, code }))
  }

  close(): Promise<void> {
    return this.chain.close()
  }

  async load(pool: Pool): Promise<LoadedPool<BalancerState>> {
    const [loaded] = await balancerV2.swaps.load({
      reader: await this.chain.reader(),
      chain: ethereum,
      venue: { vault: this.vault },
      pools: [pool],
    })
    if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
    const { state } = loaded
    if (state.kind === 'liquidity') throw new Error('the record of swaps was asked for')
    return { pool: loaded.pool, state, partial: loaded.partial }
  }

  /** Swaps by the adapter's own steps; the trader stands for the Executor. @returns what the recipient got. */
  async swap(
    pool: Pool,
    state: BalancerState,
    i: number,
    j: number,
    amountIn: bigint,
  ): Promise<bigint> {
    const { chain, vault } = this
    const tokenIn = pool.tokens[i] ?? '0x'
    const tokenOut = pool.tokens[j] ?? '0x'
    const steps = balancerV2.swaps.encodeSwap({
      chain: ethereum,
      venue: { vault },
      pool,
      state,
      tokenIn,
      tokenOut,
      amountIn,
      executor: chain.trader,
      helpers: {},
      recipient,
    })
    const call = steps.find((step): step is CallStep => step.kind === 'call')
    if (!call) throw new Error('no call')
    const before = await chain.balanceOf(tokenOut, recipient)
    await chain.send(call.target, [call.abi], 'swap', call.args)
    return (await chain.balanceOf(tokenOut, recipient)) - before
  }

  async swapAndCompare(
    pool: Pool,
    i: number,
    j: number,
    amountIn: bigint,
    comparesState = true,
  ): Promise<void> {
    const { state } = await this.load(pool)
    const tokenIn = pool.tokens[i] ?? '0x'
    const tokenOut = pool.tokens[j] ?? '0x'
    const quote = balancerV2.swaps.swap(pool, state, { tokenIn, tokenOut }, amountIn)
    const received = await this.swap(pool, state, i, j, amountIn)
    expect(quote).toMatchObject({ amountOut: received, exact: true })
    if (received === 0n || !comparesState) return
    const next = quote.after()
    // How many shares of a composable pool are owed to the protocol changes with each swap.
    const shares = { supply: undefined }
    expect({ ...(await this.load(pool)).state, ...shares }).toEqual({ ...next, ...shares })
  }
}

export function unitOf(pool: Pool, index: number): bigint {
  const { decimals } = pool.parameters
  return 10n ** BigInt(Array.isArray(decimals) ? decimals[index] : 0)
}

interface Deployer {
  readonly chain: PoolContext
  readonly vault: Address
  /** Creation code by the name of its artifact. */
  readonly code: (name: string) => Hex
}

async function createPools(deployer: Deployer): Promise<Pools> {
  const { chain, vault, code } = deployer
  const weightedFactory = await chain.deploy(code('balancerWeightedFactory'), 'address', [vault])
  const stableFactory = await chain.deploy(code('balancerStableFactory'), 'address', [vault])
  const feeProvider = await chain.deploy(code('balancerFeeProvider'), 'address, uint256, uint256', [
    vault,
    e18 / 2n,
    e18 / 2n,
  ])
  const composableFactory = await chain.deploy(
    code('balancerComposableFactory'),
    'address, address, string, string',
    [vault, feeProvider, '', ''],
  )
  const createWeighted = (
    places: readonly number[],
    amounts: readonly bigint[],
    percents: readonly bigint[],
    swapFee: bigint,
  ) =>
    createPlain(deployer, places, amounts, async (list) => {
      const weights = percents.map((percent) => (percent * e18) / 100n)
      const args = ['Pool', 'BPT', list, weights, swapFee, chain.trader]
      return {
        receipt: await chain.send(weightedFactory, weightedFactoryAbi, 'create', args),
        parameters: { kind: 'weighted', weights: weights.map(String) },
      }
    })
  const createStable = (
    places: readonly number[],
    amounts: readonly bigint[],
    amplification: bigint,
    swapFee: bigint,
  ) =>
    createPlain(deployer, places, amounts, async (list) => {
      const args = ['Pool', 'BPT', list, amplification, swapFee, chain.trader]
      return {
        receipt: await chain.send(stableFactory, stableFactoryAbi, 'create', args),
        parameters: { kind: 'stable' },
      }
    })
  const createComposable = (
    places: readonly number[],
    amounts: readonly bigint[],
    cacheSeconds: readonly (number | null)[],
  ) => createWithShare(deployer, composableFactory, places, amounts, cacheSeconds)

  const day = 86_400
  const composable = [
    await createComposable([18, 6], [1_000_000n, 1_300_000n], [null, null]),
    await createComposable(
      [18, 6, 18, 8],
      [900_000n, 1_100_000n, 1_000_000n, 800_000n],
      [day, day, null, null],
    ),
  ]
  const aging = await createComposable([18, 6], [900_000n, 1_100_000n], [day, day])
  return {
    composable: composable.map(({ pool }) => pool),
    aging: aging.pool,
    providers: aging.providers,
    weighted: [
      await createWeighted([18, 6], [3_000n, 9_000_000n], [50n, 50n], e18 / 1000n),
      await createWeighted([18, 18], [80_000n, 10n], [80n, 20n], e18 / 333n),
      await createWeighted(
        [8, 18, 6],
        [100n, 3_000n, 9_000_000n],
        [33n, 33n, 34n],
        25n * 10n ** 14n,
      ),
    ],
    stable: [
      await createStable([18, 6], [1_000_000n, 1_300_000n], 200n, 4n * 10n ** 14n),
      await createStable([6, 18, 6], [900_000n, 2_000_000n, 1_500_000n], 5000n, 10n ** 14n),
    ],
  }
}

type Receipt = Awaited<ReturnType<PoolContext['send']>>

/** A pool whose share is no token of its own, provided with whole tokens. */
async function createPlain(
  { chain, vault }: Deployer,
  places: readonly number[],
  amounts: readonly bigint[],
  create: (
    tokens: readonly Address[],
  ) => Promise<{ readonly receipt: Receipt; readonly parameters: Pool['parameters'] }>,
): Promise<Pool> {
  const tokens = await chain.sortedTokens(places)
  const list = tokens.map(({ address }) => address)
  const { receipt, parameters } = await create(list)
  const id = await createdId(chain, receipt)
  const deposits = tokens.map(({ decimals }, k) => (amounts[k] ?? 0n) * 10n ** BigInt(decimals))
  await join({ chain, vault }, { id, approved: list, assets: list, deposits, maximums: deposits })
  const decimals = tokens.map((token) => String(token.decimals))
  return {
    protocol: 'balancer-v2',
    id,
    address: vault,
    tokens: list,
    parameters: { ...parameters, decimals },
  }
}

/** Tokens with their pool share between them; `cacheSeconds` of a token: its rate comes from a provider. */
async function createWithShare(
  { chain, vault }: Deployer,
  factory: Address,
  places: readonly number[],
  amounts: readonly bigint[],
  cacheSeconds: readonly (number | null)[],
): Promise<{ readonly pool: Pool; readonly providers: readonly Address[] }> {
  const tokens = await chain.sortedTokens(places)
  const list = tokens.map(({ address }) => address)
  const providers: Address[] = []
  for (const seconds of cacheSeconds) {
    providers.push(seconds === null ? zeroAddress : await chain.answering(10n ** 18n))
  }
  for (const [k, provider] of providers.entries()) {
    if (provider !== zeroAddress)
      await chain.setAnswer(provider, e18 + BigInt(k + 1) * 77n * 10n ** 15n + 1n)
  }
  const durations = cacheSeconds.map((seconds) => BigInt(seconds ?? 0))
  const receipt = await chain.send(factory, composableFactoryAbi, 'create', [
    ...['Pool', 'BPT', list, 1000n, providers, durations, list.map(() => false)],
    ...[4n * 10n ** 14n, chain.trader],
  ])
  const id = await createdId(chain, receipt)
  const held = await chain.call(
    vault,
    encodeFunctionData({ abi: poolAbi, functionName: 'getPoolTokens', args: [id] }),
  )
  const [listed] = decodeFunctionResult({ abi: poolAbi, functionName: 'getPoolTokens', data: held })
  const all = listed.map(toAddress)
  const units = all.map((token) => list.indexOf(token))
  const deposits = units.map((k) =>
    k === -1 ? 0n : (amounts[k] ?? 0n) * 10n ** BigInt(tokens[k]?.decimals ?? 0),
  )
  const maximums = all.map(() => maxUint256)
  await join({ chain, vault }, { id, approved: list, assets: all, deposits, maximums })
  const decimals = units.map((k) => String(tokens[k]?.decimals ?? 18))
  const parameters = { kind: 'stable', decimals }
  const pool = { protocol: 'balancer-v2', id, address: vault, tokens: all, parameters }
  return { pool, providers }
}

/** Id in the Vault of the pool that a factory created. */
async function createdId(chain: PoolContext, receipt: Receipt): Promise<Hex> {
  const created = receipt?.logs.at(-1)?.topics[1]
  if (!created) throw new Error('no pool was created')
  const contract = toAddress(`0x${created.slice(26)}`)
  return chain.call(contract, encodeFunctionData({ abi: poolAbi, functionName: 'getPoolId' }))
}

async function join(
  { chain, vault }: Omit<Deployer, 'code'>,
  args: {
    readonly id: Hex
    readonly approved: readonly Address[]
    readonly assets: readonly Address[]
    readonly deposits: readonly bigint[]
    readonly maximums: readonly bigint[]
  },
): Promise<void> {
  const { id, assets, deposits, maximums } = args
  for (const token of args.approved)
    await chain.send(token, erc20Abi, 'approve', [vault, maxUint256])
  const userData = encodeAbiParameters(parseAbiParameters('uint256, uint256[]'), [0n, deposits])
  const joined = await chain.send(vault, vaultAbi, 'joinPool', [
    id,
    chain.trader,
    chain.trader,
    { assets, maxAmountsIn: maximums, userData, fromInternalBalance: false },
  ])
  expect(joined).not.toBeNull()
}
