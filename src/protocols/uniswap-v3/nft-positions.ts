/**
 * Positions of V3 pools without a token of their own: every known pool at its widest range. The list shows where
 * liquidity can be added; the contents of a single NFT are not listed.
 */
import { encodeFunctionData, numberToHex, parseAbi } from 'viem'
import { type Address, bpsDenominator, toAddress } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { Position, PositionAdapter, PositionState } from '../positions.js'
import { sqrtPriceAtTick } from '../shared/concentrated/tick-math.js'
import { readWord } from '../shared/read-word.js'
import { toWord } from '../shared/storage-slots.js'
import { readTokenNames } from '../shared/token-names.js'
import { fullRange, type NftSource, positionKey } from './nft-actions.js'

const balanceOfAbi = parseAbi(['function balanceOf(address owner) view returns (uint256)'])
const managerAbi = parseAbi(['function factory() view returns (address)'])
const poolAbi = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
])

/** False only where the call met no code; one that could not be made leaves it open. */
async function isContract(reader: StateReader, manager: Address): Promise<boolean> {
  const data = encodeFunctionData({ abi: managerAbi, functionName: 'factory' })
  const [answer] = await reader.call([{ to: manager, data }])
  return !answer?.ok || answer.value !== '0x'
}

export function nftPositions(source: NftSource): PositionAdapter {
  const { slug } = source
  return {
    async list({ reader, venue, pools }) {
      if (!venue.positionManager) return { positions: [], unreadable: [] }
      const manager = toAddress(String(venue.positionManager))
      const tokens = [...new Set(pools.flatMap((pool) => pool.tokens))]
      const [names, isDeployed] = await Promise.all([
        readTokenNames(reader, tokens),
        isContract(reader, manager),
      ])
      // Without the manager nothing could be entered, as on a chain that has the exchange's pools alone.
      if (!isDeployed) return { positions: [], unreadable: [] }
      const symbols = new Map(tokens.map((token, index) => [token, names[index]?.symbol ?? token]))
      const positions = pools.flatMap(
        (pool) => widestPosition(source, manager, pool, symbols) ?? [],
      )
      return { positions, unreadable: [] }
    },

    async tokensOf({ reader, key }) {
      const to = toAddress(key.slice(0, 42))
      const calls = (['token0', 'token1'] as const).map((functionName) => ({
        to,
        data: encodeFunctionData({ abi: poolAbi, functionName }),
      }))
      const words = (await reader.call(calls)).map((result) => readWord(result))
      return words.flatMap((word) =>
        word === null || word >> 160n ? [] : [toAddress(numberToHex(word, { size: 20 }))],
      )
    },

    /** Holdings are the pool's: liquidity of all ranges and fees not collected yet. What a range earns is not known. */
    async read({ reader, positions }) {
      const results = await reader.call(
        positions.flatMap(({ poolAddress, underlyingTokens }) => {
          const data = encodeFunctionData({ abi: balanceOfAbi, args: [poolAddress] })
          return underlyingTokens.map((to) => ({ to, data }))
        }),
      )
      let from = 0
      return positions.map(({ key, underlyingTokens }): PositionState | Unreadable => {
        const balances = results.slice(from, from + underlyingTokens.length)
        from += balances.length
        const holdings = underlyingTokens.flatMap((token, index) => {
          const amount = readWord(balances[index])
          return amount === null ? [] : [{ token, amount }]
        })
        if (holdings.length !== balances.length) {
          const failed = balances.find((result) => !result.ok)
          const message = failed && !failed.ok ? failed.message : 'A balance could not be read.'
          return { protocol: slug, subject: key, message }
        }
        return { holdings, base: null, rewards: [] }
      })
    },

    // Both tokens, also where nothing is given of one: they name the pool.
    enter: ({ primaryAddress, parameters, underlyingTokens }, amounts) => ({
      primaryAddress,
      tokenIn: underlyingTokens,
      amountIn: underlyingTokens.map(
        (token) => amounts.find((each) => each.token === token)?.amount ?? 0n,
      ),
      fee: Number(parameters.fee),
      tickLower: Number(parameters.tickLower),
      tickUpper: Number(parameters.tickUpper),
    }),

    async enterShares({ reader, position }) {
      const { poolAddress, parameters } = position
      const [word] = await reader.storage([
        { address: poolAddress, slot: toWord(source.poolSlots.slot0) },
      ])
      // Without a price equal parts: the surplus is returned.
      if (!word?.ok) return [5_000, 5_000]
      return valueShares(
        BigInt.asUintN(160, BigInt(word.value)),
        Number(parameters.tickLower),
        Number(parameters.tickUpper),
      )
    },
  }
}

/** The pool at its widest range; null where its parameters give none. */
function widestPosition(
  source: NftSource,
  manager: Address,
  { address, tokens: own, parameters }: Pool,
  symbols: ReadonlyMap<Address, string>,
): Position | null {
  const [fee, tickSpacing] = [Number(parameters.fee), Number(parameters.tickSpacing)]
  if (!(fee >= 0) || !(tickSpacing > 0)) return null
  const { tickLower, tickUpper } = fullRange(tickSpacing)
  const percent = `${fee / 10_000}%`
  const pair = own.map((token) => symbols.get(token) ?? token).join('/')
  return {
    protocol: source.slug,
    key: positionKey(address, tickLower, tickUpper),
    token: null,
    primaryAddress: manager,
    poolAddress: address,
    name: `${source.name} ${pair} ${percent}`,
    subtitle: `${percent}, full range`,
    underlyingTokens: own,
    rewardTokens: [],
    parameters: { fee, tickLower, tickUpper },
  }
}

/**
 * Parts of the value of a position that lie in token0 and token1, basis points that add up to 10,000.
 * @param sqrtPriceX96 - Q64.96, > 0.
 */
export function valueShares(
  sqrtPriceX96: bigint,
  tickLower: number,
  tickUpper: number,
): readonly [number, number] {
  const [low, high] = [sqrtPriceAtTick(tickLower), sqrtPriceAtTick(tickUpper)]
  if (sqrtPriceX96 <= low) return [Number(bpsDenominator), 0]
  if (sqrtPriceX96 >= high) return [0, Number(bpsDenominator)]
  // A unit of liquidity is worth, in token1, (1/p - 1/high) * p^2 as token0 and p - low as token1, p being the root of
  // the price.
  const value0 = sqrtPriceX96 - (sqrtPriceX96 * sqrtPriceX96) / high
  const value1 = sqrtPriceX96 - low
  const share0 = Number((value0 * bpsDenominator + (value0 + value1) / 2n) / (value0 + value1))
  return [share0, Number(bpsDenominator) - share0]
}
