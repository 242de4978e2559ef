/** Tokens of the sandbox chain, at their mainnet addresses where they have one, and what they are worth there. */
import { ethereum } from '../chains/ethereum.js'
import { defined } from '../domain/defined.js'
import type { Address } from '../domain/primitives.js'

export type TokenBehaviour =
  | 'standard'
  | 'wrapped-native'
  /** Behind a proxy, with a blacklist and EIP-2612 permits. */
  | 'proxied'
  /** Returns nothing; refuses to replace a non-zero allowance by another. */
  | 'returnless'
  /** Permits that allow all or nothing, which are not those of EIP-2612. */
  | 'dai-permits'
  /** name() and symbol() are bytes32. */
  | 'bytes32'
  /** Mappings hashed as Vyper hashes them. */
  | 'vyper-layout'
  | 'rebasing'
  | 'staked-wrapper'
  | 'fee-on-transfer'
  /** Balances are lists of checkpoints: no storage slot decides one. */
  | 'checkpointed'
  /** Every transfer reverts. */
  | 'frozen'
  /** Can be bought, cannot be sold. */
  | 'honeypot'

export interface SandboxToken {
  readonly symbol: string
  readonly name: string
  readonly address: Address
  readonly decimals: number
  readonly behaviour: TokenBehaviour
  /** Price that the trading of the script moves around; 10^-12 USD per whole token. */
  readonly priceUsdE12: bigint
  /** Only fee-on-transfer: burnt of every transfer. */
  readonly feeBps?: number
}

const usd = (dollars: number) => BigInt(Math.round(dollars * 1_000_000)) * 1_000_000n

export type TokenRow = readonly [
  symbol: string,
  name: string,
  address: Address,
  decimals: number,
  behaviour: TokenBehaviour,
  priceUsd: number,
  feeBps?: number,
]

const rows: readonly TokenRow[] = [
  ['WETH', 'Wrapped Ether', ethereum.wrappedNative, 18, 'wrapped-native', 3000],
  ['USDC', 'USD Coin', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 6, 'proxied', 1],
  ['USDT', 'Tether USD', '0xdac17f958d2ee523a2206206994597c13d831ec7', 6, 'returnless', 0.9996],
  [
    'DAI',
    'Dai Stablecoin',
    '0x6b175474e89094c44da98b954eedeac495271d0f',
    18,
    'dai-permits',
    0.9999,
  ],
  ['WBTC', 'Wrapped BTC', '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599', 8, 'standard', 90_000],
  [
    'stETH',
    'Liquid staked Ether 2.0',
    '0xae7ab96520de3a18e5e111b5eaab095312d7fe84',
    18,
    'rebasing',
    2999,
  ],
  [
    'wstETH',
    'Wrapped liquid staked Ether 2.0',
    '0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0',
    18,
    'staked-wrapper',
    3598.8,
  ],
  ['LINK', 'ChainLink Token', '0x514910771af9ca656af840dff83e8264ecf986ca', 18, 'standard', 15],
  ['UNI', 'Uniswap', '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984', 18, 'standard', 9],
  ['AAVE', 'Aave Token', '0x7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9', 18, 'standard', 180],
  ['CRV', 'Curve DAO Token', '0xd533a949740bb3306d119cc777fa900ba034cd52', 18, 'vyper-layout', 0.6],
  ['LDO', 'Lido DAO Token', '0x5a98fcbea516cf06857215779fd812ca3bef1b32', 18, 'standard', 1.2],
  ['MKR', 'Maker', '0x9f8f72aa9304c8b593d555f12ef6589cc3a579a2', 18, 'bytes32', 1600],
  ['FRAX', 'Frax', '0x853d955acef822db058eb8505911ed77f175b99e', 18, 'standard', 0.9988],
  ['sUSD', 'Synth sUSD', '0x57ab1ec28d129707052df4df418d58a2d46d5f51', 18, 'standard', 0.998],
  [
    'PAXG',
    'Paxos Gold',
    '0x45804880de22913dafe09f4980848ece6ecbaf78',
    18,
    'fee-on-transfer',
    3500,
    2,
  ],
  [
    'STA',
    'Statera',
    '0xa7de087329bfcda5639247f96140f9dabe3deed1',
    18,
    'fee-on-transfer',
    0.02,
    100,
  ],
  [
    'SNT',
    'Status Network Token',
    '0x744d70fdbe2ba4cf95131626614a1763df805b9e',
    18,
    'checkpointed',
    0.03,
  ],
  ['FRZN', 'Frozen Token', '0xf702e70000000000000000000000000000000001', 18, 'frozen', 2],
  ['HNY', 'Honeypot', '0xf702e70000000000000000000000000000000002', 18, 'honeypot', 0.5],
]

export const sandboxTokens: readonly SandboxToken[] = toTokens(rows)

export function toTokens(from: readonly TokenRow[]): SandboxToken[] {
  return from.map(([symbol, name, address, decimals, behaviour, dollars, feeBps]) => ({
    symbol,
    name,
    address,
    decimals,
    behaviour,
    priceUsdE12: usd(dollars),
    ...defined({ feeBps }),
  }))
}

/** @throws RangeError for a symbol that the sandbox does not have. */
export function sandboxToken(symbol: string): SandboxToken {
  const token = sandboxTokens.find((entry) => entry.symbol === symbol)
  if (!token) throw new RangeError(`The sandbox has no token ${symbol}.`)
  return token
}
