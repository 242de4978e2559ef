/**
 * A market of 100,000 pairs of Uniswap V2 over 40,000 tokens as plain data. The same seed and price give the same market.
 * Prices agree within one percent, depths run evenly by their logarithm from 1,000 to 10 million dollars.
 */
import { keccak256, toHex } from 'viem'
import { ethereum } from '../../src/chains/ethereum.js'
import type { Address, Hex } from '../../src/domain/primitives.js'
import { type Creator, createdAddress } from '../../src/protocols/shared/created-address.js'
import { pairInitCodeHash } from '../../src/protocols/uniswap-v2/index.js'
import { contractAddresses } from '../../src/sandbox/addresses.js'
import { sandboxToken } from '../../src/sandbox/tokens.js'
import { seeded } from '../../test/support/synthetic-market.js'

export interface LargePair {
  readonly address: Address
  /** In the order of the pair. */
  readonly tokens: readonly [Address, Address]
  /** Raw units, below 2^112. */
  readonly reserves: readonly [bigint, bigint]
}

export interface LargeMarket {
  /** Tokens of the market's own, all with 18 decimals; popular ones first. */
  readonly tokens: readonly Address[]
  /** In the order of their creation. */
  readonly pairs: readonly LargePair[]
}

const size = { pairs: 100_000, tokens: 40_000 }
const seed = 11
/** Shares of the tokens' first pairs, and of all others, that are with wrapped ether and with USDC. */
const firstWithEther = 0.9
const laterWithEther = 0.1
const laterWithUsdc = 0.3
/** How far a pair's price lies off at most, either way. */
const mostOff = 0.005

const factory: Creator = { address: contractAddresses.v2Factory, initCodeHash: pairInitCodeHash }

interface PricedToken {
  readonly address: Address
  readonly decimals: number
  readonly priceUsd: number
}

/** @param etherUsd - what one ether is worth in the sandbox, dollars. */
export function largeMarket(etherUsd: number): LargeMarket {
  const random = seeded(seed)
  const weth = { address: ethereum.wrappedNative, decimals: 18, priceUsd: etherUsd }
  const usdc = { address: sandboxToken('USDC').address, decimals: 6, priceUsd: 1 }
  const tokens = Array.from({ length: size.tokens }, (_, index): PricedToken => {
    // Spread over all addresses, so that either token of a pair may come first.
    const start = (index * 2_654_435_761) % 2 ** 32
    const address: Address = `0x${toHex(start, { size: 4 }).slice(2)}${'1a49e'.padStart(24, '0')}${toHex(index, { size: 4 }).slice(2)}`
    return { address, decimals: 18, priceUsd: 10 ** (-4 + 7 * random()) }
  })
  const ofRank = (rank: number) => tokens[Math.min(tokens.length - 1, Math.floor(rank))] ?? weth
  // The rank follows a power law: a few tokens are in many pairs.
  const popular = () => ofRank(tokens.length ** random() - 1)
  const partner = (withEther: number, withUsdc: number) => {
    const place = random()
    if (place < withEther) return weth
    return place < withEther + withUsdc ? usdc : popular()
  }
  const pairs = new Map<Address, LargePair>()
  while (pairs.size < size.pairs) {
    const isFirst = pairs.size < tokens.length
    const token = isFirst ? ofRank(pairs.size) : ofRank(tokens.length * random())
    const other = isFirst
      ? partner(firstWithEther, 1 - firstWithEther)
      : partner(laterWithEther, laterWithUsdc)
    if (token === other) continue
    const pair = pairOf(token, other, random)
    // The factory makes one pair of two tokens.
    if (!pairs.has(pair.address)) pairs.set(pair.address, pair)
  }
  return { tokens: tokens.map(({ address }) => address), pairs: [...pairs.values()] }
}

function pairOf(a: PricedToken, b: PricedToken, random: () => number): LargePair {
  const [first, second] = a.address < b.address ? [a, b] : [b, a]
  const sideUsd = 10 ** (3 + 4 * random()) / 2
  const off = 1 + (2 * random() - 1) * mostOff
  return {
    address: createdAddress(
      factory,
      keccak256(`${first.address}${second.address.slice(2)}` as Hex),
    ),
    tokens: [first.address, second.address],
    reserves: [rawWorth(sideUsd * off, first), rawWorth(sideUsd, second)],
  }
}

function rawWorth(usd: number, { decimals, priceUsd }: PricedToken): bigint {
  return (
    (BigInt(Math.floor((usd / priceUsd) * 1e9)) * 10n ** BigInt(decimals)) / 1_000_000_000n + 1n
  )
}
