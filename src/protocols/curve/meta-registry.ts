/** Which contract is asked for pools: the MetaRegistry that the venue states, or the one that Curve's AddressProvider has. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { addressIn } from '../pool-events.js'
import { wordOf } from './abi.js'

/** The AddressProvider keeps the address of the MetaRegistry by this number. */
export const metaRegistryId = 7n

const call: Hex = encodeFunctionData({
  abi: parseAbi(['function get_address(uint256) view returns (address)']),
  args: [metaRegistryId],
})

/** @returns null where there is none; the message of the failure where the AddressProvider cannot be read. */
export async function metaRegistryOf(
  reader: StateReader,
  { metaRegistry, addressProvider }: VenueParameters,
): Promise<{ readonly address: Address | null; readonly failed: string | null }> {
  if (typeof metaRegistry === 'string') return { address: toAddress(metaRegistry), failed: null }
  if (typeof addressProvider !== 'string') return { address: null, failed: null }
  const [answer] = await reader.call([{ to: toAddress(addressProvider), data: call }])
  const failed = answer?.ok === false && answer.reason === 'unreadable' ? answer.message : null
  return { address: addressIn(wordOf(answer) || undefined), failed }
}
