import { bridgeBySlug } from '../../../src/bridges/registry.js'
import { bridgeNames } from '../../../src/domain/bridges/names.js'

/** What to ignore so that one bridge is left: its slug to a list for `ignoreBridges`. */
export function allBut(slug: string): string {
  const own: readonly string[] = bridgeBySlug(slug)?.names ?? []
  return bridgeNames.filter((name) => !own.includes(name)).join(',')
}
