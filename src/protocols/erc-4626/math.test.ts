import fc from 'fast-check'
import { maxUint256 } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  afterDeposit,
  afterRedeem,
  assetsFor,
  type PlainVault,
  plainAssets,
  type SampledVault,
  sharesFor,
  worthOf,
} from './math.js'

const plain = (totals: Partial<PlainVault>): PlainVault => ({
  kind: 'plain',
  totalAssets: 0n,
  totalSupply: 0n,
  maxDeposit: maxUint256,
  isLocked: false,
  virtualShares: 1n,
  virtualAssets: 1n,
  ...totals,
})
const sampled: SampledVault = {
  kind: 'sampled',
  totalSupply: 1_000n,
  maxDeposit: 500n,
  isLocked: false,
  deposit: { amountIn: 1_000n, amountOut: 900n },
  redeem: { amountIn: 1_000n, amountOut: 1_080n },
}

describe('sharesFor', () => {
  test('known vector: 1000 assets into 1e6 / 3e6 shares with one virtual each give 2999', () => {
    const vault = plain({ totalAssets: 1_000_000n, totalSupply: 3_000_000n })
    expect(sharesFor(vault, 1_000n)).toBe(2_999n)
  })
  test('known vector: the first deposit of a vault with offset 6 gives a million shares per unit', () => {
    expect(sharesFor(plain({ virtualShares: 10n ** 6n }), 5n)).toBe(5_000_000n)
  })
  test('known vector: a donation of 99 to an empty vault takes a hundredth of what is deposited', () => {
    expect(sharesFor(plain({ totalAssets: 99n }), 1_000n)).toBe(10n)
  })
  test('without anything virtual the first deposit is one to one, and assets that are gone take none', () => {
    const older = { virtualShares: 0n, virtualAssets: 0n }
    expect(sharesFor(plain({ ...older, totalAssets: 7n }), 1_000n)).toBe(1_000n)
    expect(sharesFor(plain({ ...older, totalSupply: 7n }), 1_000n)).toBe(0n)
  })
  test('a deposit above the cap, of nothing, or past what a word holds gives none', () => {
    const capped = plain({ maxDeposit: 10n })
    expect([sharesFor(capped, 10n), sharesFor(capped, 11n), sharesFor(capped, 0n)]).toEqual([
      10n,
      0n,
      0n,
    ])
    expect(sharesFor(plain({ totalAssets: 1n, totalSupply: maxUint256 }), 5n)).toBe(0n)
    // One virtual share: a vault of as many assets as shares gives one for one.
    const full = { totalAssets: maxUint256 - 5n, totalSupply: maxUint256 - 5n }
    expect([sharesFor(plain(full), 5n), sharesFor(plain(full), 6n)]).toEqual([5n, 0n])
    for (const vault of [plain({}), sampled]) expect(sharesFor(vault, -5n)).toBe(0n)
  })
  test('a sampled vault gives its proportion within the cap', () => {
    expect([sharesFor(sampled, 500n), sharesFor(sampled, 501n)]).toEqual([450n, 0n])
    const refusing = { ...sampled, deposit: { amountIn: 1_000n, amountOut: 0n } }
    expect(sharesFor(refusing, 500n)).toBe(0n)
  })
})

describe('assetsFor', () => {
  test('known vector: 1000 shares of 3e6 over 1e6 assets give 333', () => {
    const vault = plain({ totalAssets: 1_000_000n, totalSupply: 3_000_000n })
    expect(assetsFor(vault, 1_000n)).toBe(333n)
  })
  test('more shares than there are give nothing, in either kind', () => {
    expect(assetsFor(plain({ totalAssets: 9n, totalSupply: 9n }), 10n)).toBe(0n)
    expect([assetsFor(sampled, 1_000n), assetsFor(sampled, 1_001n)]).toEqual([1_080n, 0n])
    const vault = plain({ totalAssets: 9n, totalSupply: 9n })
    for (const state of [vault, sampled]) {
      expect([assetsFor(state, 0n), assetsFor(state, -5n)]).toEqual([0n, 0n])
    }
  })
})

