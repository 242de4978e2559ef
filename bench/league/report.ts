/** The tables of a league, and their place in docs/explanation/league.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Address } from '../../src/domain/primitives.js'
import { partText, provenance } from '../report.js'
import { quantile, type Section } from '../section.js'
import { leadBps, lostTo, type Match, promisesOf, scoreOf, tieBps, unjudgedOf } from './compare.js'
import { peers } from './peers/peer.js'
import type { Played, Times } from './play.js'

const page = new URL('../../docs/explanation/league.md', import.meta.url)
const end = '<!-- end -->'
/** Longer lists say how many more there are. */
const listedAtMost = 100

/** @param taxed - tokens that take a part of each transfer. */
export function sectionsOf(args: {
  readonly name: string
  readonly peer: string
  readonly played: Played
  readonly taxed: ReadonlySet<Address>
}): Section[] {
  const { name, peer, played, taxed } = args
  const { title = peer } = peers[peer] ?? {}
  const ways = { 'its venues alone': played.restricted, 'all venues': played.free }
  const lost = Object.entries(ways).flatMap(([way, matches]) => lostRows(way, matches, taxed))
  const unjudged = Object.entries(ways).flatMap(([way, matches]) => unjudgedRows(way, matches))
  return [
    {
      name: `${title}, ${name}`,
      about: aboutOf(played),
      rows: Object.entries(ways).map(([way, matches]) =>
        scoreRow(way, matches, unjudged.length > 0),
      ),
    },
    { name: `promised and delivered, ${name}`, rows: promiseRows(title, played) },
    { name: `latency and memory, ${name}`, rows: costRows(title, played) },
    {
      name: `where ${title} wins, ${name}`,
      ...(lost.length > listedAtMost && {
        about: `The first ${listedAtMost} of ${lost.length}, by bps.`,
      }),
      rows: lost.slice(0, listedAtMost),
    },
    ...(unjudged.length
      ? [
          {
            name: `what cannot be judged, ${name}`,
            about: 'State of these contracts is not there, and the answer needs it.',
            rows: unjudged,
          },
        ]
      : []),
  ]
}

function aboutOf({ free, failures }: Played): string {
  const isOutput = free[0]?.trade.exact === 'output'
  const failed = [...failures].map(([message, count]) => `${count} times “${message}”`)
  return [
    `${free.length} trades. Positive bps: the peer ${isOutput ? 'spends less, gas included' : 'delivers more after gas'}.`,
    ...(failed.length ? [`The peer failed: ${failed.join(', ')}.`] : []),
  ].join(' ')
}

function scoreRow(way: string, matches: readonly Match[], hasUnjudged: boolean) {
  const score = scoreOf(matches)
  return {
    'we may use': way,
    'peer wins': score.wins,
    ties: score.ties,
    'peer loses': score.losses,
    'only we deliver': score.onlyOurs,
    'only the peer delivers': score.onlyTheirs,
    neither: score.neither,
    ...(hasUnjudged && { 'cannot be judged': score.unjudged }),
    'median bps': score.medianBps.toFixed(2),
    "peer's worst bps": score.worstBps.toFixed(2),
    "peer's best bps": score.bestBps.toFixed(2),
  }
}

function promiseRows(title: string, { restricted, free }: Played) {
  const sides = {
    [title]: free.map(({ theirs }) => theirs),
    'ours, its venues alone': restricted.map(({ ours }) => ours),
    'ours, all venues': free.map(({ ours }) => ours),
  }
  return Object.entries(sides).map(([who, given]) => {
    const kept = promisesOf(given)
    return {
      who,
      answers: kept.answers,
      'to the unit': kept.exact,
      reverts: kept.reverted,
      'too high by over 0.1 bps': kept.tooHigh,
      'worst bps': kept.worstBps.toFixed(2),
    }
  })
}

function costRows(title: string, { times, memoryMb }: Played): Section['rows'] {
  const ours = `${Math.round(memoryMb.ours)}, and ${Math.round(memoryMb.forks)} in forks`
  return [
    { who: title, ...timeCells(times?.theirs), MB: Math.round(memoryMb.theirs) },
    { who: 'ours, its venues alone', ...timeCells(times?.restricted), MB: ours },
    { who: 'ours, all venues', ...timeCells(times?.free), MB: ours },
  ]
}

function timeCells(times: Times | undefined) {
  const cell = (list: readonly number[], q: number) => (times ? quantile(list, q).toFixed(1) : '')
  const { alone = [], eight = [] } = times ?? {}
  return {
    'alone, p50 ms': cell(alone, 0.5),
    'alone, p95 ms': cell(alone, 0.95),
    'eight in flight, p50 ms': cell(eight, 0.5),
    'eight in flight, p95 ms': cell(eight, 0.95),
  }
}

function lostRows(way: string, matches: readonly Match[], taxed: ReadonlySet<Address>) {
  return lostTo(matches).map((match) => {
    const { trade, ours, theirs } = match
    return {
      'we may use': way,
      trade: describe(match),
      [trade.exact === 'input' ? 'amountIn' : 'amountOut']: String(trade.amount),
      bps: leadBps(match)?.toFixed(2) ?? 'we deliver nothing',
      'its gas': String(theirs?.delivered?.gas ?? ''),
      'our gas': String(ours?.delivered?.gas ?? ''),
      'bps with four hops': leadBps({ ...match, ours: match.fourHops ?? null })?.toFixed(2) ?? '',
      reason: reasonFor(match, taxed),
    }
  })
}

/** Empty where it is not known. */
function reasonFor(match: Match, taxed: ReadonlySet<Address>): string {
  const { trade, fourHops = null } = match
  const lead = leadBps({ ...match, ours: fourHops })
  if (lead !== null && lead <= tieBps) return 'its fourth hop'
  if (match.noAnswer === 'STATE_UNAVAILABLE') return 'state that is not there'
  const isTaxed = taxed.has(trade.tokenIn) || taxed.has(trade.tokenOut)
  return isTaxed ? 'a taxed token' : ''
}

function unjudgedRows(way: string, matches: readonly Match[]) {
  const counts = new Map<string, { whose: string; why: string; trades: number }>()
  for (const { whose, why } of matches.flatMap(unjudgedOf)) {
    const key = whose + why
    const { trades } = counts.get(key) ?? { trades: 0 }
    counts.set(key, { whose, why, trades: trades + 1 })
  }
  return [...counts.values()]
    .sort((a, b) => b.trades - a.trades)
    .map(({ whose, why, trades }) => ({
      'we may use': way,
      'whose answer': whose,
      'state of': why,
      trades,
    }))
}

/** As `100,000 USD of WETH to WBTC`, or as `WETH to 100,000 USD of WBTC`. */
export function describe({ trade }: Match): string {
  const { sizeUsd, symbolIn, symbolOut, exact } = trade
  const size = `${sizeUsd.toLocaleString('en')} USD of`
  return exact === 'input'
    ? `${size} ${symbolIn} to ${symbolOut}`
    : `${symbolIn} to ${size} ${symbolOut}`
}

/** Replaces the part of that name on the page, or adds it at the end. */
export function writePart(name: string, sections: readonly Section[]): void {
  const begin = `<!-- part ${name} -->\n`
  const text = readFileSync(page, 'utf8')
  const body = `${begin}${partText(name, { ...provenance(), sections })}${end}`
  const at = text.indexOf(begin)
  const after = text.indexOf(end, at)
  writeFileSync(
    page,
    at < 0
      ? `${text.trimEnd()}\n\n${body}\n`
      : text.slice(0, at) + body + text.slice(after + end.length),
  )
}
