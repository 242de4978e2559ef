/**
 * Tokens of imported pools that a route may lead through besides the connector tokens of the chain.
 * Queries the catalog by index, so the work does not grow with its size.
 */
import type { Catalog } from '../../catalog/store.js'
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import { type Address, nativeToken } from '../../domain/primitives.js'

/** The most tokens added to the market of a request. */
const mostTokens = 16
/** Neighbours of one end from which chains of two such tokens start. */
const chainStarts = 8

type Links = Pick<Catalog, 'importedLinks' | 'importedBetween'>

/**
 * Tokens X, neither ends nor connectors, that imported pools join on both sides: tokenIn, X, tokenOut; with three
 * hops one side may be a connector, or two such tokens follow each other; with four both sides may be connectors.
 *
 * @param maxHops - swaps per path.
 * @returns those nearest to both ends first, then by how well they are connected.
 */
export function importedIntermediates(
  catalog: Links,
  chain: ChainDefinition,
  ends: { readonly tokensIn: readonly Address[]; readonly tokensOut: readonly Address[] },
  maxHops: number,
): Address[] {
  if (maxHops < 2) return []
  const spellings = (tokens: readonly Address[]) =>
    [...new Set(tokens.map((token) => canonicalToken(chain, token)))].flatMap((token) =>
      token === chain.wrappedNative ? [token, nativeToken] : [token],
    )
  const tokensIn = spellings(ends.tokensIn)
  const tokensOut = spellings(ends.tokensOut)
  const connectors = spellings(chain.connectorTokens)
  const known = new Set([
    ...tokensIn,
    ...tokensOut,
    ...connectors,
    chain.wrappedNative,
    nativeToken,
  ])
  const limit = mostTokens + known.size
  const found = new Set<Address>()
  const add = (tokens: readonly Address[]) => {
    const fresh = tokens.filter((token) => !known.has(token))
    for (const token of fresh) if (found.size < mostTokens) found.add(token)
    return fresh.length > 0
  }
  const between = (from: readonly Address[], to: readonly Address[]) => {
    for (const a of from) {
      for (const b of to) {
        if (a === b || found.size === mostTokens) continue
        add(catalog.importedBetween(chain.id, a, b, limit))
      }
    }
  }
  between(tokensIn, tokensOut)
  if (maxHops >= 3) {
    for (const from of tokensIn) {
      for (const first of catalog.importedLinks(chain.id, from, chainStarts)) {
        if (known.has(first) || found.size === mostTokens) continue
        for (const to of tokensOut) {
          if (add(catalog.importedBetween(chain.id, first, to, limit))) add([first])
        }
      }
    }
    between(tokensIn, connectors)
    between(connectors, tokensOut)
  }
  if (maxHops >= 4) between(connectors, connectors)
  return [...found]
}
