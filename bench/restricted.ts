/** How often random markets give less over all of their pools than over some of them, by math alone. */
import { type Lead, leadsOfRestricted } from '../test/support/restricted.js'
import type { Section } from './section.js'

const markets = Number(process.env.BENCH_RESTRICTED_MARKETS ?? 200)
const firstSeed = Number(process.env.BENCH_RESTRICTED_SEED ?? 1)
const requestsOfMarket = 16
const shown = 5

export async function restrictedBench(): Promise<Section[]> {
  const leads: Lead[] = []
  for (let seed = firstSeed; seed < firstSeed + markets; seed++) {
    leads.push(...leadsOfRestricted(seed, requestsOfMarket))
  }
  leads.sort((a, b) => b.bps - a.bps)
  const above = (bps: number) => leads.filter((lead) => lead.bps > bps).length
  const counts = {
    markets,
    'first seed': firstSeed,
    comparisons: leads.length,
    'above 0.05 bps': above(0.05),
    'above 0.1 bps': above(0.1),
    'worst bps': leads[0]?.bps.toFixed(3) ?? '',
  }
  const worst = leads.slice(0, shown).map(({ seed, request, without, bps }) => ({
    seed,
    request,
    without,
    bps: bps.toFixed(3),
  }))
  return [
    { name: 'some of the pools give more than all of them, after gas', rows: [counts] },
    { name: 'where that is most', rows: worst },
  ]
}
