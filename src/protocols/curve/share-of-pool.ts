/** The share of a Curve pool whose caller names the pool alone. */
import { encodeFunctionData, parseAbi } from 'viem'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { ActionContext } from '../positions.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord, toWord } from '../shared/storage-slots.js'

const abi = parseAbi([
  'function get_lp_token(address) view returns (address)',
  'function lp_token() view returns (address)',
  'function token() view returns (address)',
  'function totalSupply() view returns (uint256)',
])

/**
 * Share of a pool, as the registry names it, or else the pool itself; a pool that is a token is its own share.
 * @returns null where neither says; whether it really is the share is for the caller to check.
 */
export async function shareOfPool(
  { reader, venue }: Pick<ActionContext, 'reader' | 'venue'>,
  pool: Address,
): Promise<Address | null> {
  const { metaRegistry } = venue
  const ask = (functionName: 'lp_token' | 'token' | 'totalSupply') => ({
    to: pool,
    data: encodeFunctionData({ abi, functionName }),
  })
  const lookUp = encodeFunctionData({ abi, functionName: 'get_lp_token', args: [pool] })
  const [supply, ...named] = await reader.call([
    ask('totalSupply'),
    ...(typeof metaRegistry === 'string' ? [{ to: toAddress(metaRegistry), data: lookUp }] : []),
    ask('lp_token'),
    ask('token'),
  ])
  const shares = named.map(readWord).filter((word) => word !== null && word > 0n)
  const [share] = shares
  if (share) return addressInWord(toWord(share))
  return readWord(supply) === null ? null : pool
}
