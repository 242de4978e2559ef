import { decodeFunctionData } from 'viem'
import { describe, expect, test } from 'vitest'
import { contractAddresses } from '../addresses.js'
import { createSeededRandom } from '../seeded-random.js'
import { sqrtPriceX96 } from './amounts.js'
import { arbitrage } from './arbitrage.js'
import { deskAbi, vaultAbi } from './market-abi.js'
import { basketTokens, ethereumMarket } from './market-pools.js'
import type { MarketState } from './market-state.js'

const { addressOf, baskets, pairSpecs, pricedTokens, startPrices } = ethereumMarket
const random = () => createSeededRandom(1n)

/** Every pool at the market's prices: dollars in proportion to the weights, stable ones in balance. */
function calmMarket(): MarketState & { roots: bigint[]; balances: bigint[][] } {
  return {
    roots: pairSpecs.map((spec) => sqrtPriceX96(...pricedTokens(spec), startPrices)),
    balances: baskets.map((spec) =>
      basketTokens(ethereumMarket, spec).map(({ token, weight }) => {
        const dollarsE12 = BigInt(weight ?? 10) * 10n ** 18n
        return (dollarsE12 * 10n ** BigInt(token.decimals)) / token.priceUsdE12
      }),
    ),
  }
}

describe('arbitrage', () => {
  test('leaves a pair and a weighted pool alone that are at the market price', () => {
    const stable = baskets.filter(({ amplification }) => amplification !== undefined).length
    expect(
      arbitrage(ethereumMarket, calmMarket(), startPrices, random()).length,
    ).toBeLessThanOrEqual(stable)
  })

  test('pushes a pair that is 40 bps too dear to within 30 bps of the market', () => {
    const state = calmMarket()
    const before = arbitrage(ethereumMarket, state, startPrices, random())
    const index = pairSpecs.findIndex(({ protocol }) => protocol === 'uniswap-v2')
    const [spec, root = 0n] = [pairSpecs[index], state.roots[index]]
    if (!spec || spec.protocol === 'uniswap-v4') throw new Error('There is no pair.')
    state.roots[index] = (root * 1_002n) / 1_000n
    const calls = arbitrage(ethereumMarket, state, startPrices, random())
    expect(calls).toHaveLength(before.length + 1)
    const { functionName, args } = decodeFunctionData({ abi: deskAbi, data: calls[0] ?? '0x' })
    expect(functionName).toBe('pushV2')
    expect(args[0]).toMatch(new RegExp(addressOf(spec), 'i'))
    const off = Number(((args[1] as bigint) * 1_000_000n) / root) / 1_000_000
    expect(Math.abs(off * off - 1)).toBeLessThanOrEqual(0.003_001)
  })

  test('sells the dear token of a weighted pool to it, half of what a 1 percent surplus of the other is', () => {
    const state = calmMarket()
    const index = baskets.findIndex(({ symbols }) => symbols.join() === 'WBTC,WETH')
    const spec = baskets[index]
    if (!spec) throw new Error('There is no such pool.')
    const [dear] = basketTokens(ethereumMarket, spec)
    const before = arbitrage(ethereumMarket, state, startPrices, random()).length
    const [first = 0n, second = 0n] = state.balances[index] ?? []
    state.balances[index] = [first, (second * 101n) / 100n]
    const calls = arbitrage(ethereumMarket, state, startPrices, random())
    expect(calls).toHaveLength(before + 1)
    const swap = calls.map(vaultSwap).find((found) => found?.assetIn === dear?.token.address)
    // 1 percent less the noise of at most 25 bps, half of it.
    const part = Number(((swap?.amount ?? 0n) * 1_000_000n) / first) / 1_000_000
    expect(part).toBeGreaterThan(0.003_7)
    expect(part).toBeLessThan(0.005_1)
  })
})

function vaultSwap(data: `0x${string}`) {
  const { functionName, args } = decodeFunctionData({ abi: deskAbi, data })
  if (functionName !== 'execute' || args[0].toLowerCase() !== contractAddresses.balancerVault) {
    return null
  }
  const inner = decodeFunctionData({ abi: vaultAbi, data: args[2] })
  if (inner.functionName !== 'swap') return null
  const [{ assetIn, amount }] = inner.args
  return { assetIn: assetIn.toLowerCase(), amount }
}
