/** Longest files first, so that in the end no worker is alone with a long one. */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files above five seconds, the longest first (`npm run test:times`). Others follow in Vitest's order, which on a
 * clean clone, without the times of an earlier run, is by size; a file that is missing here only starts later.
 */
const long: readonly string[] = [
  'test/e2e/history/hindsight.slow.ts',
  'test/e2e/routes/cautions.slow.ts',
  'test/e2e/routes/cold.slow.ts',
  'test/e2e/history/quiet-blocks.slow.ts',
  'test/e2e/crosschain/proof.slow.ts',
  'test/integration/engine/engine-life.slow.ts',
  'test/e2e/bundles/front-runs.slow.ts',
  'test/e2e/crosschain/hard-cases.slow.ts',
  'test/integration/exchanges/balancer-v3.slow.ts',
  'test/e2e/history/backtest-killed.slow.ts',
  'test/e2e/history/cassette.slow.ts',
  'test/e2e/bundles/actions.slow.ts',
  'test/integration/rpc/steady-noise.slow.ts',
  'test/e2e/crosschain/backtest.slow.ts',
  'test/e2e/positions/position-prices.slow.ts',
  'test/e2e/service/fuzz.slow.ts',
  'test/e2e/service/statuses.slow.ts',
  'test/e2e/routes/determinism.slow.ts',
  'test/e2e/service/mcp.slow.ts',
  'test/e2e/history/eras.slow.ts',
  'test/integration/engine/history-engine.slow.ts',
  'test/e2e/crosschain/positions.slow.ts',
  'test/e2e/service/faults.slow.ts',
  'test/e2e/pool-index/hooks.slow.ts',
  'test/e2e/orders/signed-orders.slow.ts',
  'test/e2e/history/regression-tests.slow.ts',
  'test/e2e/answers/command-line.slow.ts',
  'test/api/cli.slow.ts',
  'test/e2e/crosschain/lanes.slow.ts',
  'test/e2e/chains/new-chains.slow.ts',
  'test/e2e/service/backup.slow.ts',
  'test/integration/forks/pool.itest.ts',
  'test/integration/protocols/balancer-v2.itest.ts',
  'test/integration/forks/judges.itest.ts',
  'test/integration/rpc/archive.itest.ts',
  'test/integration/rpc/cassette.itest.ts',
  'test/integration/deploy/sbom.itest.ts',
  'test/api/requests.itest.ts',
  'test/e2e/routes/quotes.e2e.ts',
  'test/e2e/history/cassette.e2e.ts',
  'test/e2e/routes/tokens.e2e.ts',
  'test/e2e/answers/exact-output.e2e.ts',
  'test/e2e/routes/splits.e2e.ts',
  'test/e2e/routes/route.e2e.ts',
  'test/e2e/routes/strategies.e2e.ts',
  'test/e2e/routes/venues.e2e.ts',
  'test/e2e/bundles/whole-bundles.e2e.ts',
  'test/e2e/routes/other-chains.e2e.ts',
  'test/e2e/bundles/bundle.e2e.ts',
  'test/e2e/routes/gas.e2e.ts',
  'test/e2e/service/faults.e2e.ts',
  'test/e2e/history/backtest.e2e.ts',
  'test/e2e/history/hindsight.e2e.ts',
  'test/e2e/positions/positions.slow.ts',
  'test/e2e/routes/imported-pool.slow.ts',
  'test/e2e/positions/aave-v3.slow.ts',
  'test/e2e/bundles/bundle-signatures.slow.ts',
  'test/e2e/history/hindsight-nodes.slow.ts',
  'test/e2e/positions/liquidity.slow.ts',
  'test/e2e/service/balances.slow.ts',
  'test/e2e/service/interrupt.slow.ts',
  'test/e2e/positions/opportunities.slow.ts',
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
