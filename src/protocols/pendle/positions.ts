/** PT, YT and shares in the liquidity of known markets as positions. What a PT yields is what its market implies. */
import { zip } from '../../domain/lists.js'
import { type Address, zeroAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import { wordsOf } from '../pool-events.js'
import type { Position, PositionAdapter, PositionState } from '../positions.js'
import { exp } from '../shared/balancer-math/log-exp-math.js'
import { readWord } from '../shared/read-word.js'
import { readTokenNames } from '../shared/token-names.js'
import { getter, readStateOf } from './abi.js'
import { slug } from './pools.js'

type Role = 'principal' | 'yield' | 'liquidity'

interface Token {
  readonly token: Address
  readonly role: Role
  readonly market: Address
  readonly underlying: readonly Address[]
  /** Unix seconds. */
  readonly expiry: bigint
}

const one = 10n ** 18n
/** Fees differ from router to router, and the rest of the state does not. */
const stateCall = readStateOf(zeroAddress)

export const pendlePositions: Pick<PositionAdapter, 'list' | 'read'> = {
  async list({ reader, pools }) {
    const markets = pools.filter(({ parameters }) => parameters.kind === 'market')
    const ends = await reader.call(
      markets.map(({ address }) => ({ to: address, data: getter('expiry') })),
    )
    const unreadable: Unreadable[] = []
    const tokens = new Map<Address, Token>()
    for (const [market, answer] of zip(markets, ends)) {
      const expiry = readWord(answer)
      if (!answer.ok && answer.reason === 'unreadable') {
        unreadable.push({ protocol: slug, subject: market.id, message: answer.message })
      }
      // Where it is not deployed at the block there is no position yet.
      if (expiry === null) continue
      for (const one of tokensOf(market, expiry)) {
        if (!tokens.has(one.token)) tokens.set(one.token, one)
      }
    }
    const all = [...tokens.values()]
    const names = await readTokenNames(
      reader,
      all.map(({ token }) => token),
    )
    return { positions: zip(all, names).map(([one, name]) => positionOf(one, name)), unreadable }
  },

  async read({ reader, positions }) {
    const answers = await reader.call(
      positions.map(({ poolAddress: to }) => ({ to, data: stateCall })),
    )
    return zip(positions, answers).map(([position, answer]): PositionState | Unreadable => {
      if (!answer.ok && answer.reason === 'unreadable') {
        return { protocol: slug, subject: position.key, message: answer.message }
      }
      return stateOf(position, answer, reader.block.timestamp)
    })
  },
}

function stateOf(
  { underlyingTokens, parameters: { role, expiry } }: Position,
  answer: ReadResult,
  time: bigint,
): PositionState {
  const words = answer.ok ? wordsOf(answer.value) : []
  const [lnRate] = words.slice(8)
  const nothing = { holdings: null, base: null, rewards: [] }
  if (lnRate === undefined) return nothing
  if (role === 'principal') {
    // From the expiry on it is worth its asset, and earns nothing.
    const rate = BigInt(Number(expiry)) > time ? Number(exp(lnRate) - one) / Number(one) : 0
    return { ...nothing, base: { kind: 'annual', rate } }
  }
  if (role !== 'liquidity') return nothing
  const holdings = underlyingTokens.map((token, k) => ({ token, amount: words[k] ?? 0n }))
  return { ...nothing, holdings }
}

function tokensOf({ address: market, tokens }: Pool, expiry: bigint): Token[] {
  const [pt, sy, yt] = tokens
  if (!pt || !sy || !yt) return []
  return [
    { token: pt, role: 'principal', market, underlying: [sy], expiry },
    { token: yt, role: 'yield', market, underlying: [sy], expiry },
    { token: market, role: 'liquidity', market, underlying: [pt, sy], expiry },
  ]
}

function positionOf(
  { token, role, market, underlying, expiry }: Token,
  { name, symbol }: { readonly name: string | null; readonly symbol: string | null },
): Position {
  return {
    protocol: slug,
    key: token,
    token,
    primaryAddress: market,
    poolAddress: market,
    name: name ?? token,
    subtitle: symbol ?? '',
    underlyingTokens: underlying,
    rewardTokens: [],
    parameters: { role, expiry: Number(expiry) },
  }
}
