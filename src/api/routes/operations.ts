/** The service itself: what it is made of, how it is configured, and whether its machine is fit: docs/reference/api.md#system. */
import { z } from 'zod'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { DoctorCheck, Setting, SystemState } from '../records/operation-records.js'

const tag = 'System'

const getSystem = defineRoute({
  method: 'get',
  path: '/api/v1/system',
  tag,
  operationId: 'getSystem',
  summary: 'Chains, what was learnt of their nodes, forks, threads, caches and declared venues.',
  description: 'Nodes are numbered as configured; their URLs are not told.',
  response: SystemState,
  errors: [],
})

const getConfiguration = defineRoute({
  method: 'get',
  path: '/api/v1/configuration',
  tag,
  operationId: 'getConfiguration',
  summary: 'Every variable of the configuration as it is in force.',
  description: 'Without URLs of nodes, passwords and what else is secret.',
  scope: 'admin',
  response: z.array(Setting),
  errors: [],
})

const getDoctor = defineRoute({
  method: 'get',
  path: '/api/v1/doctor',
  tag,
  operationId: 'getDoctor',
  summary: 'Whether this machine and the configured nodes are fit for the service.',
  description:
    'The checks of forkroute doctor, made now: each node is asked some hundred calls. Requests at the same time share one examination.',
  scope: 'admin',
  response: z.array(DoctorCheck),
  errors: ['DEADLINE_EXCEEDED'],
})

export const operationEndpoints: readonly Endpoint[] = [
  endpoint(getSystem, async ({ operations }) => {
    const { chains, venues, ...state } = await operations.system()
    return {
      ...state,
      chains: chains.map((chain) => ({
        ...chain,
        nodes: chain.nodes.map((node) => ({ ...node, abilities: { ...node.abilities } })),
      })),
      venues: venues.map((venue) => ({ ...venue })),
    }
  }),
  endpoint(getConfiguration, ({ operations }) =>
    operations.settings().map((setting) => ({ ...setting })),
  ),
  endpoint(getDoctor, async ({ operations }) =>
    (await operations.doctor()).map((check) => ({ ...check })),
  ),
]
