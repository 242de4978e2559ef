import { defineConfig } from 'vitest/config'

// Files of one worker share its modules: half a minute of imports less, and nothing in src depends on being new.
const common = { environment: 'node' as const, isolate: false }

export default defineConfig({
  test: {
    projects: [
      { test: { ...common, name: 'unit', include: ['{src,workers,bench}/**/*.test.ts'] } },
      {
        test: {
          ...common,
          name: 'integration',
          sequence: { groupOrder: 1 },
          include: ['test/**/*.itest.ts'],
          globalSetup: ['test/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          ...common,
          name: 'mainnet',
          include: ['test/mainnet/*.mtest.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          ...common,
          name: 'e2e',
          sequence: { groupOrder: 2 },
          include: ['test/**/*.e2e.ts'],
          globalSetup: ['test/global-setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: 2,
        },
      },
    ],
  },
})
