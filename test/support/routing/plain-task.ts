/** A real task of a routing thread at a block that is plain data: storage, pairs and the results of simulations. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openCatalog } from '../../../src/catalog/store.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address, Hex } from '../../../src/domain/primitives.js'
import type { SimulationRequest, SimulationResult, StateReader } from '../../../src/domain/state.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { BlockFacts } from '../../../src/routing/block/block-facts.js'
import { openTask, type Task } from '../../../src/routing/block/task.js'
import type { WorkerSettings } from '../../../src/routing/block/worker-settings.js'
import { pinOf } from '../pin.js'

export interface Pair {
  readonly address: Address
  /** In the order of their addresses. */
  readonly tokens: readonly [Address, Address]
  /** Raw units, in the order of the tokens. */
  readonly reserves: readonly [bigint, bigint]
  /** True: its storage cannot be read. */
  readonly isUnreadable?: boolean
}

/** Slot of the packed reserves in a Uniswap V2 pair. */
const reservesSlot: Hex = `0x${'8'.padStart(64, '0')}`

/**
 * @param plain.pairs - pairs of Uniswap V2, the only pools of the block; what else is read is zero, as of an empty chain.
 * @param plain.simulate - the result of each transaction, by what is asked; default: nothing may be simulated.
 * @param plain.settings - where they differ from those of a replay that proves eight candidates.
 */
export function plainTask(plain: {
  readonly pairs: readonly Pair[]
  readonly simulate?: (request: SimulationRequest) => SimulationResult
  readonly settings?: Partial<WorkerSettings>
}): Task {
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-plain-'))
  const catalog = openCatalog(dataDir)
  onTestFinished(() => {
    catalog.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const pools = plain.pairs.map(toPool)
  const settings: WorkerSettings = {
    dataDir,
    candidates: 8,
    maxHops: 3,
    poolBlacklist: [],
    liquidityFloorUsd: 0,
    priorityFeePerGas: {},
    tokens: [],
    // Nothing is read ahead of what is asked.
    cassette: 'replay',
    sandboxPools: pools,
    ...plain.settings,
  }
  const pin = pinOf(1, 100)
  const facts = new BlockFacts(ethereum, pin, {
    settings,
    // Every balance can be overridden, and no token is traced.
    tokens: { funding: { fund: async () => ({}) }, access: { of: async () => null } },
    catalog,
    poolIndex: null,
    listedTokens: new Map(),
    sandboxPoolsOf: () => pools,
    poolsOf: (_chainId, protocol) => pools.filter((pool) => pool.protocol === protocol),
  })
  const simulate = plain.simulate ?? unexpected
  return openTask({
    settings,
    facts,
    reader: readerOf(plain.pairs),
    source: { pin, archiveUrl: 'http://127.0.0.1:9', forks: Promise.resolve({ forkUrls: [] }) },
    signal: new AbortController().signal,
    deadline: null,
    batch: async (requests) => requests.map((request) => simulate(request)),
  })
}

function toPool({ address, tokens }: Pair): Pool {
  return { protocol: 'uniswap-v2', id: address, address, tokens, parameters: { feeBps: 30 } }
}

function readerOf(pairs: readonly Pair[]): StateReader {
  const known = new Map(pairs.map((pair) => [pair.address, pair]))
  return {
    block: pinOf(1, 100),
    storage: async (reads) =>
      reads.map(({ address, slot }) => {
        const pair = known.get(address)
        if (pair?.isUnreadable) return { ok: false, reason: 'unreadable', message: 'pruned' }
        const [reserve0, reserve1] = slot === reservesSlot && pair ? pair.reserves : [0n, 0n]
        const word = reserve0 | (reserve1 << 112n)
        return { ok: true, value: `0x${word.toString(16).padStart(64, '0')}` }
      }),
    call: async (calls) => calls.map(() => ({ ok: true, value: '0x' })),
  }
}

function unexpected(): SimulationResult {
  throw new Error('Nothing is to be simulated here.')
}
