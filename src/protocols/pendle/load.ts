/**
 * State of pools in one bulk read. What accrues is read at the time of the simulated block: the rate of an SY, and with it the
 * index of its PT, which never falls.
 */
import type { VenueParameters } from '../../chains/chain.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { larger, zip } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { ReadCall, ReadResult } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import { wordsOf } from '../pool-events.js'
import type { LoadedPool, Swaps } from '../protocol.js'
import { readAll } from '../shared/read-all.js'
import { readWord } from '../shared/read-word.js'
import { addressesIn, getter, isValidMarket, preview, readStateOf, tokensIn } from './abi.js'
import { factoriesOf, routerOf } from './pools.js'
import { type Conversion, type PendleState, provenAmount } from './state.js'

/** Raw units asked of both previews; the smaller answers where the larger is more than there can be. */
const probes = [provenAmount, 10n ** 12n + 1n] as const
const one = 10n ** 18n
/** Powers of ten by which an SY may have more or fewer decimals than its token. */
const mostDigits = 18

interface Kind {
  /** What to ask; null where the record is not one of the kind. */
  questions(pool: Pool, venue: VenueParameters): readonly Omit<ReadCall, 'timestamp'>[] | null
  /** A sentence where the answers are not those of such a pool. */
  state(pool: Pool, answers: readonly ReadResult[], time: bigint): PendleState | string
}

type Tokens = readonly [first: Address, second: Address]

const tokensOf = ({ tokens }: Pool): Tokens | null =>
  tokens.length === 2 && tokens[0] && tokens[1] ? [tokens[0], tokens[1]] : null

const market: Kind = {
  questions(pool, venue) {
    const router = routerOf(venue)
    const { address: to, tokens } = pool
    const [, sy, yt, shares] = tokens
    const made = factoriesOf(venue).find((one) => one === pool.parameters.factory)
    if (!sy || !yt || !router || !made || shares !== to || tokens.length !== 4) return null
    return [
      { to, data: getter('readTokens') },
      { to, data: readStateOf(router) },
      { to: made, data: isValidMarket(to) },
      ...indexQuestions(sy, yt),
    ]
  },
  state({ tokens: [pt, sy, yt] }, [parts, state, isValid, ...index], time) {
    const own = addressesIn(parts, 3)
    if (!own || readWord(isValid) !== 1n) return 'It is not a market of the factory.'
    if (own[0] !== sy || own[1] !== pt || own[2] !== yt) {
      return 'It does not trade these tokens.'
    }
    const words = state?.ok ? wordsOf(state.value) : []
    const [totalPt, totalSy, totalLp, , scalarRoot, expiry] = words
    const [lnFeeRateRoot, reserveFeePercent, lastLnImpliedRate] = words.slice(6)
    if (
      totalPt === undefined ||
      totalSy === undefined ||
      totalLp === undefined ||
      scalarRoot === undefined ||
      expiry === undefined ||
      lnFeeRateRoot === undefined ||
      reserveFeePercent === undefined ||
      lastLnImpliedRate === undefined
    ) {
      return 'It does not tell its state.'
    }
    const current = indexIn(index)
    if (current === null) return 'Its SY tells no rate.'
    return {
      kind: 'market',
      totalPt,
      totalSy,
      totalLp,
      scalarRoot,
      expiry,
      lnFeeRateRoot,
      reserveFeePercent,
      lastLnImpliedRate,
      index: current,
      time,
    }
  },
}

const redemption: Kind = {
  questions(pool) {
    const tokens = tokensOf(pool)
    if (!tokens || pool.id !== pool.address) return null
    const [to, sy] = tokens
    return [
      ...(['SY', 'YT', 'expiry', 'totalSupply'] as const).map((name) => ({
        to,
        data: getter(name),
      })),
      { to: pool.address, data: getter('PT') },
      ...indexQuestions(sy, pool.address),
    ]
  },
  state({ address, tokens: [pt, sy] }, [ofSy, ofYt, expiry, supply, ofPt, ...index], time) {
    const own = [ofSy, ofYt, ofPt].map((answer) => addressesIn(answer, 1)?.[0])
    if (own[0] !== sy || own[1] !== address || own[2] !== pt) {
      return 'It does not redeem this PT for this SY.'
    }
    const [end, exists, current] = [readWord(expiry), readWord(supply), indexIn(index)]
    if (end === null || exists === null || current === null) return 'It does not tell its state.'
    return { kind: 'redemption', supply: end <= time ? exists : 0n, index: current }
  },
}

