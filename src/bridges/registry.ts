/** Every bridge the service knows. A new one: its folder, and its line here. */
import type { Abi } from 'viem'
import { executorErrorsAbi } from '../executor/errors.js'
import { createAcross } from './across/index.js'
import type { AcrossSettings } from './across/settings.js'
import type { BridgeAdapter } from './bridge.js'
import { canonical } from './canonical/index.js'
import { createCctp } from './cctp/index.js'
import type { CctpSettings } from './cctp/settings.js'
import { oft } from './oft/index.js'
import { stargate } from './stargate/index.js'

/** In the order in which their lanes are looked at. */
export function createBridges(
  settings: {
    readonly across?: Partial<AcrossSettings>
    readonly cctp?: Partial<CctpSettings>
  } = {},
): BridgeAdapter[] {
  return [stargate, createAcross(settings.across), createCctp(settings.cctp), canonical, oft]
}

export const bridges: readonly BridgeAdapter[] = createBridges()

/** The custom errors of our contracts and of those of all bridges. */
export const contractErrorsAbi: Abi = [
  ...executorErrorsAbi,
  ...bridges.flatMap(({ errorsAbi }) => errorsAbi),
]

/** Undefined for a bridge that is not installed. */
export function bridgeBySlug(
  slug: string,
  among: readonly BridgeAdapter[] = bridges,
): BridgeAdapter | undefined {
  return among.find((bridge) => bridge.slug === slug)
}

/** @throws RangeError for a bridge that is not installed. */
export function bridgeOf(
  { bridge }: { readonly bridge: string },
  among: readonly BridgeAdapter[] = bridges,
): BridgeAdapter {
  const found = bridgeBySlug(bridge, among)
  if (!found) throw new RangeError(`There is no bridge ${bridge}.`)
  return found
}

/** @param ignored - of `domain/bridges/names.ts`; those of bridges that are not installed exclude nothing. */
export function bridgesWithout(
  ignored: readonly string[],
  among: readonly BridgeAdapter[] = bridges,
): BridgeAdapter[] {
  return among.filter(({ names }) => !names.some((name) => ignored.includes(name)))
}
