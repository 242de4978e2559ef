/** Longest files first, so that in the end no worker is alone with a long one. */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Slow files of about a minute and more, and those of `npm test` of about five seconds and more, the longest first. Others
 * follow in Vitest's order, which on a clean clone is by size; a file that is missing here only starts later.
 */
const long: readonly string[] = [
  'test/e2e/routes/cold.slow.ts',
  'test/e2e/history/hindsight.slow.ts',
  'test/e2e/routes/cautions.slow.ts',
  'test/e2e/routes/adaptive.slow.ts',
  'test/e2e/crosschain/oft.slow.ts',
  'test/e2e/crosschain/cctp.slow.ts',
  'test/e2e/crosschain/proof.slow.ts',
  'test/e2e/service/installed.slow.ts',
  'test/e2e/crosschain/across-fills.slow.ts',
  'test/e2e/history/auto-slippage.slow.ts',
  'test/e2e/history/quiet-blocks.slow.ts',
  'test/integration/engine/engine-life.slow.ts',
  'test/e2e/bundles/front-runs.slow.ts',
  'test/e2e/crosschain/hard-cases.slow.ts',
  'test/e2e/pool-index/pendle.slow.ts',
  'test/e2e/crosschain/waiting.slow.ts',
  'test/e2e/history/backtest-killed.slow.ts',
  'test/e2e/bundles/random-bundles.slow.ts',
  'test/e2e/answers/command-line.slow.ts',
  'test/e2e/service/fuzz.slow.ts',
  'test/e2e/service/adversaries.slow.ts',
  'test/e2e/service/replay-tx.slow.ts',
  'test/e2e/bundles/actions.slow.ts',
  'test/e2e/service/verified-state.slow.ts',
  'test/integration/forks/block-limits.slow.ts',
  'test/e2e/pool-index/routes.slow.ts',
  'test/integration/sandbox/state.slow.ts',
  'test/e2e/console/curves.slow.ts',
  'test/e2e/console/route.slow.ts',
  'test/e2e/service/mcp.slow.ts',
  'test/e2e/service/processes.slow.ts',
  'test/integration/rpc/steady-noise.slow.ts',
  'test/e2e/history/regression-tests.slow.ts',
  'test/e2e/crosschain/backtest.slow.ts',
  'test/e2e/routes/balancer-v3.slow.ts',
  'test/e2e/orders/one-inch-orders.slow.ts',
  'test/e2e/console/history.slow.ts',
  'test/e2e/client/client.slow.ts',
  'test/e2e/history/eras.slow.ts',
  'test/e2e/service/statuses.slow.ts',
  'test/e2e/answers/exact-output.e2e.ts',
  'test/e2e/history/cassette.e2e.ts',
  'test/e2e/routes/strategies.e2e.ts',
  'test/e2e/routes/venues.e2e.ts',
  'test/e2e/history/backtest.e2e.ts',
  'test/e2e/service/faults.e2e.ts',
  'test/api/operators/checks.itest.ts',
  'test/api/metadata.itest.ts',
  'test/api/tokens.itest.ts',
  'test/e2e/bundles/whole-bundles.e2e.ts',
  'test/e2e/routes/splits.e2e.ts',
  'test/e2e/routes/quotes.e2e.ts',
  'test/e2e/evidence/evidence.e2e.ts',
  'test/integration/rpc/bad-nodes.itest.ts',
  'test/e2e/bundles/outputs.e2e.ts',
  'test/api/bridges.itest.ts',
  'test/e2e/answers/what-if.e2e.ts',
  'test/e2e/routes/gas.e2e.ts',
  'test/e2e/routes/partial.e2e.ts',
  'test/e2e/routes/tokens.e2e.ts',
  'test/integration/rpc/archive.itest.ts',
  'test/integration/rpc/upstream.itest.ts',
  'test/e2e/routes/other-chains.e2e.ts',
  'test/e2e/errors/first-day.e2e.ts',
  'test/e2e/routes/deadline.e2e.ts',
  'test/integration/protocols/uniswap-swaps.itest.ts',
  'test/e2e/answers/trace.e2e.ts',
  'test/e2e/positions/lending-routes.e2e.ts',
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
