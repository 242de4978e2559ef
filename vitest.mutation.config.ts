import { defineConfig } from 'vitest/config'

/** The unit tests as mutants meet them: one project, and without the long walks over whole markets. */
export default defineConfig({
  test: {
    environment: 'node',
    isolate: false,
    // Stryker ends what hangs; a busy machine is no reason to take a mutant for killed.
    testTimeout: 120_000,
    include: ['src/**/*.test.ts'],
    exclude: [
      'src/routing/search/search-quality.test.ts',
      'src/routing/search/split-restricted.test.ts',
    ],
  },
})
