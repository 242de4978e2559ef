/** Protocols and their actions as the API lists them, from the registry. */
import type { ChainDefinition } from '../chains/chain.js'
import type { ActionRecord, ProtocolRecord } from '../domain/metadata.js'
import { type ActionDefinition, argumentsOf } from '../protocols/positions.js'
import { canSwap, type ProtocolAdapter } from '../protocols/protocol.js'
import { serviceActions } from '../routing/bundle/actions/registry.js'
import type { ServiceAction } from '../routing/bundle/service-action.js'

type Inputs = Readonly<
  Record<
    string,
    {
      readonly kind: string
      readonly description: string
      readonly optional?: boolean | undefined
    }
  >
>

function formsOf(inputs: Inputs): ActionRecord['forms'] {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { kind, optional = false }]) => [
      name,
      { kind, isOptional: optional },
    ]),
  )
}

function inputsOf(inputs: Inputs): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { description, optional }]) => {
      const phrase = description.replace(/\.$/, '')
      return [name, optional ? `${phrase} (optional)` : phrase]
    }),
  )
}

function ofProtocol(definition: ActionDefinition): ActionRecord {
  const { action, name, functionNames } = definition
  const inputs = argumentsOf(definition)
  return { action, name, functionNames, inputs: inputsOf(inputs), forms: formsOf(inputs) }
}

function ofService({ name, description, inputs }: ServiceAction): ActionRecord {
  const forms = formsOf(inputs)
  return { action: name, name: description, functionNames: [], inputs: inputsOf(inputs), forms }
}

/** Actions that a bundle performs without a protocol; `isListed`: also part of the general list of actions. */
export const serviceActionRecords: readonly (ActionRecord & { readonly isListed: boolean })[] =
  serviceActions.map((action) => ({ ...ofService(action), isListed: action.isListed }))

/** Protocols deployed on at least one of the chains, in the order of the registry. */
export function protocolRecords(
  protocols: readonly ProtocolAdapter[],
  chains: readonly ChainDefinition[],
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
        category,
        url,
        description,
        logo: adapter.logo ?? null,
        twitter: adapter.twitter ?? null,
        forkOf: adapter.forkOf ?? null,
        chains: own.map((chain) => ({ id: chain.id, name: chain.name })),
        actions: [
          ...(adapter.positions?.actions ?? []).map(ofProtocol),
          ...(isExchange(adapter)
            ? serviceActions.filter(({ isOfProtocols }) => isOfProtocols).map(ofService)
            : []),
        ],
      },
    ]
  })
}

/** Other protocols swap only to enter and leave their positions, and have actions for that. */
function isExchange(adapter: ProtocolAdapter): boolean {
  return canSwap(adapter) && adapter.category === 'dex'
}
