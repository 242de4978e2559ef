/** Builds the states that the math may apply to from the results of a pool's getters. Pure. */
import { at } from '../../domain/lists.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { Pool } from '../pool.js'
import {
  encodeBalances,
  encodeGetter,
  encodePriceScale,
  type Getter,
  wordOf,
  wordsOf,
} from './abi.js'
import type { CryptoPoolState } from './crypto-math.js'
import type { MetaPoolState } from './meta-math.js'
import type { CurveParameters } from './parameters.js'
import { virtualPrice } from './stable-liquidity.js'
import { rampedAmp, type StablePoolState, withInvariant } from './stable-math.js'
import type { Solvable } from './state.js'

export interface Reading {
  readonly to: Address
  readonly data: Hex
}

/** Answers of `readings` by their names. */
export type Answers = ReadonlyMap<string, ReadResult>

/** Unix seconds of the block read and of the block in which swaps are simulated. */
export interface Times {
  readonly read: bigint
  readonly simulated: bigint
}

/** One way in which the pool may compute. */
export interface Candidate {
  /** State at the block that was read, where the pool's own quotes are made. */
  readonly proof: Solvable
  /** State at the simulated block. */
  readonly state: Solvable
  /** False: something in it may have moved by the simulated block, whatever the quotes say. */
  readonly isSteady: boolean
}

const ramp: readonly Getter[] = ['initial_A', 'future_A', 'initial_A_time', 'future_A_time']
/** The first metapools keep the virtual price of their base pool for so long, seconds. */
const baseCacheSeconds = 600n

/** Calls whose answers `balancesOf` and `candidates` take, by name. */
export function readings(pool: Pool, parameters: CurveParameters): Map<string, Reading> {
  const { kind, decimals, aPrecision, getterIndexType, basePool } = parameters
  const wanted = new Map<string, Reading>()
  const want = (to: Address, prefix: string, getters: readonly Getter[]) => {
    for (const name of getters) wanted.set(prefix + name, { to, data: encodeGetter(name) })
  }
  const coins = kind === 'meta' ? 2 : decimals.length
  for (let k = 0; k < coins; k++) {
    wanted.set(`balance${k}`, { to: pool.address, data: encodeBalances(getterIndexType, k) })
  }
  if (kind === 'crypto') {
    want(pool.address, '', ['A', 'gamma', 'D', 'mid_fee', 'out_fee', 'fee_gamma'])
    want(pool.address, '', ['future_A_gamma_time', 'MATH'])
    for (let k = 0; k < coins - 1; k++) {
      wanted.set(`scale${k}`, { to: pool.address, data: encodePriceScale(coins, k) })
    }
    return wanted
  }
  want(pool.address, '', ['fee', 'admin_fee', ...ramp])
  if (kind === 'stable') {
    want(pool.address, '', [aPrecision === 1n ? 'A' : 'A_precise'])
    return wanted
  }
  want(pool.address, '', ['A', 'A_precise', 'offpeg_fee_multiplier', 'stored_rates'])
  const [, shares] = pool.tokens
  if (!basePool || !shares) return wanted
  want(pool.address, '', ['base_virtual_price', 'base_cache_updated'])
  want(basePool, 'base.', ['fee', 'admin_fee', 'A', 'A_precise', ...ramp])
  want(basePool, 'base.', ['offpeg_fee_multiplier', 'stored_rates'])
  want(shares, 'base.', ['totalSupply'])
  for (let k = 0; k < decimals.length - 2; k++) {
    wanted.set(`base.balance${k}`, { to: basePool, data: encodeBalances('uint256', k) })
  }
  return wanted
}

/** Raw units that the pool holds of each token, a metapool those of its base pool too; null: not readable. */
export function balancesOf(parameters: CurveParameters, answers: Answers): (bigint | null)[] {
  return parameters.decimals.map((_decimals, k) => {
    const isBase = parameters.kind === 'meta' && k > 1
    return wordOf(answers.get(isBase ? `base.balance${k - 2}` : `balance${k}`))
  })
}

/** @returns the likeliest first; none when a number is missing. */
export function candidates(
  parameters: CurveParameters,
  answers: Answers,
  times: Times,
): Candidate[] {
  if (parameters.kind === 'crypto') return cryptoCandidates(parameters, answers, times)
  if (parameters.kind === 'meta') return metaCandidates(parameters, answers, times)
  // Only the pools before the factories round as `legacy` says; the later ones differ in one division.
  const order = parameters.kind === 'stable' ? [false, true] : [true, false]
  const fixed = fixedRates(parameters.decimals)
  return (parameters.legacy ? [false] : order).flatMap((dividesAtEnd) => {
    const variant = { dividesAtEnd, legacy: parameters.legacy }
    const source = { prefix: '', fixed, variant }
    const proof = stableState(source, answers, times.read)
    const state = stableState(source, answers, times.simulated)
    return proof && state ? [{ proof, state, isSteady: areFixed(state, fixed) }] : []
  })
}

function metaCandidates(
  { decimals }: CurveParameters,
  answers: Answers,
  times: Times,
): Candidate[] {
  const flags = [true, false]
  return flags.flatMap((own) =>
    flags.flatMap((base) => {
      const at = (timestamp: bigint) => metaState(decimals, [own, base], answers, timestamp)
      const [proof, state] = [at(times.read), at(times.simulated)]
      if (!proof || !state) return []
      const isSteady =
        areFixed(state.base.pool, fixedRates(decimals.slice(2))) &&
        state.pool.rates[0] === fixedRates(decimals)[0]
      return [{ proof, state, isSteady }]
    }),
  )
}

