import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'

/**
 * The pairs of tokens whose pools a route may use: the tokens asked for and the chain's connector tokens, each with
 * each, native as its wrapped form; ordered by address, so that equal questions have equal pairs.
 */
export function pairsOf(
  chain: ChainDefinition,
  tokensIn: readonly Address[],
  tokensOut: readonly Address[],
): (readonly [Address, Address])[] {
  const canonical = (token: Address) => canonicalToken(chain, token)
  const tokens = [
    ...new Set([...tokensIn, ...tokensOut, ...chain.connectorTokens].map(canonical)),
  ].sort()
  return tokens.flatMap((a, i) => tokens.slice(i + 1).map((b) => [a, b] as const))
}