test('without any share, a share is worth a unit', () => {
  const older = { virtualShares: 0n, virtualAssets: 0n }
  expect(plainAssets(plain({ ...older, totalAssets: 7n }), 1_000n)).toBe(1_000n)
})

describe('worthOf', () => {
  test('a plain vault tells its totals with what is virtual, a sampled one its redemption', () => {
    const vault = plain({ totalAssets: 200n, totalSupply: 100n, virtualShares: 10n })
    expect(worthOf(vault)).toEqual({ shares: 110n, assets: 201n })
    expect(worthOf(sampled)).toEqual({ shares: 1_000n, assets: 1_080n })
  })
  test('nothing is said without shares, or where a redemption is refused', () => {
    expect(worthOf(plain({ totalAssets: 7n }))).toBeNull()
    expect(worthOf({ ...sampled, redeem: { amountIn: 1_000n, amountOut: 0n } })).toBeNull()
  })
})

const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
const vaults = fc
  .record({
    totalAssets: fc.bigInt({ min: 0n, max: 10n ** 30n }),
    totalSupply: fc.bigInt({ min: 0n, max: 10n ** 36n }),
    virtualShares: fc.integer({ min: 0, max: 18 }).map((offset) => 10n ** BigInt(offset)),
  })
  .map((totals) => plain(totals))

describe('deposit and redemption', () => {
  test('property: what is deposited and redeemed at once never comes back as more', () => {
    fc.assert(
      fc.property(vaults, amount, (vault, assets) => {
        const shares = sharesFor(vault, assets)
        expect(assetsFor(afterDeposit(vault, assets), shares)).toBeLessThanOrEqual(assets)
      }),
    )
  })
  test('property: a redemption never takes more than the vault has, and leaves the rest', () => {
    fc.assert(
      fc.property(vaults, amount, (vault, shares) => {
        const assets = assetsFor(vault, shares)
        const left = afterRedeem(vault, shares)
        expect(assets).toBeLessThanOrEqual(vault.totalAssets)
        if (left.kind === 'plain') expect(left.totalAssets).toBe(vault.totalAssets - assets)
      }),
    )
  })
  test('a deposit uses up a cap, and an unlimited vault stays so', () => {
    expect(afterDeposit(plain({ maxDeposit: 10n }), 4n).maxDeposit).toBe(6n)
    expect(afterDeposit(plain({}), 4n).maxDeposit).toBe(maxUint256)
    expect(afterDeposit(sampled, 100n)).toMatchObject({ totalSupply: 1_090n, maxDeposit: 400n })
  })
  test('assets and shares move together; of a sampled vault only the shares are known', () => {
    const vault = plain({
      totalAssets: 200n,
      totalSupply: 100n,
      virtualShares: 0n,
      virtualAssets: 0n,
    })
    expect(afterDeposit(vault, 20n)).toEqual({ ...vault, totalAssets: 220n, totalSupply: 110n })
    expect(afterRedeem(vault, 10n)).toEqual({ ...vault, totalAssets: 180n, totalSupply: 90n })
    expect(afterDeposit(sampled, 100n)).toStrictEqual({
      ...sampled,
      totalSupply: 1_090n,
      maxDeposit: 400n,
    })
    expect(afterRedeem(sampled, 100n)).toStrictEqual({ ...sampled, totalSupply: 900n })
  })
  test('what is refused changes nothing', () => {
    expect(afterDeposit(sampled, 501n)).toBe(sampled)
    expect(afterRedeem(sampled, 1_001n)).toBe(sampled)
    // A unit that buys no share is not taken either.
    const dear = plain({ totalAssets: 99n, maxDeposit: 1_000n })
    expect(afterDeposit(dear, 1n)).toBe(dear)
    const cheap = plain({ totalAssets: 0n, totalSupply: 9n })
    expect(afterRedeem(cheap, 1n)).toBe(cheap)
  })
})
