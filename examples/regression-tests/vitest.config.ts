import { defineConfig } from 'vitest/config'

// A recording waits for its node; a replay takes a fraction of a second.
export default defineConfig({ test: { testTimeout: 60_000 } })
