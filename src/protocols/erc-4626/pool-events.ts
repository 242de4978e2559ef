/** Vaults by the events of MetaMorpho's factories, which keep no list and which anybody may call. */
import { toEventSelector } from 'viem'
import { addressIn, type PoolEvents } from '../pool-events.js'
import { addressesOf } from '../shared/parameters.js'
import { vaultPool } from './discover.js'

/** @see morpho-org/metamorpho, src/libraries/EventsLib.sol; the same in metamorpho-v1.1 */
const createMetaMorpho = toEventSelector(
  'CreateMetaMorpho(address,address,address,uint256,address,string,string,bytes32)',
)

export function vaultEvents(slug: string): PoolEvents {
  return {
    onlyListed: true,
    sources: ({ factories }) =>
      addressesOf(factories).map((address) => ({ address, topic: createMetaMorpho })),
    toPool({ topics }) {
      const [vault, asset] = [topics[1], topics[3]].map(addressIn)
      return vault && asset && vault !== asset ? vaultPool(slug, vault, asset) : null
    },
  }
}
