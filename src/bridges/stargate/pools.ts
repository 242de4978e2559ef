/** Stargate V2 (LayerZero): the pools of a chain, by its definition, and what they send. Pure. */
import { hexToNumber, size, slice } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { defined } from '../../domain/defined.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import { statedDecimals } from '../decimals.js'
import { type Family, layerZeroChain, type OmnichainToken } from '../layerzero/family.js'
import { readTransfer, type Transfer } from '../layerzero/packet.js'

/** Type of a message that carries one transfer. */
const taxi = 1

/** Null where the chain has no Stargate. */
export function tokenMessagingOf({ bridges }: Pick<ChainDefinition, 'bridges'>): Address | null {
  const { tokenMessaging } = bridges?.stargate ?? {}
  return tokenMessaging === undefined ? null : toAddress(String(tokenMessaging))
}

/** None where the chain has no Stargate. */
export function stargatePools(chain: Pick<ChainDefinition, 'bridges'>): OmnichainToken[] {
  const { pools = [] } = chain.bridges?.stargate ?? {}
  const [layerZero, messenger] = [layerZeroChain(chain), tokenMessagingOf(chain)]
  if (!Array.isArray(pools) || !layerZero || !messenger) return []
  return pools.map((entry: string) => {
    const [symbol = '', pool = '', token = '', part] = entry.split(':')
    return {
      symbol,
      pool: toAddress(pool),
      token: toAddress(token),
      endpoint: layerZero.endpoint,
      messenger,
      ...defined({ decimals: statedDecimals(part) ?? undefined }),
    }
  })
}

/** A taxi is an OFT's transfer behind its type and the asset's number. Null: a bus. @see stg-evm-v2 2.0.6, src/libs/TaxiCodec.sol */
export function readTaxi(payload: Hex): Transfer | null {
  if (size(payload) < 43 || hexToNumber(slice(payload, 0, 1)) !== taxi) return null
  return readTransfer(slice(payload, 3))
}

export const stargateFamily: Family = {
  slug: 'stargate',
  tokensOn: stargatePools,
  readTransfer: readTaxi,
  paysOutOfPools: true,
}
