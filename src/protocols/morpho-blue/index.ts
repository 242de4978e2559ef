/**
 * Morpho Blue: markets of one loan token against one collateral token in one contract. Positions have no token.
 * Venue parameters: `morpho`, `markets` (ids, as the contract keeps no list).
 */

import { isHex } from 'viem'
import { probe } from '../../chains/probe.js'
import { defineProtocol } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { morphoActions } from './actions.js'
import { slug } from './markets.js'
import { morphoPositions } from './positions.js'

export const morphoBlue = defineProtocol({
  slug,
  name: 'Morpho Blue',
  project: 'morpho',
  category: 'lending',
  url: 'https://morpho.org',
  description: 'Lending, collateral and loans in the markets of Morpho Blue.',
  trust: {
    probes: ({ morpho, markets = [] }) =>
      addressesOf(morpho).flatMap((to) => [
        probe('Morpho Blue', to, 'owner()', 'address'),
        ...[markets]
          .flat()
          .flatMap((id) =>
            isHex(id)
              ? [
                  probe(
                    'Morpho Blue',
                    to,
                    { signature: 'idToMarketParams(bytes32)', args: [id] },
                    'address',
                  ),
                ]
              : [],
          ),
      ]),
  },
  positions: morphoPositions,
  actions: {
    definitions: morphoActions,
    explain: (reason) =>
      reason.includes('Panic(0x11)') ? 'an amount is above what the account has or owes' : null,
  },
})
