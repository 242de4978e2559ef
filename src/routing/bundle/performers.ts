/** The definition that performs an action, of the service or of a protocol, reduced to what both have. Pure. */
import type { Reference, TypedAction } from '../../domain/bundle.js'
import { type ActionDefinition, argumentsOf, isPriced } from '../../protocols/positions.js'
import { canSwap, type ProtocolAdapter } from '../../protocols/protocol.js'
import { protocolBySlug } from '../../protocols/registry.js'
import { serviceActionByName, serviceActions } from './actions/registry.js'
import { variantsOf } from './actions/variants.js'
import type { ServiceAction, ServiceInputs } from './service-action.js'
import { parseReference, referencesIn } from './values.js'

export type Performer = {
  readonly inputs: ServiceInputs
  readonly takes: ServiceAction['takes']
  readonly takesNumbers: boolean
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
  /** Whether its list is a callback. */
  readonly isNested: boolean
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
  if (service && isOffered(service, adapter)) return ofService(service, adapter)
  const definition = adapter.actions?.definitions.find(
    (each) => each.action === action || variantsOf(each).includes(action),
  )
  if (!definition) return null
  return {
    kind: 'protocol',
    definition,
    adapter,
    inputs: argumentsOf(definition),
    takes: definition.spendsNothing ? undefined : [['tokenIn', 'amountIn']],
    takesNumbers: false,
    isPriced: isPriced[definition.action],
  }
}

/** Whether the protocol has an action that the service performs. */
function isOffered({ isOfProtocols, slugs }: ServiceAction, adapter: ProtocolAdapter): boolean {
  return (isOfProtocols && canSwap(adapter)) || (slugs?.includes(adapter.slug) ?? false)
}

function ofService(definition: ServiceAction, adapter: ProtocolAdapter | null): Performer {
  const { inputs, takes, takesNumbers = false, isPriced: isOwnPriced } = definition
  const common = { definition, adapter, inputs, takes, takesNumbers }
  return { kind: 'service', ...common, isPriced: isOwnPriced }
}

/** Names of the actions that a protocol performs. */
export function actionNamesOf(adapter: ProtocolAdapter): string[] {
  return [
    ...serviceActions.filter((each) => isOffered(each, adapter)).map(({ name }) => name),
    ...(adapter.actions?.definitions ?? []).map(({ action }) => action),
  ]
}

/** An action that bundles of callers do not have. */
interface OwnAction {
  readonly action: TypedAction
  readonly definition: ServiceAction
}

/** Around the actions of a bundle. */
export interface OwnActions {
  /** The action of index 0: references to those of the bundle count from 1 on. */
  readonly first?: OwnAction
  readonly last?: OwnAction
}

/**
 * @param isNested - whether they are a callback's.
 * @throws RangeError for an action that a checked bundle cannot contain.
 */
export function toPerformable(
  actions: readonly TypedAction[],
  isNested: boolean,
  { first, last }: OwnActions = {},
): PerformableAction[] {
  const own = ({ action, definition }: OwnAction) => ({
    ...action,
    performer: ofService(definition, null),
  })
  const performable = actions.map((typed) => {
    const performer = performerOf(typed)
    if (performer) return { ...typed, performer }
    throw new RangeError(`Nobody performs ${typed.protocol} ${typed.action}.`)
  })
  const all = [...(first ? [own(first)] : []), ...performable, ...(last ? [own(last)] : [])]
  return all.map((action, index) => ({ ...action, index, isNested }))
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

/** The references whose amounts an action takes, or hands on to an action that does. */
export function spentOf(actions: readonly PerformableAction[]): Reference[] {
  const spent: Reference[] = []
  for (const action of actions.toReversed()) {
    const { performer, index } = action
    const onlyLooks = performer.kind === 'service' && performer.definition.onlyLooks
    const isUsed = spent.some(({ useOutputOfCallAt }) => useOutputOfCallAt === index)
    if (!onlyLooks) spent.push(...referencesOf(action))
    else if (isUsed) spent.push(...handedOn(action))
  }
  return spent
}

/** References of an action that only looks, whose amounts are in what it gives. */
function handedOn(action: PerformableAction): Reference[] {
  const { inputs } = action.performer
  const all = referencesOf(action).map((one) => ({ ...one, kind: inputs[one.argument]?.kind }))
  const outputs = all.filter(({ kind }) => kind === 'output')
  return outputs.length ? outputs : all.filter(({ kind }) => kind !== 'condition')
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
