/** The engine's method that reports the state of the chains. */
import type { Engine } from '../domain/engine.js'
import { nativeToken } from '../domain/primitives.js'
import type { Archive } from '../rpc/archive/archive.js'
import type { ConfiguredChains } from './configured-chains.js'
import type { Pins } from './pins.js'

export function createChainStatus(parts: {
  readonly chains: ConfiguredChains
  readonly archive: Pick<Archive, 'status'>
  readonly pins: Pick<Pins, 'current'>
}): Pick<Engine, 'networks' | 'readiness'> {
  const { chains, archive, pins } = parts
  const pinnedNumber = (chainId: number): number | null => {
    const pin = pins.current(chainId)
    return pin ? Number(pin.number) : null
  }
  return {
    networks: () =>
      chains.all.map(({ id, name }) => ({
        id,
        name,
        isConnected: archive.status(id).connected,
        nativeToken,
        blockNumber: pinnedNumber(id),
      })),

    readiness() {
      const reports = chains.all.map(({ id }) => {
        const { capabilities, problem, headAgeSeconds } = archive.status(id)
        const blockNumber = pinnedNumber(id)
        return {
          chainId: id,
          ready: blockNumber !== null && problem === null,
          blockNumber,
          ageSeconds: headAgeSeconds,
          capabilities,
          problem,
        }
      })
      return { ready: reports.every(({ ready }) => ready), chains: reports }
    },
  }
}
