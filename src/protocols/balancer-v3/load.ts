/**
 * State of pools of the V3 Vault in bulk, in one round of calls with the time of the block in which swaps are
 * simulated: token rates and amplifications move with time.
 */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { at, zip } from '../../domain/lists.js'
import { type Address, toAddress, zeroAddress } from '../../domain/primitives.js'
import type { ReadCall, ReadResult } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { LoadedPool, Swaps } from '../protocol.js'
import { mostPairs, runsHooks } from '../shared/hooks/quoter.js'
import type { WithHooks } from '../shared/hooks/run.js'
import { unlessReverted } from '../shared/reverts.js'
import { mostTokensOfAllPairs, runBalancerHooks } from './hooks.js'
import { type BalancerV3State, yieldFee } from './math.js'
import { factoriesOf, hooksOf, vaultOf } from './parameters.js'
import { callsAtSwaps, withRate } from './pool-events.js'

/** @see balancer/balancer-v3-monorepo 0a5890a, pkg/interfaces/contracts/vault/IVaultExtension.sol, IVaultAdmin.sol */
const abi = parseAbi([
  'function getMinimumTradeAmount() view returns (uint256)',
  'function isVaultPaused() view returns (bool)',
  'function isPoolPaused(address pool) view returns (bool)',
  'function getPoolConfig(address pool) view returns (PoolConfig)',
  'function getHooksConfig(address pool) view returns (HooksConfig)',
  'function getPoolTokenInfo(address pool) view returns (address[] tokens, TokenInfo[] info, uint256[] balancesRaw, uint256[] lastBalancesLiveScaled18)',
  'function getPoolTokenRates(address pool) view returns (uint256[] scalingFactors, uint256[] rates)',
  'function isPoolFromFactory(address pool) view returns (bool)',
  'function getNormalizedWeights() view returns (uint256[])',
  'function getMinTokenBalances() view returns (uint256[])',
  'function getAmplificationParameter() view returns (uint256 value, bool isUpdating, uint256 precision)',
  'function version() view returns (string)',
  'struct PoolConfig { LiquidityManagement liquidityManagement; uint256 staticSwapFeePercentage; uint256 aggregateSwapFeePercentage; uint256 aggregateYieldFeePercentage; uint40 tokenDecimalDiffs; uint32 pauseWindowEndTime; bool isPoolRegistered; bool isPoolInitialized; bool isPoolPaused; bool isPoolInRecoveryMode; }',
  'struct LiquidityManagement { bool disableUnbalancedLiquidity; bool enableAddLiquidityCustom; bool enableRemoveLiquidityCustom; bool enableDonation; }',
  'struct HooksConfig { bool enableHookAdjustedAmounts; bool shouldCallBeforeInitialize; bool shouldCallAfterInitialize; bool shouldCallComputeDynamicSwapFee; bool shouldCallBeforeSwap; bool shouldCallAfterSwap; bool shouldCallBeforeAddLiquidity; bool shouldCallAfterAddLiquidity; bool shouldCallBeforeRemoveLiquidity; bool shouldCallAfterRemoveLiquidity; address hooksContract; }',
  'struct TokenInfo { uint8 tokenType; address rateProvider; bool paysYieldFees; }',
])

const ofVault = [
  'isPoolPaused',
  'getPoolConfig',
  'getHooksConfig',
  'getPoolTokenInfo',
  'getPoolTokenRates',
] as const
const ofPool = [
  'getNormalizedWeights',
  'getMinTokenBalances',
  'getAmplificationParameter',
  'version',
] as const

/** Since these versions pools refuse swaps that leave them with too little of a token, or out of balance. */
const limitedWeighted = 2
const limitedStable = 3
const limitOfImbalance = 10_000n
/** Pools say it in JSON, such as `{"name":"StablePool","version":3,"deployment":"20260116-v3-stable-pool-v3"}`. */
const versionPattern = /"version":\s*"?(\d{1,3})"?[,}]/

