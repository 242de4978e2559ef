/** The service's listings of a chain: its native token, base tokens, and the positions of its snapshot. */
import type { ListingKey, PositionSnapshot, PositionStore } from '../catalog/position-store.js'
import { withNative } from '../catalog/token-lists.js'
import type { ChainDefinition } from '../chains/chain.js'
import type { BaseListing, Listing, PositionListing } from '../domain/metadata.js'
import { isNative, type Token } from '../domain/primitives.js'
import { protocolBySlug } from '../protocols/registry.js'

/** Protocol under which the store keeps base tokens. */
const noProtocol = ''

export interface Listings {
  /**
   * Ordered by id. A token of a position is listed as the position only.
   * @param snapshot - null: base tokens only.
   */
  of(chain: ChainDefinition, snapshot: PositionSnapshot | null): readonly Listing[]
}

export function createListings(
  store: Pick<PositionStore, 'idsOf'>,
  tokensOf: (chainId: number) => readonly Token[],
): Listings {
  const base = new Map<number, readonly BaseListing[]>()
  const made = new WeakMap<PositionSnapshot, readonly Listing[]>()

  function baseOf(chain: ChainDefinition): readonly BaseListing[] {
    const { id: chainId } = chain
    const known = base.get(chainId)
    if (known) return known
    const tokens = withNative(chain, tokensOf(chainId))
    const keys = tokens.map(({ address }): ListingKey => ({ protocol: noProtocol, key: address }))
    const listings = store
      .idsOf(chainId, keys)
      .flatMap((id, index): BaseListing[] => {
        const token = tokens[index]
        return token ? [{ kind: 'base', id, token }] : []
      })
      .sort((a, b) => a.id - b.id)
    base.set(chainId, listings)
    return listings
  }

  function make(chain: ChainDefinition, snapshot: PositionSnapshot): readonly Listing[] {
    const { id: chainId } = chain
    const tokens = baseOf(chain)
    const native = tokens.find(({ token }) => isNative(token.address))?.token
    const keys = snapshot.positions.map(({ position: { protocol, key } }) => ({ protocol, key }))
    const ids = store.idsOf(chainId, keys)
    const positions = snapshot.positions.flatMap((listed, index): PositionListing[] => {
      const { position, ...rest } = listed
      const { protocol, key, primaryAddress, poolAddress, name, subtitle, rewardTokens } = position
      const adapter = protocolBySlug(protocol)
      const id = ids[index]
      // A snapshot of an earlier release may name a protocol that no longer exists.
      if (id === undefined || !adapter) return []
      return [
        {
          ...rest,
          underlyingTokens: rest.underlyingTokens.map((token) =>
            native && isNative(token.address) ? native : token,
          ),
          kind: 'position',
          id,
          chainId,
          positionId: `${chainId}:${primaryAddress}:${position.token ?? key}`,
          protocol,
          project: adapter.project,
          primaryAddress,
          poolAddress,
          name,
          subtitle,
          rewardTokens,
        },
      ]
    })
    const own = new Set(positions.map(({ token }) => token?.address))
    const others = tokens.filter(({ token }) => !own.has(token.address))
    return [...others, ...positions].sort((a, b) => a.id - b.id)
  }

  return {
    of(chain, snapshot) {
      if (!snapshot) return baseOf(chain)
      const listings = made.get(snapshot) ?? make(chain, snapshot)
      made.set(snapshot, listings)
      return listings
    },
  }
}
