/** `forkroute/testing/vitest`: imported for its effect, in a test or as a setup file, it adds the matchers to vitest. */
import { expect } from 'vitest'
import { type ForkrouteMatchers, forkrouteMatchers } from './matchers.js'

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as vitest declares it
  interface Matchers<T = any> extends ForkrouteMatchers<T> {}
}

expect.extend(forkrouteMatchers)
