/**
 * A bundle's actions with their arguments checked, before anything is planned: every mistake is named at once, with
 * the action's index, the argument and what it must be.
 */
import type { ChainDefinition } from '../../chains/chain.js'
import type { BundleAction } from '../../domain/bundle.js'
import { invalidRequest } from '../../domain/common-errors.js'
import type { ForkrouteError } from '../../domain/errors.js'
import { centiBpsDenominator } from '../../domain/primitives.js'
import { type ActionDefinition, argumentsOf } from '../../protocols/positions.js'
import { canSwap, type ProtocolAdapter } from '../../protocols/protocol.js'
import { protocolBySlug } from '../../protocols/registry.js'
import { parseSignature } from './call-arguments.js'
import { type ServiceAction, serviceActions, serviceProtocols } from './service-actions.js'
import { BadArgument, parseArgument, parseReference, referencesIn } from './values.js'

export interface ParsedAction {
  readonly index: number
  readonly source: BundleAction
  /** One of the service's own, or one of a protocol. */
  readonly performs:
    | {
        readonly kind: 'service'
        readonly action: ServiceAction
        /** Swaps go through this protocol alone. */
        readonly only?: ProtocolAdapter
      }
    | {
        readonly kind: 'protocol'
        readonly adapter: ProtocolAdapter
        readonly definition: ActionDefinition
      }
  /** By argument: as `ArgumentTypes` says, with references in place of amounts that are not known. */
  readonly values: Readonly<Record<string, unknown>>
  /** Of a flash loan: what it is borrowed for. */
  readonly callback?: readonly ParsedAction[]
}

export interface Problem {
  readonly action: number
  readonly argument: string
  readonly expected: string
}

/** @throws ForkrouteError INVALID_REQUEST; `details.problems` lists every mistake. */
export function parseActions(
  actions: readonly BundleAction[],
  args: { readonly chain: ChainDefinition; readonly serviceName: string },
): ParsedAction[] {
  const problems: Problem[] = []
  const parsed = actions.map((action, index) => parseAction(action, index, args, problems, ''))
  if (problems.length > 0) throw badArguments(problems)
  return parsed.flatMap((action) => action ?? [])
}

export function badArguments(problems: readonly Problem[]): ForkrouteError {
  const messages = problems.map(
    ({ action, argument, expected }) => `action ${action}, ${argument} must be ${expected}`,
  )
  const [first] = problems
  return invalidRequest(messages, { ...first, problems })
}

function parseAction(
  source: BundleAction,
  index: number,
  args: { readonly chain: ChainDefinition; readonly serviceName: string },
  problems: Problem[],
  inside: string,
): ParsedAction | null {
  const report = (argument: string, expected: string): null => {
    problems.push({ action: index, argument: `${inside}${argument}`, expected })
    return null
  }
  const performs = performerOf(source, args, report)
  if (!performs) return null
  const specs: Readonly<Record<string, ServiceAction['inputs'][string]>> =
    performs.kind === 'service' ? performs.action.inputs : argumentsOf(performs.definition)
  const values: Record<string, unknown> = {}
  let callback: ParsedAction[] | undefined
  for (const name of Object.keys(source.args)) {
    if (!Object.hasOwn(specs, name)) {
      report(name, `left out: ${source.action} takes ${Object.keys(specs).join(', ')}`)
    }
  }
  for (const [name, spec] of Object.entries(specs)) {
    const value = Object.hasOwn(source.args, name) ? source.args[name] : undefined
    if (value === undefined || value === null) {
      if (!spec.optional) report(name, 'given')
      continue
    }
    if (spec.kind === 'actions') {
      callback = parseCallback(value, args, report, problems, `${inside}${name}`, index)
      continue
    }
    for (const { place, value: reference } of referencesIn(value, name)) {
      checkReference(reference, index, place, report)
    }
    try {
      values[name] = parseValue(spec.kind, value)
    } catch (error) {
      if (!(error instanceof BadArgument)) throw error
      report(name, error.message)
    }
  }
  if (performs.kind === 'service' && performs.action.name === 'call') {
    const { abi, method } = values
    if (typeof abi === 'string' && typeof method === 'string') {
      try {
        values.abi = parseSignature(abi, method)
      } catch (error) {
        if (!(error instanceof BadArgument)) throw error
        report('abi', error.message)
      }
    }
  }
  return { index, source, performs, values, ...(callback && { callback }) }
}

