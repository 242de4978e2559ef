/**
 * Puts stand-ins for Arbitrum's inbox and bridge where mainnet has them, and for the precompile of tickets on Arbitrum. By
 * state alone, as CCTP: no transaction of theirs moves a nonce or a price of what comes before and after them.
 */
import { parseAbiParameters } from 'viem'
import { inboxOf } from '../../bridges/canonical/inbox.js'
import type { ChainDefinition } from '../../chains/chain.js'
import { chains } from '../../chains/registry.js'
import type { Address } from '../../domain/primitives.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { placeStateless } from '../chain/placement.js'
import { sandboxBytecode } from '../generated/contracts.js'

export async function placeArbitrum(
  chain: ChainWriter,
  definition: ChainDefinition,
  owner: Address,
): Promise<void> {
  const own = inboxOf(definition)
  const types = parseAbiParameters('address')
  const settled = chains.flatMap((one) => {
    const place = inboxOf(one)
    return place?.chainId === definition.id ? [place] : []
  })
  await placeStateless(chain, owner, [
    ...(own ? [{ address: own.retryables, creationCode: sandboxBytecode.ArbitrumRetryables }] : []),
    ...settled.flatMap(({ inbox, bridge }) => [
      { address: inbox, creationCode: sandboxBytecode.ArbitrumInbox, types, args: [bridge] },
      { address: bridge, creationCode: sandboxBytecode.ArbitrumBridge, types, args: [inbox] },
    ]),
  ])
}
