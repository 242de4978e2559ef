/** OFTs (LayerZero): those of a chain, by its definition. Pure. */
import type { ChainDefinition } from '../../chains/chain.js'
import { defined } from '../../domain/defined.js'
import { toAddress } from '../../domain/primitives.js'
import { statedDecimals } from '../decimals.js'
import { type Family, layerZeroChain, type OmnichainToken } from '../layerzero/family.js'
import { readTransfer } from '../layerzero/packet.js'

/** None where the chain names none, or has no LayerZero. */
export function oftsOn(chain: Pick<ChainDefinition, 'bridges'>): OmnichainToken[] {
  const { pools = [] } = chain.bridges?.oft ?? {}
  const layerZero = layerZeroChain(chain)
  if (!layerZero) return []
  return [pools].flat().map((entry) => {
    const [symbol = '', contract = '', token = '', part] = String(entry).split(':')
    const oft = toAddress(contract)
    return {
      symbol,
      pool: oft,
      token: toAddress(token),
      endpoint: layerZero.endpoint,
      messenger: oft,
      ...defined({ decimals: statedDecimals(part) ?? undefined }),
    }
  })
}

export const oftFamily: Family = {
  slug: 'oft',
  tokensOn: oftsOn,
  readTransfer,
  paysOutOfPools: false,
}
