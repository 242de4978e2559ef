/** Shares of vaults as positions: those of the registry and of known pools. */
import { toAddress } from '../../domain/primitives.js'
import type { Unreadable } from '../pool.js'
import type { Position, PositionAdapter, PositionState } from '../positions.js'
import { readTokenNames } from '../token-names.js'
import { vaultActions } from './actions.js'
import { readAssets, registeredVaults } from './discover.js'
import { readVaults } from './load.js'

export function vaultPositions(slug: string): PositionAdapter {
  return {
    actions: vaultActions,
    explain: (reason) =>
      ['', '0x', 'reverted without a reason'].includes(reason)
        ? 'the vault gives no reason: it is shut down, or full, or strategies lost more than maxLoss'
        : null,
    async list({ reader, venue, pools }) {
      const registered = await registeredVaults(slug, reader, venue)
      const vaults = [...new Set([...registered.vaults, ...pools.map(({ address }) => address)])]
      const unreadable: Unreadable[] = [...registered.unreadable]
      const [answers, names] = await Promise.all([
        readAssets(reader, vaults),
        readTokenNames(reader, vaults),
      ])
      const positions: Position[] = []
      vaults.forEach((vault, index) => {
        const answer = answers[index]
        if (answer && 'message' in answer) {
          unreadable.push({ protocol: slug, subject: vault, message: answer.message })
        }
        if (!answer || !('asset' in answer) || !answer.asset) return
        positions.push({
          protocol: slug,
          key: vault,
          token: vault,
          primaryAddress: vault,
          poolAddress: vault,
          name: names[index]?.name ?? vault,
          subtitle: names[index]?.symbol ?? '',
          underlyingTokens: [answer.asset],
          rewardTokens: [],
          parameters: {},
        })
      })
      return { positions, unreadable }
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
