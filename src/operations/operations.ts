/** Puts together what those who run a service see and change: every part of it that is no route. */

import type { OrderStore } from '../catalog/order-store.js'
import { type Catalog, openCatalog } from '../catalog/store.js'
import type { ChainDefinition } from '../chains/chain.js'
import type { Config } from '../config/config.js'
import { examine } from '../doctor/machine-checks.js'
import type { StateOverlay } from '../domain/changes/overlay.js'
import type { EvidenceDesk } from '../domain/operations/evidence.js'
import type { Operations } from '../domain/operations/operations.js'
import type { KnownPool, PoolQuery } from '../domain/operations/pools.js'
import type { DoctorCheck } from '../domain/operations/system.js'
import type { Makers } from '../domain/signed-order.js'
import { orderSettlement } from '../executor/order-settlement.js'
import { type IndexSearch, indexState, searchIndex } from '../pool-index/search.js'
import { createChildTasks } from '../processes/child-tasks.js'
import type { Pool } from '../protocols/pool.js'
import { cassetteFolder } from './cassette-folder.js'
import { createChecks } from './checks.js'
import { withoutAddresses } from './masked.js'
import type { ReadingTasks } from './reading-tasks.js'
import { environmentOf, settingsOf } from './settings.js'
import { toSignedOrders } from './signed-orders.js'
import { type SystemParts, systemState } from './system.js'

export interface OperationsParts extends Omit<SystemParts, 'processes' | 'venues'> {
  readonly config: Config
  /** Where the index of pools is: the data folder of a service that records is another one. */
  readonly indexDir: string
  readonly chains: readonly ChainDefinition[]
  /** Nodes by chain; empty in a replay. */
  readonly urls: Readonly<Record<number, readonly string[]>>
  readonly catalog: Catalog
  readonly orders: OrderStore
  readonly makers: Makers
  readonly evidence: EvidenceDesk
  readonly overlays: { current(chainId: number): StateOverlay | null }
  /** Pools of the sandbox's Ethereum, which no look-up finds. */
  readonly sandboxPools: readonly Pool[]
}

/** Time that reading a cassette may take for one request. */
const longestReadMs = 20_000

export function createOperations(parts: OperationsParts): Operations & { close(): Promise<void> } {
  const { config, catalog, chains } = parts
  const reading = createChildTasks<ReadingTasks>('reading', longestReadMs)
  const folder = cassetteFolder(config.cassettesDir, reading)
  const checks = createChecks({
    dataDir: config.dataDir,
    folder,
    environment: environmentOf(config),
    urls: parts.urls,
    preparePools(dataDir) {
      const other = openCatalog(dataDir)
      try {
        if (parts.sandboxPools.length > 0) other.importPools(1, parts.sandboxPools)
        for (const { id } of chains) {
          const imported = catalog.listPools(id).filter(({ source }) => source === 'imported')
          other.importPools(id, imported)
        }
      } finally {
        other.close()
      }
    },
  })
  let examination: Promise<readonly DoctorCheck[]> | null = null

  return {
    system: () => systemState({ ...parts, processes: config.processes, venues: config.venues }),
    settings: () => settingsOf(config),
    doctor() {
      examination ??= examine(() => config)
        .then((found) => found.map((one) => ({ ...one, found: withoutAddresses(one.found) })))
        .finally(() => {
          examination = null
        })
      return examination
    },
    pools: poolsOf,
    importPools: (chainId, pools) => catalog.importPools(chainId, pools),
    async importOrders(owner, visibility, given) {
      const orders = await toSignedOrders(given)
      const hashes = orders.map(({ hash }) => hash)
      const imported = parts.orders.import(owner, visibility, orders)
      return { ...imported, hashes, settlement: orderSettlement }
    },
    ordersOf: (owner, query) => parts.orders.ordersOf(owner, query),
    removeOrders: (owner, chainId, hashes) => parts.orders.remove(owner, chainId, hashes),
    usableOrders: (owner, chainId) => parts.orders.usableBy(owner, chainId),
    makers: parts.makers,
    evidence: parts.evidence,
    overlay: (chainId) => parts.overlays.current(chainId),
    poolIndex: () =>
      chains.map((chain) => ({
        chainId: chain.id,
        isOn: config.poolIndex,
        ...indexState(parts.indexDir, chain),
      })),
    cassettes: folder.list,
    cassette: folder.facts,
    recording: folder.recording,
    checkCassette: checks.checkCassette,
    checkSuite: checks.checkSuite,
    checks: checks.checks,
    check: checks.check,
    async close() {
      await reading.close()
      await checks.close()
    },
  }

  function poolsOf({ hooks, ...query }: PoolQuery) {
    const { chainId } = query
    const among = hooks && catalog.poolsOfHooks(chainId, hooks)
    const found =
      query.source === 'indexed'
        ? indexed(parts.indexDir, { ...query, among })
        : catalog.searchPools({ ...query, source: query.source, among })
    const pools = found.pools.map((pool): KnownPool => {
      const seen = catalog.hooksOf(chainId, pool)
      return seen ? { ...pool, hooks: seen } : pool
    })
    return { total: found.total, pools }
  }
}

function indexed(dataDir: string, query: IndexSearch) {
  const { total, pools } = searchIndex(dataDir, query)
  return {
    total,
    pools: pools.map(({ block, ...pool }) => ({
      ...pool,
      chainId: query.chainId,
      source: 'indexed' as const,
      firstSeenBlock: String(block),
    })),
  }
}
