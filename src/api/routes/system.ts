/** Health and readiness: outside /api, without a key. */
import { z } from 'zod'
import { ForkrouteError } from '../../domain/errors.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { Readiness } from '../records/records.js'
import { serviceVersion } from '../version.js'

const Identity = z
  .object({
    name: z.literal('forkroute'),
    version: z.string().meta({ description: 'Of forkroute.' }),
    evidence: z
      .object({
        algorithm: z.literal('Ed25519').meta({ description: 'Of the signatures.' }),
        publicKey: z.string().meta({ description: '32 bytes, hexadecimal.' }),
      })
      .meta({ description: 'The key that signs evidence.' }),
  })
  .meta({ id: 'Identity', description: 'By which a service is known.' })

const getHealth = defineRoute({
  method: 'get',
  path: '/health',
  tag: 'System',
  operationId: 'getHealth',
  summary: 'The process is alive.',
  description: 'Says nothing about chains and nodes; see /ready.',
  response: z.object({ status: z.literal('ok') }),
  errors: [],
})

const getReadiness = defineRoute({
  method: 'get',
  path: '/ready',
  tag: 'System',
  operationId: 'getReadiness',
  summary: 'Every chain has a fresh pinned block; says what the nodes of each chain can do.',
  description: '503 while a chain has none; details then says which, and why.',
  response: Readiness,
  errors: ['CHAIN_NOT_READY'],
})

const getIdentity = defineRoute({
  method: 'get',
  path: '/.well-known/forkroute',
  tag: 'System',
  operationId: 'getIdentity',
  summary: 'The key that signs evidence of this service.',
  description:
    'Who checks evidence compares the key in it with this one. It stays until its file is replaced.',
  response: Identity,
  errors: ['STORAGE_UNAVAILABLE'],
})

export const systemEndpoints: readonly Endpoint[] = [
  endpoint(getIdentity, ({ operations }) => ({
    name: 'forkroute' as const,
    version: serviceVersion,
    evidence: { algorithm: 'Ed25519' as const, publicKey: operations.evidence.publicKey() },
  })),
  endpoint(getHealth, () => ({ status: 'ok' as const })),
  endpoint(getReadiness, ({ engine }) => {
    const report = engine.readiness()
    const chains = report.chains.map((chain) => ({
      ...chain,
      capabilities: { ...chain.capabilities },
    }))
    if (report.ready) return { ready: true, chains }
    const late = chains.filter((chain) => !chain.ready).map((chain) => chain.chainId)
    throw new ForkrouteError(
      'CHAIN_NOT_READY',
      `Not ready: no fresh block of chain ${late.join(', ')}. details.chains says why.`,
      { chains },
    )
  }),
]
