/**
 * State of pools whose shares are traded: the swap state, proven by the pool's own quotes, and the share supply. The
 * pool's answers about share value and withdrawals prove the rest; without native math it is sampled.
 */
import type { ChainDefinition } from '../../chains/chain.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import { readAll } from '../shared/read-all.js'
import { encodeBalances, encodeGetter, wordOf, wordsOf } from './abi.js'
import { encodeCalcDeposit, encodeCalcWithdrawal } from './liquidity-calls.js'
import { type LiquidityParameters, liquidityParameters, shareDecimals } from './liquidity-pool.js'
import { type LiquidityState, liquiditySwap, type NativeLiquidity } from './liquidity-state.js'
import { loadSwaps } from './load.js'
import type { Reading } from './native-state.js'
import { direction, type Sample, sampleSizes } from './sampled.js'
import { virtualPrice } from './stable-liquidity.js'
import type { CurveState } from './state.js'

type Loaded = LoadedPool<CurveState> | Unreadable

/** One pool on its way. */
interface Entry {
  readonly pool: Pool
  readonly parameters: LiquidityParameters
  readonly supply: bigint
  /** Raw units of each coin; null: not readable. */
  readonly balances: readonly (bigint | null)[]
  readonly price: bigint | null
  readonly amountsType: LiquidityState['amountsType']
  /** Null: its swaps have no math here, or none for liquidity. */
  readonly native: NativeLiquidity | null
}

export async function loadLiquidity(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly pools: readonly Pool[]
}): Promise<Loaded[]> {
  const { reader } = args
  const parsed = args.pools.map(parse)
  const valid = parsed.filter((item) => 'parameters' in item)
  const [swaps, getters] = await Promise.all([
    loadSwaps({ ...args, pools: valid.map(({ parameters }) => parameters.swaps) }),
    readAll(
      reader,
      valid.map(({ parameters }) => getterReadings(parameters)),
    ),
  ])
  const loaded = new Map<Pool, Loaded>()
  const entries: Entry[] = []
  for (const [k, item] of valid.entries()) {
    const entry = toEntry(item, swaps[k], getters[k] ?? [])
    if ('supply' in entry) entries.push(entry)
    else loaded.set(item.pool, entry)
  }
  const answers = await readAll(
    reader,
    entries.map((entry) => [withdrawalReading(entry, probeOf(entry))]),
  )
  const unproven: { readonly entry: Entry; readonly withdraws: LiquidityState['withdraws'] }[] = []
  for (const [k, entry] of entries.entries()) {
    const said = wordOf(answers[k]?.[0])
    const one = entry.parameters.zap ? 'zap' : 'pool'
    const withdraws = said === null ? 'nobody' : one
    const state = provenState(entry, withdraws, said)
    if (state) loaded.set(entry.pool, { pool: entry.pool, state, partial: !isExact(state) })
    else unproven.push({ entry, withdraws })
  }
  for (const [pool, item] of await sample(reader, unproven)) loaded.set(pool, item)
  return parsed.map((item) =>
    'parameters' in item
      ? (loaded.get(item.pool) ?? unreadablePool(item.pool, 'The state could not be read.'))
      : item,
  )
}

function parse(pool: Pool): { pool: Pool; parameters: LiquidityParameters } | Unreadable {
  try {
    return { pool, parameters: liquidityParameters(pool) }
  } catch (error) {
    return unreadablePool(pool, (error as Error).message)
  }
}

/** In the order in which `toEntry` takes their answers. */
function getterReadings({ swaps, share, coins, getterIndexType }: LiquidityParameters): Reading[] {
  const to = swaps.address
  return [
    { to: share, data: encodeGetter('totalSupply') },
    { to, data: encodeGetter('get_virtual_price') },
    { to, data: encodeGetter('stored_rates') },
    ...coins.map((_coin, k) => ({ to, data: encodeBalances(getterIndexType, k) })),
  ]
}

function toEntry(
  { pool, parameters }: Pick<Entry, 'pool' | 'parameters'>,
  swaps: Loaded | undefined,
  [supplied, priced, rated, ...held]: readonly ReadResult[],
): Entry | Unreadable {
  const supply = wordOf(supplied)
  if (supply === null) return unreadablePool(pool, 'It does not say how many shares there are.')
  const n = parameters.coins.length
  return {
    pool,
    parameters,
    supply,
    balances: held.map(wordOf),
    price: wordOf(priced),
    // Only stableswap-ng answers with a list of any length.
    amountsType: wordsOf(rated, n) && wordOf(rated) === 32n ? 'dynamic' : 'fixed',
    native: swaps && 'state' in swaps ? nativeOf(swaps.state, supply) : null,
  }
}

