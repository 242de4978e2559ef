/** Projects, protocols, standards and actions: docs/reference/api.md#protocols-and-actions. */
import { z } from 'zod'
import { notFound } from '../../domain/common-errors.js'
import type { Engine } from '../../domain/engine.js'
import type { ActionRecord } from '../../domain/metadata.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { listingErrors, nameFilter } from '../inputs/listing.js'
import type { Dialect } from '../records/dialect.js'
import { Action, Project, Protocol, Standard } from '../records/metadata-records.js'
import {
  byProject,
  commonActions,
  protocolOf,
  toAction,
  toProject,
  toProtocol,
  toStandard,
  withVariants,
} from '../records/protocols.js'
import { ChainId, described, Name } from '../schemas.js'

/** A protocol that nearly every chain has. */
const exampleSlug = 'uniswap-v2'
const exampleProject = 'uniswap'

const getProjects = defineRoute({
  method: 'get',
  path: '/api/v1/projects',
  tag: 'Metadata',
  operationId: 'getProjects',
  summary: 'Lists projects.',
  description: 'With the protocols of each, and how many of its positions are listed.',
  response: z.array(Project),
  errors: listingErrors,
})

const getProjectProtocols = defineRoute({
  method: 'get',
  path: '/api/v1/projects/{project}/protocols',
  tag: 'Metadata',
  operationId: 'getProjectProtocols',
  summary: 'Lists the protocols of one project.',
  description: 'Letter case is ignored; 404 for a project that is not listed.',
  params: z.object({ project: described(Name, 'Id of the project.', exampleProject) }),
  response: z.array(Protocol),
  errors: ['INVALID_REQUEST', 'NOT_FOUND'],
})

const getProtocols = defineRoute({
  method: 'get',
  path: '/api/v1/protocols',
  tag: 'Metadata',
  operationId: 'getProtocols',
  summary: 'Lists protocols.',
  description: 'Those that are on one of the configured chains.',
  input: z.object({ chainId: ChainId.optional(), slug: nameFilter('Slugs of protocols.') }),
  response: z.array(Protocol),
  errors: ['INVALID_REQUEST', 'UNKNOWN_CHAIN'],
})

const getStandards = defineRoute({
  method: 'get',
  path: '/api/v1/standards',
  tag: 'Metadata',
  operationId: 'getStandards',
  summary: 'Lists the supported protocols with the methods that a bundle can call.',
  description: 'A fork of a protocol is listed by itself too.',
  response: z.array(Standard),
  errors: [],
})

const slug = described(Name, 'Slug of the protocol.', exampleSlug)

const getStandard = defineRoute({
  method: 'get',
  path: '/api/v1/standards/{slug}',
  tag: 'Metadata',
  operationId: 'getStandard',
  summary: 'One supported protocol with its methods.',
  description: '404 for a slug that is not listed.',
  params: z.object({ slug }),
  response: Standard,
  errors: ['INVALID_REQUEST', 'NOT_FOUND'],
})

function defineActions(path: string, operationId: string) {
  return defineRoute({
    method: 'get',
    path,
    tag: 'Metadata',
    operationId,
    summary: 'Lists the actions of a bundle.',
    description:
      'Each once, with the inputs that it has in common; the actions of one protocol say more.',
    response: z.array(Action),
    errors: [],
  })
}
const getActions = defineActions('/api/v1/actions', 'getActions')
const getShortcutActions = defineActions('/api/v1/shortcuts/actions', 'getShortcutActions')

const getProtocolActions = defineRoute({
  method: 'get',
  path: '/api/v1/actions/{slug}',
  tag: 'Metadata',
  operationId: 'getProtocolActions',
  summary: 'Lists the actions of one protocol, or of the service itself.',
  description:
    'erc20, erc721 and permit2 are names for what the service does with tokens; 404 for a slug that is not listed.',
  params: z.object({ slug }),
  response: z.array(Action),
  errors: ['INVALID_REQUEST', 'NOT_FOUND'],
})

function listActions(engine: Engine, dialect: Dialect) {
  const serviceActions = engine.serviceActions()
  const ofProtocols = engine.protocols().flatMap(({ actions }) => actions)
  // The swap of an exchange is the service's swap, limited to its pools.
  const others = ofProtocols.filter(
    ({ action }) => !serviceActions.some((one) => one.action === action),
  )
  return commonActions([...serviceActions, ...others], dialect.toInputs)
}

/** @throws ForkrouteError NOT_FOUND. */
function actionsOf(engine: Engine, slug: string, serviceName: string): readonly ActionRecord[] {
  const wanted = slug.toLowerCase()
  const serviceActions = engine.serviceActions()
  if (wanted === serviceName) return serviceActions
  const ofStandard = serviceActions.filter(({ protocols }) => protocols.includes(wanted))
  return ofStandard.length ? ofStandard : protocolOf(engine.protocols(), slug).actions
}

export function protocolEndpoints(dialect: Dialect): readonly Endpoint[] {
  return [
    endpoint(getProjects, async ({ engine, context }) => {
      const counts = new Map<string, number>()
      for (const listing of await engine.listings({}, context)) {
        if (listing.kind !== 'position') continue
        counts.set(listing.project, (counts.get(listing.project) ?? 0) + 1)
      }
      return [...byProject(engine.protocols())].flatMap(([project, [first, ...others]]) =>
        first ? [toProject([first, ...others], counts.get(project) ?? 0)] : [],
      )
    }),
    endpoint(getProjectProtocols, ({ engine, params }) => {
      const found = byProject(engine.protocols()).get(params.project.toLowerCase())
      if (found) return found.map(toProtocol)
      throw notFound(`project ${params.project}`)
    }),
    endpoint(getProtocols, ({ engine, input }) => {
      const wanted = input.slug?.map((text) => text.toLowerCase())
      return engine
        .protocols()
        .filter(
          (one) =>
            (!wanted || wanted.includes(one.slug)) &&
            (input.chainId === undefined || one.chains.some(({ id }) => id === input.chainId)),
        )
        .map(toProtocol)
    }),
    endpoint(getStandards, ({ engine }) => {
      const all = engine.protocols()
      return all.map((one) => toStandard(one, all))
    }),
    endpoint(getStandard, ({ engine, params }) => {
      const all = engine.protocols()
      return toStandard(protocolOf(all, params.slug), all)
    }),
    endpoint(getActions, ({ engine }) => listActions(engine, dialect)),
    endpoint(getShortcutActions, ({ engine }) => listActions(engine, dialect)),
    endpoint(getProtocolActions, ({ engine, params }) =>
      withVariants(actionsOf(engine, params.slug, dialect.serviceName)).map((one) =>
        toAction(one, dialect.toInputs),
      ),
    ),
  ]
}
