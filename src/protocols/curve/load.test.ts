import { decodeFunctionData, encodeAbiParameters, parseAbi, parseAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool } from '../pool.js'
import { curve } from './index.js'

const e18 = 10n ** 18n
const e6 = 10n ** 6n
const readAt = 1_700_000_000n

const pools = parseAbi([
  'function balances(uint256) view returns (uint256)',
  'function A() view returns (uint256)',
  'function A_precise() view returns (uint256)',
  'function fee() view returns (uint256)',
  'function admin_fee() view returns (uint256)',
  'function offpeg_fee_multiplier() view returns (uint256)',
  'function stored_rates() view returns (uint256)',
  'function base_virtual_price() view returns (uint256)',
  'function base_cache_updated() view returns (uint256)',
  'function get_virtual_price() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function gamma() view returns (uint256)',
  'function D() view returns (uint256)',
  'function mid_fee() view returns (uint256)',
  'function out_fee() view returns (uint256)',
  'function fee_gamma() view returns (uint256)',
  'function price_scale() view returns (uint256)',
  'function future_A_gamma_time() view returns (uint256)',
  'function get_dy(int128, int128, uint256) view returns (uint256)',
  'function get_dy_underlying(int128, int128, uint256) view returns (uint256)',
  'function calc_withdraw_one_coin(uint256, int128) view returns (uint256)',
])
const cryptoPools = parseAbi(['function get_dy(uint256, uint256, uint256) view returns (uint256)'])

/** What a contract answers: a word or a list by the name of the function, or by its arguments. */
type Answers = Readonly<
  Record<string, bigint | readonly bigint[] | ((...args: readonly bigint[]) => bigint | undefined)>
>

function answerOf(contract: Answers | undefined, data: Hex): Hex | null {
  if (!contract) return null
  try {
    const { functionName, args = [] } = decodeFunctionData({
      abi: [...pools, ...cryptoPools],
      data,
    })
    const answer = contract[functionName]
    if (typeof answer === 'object') {
      return encodeAbiParameters(parseAbiParameters('uint256[]'), [answer])
    }
    const value = typeof answer === 'function' ? answer(...args.map(BigInt)) : answer
    return value === undefined ? null : encodeAbiParameters(parseAbiParameters('uint256'), [value])
  } catch {
    return null
  }
}

const address: Address = '0x00000000000000000000000000000000000000c0'
const basePool: Address = '0x00000000000000000000000000000000000000c1'
const [a, shares, c, d, e]: Address[] = [1, 2, 3, 4, 5].map(
  (n): Address => `0x00000000000000000000000000000000000000a${n}`,
)

async function load(
  tokens: readonly (Address | undefined)[],
  parameters: Pool['parameters'],
  contracts: Readonly<Record<Address, Answers>>,
) {
  const pool: Pool = {
    protocol: 'curve',
    id: address,
    address,
    parameters,
    tokens: tokens.filter((token) => token !== undefined),
  }
  const reader: StateReader = {
    block: { timestamp: readAt } as StateReader['block'],
    storage: async () => [],
    call: async (calls) =>
      calls.map(({ to, data }): ReadResult => {
        const value = answerOf(contracts[to], data)
        return value ? { ok: true, value } : { ok: false, reason: 'reverted', message: '' }
      }),
  }
  const [loaded] = await curve.swaps.load({ reader, chain: ethereum, venue: {}, pools: [pool] })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  const after = (i: number, j: number, amountIn: bigint) =>
    curve.swaps
      .swap(
        pool,
        loaded.state,
        { tokenIn: pool.tokens[i] ?? '0x', tokenOut: pool.tokens[j] ?? '0x' },
        amountIn,
      )
      .after()
  const quote = (i: number, j: number, amountIn: bigint) =>
    curve.swaps.swap(
      pool,
      loaded.state,
      { tokenIn: pool.tokens[i] ?? '0x', tokenOut: pool.tokens[j] ?? '0x' },
      amountIn,
    )
  return { ...loaded, quote, after }
}