export async function loadBalancerV3({
  reader,
  chain,
  venue,
  pools,
}: Parameters<Swaps['load']>[0]): Promise<(LoadedPool<WithHooks<BalancerV3State>> | Unreadable)[]> {
  if (pools.length === 0) return []
  const vault = vaultOf(venue)
  const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
  const ask = (to: Address, data: ReadCall['data']): ReadCall => ({ to, data, timestamp })
  const ofAll = (['getMinimumTradeAmount', 'isVaultPaused'] as const).map((functionName) =>
    ask(vault, encodeFunctionData({ abi, functionName })),
  )
  const factories = factoriesOf(venue)
  const calls = pools.map((pool) => {
    const contract = contractOf(pool)
    const args = [contract] as const
    const made = encodeFunctionData({ abi, functionName: 'isPoolFromFactory', args })
    return [
      ...ofVault.map((functionName) => ask(vault, encodeFunctionData({ abi, functionName, args }))),
      ...ofPool.map((functionName) => ask(contract, encodeFunctionData({ abi, functionName }))),
      ...makersOf(pool, factories).map((factory) => ask(factory, made)),
    ]
  })
  const answers = await reader.call([...ofAll, ...calls.flat()])
  const [minimumTrade, isVaultPaused] = [
    decode('getMinimumTradeAmount', answers[0]),
    decode('isVaultPaused', answers[1]),
  ]
  const runs = runsHooks(venue)
  let next = ofAll.length
  const loaded = pools.map((pool, k): LoadedPool<BalancerV3State> | Unreadable => {
    const reads = answers.slice(next, next + at(calls, k).length)
    next += reads.length
    const failed = (message: string): Unreadable => ({
      protocol: pool.protocol,
      subject: pool.id,
      message,
    })
    if (pool.address !== vault) return failed('The pool is of another Vault.')
    if (minimumTrade === null || isVaultPaused === null) return failed(why(answers.slice(0, 2)))
    const state = unlessReverted(() => toState(pool, reads, { minimumTrade, isVaultPaused, runs }))
    if (state === null) return failed('The Vault cannot settle its yield.')
    if (typeof state === 'string') return failed(state)
    const { swapHooks } = state
    if (!swapHooks) return { pool, state, partial: false, ...idleHooks(reads) }
    if (hooksOf(pool) !== swapHooks)
      return failed('The record does not name the hooks of the pool.')
    const areRun = pool.tokens.length <= mostTokensOfAllPairs || mostPairs(venue) !== null
    if (areRun) return { pool, state, partial: false }
    return { ...failed('hooks of pools of so many tokens are not run'), isLeftOut: true }
  })
  const toRun = loaded.filter(
    (item): item is LoadedPool<BalancerV3State> => 'state' in item && 'swapHooks' in item.state,
  )
  const run = new Map(zip(toRun, await runBalancerHooks({ reader, chain, venue }, toRun)))
  return loaded.map((item) => ('state' in item && run.get(item)) || item)
}

/** What is told of hooks that no swap calls: they change none. */
function idleHooks(reads: readonly ReadResult[]): Pick<LoadedPool, 'finding'> {
  const hooks = decode('getHooksConfig', reads[ofVault.indexOf('getHooksConfig')])
  const contract = toAddress(hooks?.hooksContract ?? zeroAddress)
  if (contract === zeroAddress) return {}
  return { finding: { class: 'exact', reason: null, contract, codeHash: null } }
}