const yields: Kind = {
  questions(pool) {
    const tokens = tokensOf(pool)
    if (!tokens || tokens[1] !== pool.address || pool.id !== `${pool.address}-${tokens[0]}`) {
      return null
    }
    const { address: to } = pool
    return [
      ...(['getTokensIn', 'getTokensOut', 'totalSupply', 'exchangeRate'] as const).map((name) => ({
        to,
        data: getter(name),
      })),
      ...(['previewDeposit', 'previewRedeem'] as const).flatMap((name) =>
        probes.map((amount) => ({ to, data: preview(name, tokens[0], amount) })),
      ),
    ]
  },
  state({ tokens: [token = '0x'] }, [into, out, supply, rate, ...previews]) {
    const [taken, paid, exists] = [tokensIn(into), tokensIn(out), readWord(supply)]
    if (!taken || !paid || exists === null) return 'It is not an SY.'
    const amounts = previews.map(readWord)
    const perUnit = readWord(rate)
    return {
      kind: 'yield',
      supply: exists,
      deposit: taken.includes(token) ? conversionOf(amounts.slice(0, 2), perUnit) : null,
      redeem: paid.includes(token) ? conversionOf(amounts.slice(2), perUnit) : null,
    }
  },
}

const kinds: Readonly<Record<string, Kind>> = { market, redemption, yield: yields }

export const loadPools: Swaps<PendleState>['load'] = async ({ reader, chain, venue, pools }) => {
  const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
  const asked = pools.map((pool) => {
    const kind = kinds[String(pool.parameters.kind)]
    return { pool, kind, questions: kind?.questions(pool, venue) ?? null }
  })
  const answers = await readAll(
    reader,
    asked.map(({ questions }) => (questions ?? []).map((call) => ({ ...call, timestamp }))),
  )
  return zip(asked, answers).map(
    ([{ pool, kind, questions }, own]): LoadedPool<PendleState> | Unreadable => {
      if (!kind || !questions) return unreadablePool(pool, 'It is not a pool of Pendle.')
      const refused = own.find((answer) => !answer.ok && answer.reason === 'unreadable')
      if (refused && !refused.ok) return unreadablePool(pool, refused.message)
      const state = kind.state(pool, own, timestamp)
      if (typeof state === 'string') return unreadablePool(pool, state)
      return { pool, state, partial: isEstimate(state) }
    },
  )
}

const indexQuestions = (sy: Address, yt: Address) => [
  { to: sy, data: getter('exchangeRate') },
  { to: yt, data: getter('pyIndexStored') },
]

/** Once stored it never falls. Null where a part does not answer. */
function indexIn(answers: readonly ReadResult[]): bigint | null {
  const [rate, stored] = answers.map(readWord)
  return rate == null || stored == null ? null : larger(rate, stored)
}

function isEstimate(state: PendleState): boolean {
  return (
    state.kind === 'yield' &&
    [state.deposit, state.redeem].some((one) => one !== null && !one.isProven)
  )
}

/** Usual ones are tried until one gives both previews to the unit; otherwise the proportion of one preview. */
function conversionOf(
  [large, small]: readonly (bigint | null)[],
  rate: bigint | null,
): Conversion | null {
  for (const [numerator, denominator] of usualConversions(rate)) {
    const expected = probes.map((amount) => (amount * numerator) / denominator)
    if (expected[0] === large && expected[1] === small) {
      return { numerator, denominator, isProven: true }
    }
  }
  if (large) return { numerator: large, denominator: probes[0], isProven: false }
  return small ? { numerator: small, denominator: probes[1], isProven: false } : null
}

function* usualConversions(rate: bigint | null): Generator<readonly [bigint, bigint]> {
  for (let digits = 0; digits <= mostDigits; digits++) {
    yield [10n ** BigInt(digits), 1n]
    yield [1n, 10n ** BigInt(digits)]
  }
  if (rate) {
    yield [rate, one]
    yield [one, rate]
  }
}
