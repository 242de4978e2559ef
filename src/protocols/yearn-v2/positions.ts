/** Shares of vaults as positions: those of the registry and of known pools. */
import { toAddress } from '../../domain/primitives.js'
import type { Unreadable } from '../pool.js'
import type { PositionAdapter, PositionState } from '../positions.js'
import { vaultPositionsOf } from '../shared/vault-parts.js'
import { vaultKind } from './actions.js'
import { registeredVaults } from './discover.js'
import { readVaults } from './load.js'

export function vaultPositions(slug: string): PositionAdapter {
  return {
    async list({ reader, venue, pools }) {
      const registered = await registeredVaults(slug, reader, venue)
      const vaults = [...new Set([...registered.vaults, ...pools.map(({ address }) => address)])]
      const found = await vaultPositionsOf(vaultKind, { slug, reader, vaults })
      return { ...found, unreadable: [...registered.unreadable, ...found.unreadable] }
    },
    async read({ reader, positions }) {
      const vaults = positions.map(({ key, underlyingTokens: [asset] }) => {
        const vault = toAddress(key)
        return { vault, asset: asset ?? vault }
      })
      const found = await readVaults(reader, vaults, reader.block.timestamp)
      return positions.map(({ key }, index): PositionState | Unreadable => {
        const [read, vault] = [found[index], vaults[index]]
        const unreadable = (message: string) => ({ protocol: slug, subject: key, message })
        if (!read || !vault) return unreadable('It was not read.')
        if ('message' in read) return unreadable(read.message)
        return {
          holdings: [{ token: vault.asset, amount: read.state.totalAssets }],
          base: read.price === null ? null : { kind: 'sharePrice', price: read.price },
          rewards: [],
        }
      })
    },
  }
}
