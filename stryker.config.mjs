/** Mutation tests: `npm run test:mutation`; what they showed is in docs/develop/testing.md. */
const math = '{math,ray,fixed-point,*-math,swap,swap-step,stable-*,crypto-*}'

export default {
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner', './scripts/mutation-ignorer.mjs'],
  ignorers: ['error-messages'],
  mutate: [
    `src/protocols/**/${math}.ts`,
    'src/routing/search/split*.ts',
    'src/routing/route/choose.ts',
    'src/cassette/request-form.ts',
    'src/rpc/cassette/cassette-codec.ts',
    'src/rpc/node/state-item.ts',
    'src/api/{errors,parser-errors}.ts',
    'src/domain/errors.ts',
    '!src/**/*.test.ts',
  ],
  concurrency: 1,
  timeoutMS: 5_000,
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  incremental: true,
  reporters: ['clear-text', 'json'],
  allowEmpty: true,
  allowConsoleColors: false,
  tempDirName: '.stryker-tmp',
  ignorePatterns: ['.cache', 'data', 'fixtures', 'docs', 'contracts', 'reports'],
}
