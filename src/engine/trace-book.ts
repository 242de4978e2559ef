/** Handles what a task reports besides its result: figures for the metrics, and pools for the catalog. */
import type { Catalog } from '../catalog/store.js'
import type { BlockPin } from '../domain/primitives.js'
import { poolKey } from '../protocols/pool.js'
import { protocols } from '../protocols/registry.js'
import type { TaskTrace } from '../routing/dispatch.js'
import { count, observe } from '../telemetry/metrics.js'

export interface TraceBook {
  note(pin: BlockPin, trace: TaskTrace): void
}

/** @param onProblem - receives the error of a catalog that cannot be written, since no caller sees it. */
export function createTraceBook(
  catalog: Pick<Catalog, 'rememberPools' | 'rememberHooks'>,
  onProblem: (error: unknown) => void,
): TraceBook {
  /** `<chain id>:<pool key>` of the pools that are in the catalog already. */
  const remembered = new Set<string>()
  for (const { slug } of protocols) count('candidate_reverts_total', { protocol: slug }, 0)
  return {
    note({ chainId, number }, trace) {
      for (const [stage, seconds] of Object.entries(trace.stages))
        observe('stage_seconds', { stage }, seconds)
      for (const result of ['success', 'reverted', 'unreadable'] as const) {
        if (trace.simulations[result])
          count('simulations_total', { result }, trace.simulations[result])
      }
      for (const [protocol, n] of Object.entries(trace.reverts)) {
        count('candidate_reverts_total', { protocol }, n)
      }
      for (const bps of trace.improvementsBps) observe('improvement_bps', {}, bps)
      const fresh = trace.discovered.filter(
        (pool) => !remembered.has(`${chainId}:${poolKey(pool)}`),
      )
      if (fresh.length === 0 && trace.classed.length === 0) return
      try {
        if (fresh.length > 0) catalog.rememberPools(chainId, fresh, number)
        for (const pool of fresh) remembered.add(`${chainId}:${poolKey(pool)}`)
        if (trace.classed.length > 0) catalog.rememberHooks(chainId, trace.classed, number)
      } catch (error) {
        onProblem(error)
      }
    },
  }
}
