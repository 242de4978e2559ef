/** The definition that performs an action, of the service or of a protocol, reduced to what both have. Pure. */
import type { Reference, TypedAction } from '../../domain/bundle.js'
import { type ActionDefinition, argumentsOf, isPriced } from '../../protocols/positions.js'
import { canSwap, type ProtocolAdapter } from '../../protocols/protocol.js'
import { protocolBySlug } from '../../protocols/registry.js'
import { serviceActionByName, serviceActions } from './actions/registry.js'
import type { ServiceAction, ServiceInputs } from './service-action.js'
import { parseReference, referencesIn } from './values.js'

export type Performer = {
  readonly inputs: ServiceInputs
  /** Argument names of the tokens that it takes, each with the argument of its amount. */
  readonly takes: ServiceAction['takes']
  /** False where the value that goes in need not come out. */
  readonly isPriced: boolean
} & (
  | {
      readonly kind: 'service'
      readonly definition: ServiceAction
      /** The only protocol to use; null: any. */
      readonly adapter: ProtocolAdapter | null
    }
  | {
      readonly kind: 'protocol'
      readonly definition: ActionDefinition
      readonly adapter: ProtocolAdapter
    }
)

/** An action at its place in a bundle or a callback. */
export interface PerformableAction extends TypedAction {
  readonly index: number
  readonly performer: Performer
}

/** Null where nothing performs the action. */
export function performerOf({
  of,
  protocol,
  action,
}: Pick<TypedAction, 'of' | 'protocol' | 'action'>): Performer | null {
  const service = serviceActionByName(action)
  if (of === 'service') return service && ofService(service, null)
  const adapter = protocolBySlug(protocol)
  if (!adapter) return null
  if (service?.isOfProtocols && canSwap(adapter)) return ofService(service, adapter)
  const definition = adapter.positions?.actions.find((each) => each.action === action)
  if (!definition) return null
  return {
    kind: 'protocol',
    definition,
    adapter,
    inputs: argumentsOf(definition),
    takes: ['tokenIn', 'amountIn'],
    isPriced: isPriced[definition.action],
  }
}

function ofService(definition: ServiceAction, adapter: ProtocolAdapter | null): Performer {
  const { inputs, takes, isPriced: isOwnPriced } = definition
  return { kind: 'service', definition, adapter, inputs, takes, isPriced: isOwnPriced }
}

/** Names of the actions that a protocol performs. */
export function actionNamesOf(adapter: ProtocolAdapter): string[] {
  return [
    ...(canSwap(adapter) ? serviceActions.filter(({ isOfProtocols }) => isOfProtocols) : []).map(
      ({ name }) => name,
    ),
    ...(adapter.positions?.actions ?? []).map(({ action }) => action),
  ]
}

/** @throws RangeError for an action that a checked bundle cannot contain. */
export function toPerformable(actions: readonly TypedAction[]): PerformableAction[] {
  return actions.map((typed, index) => {
    const performer = performerOf(typed)
    if (performer) return { ...typed, index, performer }
    throw new RangeError(`Nobody performs ${typed.protocol} ${typed.action}.`)
  })
}

/** Outputs of earlier actions that the arguments refer to, except in callbacks, whose actions count separately. */
export function referencesOf({
  performer: { inputs },
  values,
}: PerformableAction): (Reference & { readonly argument: string })[] {
  return Object.entries(values)
    .filter(([argument]) => inputs[argument]?.kind !== 'actions')
    .flatMap(([argument, value]) =>
      referencesIn(value, '').map((found) => ({ argument, ...parseReference(found.value) })),
    )
}

/** Lists of actions among the arguments. */
export function callbacksOf({
  performer: { inputs },
  values,
}: PerformableAction): (readonly [argument: string, actions: readonly TypedAction[]])[] {
  return Object.entries(values)
    .filter(([argument]) => inputs[argument]?.kind === 'actions')
    .map(([argument, actions]) => [argument, actions as readonly TypedAction[]])
}

/** Whether some argument is a list of actions. */
export function holdsActions({ inputs }: ServiceAction): boolean {
  return Object.values(inputs).some(({ kind }) => kind === 'actions')
}
