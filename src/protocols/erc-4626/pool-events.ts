/**
 * Vaults by the events of factories: MetaMorpho's, which keep no list and which anybody may call, and those of Aave's
 * static tokens, of which there is one for each token that Aave lends.
 */
import { toEventSelector } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import { addressIn, type PoolEvents } from '../pool-events.js'
import { addressesOf } from '../shared/parameters.js'
import { vaultPool } from './discover.js'

/** @see morpho-org/metamorpho, src/libraries/EventsLib.sol; the same in metamorpho-v1.1 */
const createMetaMorpho = toEventSelector(
  'CreateMetaMorpho(address,address,address,uint256,address,string,string,bytes32)',
)
/** @see aave-dao/aave-v3-origin fd1fbd9, src/contracts/extensions/stata-token/interfaces/IStataTokenFactory.sol */
const stataTokenCreated = toEventSelector('StataTokenCreated(address,address)')

export function vaultEvents(slug: string): PoolEvents {
  return {
    sources: ({ factories, stataFactories }) => [
      ...addressesOf(factories).map((address) => ({
        address,
        topic: createMetaMorpho,
        onlyListed: true as const,
      })),
      ...addressesOf(stataFactories).map((address) => ({ address, topic: stataTokenCreated })),
    ],
    toPool({ address, topics }) {
      const isStata = topics[0] === stataTokenCreated
      const [vault, asset] = [topics[1], topics[isStata ? 2 : 3]].map(addressIn)
      if (!vault || !asset || vault === asset) return null
      const pool = vaultPool(slug, vault, asset)
      return isStata ? { ...pool, parameters: { factory: address } } : pool
    },
    wrappers: ({ stataFactories }) => addressesOf(stataFactories),
  }
}

/** Which of Aave's factories made the vault, by an event of it; null: none did. */
export function stataFactoryOf(
  { parameters: { factory } }: Pool,
  { stataFactories }: VenueParameters,
): Address | null {
  return addressesOf(stataFactories).find((one) => one === factory) ?? null
}