function performerOf(
  { protocol, action }: BundleAction,
  { chain, serviceName }: { readonly chain: ChainDefinition; readonly serviceName: string },
  report: (argument: string, expected: string) => null,
): ParsedAction['performs'] | null {
  const service = serviceActions.find(({ name }) => name === action)
  if ([serviceName, ...serviceProtocols].includes(protocol)) {
    if (service) return { kind: 'service', action: service }
    return report('action', `one of ${serviceActions.map(({ name }) => name).join(', ')}`)
  }
  const adapter = protocolBySlug(protocol)
  if (!adapter) return report('protocol', `${serviceName}, or the slug of a listed protocol`)
  if (!chain.venues[protocol]) return report('protocol', `one that is on chain ${chain.id}`)
  if (action === 'swap' && service && canSwap(adapter)) {
    return { kind: 'service', action: service, only: adapter }
  }
  const definition = adapter.positions?.actions.find((each) => each.action === action)
  if (definition) return { kind: 'protocol', adapter, definition }
  const names = [
    ...(canSwap(adapter) ? ['swap'] : []),
    ...(adapter.positions?.actions.map((each) => each.action) ?? []),
  ]
  return report('action', `one of ${names.join(', ')} with protocol ${protocol}`)
}

function checkReference(
  reference: Readonly<Record<string, unknown>>,
  index: number,
  place: string,
  report: (argument: string, expected: string) => null,
): void {
  try {
    const { useOutputOfCallAt } = parseReference(reference)
    if (useOutputOfCallAt >= index) {
      report(place, `a reference to an action before it (0 to ${index - 1})`)
    }
  } catch (error) {
    if (!(error instanceof BadArgument)) throw error
    report(place, error.message)
  }
}

function parseValue(kind: ServiceAction['inputs'][string]['kind'], value: unknown): unknown {
  switch (kind) {
    case 'text':
      if (typeof value === 'string' && value.length <= 4_096) return value
      throw new BadArgument('a text')
    case 'values':
      if (Array.isArray(value)) return value
      throw new BadArgument('a list')
    case 'slippage':
      return parseSlippage(value)
    case 'actions':
      throw new TypeError('Action lists are parsed by their own function.')
    default:
      return parseArgument(kind, value)
  }
}

/** @returns hundredths of a basis point. */
function parseSlippage(value: unknown): bigint {
  const [, whole, fraction = ''] = /^(\d{1,5})(?:\.(\d{1,2}))?$/.exec(String(value)) ?? []
  const centiBps =
    whole === undefined ? -1n : BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'))
  if (centiBps < 0n || centiBps > centiBpsDenominator) {
    throw new BadArgument('basis points from 0 to 10000 with at most two decimals')
  }
  return centiBps
}

function parseCallback(
  value: unknown,
  args: { readonly chain: ChainDefinition; readonly serviceName: string },
  report: (argument: string, expected: string) => null,
  problems: Problem[],
  place: string,
  outer: number,
): ParsedAction[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > 50) {
    report('callback', 'a list of 1 to 50 actions')
    return []
  }
  return value.flatMap((item: unknown, index) => {
    const { protocol, action, args: given } = (item ?? {}) as Record<string, unknown>
    const inside = `${place}[${index}].`
    if (typeof protocol !== 'string' || typeof action !== 'string') {
      report(`callback[${index}]`, 'an action {protocol, action, args}')
      return []
    }
    if (action === 'flashloan') {
      report(`callback[${index}]`, 'another action: a flash loan holds none')
      return []
    }
    const source = { protocol, action, args: (given ?? {}) as Record<string, unknown> }
    const found: Problem[] = []
    const parsed = parseAction(source, index, args, found, inside)
    problems.push(...found.map((problem) => ({ ...problem, action: outer })))
    return parsed ?? []
  })
}
