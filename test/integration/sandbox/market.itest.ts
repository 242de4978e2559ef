import { expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { ForkReader } from '../../../src/forks/reader.js'
import { canSwap, type LoadedPool } from '../../../src/protocols/protocol.js'
import { protocols } from '../../../src/protocols/registry.js'
import { type Prices, priceOf } from '../../../src/sandbox/market/amounts.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { ethereumMarket, trapPoolIds } from '../../../src/sandbox/market/market-pools.js'
import { ethereumPrices } from '../../../src/sandbox/market/price-walk.js'
import { sandboxToken, sandboxTokens } from '../../../src/sandbox/tokens.js'
import { readPin } from '../../support/pin.js'
import { withSandbox } from '../../support/sandbox.js'

const context = withSandbox()
/** Traders step in at 30 basis points at the latest; what random swaps do after them comes on top. */
const worstBps = 40
const medianBps = 10

async function loadPools(number: number): Promise<LoadedPool[]> {
  const { url } = context().sandbox
  const reader = new ForkReader({
    pin: await readPin(url, number),
    archiveUrl: url,
    forkUrls: [url],
  })
  try {
    const traps = trapPoolIds(ethereumMarket)
    const pools = sandboxPools().filter(({ id }) => !traps.has(id))
    const loaded = await Promise.all(
      protocols.filter(canSwap).map((adapter) =>
        adapter.swaps.load({
          reader,
          chain: ethereum,
          venue: ethereum.venues[adapter.slug] ?? {},
          pools: pools.filter(({ protocol }) => protocol === adapter.slug),
        }),
      ),
    )
    const found = loaded.flat().filter((entry): entry is LoadedPool => 'state' in entry)
    expect(found).toHaveLength(pools.length)
    return found
  } finally {
    reader.close()
  }
}

function tokenAt(address: Address) {
  const wanted = address === nativeToken ? ethereum.wrappedNative : address
  const token = sandboxTokens.find((entry) => entry.address === wanted)
  if (!token) throw new Error(`${address} is no sandbox token.`)
  return token
}

function outOf({ pool, state }: LoadedPool, from: Address, to: Address, amountIn: bigint): bigint {
  const adapter = protocols.find(({ slug }) => slug === pool.protocol)
  return (
    adapter?.swaps?.swap(pool, state, { tokenIn: from, tokenOut: to }, amountIn).amountOut ?? 0n
  )
}

/**
 * Distance of the pool's marginal price from the market's, basis points. A small swap there and one back of the
 * same worth: what the fee takes of both cancels out.
 */
function deviationBps(loaded: LoadedPool, a: Address, b: Address, prices: Prices): number {
  const worth = (token: Address, raw: bigint) =>
    (Number(raw) / 10 ** tokenAt(token).decimals) * (Number(priceOf(prices, tokenAt(token))) / 1e12)
  const gain = (from: Address, to: Address) => {
    const token = tokenAt(from)
    const amountIn = (20n * 10n ** BigInt(12 + token.decimals)) / priceOf(prices, token)
    return worth(to, outOf(loaded, from, to, amountIn)) / worth(from, amountIn)
  }
  return Math.abs(Math.sqrt(gain(a, b) / gain(b, a)) - 1) * 10_000
}

/** Spread over the history, and its head. */
function someBlocks(): number[] {
  const head = Number(context().sandbox.blockNumber)
  return [ethereumPrices().length - 1, 250, 160, 80, 0].map((back) => head - back)
}

test('every pool but the traps stays near the prices of the walk, at any block', async () => {
  const walk = ethereumPrices()
  for (const number of someBlocks()) {
    const back = Number(context().sandbox.blockNumber) - number
    const prices = walk.at(-1 - back) ?? {}
    const found = (await loadPools(number)).flatMap((loaded) => {
      const { id, protocol, tokens } = loaded.pool
      return tokens.slice(1).map((token, index) => ({
        pool: `${protocol} ${id}`,
        bps: deviationBps(loaded, tokens[index] ?? token, token, prices),
      }))
    })
    found.sort((a, b) => a.bps - b.bps)
    const [median, worst] = [found[found.length >> 1], found.at(-1)]
    console.log(
      `block ${number}: median ${median?.bps.toFixed(1)} bps, worst ${worst?.bps.toFixed(1)} bps`,
    )
    expect(worst?.bps, `${worst?.pool} at block ${number}`).toBeLessThan(worstBps)
    expect(median?.bps).toBeLessThan(medianBps)
  }
})

test('which pool of a pair is best depends on the size and on the block', async () => {
  const usdc = sandboxToken('USDC').address
  const sizes = [1, 30, 100, 1000]
  const best: string[][] = []
  for (const number of someBlocks()) {
    const markets = (await loadPools(number)).flatMap((loaded) => {
      const { tokens } = loaded.pool
      const ether = tokens.find(
        (token) => token === ethereum.wrappedNative || token === nativeToken,
      )
      return ether && tokens.includes(usdc) ? { loaded, ether } : []
    })
    best.push(
      sizes.map((size) => {
        const amountIn = BigInt(size) * 10n ** 18n
        const ranked = markets
          .map(({ loaded, ether }) => ({
            id: loaded.pool.id,
            out: outOf(loaded, ether, usdc, amountIn),
          }))
          .sort((a, b) => (a.out > b.out ? -1 : 1))
        return ranked[0]?.id ?? ''
      }),
    )
  }
  // At the head each size has a best pool of its own.
  expect(new Set(best.at(-1)).size).toBe(sizes.length)
  for (const place of [0, 1]) {
    expect(new Set(best.map((row) => row[place])).size, `${sizes[place]} ether`).toBeGreaterThan(1)
  }
})
