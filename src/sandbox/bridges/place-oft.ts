/**
 * Puts OFTs where mainnet has them, of LayerZero's own code, and our landings. By state alone, as CCTP: no transaction of
 * theirs moves a nonce or a price of what comes before and after them.
 */
import {
  encodeAbiParameters,
  keccak256,
  numberToHex,
  padHex,
  parseAbiParameters,
  zeroHash,
} from 'viem'
import type { OmnichainToken } from '../../bridges/layerzero/family.js'
import { oftsOn } from '../../bridges/oft/tokens.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type { Address, Hex } from '../../domain/primitives.js'
import { composeLanding } from '../../executor/deployments.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { placeStateless } from '../chain/placement.js'
import { sandboxBytecode } from '../generated/contracts.js'
import { isLocking } from '../minted-tokens.js'
import { bridgeAddresses } from './bridge-addresses.js'

/** What an OFT that locks has locked, raw units of six decimals: what the others have minted. */
const locked = 30_000_000_000_000n

/** Of the tokens that the sandbox has. Mines nothing. */
export async function placeOfts(
  chain: ChainWriter,
  {
    definition,
    others,
    tokens,
    owner,
  }: {
    readonly definition: ChainDefinition
    readonly others: readonly ChainDefinition[]
    readonly tokens: readonly { readonly address: Address }[]
    readonly owner: Address
  },
): Promise<void> {
  const ofts = oftsOn(definition).filter(({ token }) =>
    tokens.some(({ address }) => address === token),
  )
  const code = isLocking(definition) ? sandboxBytecode.LockingOft : sandboxBytecode.MintingOft
  await placeStateless(
    chain,
    owner,
    ofts.map(({ pool, token, endpoint }) => ({
      address: pool,
      creationCode: code,
      types: parseAbiParameters('address, address, address'),
      args: [token, endpoint, owner],
    })),
  )
  await chain.all(
    ofts.flatMap((oft) => {
      const { address, runtimeCode } = composeLanding(oft)
      return [
        ...[[zeroHash, padHex(owner, { size: 32 })], ...peersOf(oft, others)].map(
          ([slot, word]) => ({ method: 'anvil_setStorageAt', params: [oft.pool, slot, word] }),
        ),
        { method: 'anvil_setCode', params: [address, runtimeCode] },
        { method: 'anvil_setNonce', params: [address, '0x1'] },
        ...(isLocking(definition)
          ? [{ method: 'anvil_dealERC20', params: [oft.pool, oft.token, numberToHex(locked)] }]
          : []),
      ]
    }),
  )
}

/** In the storage of OAppCore, behind its owner. */
function peersOf({ symbol }: OmnichainToken, others: readonly ChainDefinition[]): [Hex, Hex][] {
  return others.flatMap((other): [Hex, Hex][] => {
    const peer = oftsOn(other).find((one) => one.symbol === symbol)
    if (!peer) return []
    const key = encodeAbiParameters(parseAbiParameters('uint32, uint256'), [
      bridgeAddresses(other).eid,
      1n,
    ])
    return [[keccak256(key), padHex(peer.pool, { size: 32 })]]
  })
}
