import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/sequencer.js'

// Files of one worker share its modules: half a minute of imports less, and nothing in src depends on being new.
const common = {
  environment: 'node' as const,
  isolate: false,
  // What is waited for comes when the machine has time for it.
  expect: { poll: { timeout: 60_000 } },
}

/** Of the projects that start chains and services. */
const whole = { ...common, globalSetup: ['test/global-setup.ts'], maxWorkers: 2 }

/** Of those whose services are asked as by clients. */
const asked = { ...whole, setupFiles: ['test/support/family/fail-unfit.ts'] }

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/not-run-reporter.ts'],
    projects: [
      // Properties with hundreds of cases take seconds where other processes keep the cores busy.
      {
        test: {
          ...common,
          name: 'unit',
          include: ['{src,workers,bench,scripts,site}/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          ...whole,
          name: 'integration',
          sequence: { groupOrder: 1 },
          include: ['test/**/*.itest.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
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
          ...asked,
          name: 'e2e',
          sequence: { groupOrder: 2 },
          include: ['test/**/*.e2e.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          ...asked,
          name: 'slow',
          // Many of them wait for nodes that are far away.
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
          include: ['test/**/*.slow.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          ...asked,
          name: 'servers',
          sequence: { groupOrder: 4 },
          include: ['test/**/*.servers.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
