/** Every bridge the service knows. A new one: its folder, and its line here. */
import { createAcross } from './across/index.js'
import type { AcrossSettings } from './across/settings.js'
import type { BridgeAdapter } from './bridge.js'
import { stargate } from './stargate/index.js'

/** In the order in which their lanes are looked at. */
export function createBridges(
  settings: { readonly across?: Partial<AcrossSettings> } = {},
): BridgeAdapter[] {
  return [stargate, createAcross(settings.across)]
}

export const bridges: readonly BridgeAdapter[] = createBridges()

/** Undefined for a bridge that is not installed. */
export function bridgeBySlug(
  slug: string,
  among: readonly BridgeAdapter[] = bridges,
): BridgeAdapter | undefined {
  return among.find((bridge) => bridge.slug === slug)
}

/** @param ignored - of `domain/bridges/names.ts`; those of bridges that are not installed exclude nothing. */
export function bridgesWithout(
  ignored: readonly string[],
  among: readonly BridgeAdapter[] = bridges,
): BridgeAdapter[] {
  return among.filter(({ names }) => !names.some((name) => ignored.includes(name)))
}
