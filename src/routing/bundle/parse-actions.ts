/**
 * Checks the arguments of a bundle's actions as far as possible without chain state: every mistake is reported at once,
 * with the action's index, the argument and what it must be. Runs before a block is pinned. Pure.
 */
import { bridges } from '../../bridges/registry.js'
import type { ChainDefinition } from '../../chains/chain.js'
import {
  type BundleAction,
  type BundleRequest,
  serviceProtocols,
  type TypedAction,
  type TypedBundle,
} from '../../domain/bundle.js'
import { maxActions } from '../../domain/grammar.js'
import { onlyOne } from '../../domain/lists.js'
import { nativeToken, zeroAddress } from '../../domain/primitives.js'
import { runsOwnOrders } from '../../executor/strategies.js'
import { protocolBySlug } from '../../protocols/registry.js'
import { bridge } from './actions/bridge.js'
import { serviceActionByName, serviceActions } from './actions/registry.js'
import { checkActions } from './check-actions.js'
import { parseArgument } from './parse-argument.js'
import { actionNamesOf, holdsActions, type Performer, performerOf } from './performers.js'
import { badArguments, type Problem, type Report } from './problems.js'
import { BadArgument, parseReference, referencesIn } from './values.js'

/** Arguments that name tokens. */
const tokenNames = /^token(In|Out)?$/

interface Context {
  readonly chain: ChainDefinition
  readonly serviceName: string
}

/** @throws ForkrouteError INVALID_REQUEST; `details.problems` lists every mistake. */
export function parseBundle(
  { actions, serviceName, ...terms }: BundleRequest,
  chain: ChainDefinition,
): TypedBundle {
  const problems: Problem[] = []
  const reportOf =
    (action: number): Report =>
    (argument, expected) => {
      problems.push({ action, argument, expected })
    }
  const parsed = actions.flatMap(
    (action, index) => parseAction(action, index, { chain, serviceName }, reportOf(index)) ?? [],
  )
  if (problems.length > 0) throw badArguments(problems)
  // Only arguments that are valid by themselves can be checked against each other.
  checkActions(parsed, { chain, isRunByAccount: runsOwnOrders(terms.strategy) }, reportOf)
  if (problems.length > 0) throw badArguments(problems)
  return { ...terms, actions: parsed }
}

/** @param index - position in the list of actions that its references count in. */
function parseAction(
  source: BundleAction,
  index: number,
  context: Context,
  report: Report,
): TypedAction | null {
  const { protocol, action } = source
  const isOwn =
    [context.serviceName, ...serviceProtocols].includes(protocol) ||
    (action === bridge.name && bridges.some(({ names }) => names.includes(protocol)))
  const named = { protocol, action, of: isOwn ? ('service' as const) : ('protocol' as const) }
  const performer = isOwn || isOnChain(protocol, context, report) ? performerOf(named) : undefined
  if (performer) {
    return { ...named, values: parseArguments(source, performer, { index, context, report }) }
  }
  if (performer === null) report('action', expectedAction(named))
  return null
}

function isOnChain(protocol: string, { chain, serviceName }: Context, report: Report): boolean {
  if (!protocolBySlug(protocol)) {
    report('protocol', `${serviceName}, or the slug of a listed protocol`)
  } else if (!chain.venues[protocol]) {
    report('protocol', `one that is on chain ${chain.id}`)
  } else {
    return true
  }
  return false
}

function expectedAction({ protocol, of }: Pick<TypedAction, 'protocol' | 'of'>): string {
  const adapter = of === 'protocol' ? protocolBySlug(protocol) : null
  if (adapter) return `one of ${actionNamesOf(adapter).join(', ')} with protocol ${protocol}`
  return `one of ${serviceActions.map(({ name }) => name).join(', ')}`
}

function parseArguments(
  { action, args }: BundleAction,
  { inputs }: Performer,
  place: { readonly index: number; readonly context: Context; readonly report: Report },
): TypedAction['values'] {
  const { index, context, report } = place
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(args)) {
    if (!Object.hasOwn(inputs, name)) {
      report(name, `left out: ${action} takes ${Object.keys(inputs).join(', ')}`)
    }
  }
  for (const [name, { kind, optional }] of Object.entries(inputs)) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (value === undefined || value === null) {
      if (!optional) report(name, 'given')
      continue
    }
    if (kind === 'actions') {
      values[name] = parseCallback(value, name, context, report)
      continue
    }
    const references = referencesIn(value, name).map(({ place: argument, value: reference }) =>
      orReport(argument, report, () => checkReference(reference, index)),
    )
    // What is wrong with a reference is wrong with the argument, too.
    if (references.includes(false)) continue
    orReport(name, report, () => {
      values[name] = parseArgument(kind, value)
      if (tokenNames.test(name) && [values[name]].flat().includes(zeroAddress)) {
        report(name, `a token; the native token is ${nativeToken}, not the zero address`)
      }
    })
  }
  return values
}

/** Whether nothing was wrong. */
function orReport(argument: string, report: Report, work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (!(error instanceof BadArgument)) throw error
    report(argument, error.message)
    return false
  }
}

/** @throws BadArgument. */
function checkReference(reference: Readonly<Record<string, unknown>>, index: number): void {
  const { useOutputOfCallAt } = parseReference(reference)
  if (useOutputOfCallAt < index) return
  throw new BadArgument(
    index === 0
      ? 'a value of its own: a reference is to an action before it, and the first has none'
      : `a reference to an action before it (0 to ${index - 1})`,
  )
}

function parseCallback(
  value: unknown,
  name: string,
  context: Context,
  report: Report,
): readonly TypedAction[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxActions) {
    report(name, `a list of 1 to ${maxActions} actions`)
    return []
  }
  return value.flatMap((item: unknown, index) => {
    const { protocol: given, action, args } = (item ?? {}) as Record<string, unknown>
    const protocol = onlyOne(given)
    const place = `${name}[${index}]`
    if (typeof protocol !== 'string' || typeof action !== 'string') {
      report(place, 'an action {protocol, action, args}')
      return []
    }
    const service = serviceActionByName(action)
    if (service && holdsActions(service)) {
      report(place, 'another action: a flash loan holds none')
      return []
    }
    const source = { protocol, action, args: (args ?? {}) as Record<string, unknown> }
    const inside: Report = (argument, expected) => report(`${place}.${argument}`, expected)
    return parseAction(source, index, context, inside) ?? []
  })
}
