/** Whether a worker may calculate for a coordinator: both must come to the same answers. */
import { createHash } from 'node:crypto'
import type { Config } from '../config/config.js'
import { defined } from '../domain/defined.js'
import { toJson } from '../wire/json.js'

/**
 * The version, and a fingerprint of the settings that decide answers.
 * Not included, so the operator has to keep them equal: the pools imported into the catalog, and how far the index of
 * pools is.
 */
export function answersKind(config: Config, version: string): string {
  const {
    candidates,
    maxHops,
    poolBlacklist,
    v4Hooks,
    v4HooksAllowlist,
    liquidityFloorUsd,
    priorityFeePerGas,
    tokenLists,
    rpcUrls,
    acrossFeeBps,
    acrossMaxUsd,
    poolIndex,
    proof,
    dataFee,
    disabledAggregators,
    venues,
  } = config
  const settings = [
    { candidates, maxHops, liquidityFloorUsd, priorityFeePerGas, tokenLists },
    {
      acrossFeeBps,
      acrossMaxUsd,
      ...defined({
        poolIndex: poolIndex || undefined,
        proof: proof === 'all' ? undefined : proof,
        dataFee: dataFee === 'ranked' ? undefined : dataFee,
        disabledAggregators: disabledAggregators.length ? disabledAggregators : undefined,
        venues: venues.length ? venues : undefined,
        v4Hooks: v4Hooks === 'run' ? undefined : v4Hooks,
      }),
    },
    [poolBlacklist, v4HooksAllowlist].map((list) => list.toSorted()),
    // The sandbox plays chain 1 too.
    Object.keys(rpcUrls).length === 0,
  ]
  const sum = createHash('sha256').update(toJson(settings)).digest('hex')
  return `${version}-${sum.slice(0, 8)}`
}
