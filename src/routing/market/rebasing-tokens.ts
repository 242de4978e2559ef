/** Tokens whose balances change by themselves, by what the venues of a chain say. */
import type { ChainDefinition } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'
import { canSwap } from '../../protocols/protocol.js'
import { protocols } from '../../protocols/registry.js'
import { oncePer } from '../../protocols/shared/once-per.js'

/** Pools of any protocol that hold one of them move without a trade. */
export const rebasingTokens = oncePer(({ venues }: ChainDefinition): ReadonlySet<Address> => {
  const found = protocols.flatMap((adapter) => {
    const venue = venues[adapter.slug]
    return venue && canSwap(adapter) ? (adapter.swaps.rebasingTokens?.(venue) ?? []) : []
  })
  return new Set(found)
})
