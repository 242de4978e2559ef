/** What both kinds of pools are trusted by: the manager that keeps them, and the router that swaps in them. */
import { probe } from '../../chains/probe.js'
import type { Trust } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { feeSetter, setsFee } from './pool-key.js'

/** @param kind - that begins the manager's name. */
export function infinityTrust(kind: 'CL' | 'Bin'): Trust {
  const getter = `${kind.toLowerCase()}PoolManager()`
  return {
    probes: ({ poolManager, router }) => [
      ...addressesOf(poolManager).map((to) =>
        probe(`${kind}PoolManager of PancakeSwap Infinity`, to, 'vault()', 'address'),
      ),
      ...addressesOf(router).map((to) =>
        probe(
          'UniversalRouter of PancakeSwap',
          to,
          getter,
          addressesOf(poolManager)[0] ?? 'address',
        ),
      ),
    ],
    isNoPriceSource: setsFee,
    foreignCode: feeSetter,
  }
}
