/**
 * PT, YT and shares in the liquidity of known markets as positions. What a PT yields is what its market implies, and a YT holds the
 * yield that nobody has claimed.
 */
import { larger, zip } from '../../domain/lists.js'
import { type Address, toAddress, zeroAddress } from '../../domain/primitives.js'
import type { ReadCall, ReadResult } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import { wordsOf } from '../pool-events.js'
import type { Position, PositionAdapter, PositionState } from '../positions.js'
import { exp } from '../shared/balancer-math/log-exp-math.js'
import { readAll } from '../shared/read-all.js'
import { readWord } from '../shared/read-word.js'
import { readTokenNames } from '../shared/token-names.js'
import { balanceOf, getter, readStateOf } from './abi.js'
import { assetToSy } from './market-math.js'
import { slug } from './pools.js'

type Role = 'principal' | 'yield' | 'liquidity'

interface Token {
  readonly token: Address
  readonly role: Role
  readonly market: Address
  readonly underlying: readonly Address[]
  readonly pt: Address
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
    const answers = await readAll(reader, positions.map(questions))
    return zip(positions, answers).map(([position, own]): PositionState | Unreadable => {
      const refused = own.find((answer) => !answer.ok && answer.reason === 'unreadable')
      if (refused && !refused.ok) {
        return { protocol: slug, subject: position.key, message: refused.message }
      }
      return position.parameters.role === 'yield'
        ? unclaimed(position, own, reader.block.timestamp)
        : stateOf(position, own[0], reader.block.timestamp)
    })
  },
}

function questions({ poolAddress, key, underlyingTokens, parameters }: Position): ReadCall[] {
  const [sy] = underlyingTokens
  const yt = toAddress(key)
  if (parameters.role !== 'yield' || !sy) return [{ to: poolAddress, data: stateCall }]
  return [
    { to: sy, data: balanceOf(yt) },
    { to: toAddress(String(parameters.pt)), data: getter('totalSupply') },
    { to: sy, data: getter('exchangeRate') },
    { to: yt, data: getter('pyIndexStored') },
  ]
}

/**
 * What lies at the YT beyond what redeems the PT, before the fee on yield. Once it has expired a part of that is no holder's.
 */
function unclaimed(
  { underlyingTokens, parameters: { expiry } }: Position,
  answers: readonly ReadResult[],
  time: bigint,
): PositionState {
  const [balance, supply, rate, stored] = answers.map(readWord)
  const [sy] = underlyingTokens
  const nothing = { holdings: null, base: null, rewards: [] }
  if (!sy || balance == null || supply == null || rate == null || stored == null) return nothing
  const index = larger(rate, stored)
  if (index === 0n || BigInt(Number(expiry)) <= time) return nothing
  return {
    ...nothing,
    holdings: [{ token: sy, amount: larger(balance - assetToSy(index, supply), 0n) }],
  }
}

function stateOf(
  { underlyingTokens, parameters: { role, expiry } }: Position,
  answer: ReadResult | undefined,
  time: bigint,
): PositionState {
  const words = answer?.ok ? wordsOf(answer.value) : []
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
    { token: pt, role: 'principal', market, underlying: [sy], pt, expiry },
    { token: yt, role: 'yield', market, underlying: [sy], pt, expiry },
    { token: market, role: 'liquidity', market, underlying: [pt, sy], pt, expiry },
  ]
}

function positionOf(
  { token, role, market, underlying, pt, expiry }: Token,
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
    parameters: { role, pt, expiry: Number(expiry) },
  }
}
