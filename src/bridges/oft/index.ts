/**
 * OFTs over LayerZero, USDT0 among them: a token's own contract locks or burns on the source, and mints or pays out on the
 * destination. There is no pool that ends and no fee but the messaging's, unless the OFT says so. Which OFTs are on a chain
 * is in the chains' definitions, all else is asked of them.
 */
import type { ChainDefinition } from '../../chains/chain.js'
import { type Probe, probe } from '../../chains/probe.js'
import { isNative, zeroAddress } from '../../domain/primitives.js'
import type { DeliveryTerms, Lane } from '../bridge.js'
import { layerZeroBridge } from '../layerzero/adapter.js'
import { oftErrorsAbi } from './abi.js'
import { quote } from './quote.js'
import { oftFamily, oftsOn } from './tokens.js'

function probes(chain: ChainDefinition): Probe[] {
  return oftsOn(chain).flatMap(({ symbol, pool, token, endpoint }) => {
    const name = `OFT of ${symbol}`
    return [
      probe(name, pool, 'token()', isNative(token) ? zeroAddress : token),
      probe(name, pool, 'endpoint()', endpoint),
    ]
  })
}

/** As Stargate's pools, without the fee library that they ask. */
function gasEstimate(_lane: Lane, { message }: DeliveryTerms): bigint {
  return 230_000n + (message === '0x' ? 0n : 42_000n)
}

export const oft = layerZeroBridge(oftFamily, {
  name: 'OFT',
  names: ['oft', 'layerzero'],
  probes,
  quote,
  gasEstimate,
  errorsAbi: oftErrorsAbi,
})
