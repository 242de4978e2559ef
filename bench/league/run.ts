/**
 * `npm run league`: other routers beside the service, on one market at one block; every answer is executed.
 *   npm run league                                  60 fixed trades against tines on the sandbox
 *   npm run league -- --random 1000 --seed 1        as many at random
 *   npm run league -- --all-pools                   the peer gets every pool of its venues
 *   npm run league -- --market mainnet              60 trades at random on recorded mainnet, where the recording lies
 *   npm run league -- --exact-output                the output is stated, and the least input wins
 *   npm run league -- --causes                      the trades that peers won at a first league
 *   npm run league -- --untimed                     no latency, for a machine that is busy with other things
 * Prints the tables, and writes them to docs/explanation/league.md.
 */
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import type { Section } from '../section.js'
import { causePeers, causeSection, causeTradesOf } from './causes.js'
import { createJudge } from './judge.js'
import { openMainnetMarket } from './mainnet-market.js'
import type { LeagueMarket, MarketName } from './market.js'
import { peers } from './peers/peer.js'
import { type Played, play } from './play.js'
import { sectionsOf, writePart } from './report.js'
import { openSandboxMarket } from './sandbox-market.js'
import { fixedTrades, namedTrades, randomTrades, type Trade } from './trades.js'

const { values } = parseArgs({
  options: {
    /** By name, as often as there are peers to play; default: all that play on the market. */
    peer: { type: 'string', multiple: true },
    market: { type: 'string', default: 'sandbox' },
    /** So many trades at random in place of the fixed ones, which are of the sandbox alone. */
    random: { type: 'string' },
    seed: { type: 'string', default: '1' },
    'all-pools': { type: 'boolean', default: false },
    'exact-output': { type: 'boolean', default: false },
    /** What peers won by at a first league, on the sandbox, untimed. */
    causes: { type: 'boolean', default: false },
    untimed: { type: 'boolean', default: false },
  },
})
const markets: Readonly<Record<MarketName, () => Promise<LeagueMarket>>> = {
  sandbox: openSandboxMarket,
  mainnet: openMainnetMarket,
}
const defaultCount = 60

const name = Object.keys(markets).find((each): each is MarketName => each === values.market)
if (!name) throw new Error(`There is no market ${values.market}.`)
const exact = values['exact-output'] ? 'output' : 'input'
const playing = Object.keys(peers).filter(
  (peer) => peers[peer]?.venues[name] && (exact === 'input' || peers[peer]?.canExactOutput),
)
const unknown = (values.peer ?? []).filter((peer) => !playing.includes(peer))
if (unknown.length) throw new Error(`${unknown.join(', ')} cannot play this.`)
if (values.causes && name !== 'sandbox') throw new Error('The causes are trades of the sandbox.')
const count = Number(values.random ?? (name === 'sandbox' ? 0 : defaultCount))

const market = await markets[name]()
const judge = createJudge(market)
try {
  if (values.causes) await playCauses()
  else await playAll()
} finally {
  await judge.close()
  await market.stop()
}

async function playAll(): Promise<void> {
  const drawn = count ? `random, seed ${values.seed}` : 'fixed'
  const given = values['all-pools'] ? ', all its pools' : ''
  const stated = exact === 'output' ? ', exact output' : ''
  const kind = `${drawn}${given}${stated}`
  const taxed = new Set(
    market.tokens.filter(({ isTaxed }) => isTaxed).map(({ address }) => address),
  )
  for (const peer of values.peer ?? playing) {
    const trades = await tradesFor(peer)
    const played = await play({
      peer,
      market,
      judge,
      trades,
      allPools: values['all-pools'],
      isTimed: !values.untimed,
    })
    report(`${name}, ${peer}, ${kind}`, sectionsOf({ name: kind, peer, played, taxed }))
  }
}

async function playCauses(): Promise<void> {
  const played = new Map<string, Played>()
  for (const peer of causePeers) {
    const trades = await namedTrades(market, causeTradesOf(peer))
    played.set(peer, await play({ peer, market, judge, trades, isTimed: false }))
  }
  report(`${name}, causes`, [causeSection(played)])
}

function report(part: string, sections: readonly Section[]): void {
  for (const { name, about = '', rows } of sections) {
    const table = new Table({ head: Object.keys(rows[0] ?? {}), style: { head: [] } })
    table.push(...rows.map((row) => Object.values(row)))
    console.log(`\n${name}\n${about}\n${table.toString()}`)
  }
  writePart(part, sections)
}

function tradesFor(peer: string): Promise<Trade[]> {
  const symbols = peers[peer]?.symbols
  if (!count) return fixedTrades(market, { symbols, exact })
  return randomTrades(market, { symbols, exact, count, seed: BigInt(values.seed) })
}
