/** Longest files first, so that in the end no worker is alone with a long one. */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Slow files of about two minutes and more, and those of `npm test` of about ten seconds and more, the longest first. Others
 * follow in Vitest's order, which on a clean clone is by size; a file that is missing here only starts later.
 */
const long: readonly string[] = [
  'test/e2e/history/hindsight.slow.ts',
  'test/e2e/routes/adaptive.slow.ts',
  'test/e2e/routes/cold.slow.ts',
  'test/e2e/routes/cautions.slow.ts',
  'test/integration/engine/engine-life.slow.ts',
  'test/integration/rpc/steady-noise.slow.ts',
  'test/e2e/routes/l1-ranking.slow.ts',
  'test/e2e/bundles/front-runs.slow.ts',
  'test/e2e/history/quiet-blocks.slow.ts',
  'test/e2e/bundles/random-bundles.slow.ts',
  'test/e2e/positions/position-prices.slow.ts',
  'test/e2e/history/auto-slippage.slow.ts',
  'test/e2e/crosschain/proof.slow.ts',
  'test/e2e/service/installed.slow.ts',
  'test/e2e/history/backtest-killed.slow.ts',
  'test/e2e/service/adversaries.slow.ts',
  'test/e2e/pool-index/routes.slow.ts',
  'test/e2e/bundles/actions.slow.ts',
  'test/e2e/service/processes.slow.ts',
  'test/e2e/history/eras.slow.ts',
  'test/e2e/history/cassette.slow.ts',
  'test/e2e/routes/declared-venues.slow.ts',
  'test/e2e/client/client.slow.ts',
  'test/e2e/crosschain/hard-cases.slow.ts',
  'test/e2e/console/history.slow.ts',
  'test/e2e/routes/declared-desk.slow.ts',
  'test/e2e/crosschain/lanes.slow.ts',
  'test/e2e/crosschain/backtest.slow.ts',
  'test/e2e/routes/determinism.slow.ts',
  'test/e2e/positions/gauges.slow.ts',
  'test/e2e/service/fuzz.slow.ts',
  'test/e2e/crosschain/positions.slow.ts',
  'test/e2e/service/statuses.slow.ts',
  'test/e2e/history/cassette.e2e.ts',
  'test/e2e/answers/exact-output.e2e.ts',
  'test/e2e/routes/strategies.e2e.ts',
  'test/e2e/routes/tokens.e2e.ts',
  'test/e2e/routes/venues.e2e.ts',
  'test/api/operators/checks.itest.ts',
  'test/e2e/routes/quotes.e2e.ts',
  'test/e2e/bundles/whole-bundles.e2e.ts',
  'test/api/metadata.itest.ts',
  'test/e2e/bundles/outputs.e2e.ts',
  'test/e2e/routes/splits.e2e.ts',
  'test/e2e/history/backtest.e2e.ts',
  'test/api/tokens.itest.ts',
  'test/e2e/answers/what-if.e2e.ts',
  'test/e2e/routes/other-chains.e2e.ts',
  'test/e2e/service/faults.e2e.ts',
  'test/integration/forks/funding.itest.ts',
  'test/e2e/routes/gas.e2e.ts',
  'test/integration/backtest/files.itest.ts',
  'test/integration/rpc/bad-nodes.itest.ts',
  'test/integration/backtest/jobs.itest.ts',
  'test/e2e/bundles/action-receivers.e2e.ts',
  'test/integration/rpc/proofs.itest.ts',
  'test/integration/protocols/liquidity-gauge.itest.ts',
  'test/integration/rpc/archive.itest.ts',
  'test/integration/sandbox/chain.itest.ts',
  'test/e2e/answers/trace.e2e.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const rank = ({ project, moduleId }: TestSpecification) => {
      const at = long.indexOf(relative(project.vitest.config.root, moduleId))
      return at < 0 ? long.length : at
    }
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => group(a) - group(b) || rank(a) - rank(b))
  }
}