function metaState(
  decimals: readonly number[],
  [own, base]: readonly boolean[],
  answers: Answers,
  timestamp: bigint,
): MetaPoolState | null {
  const supply = wordOf(answers.get('base.totalSupply'))
  const variant = { dividesAtEnd: base ?? false, legacy: false }
  const baseRates = fixedRates(decimals.slice(2))
  const basePool = stableState({ prefix: 'base.', fixed: baseRates, variant }, answers, timestamp)
  if (supply === null || !basePool) return null
  const price = virtualPrice({ pool: basePool, supply })
  const cached = wordOf(answers.get('base_virtual_price'))
  const cachedAt = wordOf(answers.get('base_cache_updated'))
  const isRateCached = cached !== null && cachedAt !== null
  const isFresh = isRateCached && timestamp <= cachedAt + baseCacheSeconds
  const fixed = fixedRates(decimals.slice(0, 2))
  const ownVariant = { ...variant, dividesAtEnd: own ?? false }
  const pool = stableState({ prefix: '', fixed, variant: ownVariant }, answers, timestamp)
  if (!pool) return null
  const rates = [at(pool.rates, 0), isFresh ? cached : price]
  return {
    kind: 'meta',
    pool: withInvariant({ ...pool, rates }),
    base: { pool: basePool, supply },
    isRateCached,
  }
}

interface StableSource {
  /** Begins the names of the pool's readings. */
  readonly prefix: string
  /** Rates of coins whose worth does not move, one for each. */
  readonly fixed: readonly bigint[]
  readonly variant: Pick<StablePoolState, 'dividesAtEnd' | 'legacy'>
}

function stableState(
  { prefix, fixed, variant }: StableSource,
  answers: Answers,
  timestamp: bigint,
): StablePoolState | null {
  const word = (name: string) => wordOf(answers.get(prefix + name))
  const balances = fixed.map((_rate, k) => word(`balance${k}`)).filter((held) => held !== null)
  const precise = word('A_precise')
  const amp = precise ?? word('A')
  const fee = word('fee')
  const adminFee = word('admin_fee')
  if (balances.length < fixed.length || amp === null || fee === null || adminFee === null)
    return null
  const [initial = null, future = null, initialTime = null, futureTime = null] = ramp.map(word)
  // The first pools change A at once and have no ramp.
  const hasRamp = initial !== null && future !== null && initialTime !== null && futureTime !== null
  return withInvariant({
    kind: 'stable',
    balances,
    rates: wordsOf(answers.get(`${prefix}stored_rates`), fixed.length) ?? fixed,
    amp: hasRamp ? rampedAmp({ initial, future, initialTime, futureTime }, timestamp) : amp,
    ampPrecision: precise === null ? 1n : 100n,
    fee,
    adminFee,
    offpegFeeMultiplier: word('offpeg_fee_multiplier') ?? 0n,
    ...variant,
  })
}

function cryptoCandidates(
  { decimals }: CurveParameters,
  answers: Answers,
  times: Times,
): Candidate[] {
  const word = (name: string) => wordOf(answers.get(name))
  const numbers = {
    amp: word('A'),
    gamma: word('gamma'),
    invariant: word('D'),
    midFee: word('mid_fee'),
    outFee: word('out_fee'),
    feeGamma: word('fee_gamma'),
  }
  const balances = decimals.map((_places, k) => word(`balance${k}`))
  const priceScale = decimals.slice(1).map((_places, k) => word(`scale${k}`))
  if (decimals.some((places) => places > 18) || !isWhole(numbers)) return []
  if (!balances.every((item) => item !== null) || !priceScale.every((item) => item !== null))
    return []
  const precisions = decimals.map((places) => 10n ** BigInt(18 - places))
  const common = { kind: 'crypto' as const, ...numbers, balances, priceScale, precisions }
  // While A or gamma move, D is computed anew at each swap.
  const isSteady = (word('future_A_gamma_time') ?? 0n) <= times.read
  // Only the "ng" factories keep the math in a contract of its own that pools name.
  const isLater = word('MATH') !== null
  const solvers = isLater ? (['cubic', 'newton'] as const) : (['newton', 'cubic'] as const)
  const ways = solvers.map((solver) => ({ solver, weighsFee: false }))
  const latest = decimals.length === 2 ? [{ solver: 'cubic' as const, weighsFee: true }] : []
  return [...ways, ...latest].map((way) => {
    const state: CryptoPoolState = { ...common, ...way }
    return { proof: state, state, isSteady }
  })
}

function isWhole<Key extends string>(
  numbers: Record<Key, bigint | null>,
): numbers is Record<Key, bigint> {
  return Object.values(numbers).every((item) => item !== null)
}

function fixedRates(decimals: readonly number[]): bigint[] {
  return decimals.map((places) => 10n ** BigInt(36 - places))
}

/** Rates of oracles and vaults may move with the time of the block; these do not. */
function areFixed({ rates }: StablePoolState, fixed: readonly bigint[]): boolean {
  return rates.every((rate, k) => rate === fixed[k])
}
