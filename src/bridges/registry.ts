/** All bridges: one line each. */
import type { BridgeAdapter } from './bridge.js'

export const bridges: readonly BridgeAdapter[] = []

export function bridgeBySlug(slug: string): BridgeAdapter | undefined {
  return bridges.find((bridge) => bridge.slug === slug)
}

/** Those that none of the names excludes. */
export function bridgesBeside(ignored: readonly string[]): readonly BridgeAdapter[] {
  return bridges.filter(({ names }) => !names.some((name) => ignored.includes(name)))
}
