/** Across: the tokens of a chain, by its definition. Pure. */
import type { ChainDefinition } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import { statedDecimals } from '../decimals.js'

export interface AcrossToken {
  /** Symbol of the asset, the same on all its chains: two tokens with one symbol are a lane. */
  readonly symbol: string
  readonly token: Address
  /** Null: not stated, as where they are the same on all chains. */
  readonly decimals: number | null
}

/** None where the chain has no SpokePool. */
export function acrossTokens({ bridges }: Pick<ChainDefinition, 'bridges'>): AcrossToken[] {
  const { spokePool, tokens = [] } = bridges?.across ?? {}
  if (spokePool === undefined || !Array.isArray(tokens)) return []
  return tokens.map((entry: string) => {
    const [symbol = '', token = '', decimals] = entry.split(':')
    return { symbol, token: toAddress(token), decimals: statedDecimals(decimals) }
  })
}

/** Null where the chain has no Across. */
export function spokePoolOf({ bridges }: Pick<ChainDefinition, 'bridges'>): Address | null {
  const { spokePool } = bridges?.across ?? {}
  return spokePool === undefined ? null : toAddress(String(spokePool))
}
