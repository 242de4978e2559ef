import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  built,
  keysOf,
  noPrices,
  out,
  reverted,
  second,
  success,
  task,
  token,
} from '../../../test/support/routing/candidates.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Doubt } from '../market/verified.js'
import type { Attempt } from './built.js'
import { improvementBps, rank } from './choose.js'

describe('rank', () => {
  test('the larger output is first, whatever the order of the candidates', () => {
    const attempts = [5n, 9n, 7n].map((amount) => success(built(`gives ${amount}`), [amount]))
    for (const list of [attempts, attempts.toReversed()]) {
      expect(keysOf(rank(task, list, noPrices))).toEqual(['gives 9', 'gives 7', 'gives 5'])
    }
  })

  test('amounts and gas are those of the simulation', () => {
    const one = success(built('one'), [5n], 60_000n)
    expect(rank(task, [one], noPrices)).toEqual([one])
    expect(one).toMatchObject({
      outputs: [{ token: out, amount: 5n }],
      result: { gasUsed: 60_000n },
    })
  })

  test('what reverted, was not simulated or gives nothing of an output is left out', () => {
    const outputs = [out, second]
    const attempts: Attempt[] = [
      { built: built('reverted'), result: reverted('Error(K)'), outputs: [] },
      {
        built: built('unreadable'),
        result: { status: 'unreadable', message: 'no state' },
        outputs: [],
      },
      { built: built('late'), result: null, outputs: [] },
      success(built('first is none', { outputs }), [0n, 9n]),
      success(built('second is none', { outputs }), [9n, 0n]),
      success(built('both', { outputs }), [1n, 1n]),
    ]
    expect(keysOf(rank(task, attempts, noPrices))).toEqual(['both'])
    expect(rank(task, [], noPrices)).toEqual([])
  })

  test('gas counts in the token of the first output where prices are known', () => {
    // 2 wei per gas at equal prices: 100 gas cost 200 units.
    const price = { decimals: 18, priceUsd: 1 }
    const priced = new Map([
      [ethereum.wrappedNative, price],
      [out, price],
    ])
    const [cheap, dear] = [
      success(built('cheap'), [1_000n], 100n),
      success(built('dear'), [1_199n], 200n),
    ]
    expect(keysOf(rank(task, [dear, cheap], priced))).toEqual(['cheap', 'dear'])
    expect(keysOf(rank(task, [dear, cheap], noPrices))).toEqual(['dear', 'cheap'])
    const better = success(built('better'), [1_201n], 200n)
    expect(keysOf(rank(task, [cheap, better], priced))).toEqual(['better', 'cheap'])
    // The bytes of one cost two units more on L1 than it gives more.
    const long = { ...better, built: { ...better.built, dataFee: { terms: null, wei: 3n } } }
    expect(keysOf(rank(task, [cheap, long], priced))).toEqual(['cheap', 'better'])
    // So does what the operator of a rollup asks for its gas.
    const operator = { constant: 0n, perMillionGas: 30_000n }
    const model = { kind: 'fjord', weightedPrice: 0n, operator } as const
    const terms = { model, chainId: 10, gasPrice: 1n, tip: 0n }
    const dataFee = { terms, wei: 0n }
    const charged = [cheap, better].map((one) => ({ ...one, built: { ...one.built, dataFee } }))
    expect(keysOf(rank(task, charged, priced))).toEqual(['cheap', 'better'])
  })

  test('several outputs count by what they are worth together', () => {
    const outputs = [out, second]
    const priced = new Map([
      [out, { decimals: 0, priceUsd: 1 }],
      [second, { decimals: 0, priceUsd: 10 }],
    ])
    const attempts = [
      success(built('110', { outputs }), [100n, 1n]),
      success(built('120', { outputs }), [20n, 10n]),
    ]
    expect(keysOf(rank(task, attempts, priced))).toEqual(['120', '110'])
    expect(keysOf(rank(task, attempts, noPrices))).toEqual(['110', '120'])
  })

  test('of equal outputs the one with fewer steps is first, then the one whose key is', () => {
    const long = success(built('a', { steps: 3 }), [5n])
    const short = success(built('z', { steps: 2 }), [5n])
    const other = success(built('y', { steps: 2 }), [5n])
    for (const list of [
      [long, short, other],
      [other, short, long],
      [short, long, other],
    ]) {
      expect(keysOf(rank(task, list, noPrices))).toEqual(['y', 'z', 'a'])
    }
  })

  describe('routes through pools that are not verified', () => {
    const hooks = token('d')
    const verified = success(built('verified'), [100_000n])
    const doubted = (amount: bigint, doubt: Doubt = 'imported') =>
      success(built(`doubted ${amount}`, { doubt }), [amount])

    test('come last unless they are worth more than 5 bps more than the best other one', () => {
      const worse = success(built('worse'), [10n])
      for (const doubt of ['imported', hooks] as const) {
        const list = [doubted(100_050n, doubt), verified, worse, doubted(5n, doubt)]
        expect(keysOf(rank(task, list, noPrices))).toEqual([
          'verified',
          'worse',
          'doubted 100050',
          'doubted 5',
        ])
        expect(keysOf(rank(task, [worse, verified, doubted(100_051n, doubt)], noPrices))).toEqual([
          'doubted 100051',
          'verified',
          'worse',
        ])
      }
    })

    test('are measured by the best other one, whichever comes first', () => {
      const worse = success(built('worse'), [10n])
      for (const others of [
        [worse, verified],
        [verified, worse],
      ]) {
        const ranked = rank(task, [doubted(100_050n), ...others], noPrices)
        expect(keysOf(ranked)).toEqual(['verified', 'worse', 'doubted 100050'])
      }
    })

    test('are compared after gas', () => {
      const price = { decimals: 18, priceUsd: 1 }
      const priced = new Map([
        [ethereum.wrappedNative, price],
        [out, price],
      ])
      // 2 wei per gas: what 51 units more in output cost 2 units more in gas is 49 units better.
      const dear = success(built('dear', { doubt: hooks }), [100_051n], 1n)
      expect(keysOf(rank(task, [dear, verified], priced))).toEqual(['verified', 'dear'])
      const cheap = success(built('cheap', { doubt: hooks }), [100_051n], 0n)
      expect(keysOf(rank(task, [cheap, verified], priced))).toEqual(['cheap', 'verified'])
    })

    test('lose ties, and are ranked by value alone where there is no other', () => {
      const equal = success(built('a', { doubt: hooks }), [100_000n])
      expect(keysOf(rank(task, [equal, verified], noPrices))).toEqual(['verified', 'a'])
      const list = [doubted(1n), doubted(3n), doubted(2n)]
      expect(keysOf(rank(task, list, noPrices))).toEqual(['doubted 3', 'doubted 2', 'doubted 1'])
    })

    test('a pool that is the contract of a wanted or given token needs no trust', () => {
      const own = success(built('own', { doubt: out }), [100_001n])
      expect(keysOf(rank(task, [verified, own], noPrices))).toEqual(['own', 'verified'])
    })

    test('the margin of a loss is a part of its size', () => {
      const price = { decimals: 18, priceUsd: 1 }
      const priced = new Map([
        [ethereum.wrappedNative, price],
        [out, price],
      ])
      // Both lose 99,990 units and more after gas; 5 bps of it are 49.
      const loss = success(built('loss'), [10n], 50_000n)
      const near = success(built('near', { doubt: hooks }), [59n], 50_000n)
      const better = success(built('better', { doubt: hooks }), [60n], 50_000n)
      expect(keysOf(rank(task, [near, loss], priced))).toEqual(['loss', 'near'])
      expect(keysOf(rank(task, [loss, better], priced))).toEqual(['better', 'loss'])
    })
  })

  test('property: no order of the candidates changes the answer', () => {
    const candidate = fc.record({
      amount: fc.bigInt(1n, 4n),
      steps: fc.integer({ min: 1, max: 3 }),
    })
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 8 }), (specs) => {
        const attempts = specs.map(({ amount, steps }, index) =>
          success(built(`k${index}`, { steps }), [amount]),
        )
        const ranked = keysOf(rank(task, attempts, noPrices))
        expect(keysOf(rank(task, attempts.toReversed(), noPrices))).toEqual(ranked)
        const most = Math.max(0, ...specs.map(({ amount }) => Number(amount)))
        const [first] = rank(task, attempts, noPrices)
        expect(Number(first?.outputs[0]?.amount ?? 0n)).toBe(most)
      }),
    )
  })
})