function nativeOf(state: CurveState, supply: bigint): NativeLiquidity | null {
  if (state.kind !== 'stable' && state.kind !== 'meta') return null
  const { exact } = state
  const pool = state.kind === 'meta' ? state.pool : state
  return { kind: 'native', base: { pool, supply }, exact }
}

/** A thousandth of all shares for the last coin. */
function probeOf({ supply, parameters }: Entry): { readonly shares: bigint; readonly k: number } {
  return { shares: supply / 1000n, k: parameters.coins.length - 1 }
}

function withdrawalReading(
  { parameters }: Entry,
  { shares, k }: { readonly shares: bigint; readonly k: number },
): Reading {
  const { zap, swaps, indexType } = parameters
  return { to: zap ?? swaps.address, data: encodeCalcWithdrawal(indexType, shares, k) }
}

/** Null where what the pool says is not near to what the math gives. */
function provenState(
  entry: Entry,
  withdraws: LiquidityState['withdraws'],
  withdrawal: bigint | null,
): LiquidityState | null {
  const { native, supply, balances, price, amountsType } = entry
  if (!native || supply === 0n || price === null) return null
  const held = { supply, balances }
  const state: LiquidityState = { kind: 'liquidity', math: native, withdraws, amountsType, held }
  const { shares, k } = probeOf(entry)
  const computed = liquiditySwap(state, entry.parameters.coins.length, k, shares).amountOut
  const pairs = [
    [virtualPrice(native.base), price],
    [computed, withdrawal ?? 0n],
  ] as const
  if (!pairs.every(([own, said]) => isNear(own, said))) return null
  const exact = native.exact && pairs.every(([own, said]) => own === said)
  return { ...state, math: { ...native, exact } }
}

/** Near enough to rank by, as for the pools' swaps. */
function isNear(own: bigint, said: bigint): boolean {
  const difference = own > said ? own - said : said - own
  return difference <= 2n + said / 10_000_000n
}

function isExact({ math }: LiquidityState): boolean {
  return math.kind === 'native' && math.exact
}

interface Asked extends Sample {
  readonly i: number
  readonly j: number
}

async function sample(
  reader: StateReader,
  entries: readonly { readonly entry: Entry; readonly withdraws: LiquidityState['withdraws'] }[],
): Promise<[Pool, Loaded][]> {
  const plans = entries.map(({ entry }) => samplesOf(entry))
  const answers = await readAll(
    reader,
    plans.map((plan) => plan.map(({ reading }) => reading)),
  )
  return entries.map(({ entry, withdraws }, n) => {
    const { pool, amountsType, supply, balances } = entry
    const asked = (plans[n] ?? []).flatMap(({ i, j, amountIn }, place): Asked[] => {
      const amountOut = wordOf(answers[n]?.[place])
      return amountOut ? [{ i, j, amountIn, amountOut }] : []
    })
    if (asked.length === 0)
      return [pool, unreadablePool(pool, 'It does not say what deposits give.')]
    const curves: Record<string, Sample[]> = {}
    for (const { i, j, amountIn, amountOut } of asked) {
      const key = direction(i, j)
      const curve = curves[key] ?? []
      curves[key] = curve
      // Two ways of asking for the same deposit: one is answered.
      if (curve.every((known) => known.amountIn !== amountIn)) curve.push({ amountIn, amountOut })
    }
    const math = { kind: 'sampled' as const, curves, spent: {} }
    const held = { supply, balances }
    const state: LiquidityState = { kind: 'liquidity', math, withdraws, amountsType, held }
    return [pool, { pool, state, partial: true }]
  })
}

function samplesOf({ parameters, supply, balances, amountsType }: Entry) {
  const { coins, decimals, swaps, zap, indexType } = parameters
  const share = coins.length
  const deposits = coins.flatMap((_coin, i) =>
    sampleSizes(balances[i] ?? null, decimals[i] ?? shareDecimals).flatMap((amountIn) =>
      [true, false].map((withFlag) => {
        const amounts = coins.map((_other, k) => (k === i ? amountIn : 0n))
        const data = encodeCalcDeposit(amountsType, amounts, withFlag)
        return { i, j: share, amountIn, reading: { to: swaps.address, data } }
      }),
    ),
  )
  const withdrawals = coins.flatMap((_coin, j) =>
    sampleSizes((supply * 2n) / 3n, shareDecimals).map((amountIn) => {
      const data = encodeCalcWithdrawal(indexType, amountIn, j)
      return { i: share, j, amountIn, reading: { to: zap ?? swaps.address, data } }
    }),
  )
  return [...deposits, ...withdrawals]
}
