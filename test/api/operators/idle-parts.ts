/** What a service without work tells of its threads, forks and nodes. */
import type { SystemParts } from '../../../src/operations/system.js'

const noReads = {
  upstreamHttpRequests: 0,
  upstreamCalls: 0,
  upstreamRetries: 0,
  upstreamHedges: 0,
  coalesced: 0,
  stateChecked: 0,
  stateFalse: 0,
  stateUnproven: 0,
  memoryHits: 9,
  sqliteHits: 8,
  codeHits: 7,
  emptyHits: 6,
  provenHits: 5,
  misses: 4,
  unreadable: 0,
  prefetched: 0,
}
const abilities = {
  ethCall: true,
  overrides: true,
  logs: true,
  proofs: false,
  accessLists: false,
  prestates: false,
  batch: true,
  blockHash: true,
  devNode: false,
  archive: false,
  archiveDepth: 128,
  anchor: true,
}

/** The problem of its node names the node. */
export const idleParts: Pick<SystemParts, 'archive' | 'forks' | 'workers'> = {
  archive: {
    status: () => ({
      connected: true,
      capabilities: {},
      problem: null,
      headSeenAt: 0,
      headAgeSeconds: 1,
      nodes: [
        {
          name: 'node 1 of chain 1',
          usable: true,
          isSetAside: false,
          latencyMs: 5,
          abilities,
          problem: 'https://node.example/secret-of-node answered 429',
          limits: { batch: 50, requests: null, medianMs: 3.5 },
        },
      ],
    }),
    stats: async () => ({
      ...noReads,
      served: 3,
      memoryItems: 2,
      chains: [{ ...noReads, chainId: 1, nodes: [{ requests: 11, limited: 2 }] }],
    }),
  },
  forks: {
    stats: () => ({ pids: [], blocks: 1, forks: 2, leases: 0, restarts: 0, rssBytes: 1_024 }),
  },
  workers: { threads: 2, tasks: () => 0, queueLength: () => 0 },
}
