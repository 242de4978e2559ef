/** Every bridge the service knows. A new one: its folder, and its line here. */
import { type AcrossSettings, createAcross } from './across/index.js'
import type { BridgeAdapter } from './bridge.js'
import { stargate } from './stargate/index.js'

/** In the order in which their lanes are looked at. */
export function createBridges(
  settings: { readonly across?: AcrossSettings } = {},
): BridgeAdapter[] {
  return [stargate, createAcross(settings.across)]
}

export const bridges: readonly BridgeAdapter[] = createBridges()

/** What `ignoreBridges` accepts. Names of bridges that are not installed exclude nothing. */
export const bridgeNames = [
  'ccip',
  'relay',
  'stargate',
  'cctp',
  'layerzero',
  'across',
  'canonical',
] as const

/** Undefined for a bridge that is not installed. */
export function bridgeBySlug(
  slug: string,
  among: readonly BridgeAdapter[] = bridges,
): BridgeAdapter | undefined {
  return among.find((bridge) => bridge.slug === slug)
}

/** @param ignored - names as `bridgeNames` has them. */
export function bridgesWithout(
  ignored: readonly string[],
  among: readonly BridgeAdapter[] = bridges,
): BridgeAdapter[] {
  return among.filter(({ names }) => !names.some((name) => ignored.includes(name)))
}