describe('improvementBps', () => {
  const single = (amount: bigint) => success(built(`single ${amount}`), [amount])
  const split = (amount: bigint) => {
    const whole = built(`split ${amount}`)
    return success({ ...whole, candidate: { ...whole.candidate, isSplit: true } }, [amount])
  }

  test('is what a split pays more than the best single path, with two decimals, rounded down', () => {
    // 1 unit more than 30,000 is a third of a basis point.
    const ranked = [split(30_001n), single(29_000n), split(30_000n), single(30_000n), single(1n)]
    expect(improvementBps(ranked)).toBe(0.33)
    expect(improvementBps([split(10_150n), single(10_000n)])).toBe(150)
  })

  test('is zero where a single path is the best, also where another one gives more before gas', () => {
    expect(improvementBps([single(5n), split(4n)])).toBe(0)
    expect(improvementBps([split(4n), single(5n)])).toBe(0)
  })

  test('is not known without a single path, with several inputs or outputs, or with nothing', () => {
    expect(improvementBps([])).toBeNull()
    expect(improvementBps([split(5n)])).toBeNull()
    const two = success(built('two outputs', { outputs: [out, second] }), [5n, 5n])
    expect(improvementBps([two])).toBeNull()
    const one = single(5n)
    const taken = [...one.built.taken, ...one.built.taken]
    expect(improvementBps([{ ...one, built: { ...one.built, taken } }])).toBeNull()
  })
})
