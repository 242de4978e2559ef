import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'

/**
 * The pairs of tokens whose pools a route may use: all pairs of the requested tokens and the chain's connector tokens,
 * native as its wrapped form. Ordered by address, so that equal sets of tokens give equal lists.
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
