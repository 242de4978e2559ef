/** Schemas of the answers about the service itself: its parts, its settings, its keys. No URL of a node, no secret. */
import { z } from 'zod'
import { type KeyRecord, scopes } from '../../domain/operations/keys.js'
import { Address, BlockNumber, ChainId } from './record-parts.js'

const count = (description: string) => z.int().meta({ description })
const name = (description: string) => z.string().meta({ description })

const NodeState = z
  .object({
    number: count('From 1, in the order of RPC_URL_<chain id>.'),
    usable: z.boolean().meta({ description: 'Whether it is asked.' }),
    isSetAside: z.boolean().meta({
      description: 'It is of another chain, or gave a false answer, and is not asked any more.',
    }),
    problem: z.string().nullable(),
    abilities: z.record(z.string(), z.boolean()).meta({
      description: 'What it can do, by name; empty before it was asked.',
    }),
    archiveDepth: z.int().nullable().meta({
      description: 'How many blocks back it has state, as far as was tried; null before that.',
    }),
    mostCalls: z.int().nullable().meta({
      description: 'Calls in one request at most, as learnt from refusals; null: none was refused.',
    }),
    mostRequests: z.int().nullable().meta({
      description: 'Requests at the same time while it refuses more; null: it does not.',
    }),
    latencyMs: z.number().nullable().meta({ description: 'Median of its latest answers.' }),
    requests: count('HTTP requests to it since the start.'),
    limited: count('Those that it refused for their number.'),
  })
  .meta({ id: 'NodeState' })

const ChainState = z
  .object({
    chainId: ChainId,
    name: z.string(),
    ready: z.boolean(),
    problem: z.string().nullable(),
    blockNumber: BlockNumber.nullable().meta({ description: 'Newest pinned block.' }),
    ageSeconds: z.number().nullable(),
    isSandbox: z.boolean().meta({ description: 'Whether the sandbox plays the chain.' }),
    nodes: z.array(NodeState).meta({ description: 'In the order of the configuration.' }),
    reads: z
      .object({
        memory: count('Known in memory.'),
        disk: count('Known on disk.'),
        code: count('Code known from an earlier block.'),
        empty: count('Accounts that exist only in simulations.'),
        proven: count('Known from another block, and proven to be the same.'),
        node: count('Asked of a node.'),
        unreadable: count('That no node could answer.'),
      })
      .meta({ description: 'Reads of state since the start, by who answered.' }),
  })
  .meta({ id: 'ChainState' })

export const VenueState = z
  .object({
    name: name('Of the venue.'),
    chainId: ChainId,
    trust: z.enum(['none', 'operator']).meta({
      description: 'operator: its routes rank as those through verified pools.',
    }),
    pools: count('That the file lists.'),
    factory: Address.nullable().meta({
      description: 'Whose events tell of further pools; null: none.',
    }),
    indexedPools: z.int().nullable().meta({
      description: 'Pools of the factory in the pool index; null: there is no factory.',
    }),
  })
  .meta({ id: 'VenueState' })

export const SystemState = z
  .object({
    version: name('Of forkroute.'),
    nodeVersion: name('Of Node.js.'),
    uptimeSeconds: count('Since the process that answers began.'),
    residentBytes: count('Memory of that process, without its forks.'),
    processes: count('That serve the port; all other figures are of the one that answers.'),
    threads: z
      .object({
        count: count('Threads that search and simulate.'),
        tasks: count('Tasks that they work on or have waiting.'),
        waiting: count('Calculations that wait for their turn.'),
      })
      .meta({ description: 'Threads of the process.' }),
    forks: z
      .object({
        count: count('Anvil processes.'),
        blocks: count('Blocks that have some.'),
        leases: count('Calculations that use one.'),
        restarts: count('Replaced since the start.'),
        residentBytes: count('Memory of all of them.'),
      })
      .meta({ description: 'Forks of the process.' }),
    cache: z
      .object({
        items: count('Values in memory.'),
        diskBytes: count('Of the file in the data folder.'),
        served: count('Requests of forks that were answered.'),
      })
      .meta({ description: 'State of chains that is kept.' }),
    chains: z.array(ChainState),
    venues: z.array(VenueState).meta({ description: 'Venues that the file of VENUES declares.' }),
  })
  .meta({ id: 'SystemState' })

export const Setting = z
  .object({
    name: name('The variable.'),
    value: z.string().nullable().meta({
      description: 'As in force; null: none, or a secret. Of a URL only the scheme is shown.',
    }),
    isSecret: z.boolean().meta({ description: 'Whether its value may carry secrets.' }),
    isChanged: z.boolean().meta({ description: 'Whether it is other than without configuration.' }),
    description: z.string(),
  })
  .meta({ id: 'Setting' })

export const DoctorCheck = z
  .object({
    check: name('What was looked at.'),
    ok: z.boolean().meta({ description: 'Whether it is fit for the service.' }),
    found: name('What was found, or what is wrong.'),
  })
  .meta({ id: 'DoctorCheck' })

const keyFields = {
  id: z.string(),
  name: name('What it is for.'),
  scopes: z.array(z.enum(scopes)).meta({
    description: 'use: all that every key may; admin: also what shows or changes the service.',
  }),
  accountId: name('bytes32, as in the on-chain event.'),
  accountName: name('Of the account.'),
  createdAt: z.string(),
  disabledAt: z.string().nullable().meta({ description: 'ISO 8601 in UTC; null: it works.' }),
  lastUsedAt: z.string().nullable().meta({ description: 'ISO 8601 in UTC, to the minute.' }),
}

export const Key = z.object(keyFields).meta({ id: 'Key' })

export const NewKey = z
  .object({ key: name('Shown this once: only its hash is kept.'), ...keyFields })
  .meta({ id: 'NewKey' })

/** Without its hash, which the store does not give out. */
export function toKey(record: KeyRecord): z.output<typeof Key> {
  return {
    id: record.id,
    name: record.name,
    scopes: [...record.scopes],
    accountId: record.accountId,
    accountName: record.accountName,
    createdAt: new Date(record.createdAt).toISOString(),
    disabledAt: timeOf(record.disabledAt),
    lastUsedAt: timeOf(record.lastUsedAt),
  }
}

function timeOf(unixMs: number | null): string | null {
  return unixMs === null ? null : new Date(unixMs).toISOString()
}
