/**
 * What peers won by at a first league, at 0d5d1000, by cause, and what the same trades come to now. They were measured from
 * outside then, on the sandbox of that commit, whose blocks have other prices than those of today.
 */
import type { Section } from '../section.js'
import { leadBps, type Match } from './compare.js'
import { peers } from './peers/peer.js'
import type { Played } from './play.js'
import { describe } from './report.js'
import type { Named } from './trades.js'

interface CauseTrade extends Named {
  readonly cause: string
  readonly peer: string
  /** How far the peer was ahead then, bps after gas, and which of our answers it was compared with. */
  readonly before: string
}

const usd = (sizeUsd: number, symbolIn: string, symbolOut: string) => ({
  sizeUsd,
  symbolIn,
  symbolOut,
})

const trades: readonly CauseTrade[] = [
  cause('1, gas overspent', 'pancake', '0.19, its venues', usd(10_000, 'DAI', 'MKR')),
  cause('1, gas overspent', 'uniswap', '1.28, its venues', usd(10_000, 'DAI', 'MKR')),
  cause('1, gas overspent', 'tines', '9.06, all venues', usd(1_000, 'LINK', 'UNI')),
  cause('2, at most 24 swaps', 'tines', '6.2, all venues', usd(100_000_000, 'WETH', 'USDC')),
  cause('2, at most 24 swaps', 'pancake', '2.7, all venues', usd(100_000_000, 'WETH', 'USDC')),
  cause('3, whole splits dropped', 'tines', 'a single path', usd(100_000_000, 'DAI', 'MKR')),
  cause('4, more venues give less', 'tines', 'free −0.16', usd(5_000_000, 'WETH', 'USDC')),
  cause('4, more venues give less', 'tines', 'free −4.65', usd(10_000_000, 'WBTC', 'LINK')),
  cause('4, more venues give less', 'tines', 'free −717', usd(300_000_000, 'USDC', 'WETH')),
  cause('5, four hops', 'tines', '1.73', usd(1_000_000, 'MKR', 'FRAX')),
  cause('5, four hops', 'tines', '2.0', usd(1_000_000, 'UNI', 'sUSD')),
  cause('5, four hops', 'tines', '1.9', usd(5_000_000, 'wstETH', 'USDT')),
  cause('7, taxed input, then ether', 'uniswap', '0.44', usd(20_000, 'PAXG', 'USDC')),
  cause('8, input burnt', 'tines', '125, its venues', usd(1_140_272, 'FRAX', 'sUSD')),
]

function cause(name: string, peer: string, before: string, trade: Named): CauseTrade {
  return { ...trade, cause: name, peer, before }
}

export const causePeers: readonly string[] = [...new Set(trades.map(({ peer }) => peer))]

export function causeTradesOf(peer: string): readonly Named[] {
  return trades.filter((one) => one.peer === peer)
}

/** One row for each trade, in the order of the causes. */
export function causeSection(played: ReadonlyMap<string, Played>): Section {
  const rows = trades.flatMap((one) => {
    const { cause, peer, before } = one
    const at = causeTradesOf(peer).indexOf(one)
    const [restricted, free] = [played.get(peer)?.restricted[at], played.get(peer)?.free[at]]
    if (!restricted || !free) return []
    return {
      cause,
      trade: describe(free),
      peer: peers[peer]?.title ?? peer,
      'ahead before, bps': before,
      'now, its venues alone': leadOf(restricted),
      'now, all venues': leadOf(free),
      'all venues above its venues alone, bps': gainOf(restricted, free),
    }
  })
  return {
    name: 'the causes of a first league',
    about: 'Positive bps: the peer delivers more after gas.',
    rows,
  }
}

function leadOf(match: Match): string {
  if (!match.theirs?.delivered) return 'it delivers nothing'
  return leadBps(match)?.toFixed(2) ?? 'we deliver nothing'
}

/** What our answer over all venues has more after gas than that over the peer's alone. */
function gainOf(restricted: Match, free: Match): string {
  return leadBps({ ...restricted, theirs: free.ours })?.toFixed(2) ?? ''
}