describe('load of stable-ng pools', () => {
  const balances = [
    5_000_000_504_945_496_318_666_717n,
    30_000_213_620_289_967_296_625n,
    70_000_717_584_165_233_875_340n,
  ]
  const parameters = { kind: 'stable-ng', decimals: ['18', '18', '18'] }
  /** Outputs that the sources compute; the last unit of the second quote depends on the version. */
  const quotes = (second: bigint) => (i: bigint) =>
    i === 0n ? 143_883_748_054_440_309_970n : second
  const contract: Answers = {
    balances: (k = 0n) => balances[Number(k)],
    A_precise: 20_000n,
    fee: 4_000_000n,
    admin_fee: 5_000_000_000n,
    offpeg_fee_multiplier: 20_000_000_000n,
    stored_rates: [e18, e18, e18],
  }
  const earlier = 137_375_941_260_103_772_084_871n
  const later = 137_375_941_260_103_772_084_873n
  const loadWith = (get_dy: Answers[string], changes: Answers = {}) =>
    load([a, c, d], parameters, { [address]: { ...contract, ...changes, get_dy } as Answers })

  test('the version is the one that gives the quotes of the pool to the wei', async () => {
    expect(await loadWith(quotes(later))).toMatchObject({
      partial: false,
      state: { kind: 'stable', dividesAtEnd: true, exact: true },
    })
    expect(await loadWith(quotes(earlier))).toMatchObject({
      partial: false,
      state: { kind: 'stable', dividesAtEnd: false, exact: true },
    })
  })

  test('quotes one unit away from every version make the math an estimate', async () => {
    expect(await loadWith(quotes(later + 1n))).toMatchObject({
      partial: true,
      state: { kind: 'stable', exact: false },
    })
  })

  test('one right quote does not hide that the other direction is wrong', async () => {
    const { partial, state } = await loadWith(quotes(later / 2n))
    expect({ partial, kind: state.kind }).toEqual({ partial: true, kind: 'sampled' })
  })

  test('a pool that does not quote is loaded as an estimate', async () => {
    const { partial, quote } = await loadWith(() => undefined)
    expect(partial).toBe(true)
    expect(quote(2, 0, (balances[2] ?? 0n) / 7n)).toMatchObject({ amountOut: later, exact: false })
  })

  test('rates that may move with time are used, and the quote is not called exact', async () => {
    const stored_rates = [e18, e18, (e18 * 104n) / 100n]
    const estimate = await loadWith(() => undefined, { stored_rates })
    const probe = (i: bigint, j: bigint, amount: bigint) =>
      estimate.quote(Number(i), Number(j), amount).amountOut
    const { partial, state } = await loadWith(probe as Answers[string], { stored_rates })
    expect({ partial, state }).toMatchObject({
      partial: false,
      state: { rates: stored_rates, exact: false },
    })
  })
})

