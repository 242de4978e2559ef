/** What all contestants are asked: seeded pairs, each at a size in USD from small to large. */
import { type Address, toAddress } from '../../src/domain/primitives.js'
import { createSeededRandom, pick } from '../../src/sandbox/seeded-random.js'
import { sandboxToken } from '../../src/sandbox/tokens.js'
import type { Trade } from './contract.js'

const tradeCount = 20
const seed = 20n

/** Tokens that plain routers can trade. */
export const sandboxSymbols = [
  ...['WETH', 'USDC', 'USDT', 'DAI', 'WBTC', 'wstETH', 'LINK'],
  ...['UNI', 'AAVE', 'CRV', 'LDO', 'MKR', 'FRAX', 'sUSD'],
]
const givenNodeSymbols = ['WETH', 'USDC', 'USDT', 'DAI', 'WBTC']
const sandboxSizesUsd = [100, 1_000, 10_000, 100_000, 1_000_000]
const givenNodeSizesUsd = [100, 1_000, 10_000, 50_000]

/** Prices of the tokens from the service, at the head: they size the trades and value gas, the same for all. */
export async function makeTrades(serviceUrl: string, isSandbox: boolean): Promise<Trade[]> {
  const symbols = isSandbox ? sandboxSymbols : givenNodeSymbols
  const sizes = isSandbox ? sandboxSizesUsd : givenNodeSizesUsd
  const prices = await readPrices(serviceUrl, symbols.map(sandboxToken))
  const random = createSeededRandom(seed)
  return Array.from({ length: tradeCount }, (_, index) => {
    const symbolIn = pick(symbols, random)
    const symbolOut = pick(
      symbols.filter((symbol) => symbol !== symbolIn),
      random,
    )
    const [tokenIn, tokenOut, ether] = [symbolIn, symbolOut, 'WETH'].map((symbol) => {
      const found = prices.get(symbol)
      if (!found) throw new Error(`${symbol} has no price`)
      return found
    }) as [Priced, Priced, Priced]
    const sizeUsd = sizes[index % sizes.length] ?? 0
    return {
      label: `${sizeUsd.toLocaleString('en')} USD of ${symbolIn} to ${symbolOut}`,
      tokenIn: tokenIn.address,
      tokenOut: tokenOut.address,
      amountIn: toRaw(sizeUsd / tokenIn.price, tokenIn.decimals),
      outPerEther: toRaw(ether.price / tokenOut.price, tokenOut.decimals),
    }
  })
}

export interface Priced {
  readonly address: Address
  readonly decimals: number
  /** USD per whole token. */
  readonly price: number
}

/** By symbol; those without a price are left out. */
export async function readPrices(
  serviceUrl: string,
  tokens: readonly { readonly symbol: string; readonly address: Address }[],
): Promise<ReadonlyMap<string, Priced>> {
  const addresses = tokens.map(({ address }) => toAddress(address))
  const response = await fetch(`${serviceUrl}/api/v1/prices/1?addresses=${addresses.join(',')}`)
  if (!response.ok) throw new Error(await response.text())
  const records = (await response.json()) as (Priced | null)[]
  return new Map(
    tokens.flatMap(({ symbol }, index) => {
      const found = records.find((record) => record?.address === addresses[index])
      return found ? [[symbol, found] as const] : []
    }),
  )
}

/** Nine significant decimals are enough for a size, and for what gas costs. */
export function toRaw(amount: number, decimals: number): bigint {
  return (BigInt(Math.round(amount * 1e9)) * 10n ** BigInt(decimals)) / 10n ** 9n
}
