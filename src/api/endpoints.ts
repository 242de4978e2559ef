/** Every endpoint, in the order of the OpenAPI document. */
import type { Endpoint } from './contract.js'
import type { Dialect } from './records/dialect.js'
import { backtestEndpoints } from './routes/backtests.js'
import { bridgeEndpoints } from './routes/bridges.js'
import { bundleEndpoints } from './routes/bundle.js'
import { checkEndpoints } from './routes/checks.js'
import { contentsEndpoint } from './routes/contents.js'
import { hindsightEndpoints } from './routes/hindsight.js'
import { keyEndpoints } from './routes/keys.js'
import { metadataEndpoints } from './routes/metadata.js'
import { multichainEndpoints } from './routes/multichain.js'
import { nontokenizedEndpoints } from './routes/nontokenized.js'
import { operationEndpoints } from './routes/operations.js'
import { opportunityEndpoints } from './routes/opportunities.js'
import { orderEndpoints } from './routes/orders.js'
import { planEndpoints } from './routes/plan.js'
import { poolEndpoints } from './routes/pools.js'
import { positionEndpoints } from './routes/positions.js'
import { protocolEndpoints } from './routes/protocols.js'
import { quoteBatchEndpoints } from './routes/quote-batch.js'
import { shortcutEndpoints } from './routes/shortcuts.js'
import { systemEndpoints } from './routes/system.js'
import { tokenEndpoints } from './routes/tokens.js'
import { walletEndpoints } from './routes/wallet.js'

export function allEndpoints(dialect: Dialect): readonly Endpoint[] {
  const { serviceName } = dialect
  const endpoints = [
    ...shortcutEndpoints(dialect),
    ...quoteBatchEndpoints(dialect),
    ...nontokenizedEndpoints(dialect),
    ...bundleEndpoints(serviceName),
    ...planEndpoints,
    ...multichainEndpoints,
    ...bridgeEndpoints,
    ...metadataEndpoints,
    ...tokenEndpoints(dialect),
    ...positionEndpoints,
    ...protocolEndpoints(dialect),
    ...walletEndpoints(serviceName),
    ...opportunityEndpoints(serviceName),
    ...backtestEndpoints(dialect),
    ...hindsightEndpoints,
    ...poolEndpoints,
    ...orderEndpoints,
    ...checkEndpoints,
    ...keyEndpoints,
    ...operationEndpoints,
    ...systemEndpoints,
  ]
  return [...endpoints, contentsEndpoint(endpoints.map(({ definition }) => definition))]
}
