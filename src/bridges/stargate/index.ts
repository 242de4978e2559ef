/**
 * Stargate V2 over LayerZero: a pool takes tokens and sends a message, a pool of the same asset pays on the destination,
 * within the credit that the path has. Pools and endpoints are in the chains' definitions, limits and fees in the pools.
 */
import type { ChainDefinition } from '../../chains/chain.js'
import { type Probe, probe } from '../../chains/probe.js'
import { isNative, zeroAddress } from '../../domain/primitives.js'
import type { DeliveryTerms, Lane } from '../bridge.js'
import { layerZeroBridge } from '../layerzero/adapter.js'
import { layerZeroChain } from '../layerzero/family.js'
import { stargateErrorsAbi } from './errors.js'
import { stargateFamily, stargatePools, tokenMessagingOf } from './pools.js'
import { quote } from './quote.js'

function probes(chain: ChainDefinition): Probe[] {
  const [layerZero, tokenMessaging] = [layerZeroChain(chain), tokenMessagingOf(chain)]
  if (!layerZero || !tokenMessaging) return []
  const { endpoint, eid } = layerZero
  return [
    probe('LayerZero EndpointV2', endpoint, 'eid()', BigInt(eid)),
    probe('Stargate TokenMessaging', tokenMessaging, 'endpoint()', endpoint),
    ...stargatePools(chain).flatMap(({ symbol, pool, token }) => {
      const name = `Stargate pool of ${symbol}`
      return [
        probe(name, pool, 'token()', isNative(token) ? zeroAddress : token),
        probe(name, pool, 'endpoint()', endpoint),
      ]
    }),
  ]
}

/** Measured on the sandbox. */
function gasEstimate({ tokenIn }: Lane, { message }: DeliveryTerms): bigint {
  return (isNative(tokenIn) ? 241_000n : 289_000n) + (message === '0x' ? 0n : 42_000n)
}

export const stargate = layerZeroBridge(stargateFamily, {
  name: 'Stargate',
  names: ['stargate', 'layerzero'],
  probes,
  quote,
  gasEstimate,
  errorsAbi: stargateErrorsAbi,
})