/** The sentence that says why there is none. */
function toState(
  pool: Pool,
  reads: readonly ReadResult[],
  common: {
    readonly minimumTrade: bigint
    readonly isVaultPaused: boolean
    /** Whether hooks that take part in swaps are run. */
    readonly runs: boolean
  },
): BalancerV3State | string {
  const { minimumTrade, isVaultPaused, runs } = common
  const [pausedRead, configRead, hooksRead, infoRead, ratesRead] = reads
  const [weightsRead, minimumsRead, ampRead, versionRead] = reads.slice(ofVault.length)
  const makers = reads.slice(ofVault.length + ofPool.length)
  const isPaused = decode('isPoolPaused', pausedRead)
  const config = decode('getPoolConfig', configRead)
  const hooks = decode('getHooksConfig', hooksRead)
  const info = decode('getPoolTokenInfo', infoRead)
  const priced = decode('getPoolTokenRates', ratesRead)
  if (isPaused === null || !config || !hooks || !info || !priced) {
    return why(reads.slice(0, ofVault.length))
  }
  if (!makers.some((made) => decode('isPoolFromFactory', made))) {
    return makers.some((made) => !made.ok && made.reason === 'unreadable')
      ? why(makers)
      : 'No factory of the venue made the pool.'
  }
  if (callsAtSwaps(hooks) && !runs) return 'Its hooks take part in swaps.'
  const [tokens, kinds, raw, last] = info
  if (tokens.map(toAddress).join() !== pool.tokens.join()) {
    return 'The Vault lists other tokens for the pool.'
  }
  const rated = kinds.find(({ tokenType }) => tokenType === withRate)
  if (pool.parameters.isRated === false && rated) return 'The pool has rates.'
  const formula = toFormula(pool, { weightsRead, minimumsRead, ampRead, versionRead })
  if (typeof formula === 'string') return formula
  const [scalingFactors, rates] = priced
  const feeOfYield =
    config.isPoolInitialized && !config.isPoolInRecoveryMode
      ? config.aggregateYieldFeePercentage
      : 0n
  const balances = raw.map((balance, k) => {
    const { tokenType, paysYieldFees } = at(kinds, k)
    if (feeOfYield === 0n || tokenType !== withRate || !paysYieldFees) return balance
    const scale = { scalingFactor: at(scalingFactors, k), rate: at(rates, k) }
    return balance - yieldFee({ balance, ...scale, last: at(last, k), fee: feeOfYield })
  })
  return {
    ...formula,
    isOpen: config.isPoolInitialized && !isPaused && !isVaultPaused,
    balances,
    scalingFactors,
    rates,
    swapFee: config.staticSwapFeePercentage,
    aggregateFee: config.isPoolInRecoveryMode ? 0n : config.aggregateSwapFeePercentage,
    minimumTrade,
    rateProvider: rated ? toAddress(rated.rateProvider) : null,
    ...(callsAtSwaps(hooks) && { swapHooks: toAddress(hooks.hooksContract) }),
  }
}

type Formula = Pick<BalancerV3State, 'kind' | 'weights' | 'minimums' | 'amp' | 'mostImbalance'>

function toFormula(
  { tokens }: Pool,
  reads: Readonly<
    Record<'weightsRead' | 'minimumsRead' | 'ampRead' | 'versionRead', ReadResult | undefined>
  >,
): Formula | string {
  const all = Object.values(reads).flatMap((read) => read ?? [])
  const unread = all.some((read) => !read.ok && read.reason === 'unreadable')
  if (unread) return why(all.filter((read) => !read.ok && read.reason === 'unreadable'))
  const [, text] = versionPattern.exec(decode('version', reads.versionRead) ?? '') ?? []
  const version = Number(text)
  const weights = decode('getNormalizedWeights', reads.weightsRead)
  if (text && weights?.length === tokens.length) {
    const minimums = decode('getMinTokenBalances', reads.minimumsRead)
    const common = { kind: 'weighted', weights, amp: 0n, mostImbalance: null } as const
    if (version < limitedWeighted) return { ...common, minimums: null }
    if (minimums?.length === tokens.length) return { ...common, minimums }
  }
  const amplification = decode('getAmplificationParameter', reads.ampRead)
  if (!text || !amplification) return 'The pool is neither weighted nor stable.'
  const mostImbalance = version >= limitedStable ? limitOfImbalance : null
  return { kind: 'stable', weights: [], minimums: null, amp: amplification[0], mostImbalance }
}

/** The factory that the record names, if the venue has it; all of the venue where the record names none. */
function makersOf({ parameters }: Pool, factories: readonly Address[]): readonly Address[] {
  const { factory } = parameters
  return factory === undefined ? factories : factories.filter((each) => each === factory)
}

/** A record whose id is no address is of no pool. */
function contractOf({ id }: Pool): Address {
  return /^0x[0-9a-f]{40}$/.test(id) ? (id as Address) : `0x${'0'.repeat(40)}`
}

function why(reads: readonly (ReadResult | undefined)[]): string {
  const failed = reads.find((read) => read && !read.ok)
  return failed && !failed.ok ? failed.message : 'The Vault knows no such pool.'
}

type Name = Extract<(typeof abi)[number], { type: 'function' }>['name']

function decode<F extends Name>(functionName: F, result: ReadResult | undefined) {
  if (!result?.ok || result.value === '0x') return null
  try {
    return decodeFunctionResult<typeof abi, F>({ abi, functionName, data: result.value } as never)
  } catch {
    return null
  }
}
