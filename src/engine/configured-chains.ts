/** The chains that this service is configured for, and their base tokens. Pure. */
import type { ChainDefinition } from '../chains/chain.js'
import { unknownChain } from '../domain/common-errors.js'
import type { Token } from '../domain/primitives.js'

export interface ConfiguredChains {
  readonly all: readonly ChainDefinition[]
  /** @throws ForkrouteError UNKNOWN_CHAIN. */
  of(chainId: number): ChainDefinition
  /** Base tokens of one chain. @throws ForkrouteError UNKNOWN_CHAIN. */
  tokensOf(chainId: number): readonly Token[]
  /** Base tokens of all configured chains, in the order given. */
  readonly tokens: readonly Token[]
}

/** @param known - base tokens of any chains. */
export function configuredChains(
  all: readonly ChainDefinition[],
  known: readonly Token[],
): ConfiguredChains {
  const byId = new Map(all.map((chain) => [chain.id, chain]))
  const tokens = known.filter(({ chainId }) => byId.has(chainId))
  const tokensById = new Map(
    all.map(({ id }) => [id, tokens.filter(({ chainId }) => chainId === id)]),
  )

  function of(chainId: number): ChainDefinition {
    const chain = byId.get(chainId)
    if (chain) return chain
    throw unknownChain(chainId, [...byId.keys()])
  }

  return { all, of, tokens, tokensOf: (chainId) => tokensById.get(of(chainId).id) ?? [] }
}
