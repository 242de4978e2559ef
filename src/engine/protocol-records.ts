/** Protocols and their actions as the API lists them, from the registry. */
import { projectRecord } from '../catalog/projects.js'
import type { ChainDefinition } from '../chains/chain.js'
import { chains as knownChains } from '../chains/registry.js'
import type { ActionRecord, ProtocolRecord, ServiceActionRecord } from '../domain/metadata.js'
import type { Token } from '../domain/primitives.js'
import { type ActionDefinition, argumentsOf } from '../protocols/positions.js'
import { canSwap, type ProtocolAdapter } from '../protocols/protocol.js'
import { protocols } from '../protocols/registry.js'
import { serviceActions } from '../routing/bundle/actions/registry.js'
import { variantsOf } from '../routing/bundle/actions/variants.js'
import type { ServiceAction } from '../routing/bundle/service-action.js'

/** How arguments of some kinds are written on the wire; a kind that is absent has its own name there. */
const wireTypes: Readonly<Record<string, string>> = {
  addresses: 'address[]',
  amount: 'uint256',
  amounts: 'uint256[]',
  condition: 'uint256',
  integer: 'int256',
  integers: 'int256[]',
  signed: 'uint256',
  slippage: 'bps',
  text: 'string',
  texts: 'string[]',
  signature: 'string',
  values: 'array',
  fields: 'object',
  output: 'reference',
  actions: 'action[]',
}

interface Argument {
  readonly kind: string
  readonly description: string
  readonly optional?: boolean | undefined
}

function inputsOf(inputs: Readonly<Record<string, Argument>>): ActionRecord['inputs'] {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { kind, description, optional = false }]) => {
      const type = wireTypes[kind] ?? kind
      return [name, { kind, type, description: description.replace(/\.$/, ''), optional }]
    }),
  )
}

function ofProtocol(definition: ActionDefinition): ActionRecord {
  const { action, name, functionNames } = definition
  const inputs = inputsOf(argumentsOf(definition))
  return { action, name, functionNames, inputs, variants: variantsOf(definition) }
}

function ofService({ name, description, inputs }: ServiceAction): ActionRecord {
  return { action: name, name: description, functionNames: [], inputs: inputsOf(inputs) }
}

export const serviceActionRecords: readonly ServiceActionRecord[] = serviceActions.map(
  (action) => ({
    ...ofService(action),
    protocols: action.protocols ?? [],
  }),
)

/**
 * Protocols deployed on at least one of the chains, in the order of the registry.
 * @param tokens - of all token lists: they have the logos of projects.
 */
export function protocolRecords(
  protocols: readonly ProtocolAdapter[],
  chains: readonly ChainDefinition[],
  tokens: readonly Token[],
): readonly ProtocolRecord[] {
  return protocols.flatMap((adapter): ProtocolRecord[] => {
    const own = chains.filter(({ venues }) => venues[adapter.slug])
    if (!own.length) return []
    const { slug, name, project, category, url, description } = adapter
    return [
      {
        slug,
        name,
        project,
        ofProject: projectRecord(project, tokens),
        category,
        url,
        description,
        forkOf: adapter.forkOf ?? null,
        chains: own.map((chain) => ({ id: chain.id, name: chain.name })),
        actions: [
          ...(adapter.actions?.definitions ?? []).map(ofProtocol),
          ...(isExchange(adapter)
            ? serviceActions.filter(({ isOfProtocols }) => isOfProtocols).map(ofService)
            : []),
        ],
      },
    ]
  })
}

/** Slugs of the exchanges on one of the chains, in the order of the alphabet. */
export function aggregatorsOn(chains: readonly ChainDefinition[]): readonly string[] {
  return protocols
    .filter((adapter) => isExchange(adapter) && chains.some(({ venues }) => venues[adapter.slug]))
    .map(({ slug }) => slug)
    .sort()
}

/** Finds the slugs that name no exchange of any chain, and lists all that would. */
export function unknownAggregators(slugs: readonly string[]): {
  readonly unknown: readonly string[]
  readonly known: readonly string[]
} {
  const known = aggregatorsOn(knownChains)
  return { unknown: slugs.filter((slug) => !known.includes(slug)), known }
}

/** Other protocols swap to enter and leave their positions, and have actions for that, or at par, which routes do for callers. */
function isExchange(adapter: ProtocolAdapter): boolean {
  return canSwap(adapter) && adapter.category === 'dex'
}
