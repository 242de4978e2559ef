/** The tables. */
import { quantile, type Section } from '../section.js'
import { maxHops, pathsTried, type Role } from './contract.js'
import type { Delivered } from './judge.js'
import {
  type BenchContext,
  type Cold,
  coldLatencyMs,
  coldTrades,
  type Warm,
  type Way,
  warmLatencyMs,
} from './measure.js'

/** Less than this is a tie, basis points of our output. */
const tieBps = 0.1

const names = {
  ours: 'the service',
  sameVenues: 'the service, Uniswap V2, V3 and Sushi alone',
  naive: 'naive viem loop on one Anvil',
  quoter: 'quoter script',
  plain: 'our code on a plain Anvil fork',
} as const satisfies Record<Way, string>

export function report(
  context: BenchContext,
  warm: Warm,
  cold: Record<Role | 'ours', Cold>,
  verdicts: readonly Record<Way, Delivered | null>[],
): Section[] {
  /** Against ours, in basis points of our output before gas. */
  const difference = (index: number, way: Way): number | null => {
    const [ours, theirs] = [verdicts[index]?.ours, verdicts[index]?.[way]]
    if (!ours || !theirs) return null
    return Number(((theirs.net - ours.net) * 10n ** 8n) / ours.amountOut) / 10 ** 4
  }
  const indexes = verdicts.map((_, index) => index)
  const rows = (Object.keys(names) as Way[]).map((way) => {
    const all = indexes.map((index) => difference(index, way))
    const found = all.filter((bps) => bps !== null).sort((a, b) => a - b)
    const count = (isCounted: (bps: number) => boolean) => found.filter(isCounted).length
    const times = warm.asked[way].map(({ ms }) => ms).sort((a, b) => a - b)
    const first = way === 'sameVenues' ? undefined : cold[way]
    return {
      way: names[way],
      'median bps': way === 'ours' ? '' : quantile(found, 0.5).toFixed(1),
      'worst bps': way === 'ours' ? '' : (found[0] ?? 0).toFixed(1),
      'best bps': way === 'ours' ? '' : (found.at(-1) ?? 0).toFixed(1),
      'beats us': way === 'ours' ? '' : count((bps) => bps > tieBps),
      ties: way === 'ours' ? '' : count((bps) => Math.abs(bps) <= tieBps),
      loses: way === 'ours' ? '' : count((bps) => bps < -tieBps),
      'no answer': verdicts.filter((verdict) => !verdict[way]).length,
      'warm p50 ms': Math.round(quantile(times, 0.5)),
      'cold ms': first ? Math.round(first.ms) : '',
      'cold requests': first ? first.requests : '',
      MB: warm.memoryMb[way] ?? '',
    }
  })
  const beaten = indexes.flatMap((index) => {
    const [ours, trade] = [verdicts[index]?.ours, warm.trades[index]]
    const [best] = (['plain', 'sameVenues', 'quoter', 'naive'] as const)
      .flatMap((way) => {
        const theirs = verdicts[index]?.[way]
        return theirs ? [{ way, theirs }] : []
      })
      .sort((a, b) => (b.theirs.net > a.theirs.net ? 1 : -1))
    const bps = best && difference(index, best.way)
    if (!best || !trade || (bps !== null && (bps ?? 0) <= tieBps)) return []
    return [
      {
        request: trade.label,
        'best alternative': names[best.way],
        bps: bps?.toFixed(2) ?? 'we have no answer',
        'its route': warm.asked[best.way][index]?.choice?.route ?? '',
        'our route': warm.asked.ours[index]?.choice?.route ?? '',
        'its gas': String(best.theirs.gas),
        'our gas': ours ? String(ours.gas) : '',
      },
    ]
  })
  const place = context.isSandbox ? 'sandbox' : 'given node'
  return [
    { name: `against the alternatives, ${place}`, about: about(context, warm.trades.length), rows },
    {
      name: `where an alternative beats us, ${place}`,
      about: `By more than ${tieBps} bps, or where we have no answer.`,
      rows: beaten,
    },
  ]
}

function about(context: BenchContext, count: number): string {
  return [
    `${count} seeded trades at one block, from 100 USD up. Every chosen transaction is executed on a separate Anvil;`,
    'bps is its output less gas (next base fee plus tip, one price for all) against ours, in our output; negative is',
    `worse than ours, a tie is within ${tieBps} bps. Warm: second answer to the same request, node ${warmLatencyMs} ms`,
    `away. Cold: first answer at a block after one at its neighbour, node ${coldLatencyMs} ms away, median of`,
    `${coldTrades.length} trades, of the naive loop one; requests are HTTP requests to the node, a batch being one. MB: resident memory of the`,
    'processes with their Anvils after the warm trades. The sender has used the service before: its first order',
    'deploys its Executor for 58,000 gas more.',
    `The scripts know Uniswap V2, V3 and Sushi and go over the service's connector tokens, up to ${maxHops} hops; the`,
    'routers that they use mix V2 and V3 but not Sushi.',
    `The naive loop gets the ${pathsTried} best paths of the quoter script for free and tries those: all of them would`,
    'take minutes. The quoter script batches by Uniswap’s multicall;',
    context.viaFork
      ? 'the node has no eth_call, so it asks a plain Anvil fork of it, quote by quote, since missing state fails a call.'
      : 'it asks the node itself, and its pools are known from the block before.',
  ].join(' ')
}
