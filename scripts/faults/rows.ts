/** The nodes of `npm run prove:faults`, and what the service has to make of them. */
import type { Badness } from '../../test/support/nodes/bad-node.js'

export interface Row {
  readonly name: string
  /** One per node. */
  readonly nodes: readonly Badness[]
  /** Least share of right and complete answers. */
  readonly complete: number
  /** Most times the requests of the healthy run. */
  readonly requests?: number
  /** Most times its p95. */
  readonly p95?: number
  /** Blocks are so old that the node has pruned them. Right is to refuse: no answer may be given. */
  readonly isPruned?: true
}

export const healthyRow: Row = { name: 'healthy', nodes: [{}], complete: 1 }

export const rows: readonly Row[] = [
  { name: '2 % of requests fail', nodes: [{ share: 0.02 }], complete: 1, requests: 1.2 },
  { name: '5 %', nodes: [{ share: 0.05 }], complete: 0.99, requests: 1.5 },
  { name: '20 %', nodes: [{ share: 0.2 }], complete: 0.95, requests: 2.5, p95: 5 },
  { name: 'two nodes, the first dead', nodes: [{ isDead: true }, {}], complete: 1, p95: 1.5 },
  { name: 'two nodes, the first hangs', nodes: [{ hangs: true }, {}], complete: 1, p95: 1.5 },
  {
    name: 'two nodes, the first takes 1 request a second',
    nodes: [{ requestsPerSecond: 1 }, {}],
    complete: 1,
    p95: 1.5,
  },
  // Six quotes at a time ask for more than it gives, so some wait until they are given up.
  {
    name: '25 calls a second',
    nodes: [{ callsPerSecond: 25 }],
    complete: 0.95,
    requests: 2.5,
    p95: 5,
  },
  { name: 'batches of at most 10', nodes: [{ maxBatch: 10 }], complete: 1 },
  { name: 'batches of at most 50', nodes: [{ maxBatch: 50 }], complete: 1 },
  { name: 'batches of at most 100', nodes: [{ maxBatch: 100 }], complete: 1 },
  { name: 'no batches', nodes: [{ maxBatch: 1 }], complete: 1 },
  { name: 'bodies of at most 128 kB', nodes: [{ maxBodyBytes: 131_072 }], complete: 1 },
  { name: 'bodies of at most 8 kB', nodes: [{ maxBodyBytes: 8_192 }], complete: 1 },
  { name: 'no block hash parameter', nodes: [{ lacks: ['blockHash'] }], complete: 1 },
  { name: 'no proofs', nodes: [{ lacks: ['proofs'] }], complete: 1 },
  { name: 'no overrides', nodes: [{ lacks: ['overrides'] }], complete: 1 },
  { name: 'no logs', nodes: [{ lacks: ['logs'] }], complete: 1 },
  {
    name: 'none of these, and 5 % fail',
    nodes: [{ lacks: ['blockHash', 'proofs', 'overrides', 'logs'], share: 0.05 }],
    complete: 0.99,
  },
  { name: 'behind a balancer, up to 2 blocks late', nodes: [{ lag: 2 }], complete: 1 },
  {
    name: 'zeros where it has pruned',
    nodes: [{ oldState: 'zeros' }],
    complete: 0,
    isPruned: true,
  },
  {
    name: 'the newest state for old blocks',
    nodes: [{ oldState: 'newest' }],
    complete: 0,
    isPruned: true,
  },
]