describe('load of metapools', () => {
  const balances = [3_210_987n * e18, 4_321_098n * e18]
  const baseBalances = [12_345_678n * e18, 23_456_789n * e6, 34_567_890n * e6]
  const decimals = ['18', '18', '18', '6', '6']
  const parameters = { kind: 'meta', decimals, basePool }
  const supply = 68_255_957_499_342_534_783_494_863n
  const contract: Answers = {
    balances: (k = 0n) => balances[Number(k)],
    A: 1500n,
    A_precise: 150_000n,
    fee: 4_000_000n,
    admin_fee: 5_000_000_000n,
    // Outputs that the sources compute: a thousandth of the coin, a seventh of the shares.
    get_dy: (i) => (i === 0n ? 3_114_119_499_757_562_911_400n : 635_897_712_048_655_565_866_490n),
    get_dy_underlying: (_i, j = 0n, amount = 0n) => (j < 2n ? amount : amount / 10n ** 12n),
  }
  const base: Answers = {
    balances: (k = 0n) => baseBalances[Number(k)],
    A: 2000n,
    fee: 1_500_000n,
    admin_fee: 5_000_000_000n,
    get_virtual_price: 1_030_927_835_051_546_391n,
    calc_withdraw_one_coin: 70_380_869_359n,
  }
  const loadWith = (own: Answers, ofBase: Answers) =>
    load([a, shares, c, d, e], parameters, {
      [address]: { ...contract, ...own },
      [basePool]: { ...base, ...ofBase },
      [shares ?? '0x']: { totalSupply: supply },
    })

  test('known vector: the coin for the third coin of the base pool', async () => {
    const { partial, state, quote } = await loadWith({}, {})
    expect({ partial, state }).toMatchObject({
      partial: false,
      state: { kind: 'meta', exact: true },
    })
    expect(quote(0, 1, 10_000n * e18)).toMatchObject({
      amountOut: 9_698_311_497_480_125_063_731n,
      exact: true,
    })
    expect(quote(0, 4, 10_000n * e18).amountOut).toBeGreaterThan(9_990n * e6)
    expect(quote(2, 3, 10_000n * e18).amountOut).toBe(0n)
  })

  test('a base pool that says otherwise of itself leaves samples of the metapool', async () => {
    const { partial, state, quote } = await loadWith(
      {},
      { calc_withdraw_one_coin: 71_000_000_000n },
    )
    expect({ partial, kind: state.kind }).toEqual({ partial: true, kind: 'sampled' })
    // The pool above pays one for one; interpolation rounds down.
    expect(quote(0, 4, 10_000n * e18).amountOut / e6).toBe(9_999n)
    expect(quote(2, 3, 10_000n * e18).amountOut).toBe(0n)
  })

  test('the first metapools keep the price of the shares for ten minutes', async () => {
    const cached = { base_virtual_price: 1_030_000_000_000_000_000n, get_dy: () => undefined }
    const rateWith = async (base_cache_updated: bigint) => {
      const { state } = await loadWith({ ...cached, base_cache_updated } as Answers, {})
      return state.kind === 'meta' && state.pool.rates[1]
    }
    expect(await rateWith(readAt)).toBe(cached.base_virtual_price)
    // It runs out between the block read and the simulated one, twelve seconds later.
    expect(await rateWith(readAt - 595n)).toBe(1_030_927_835_051_546_391n)
  })

  test('without a valid base pool the import says so', async () => {
    const wrong = { ...parameters, basePool: '0x12' }
    await expect(load([a, shares, c, d, e], wrong, {})).rejects.toThrow('basePool')
    await expect(
      load([a, shares, c], { ...parameters, decimals: ['18', '18', '18'] }, {}),
    ).rejects.toThrow('tokens')
  })
})

describe('load of twocrypto pools', () => {
  /** Outputs that the sources compute: a thousandth of coin 0, a seventh of coin 1. */
  const quotesOfTwocrypto = {
    newton: [981_062_996_628_327_976_214n, 107_488_220_402_023_559_273_684n],
    cubic: [981_062_996_628_330_177_232n, 107_488_220_402_023_560_231_130n],
  }
  const balances = [856_346_882_994_162_387_386_374n, 993_186_010_048_613_487_511_902n]
  const contract: Answers = {
    balances: (k = 0n) => balances[Number(k)],
    A: 400_000n,
    gamma: 145_000_000_000_000n,
    D: 2_166_316_529_861_878_836_181_987n,
    mid_fee: 3_000_000n,
    out_fee: 30_000_000n,
    fee_gamma: 230_000_000_000_000n,
    price_scale: 1_375_719_336_963_675_141n,
  }
  const loadWith = (changes: Answers) =>
    load(
      [a, c],
      { kind: 'crypto', decimals: ['18', '18'] },
      { [address]: { ...contract, ...changes } },
    )

  test('known vectors: the solver is the one that gives the quotes of the pool', async () => {
    const sell = 7_308_130_462_016_327_680n
    for (const [solver, amountOut] of [
      ['newton', 8_380_783_423_118_056_385n],
      ['cubic', 8_380_783_423_119_979_779n],
    ] as const) {
      const quotes = quotesOfTwocrypto[solver]
      const get_dy: Answers[string] = (i) => (i === 0n ? quotes[0] : quotes[1])
      const { partial, quote, after } = await loadWith({ get_dy })
      expect(partial).toBe(false)
      expect(quote(0, 1, sell)).toMatchObject({ amountOut, exact: true })
      // The pool's own D after a swap is not followed.
      expect(after(0, 1, sell)).toMatchObject({
        exact: false,
        balances: [(balances[0] ?? 0n) + sell, (balances[1] ?? 0n) - amountOut],
      })
    }
  })

  test('while A or gamma move, quotes are estimates', async () => {
    const get_dy: Answers[string] = (i) => quotesOfTwocrypto.cubic[i === 0n ? 0 : 1]
    const { state } = await loadWith({ get_dy, future_A_gamma_time: readAt + 1n })
    expect(state).toMatchObject({ kind: 'crypto', exact: false })
  })
})
