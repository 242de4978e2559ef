/** Protocols for the wire: records, projects, standards and actions. */
import type { z } from 'zod'
import { notFound } from '../../domain/common-errors.js'
import { defined } from '../../domain/defined.js'
import type {
  ActionInput,
  ActionRecord,
  ProjectRecord,
  ProtocolRecord,
} from '../../domain/metadata.js'
import type { Action, Project, Protocol, Standard } from './metadata-records.js'

export function toProtocol(record: ProtocolRecord): z.output<typeof Protocol> {
  const { name, slug, project, ofProject, url, description, category } = record
  const chains = record.chains.map(({ id, name }) => ({ id, name }))
  return {
    name,
    slug,
    project,
    projectId: project,
    ...logosOf(ofProject),
    url,
    description,
    twitter: ofProject.twitter,
    category,
    chains,
    chainIds: chains.map(({ id }) => id),
  }
}

function logosOf({ logo }: ProjectRecord) {
  return { logo, logosUri: logo === null ? [] : [logo] }
}

/** Slugs and ids in any letter case. @throws ForkrouteError NOT_FOUND. */
export function protocolOf(protocols: readonly ProtocolRecord[], slug: string): ProtocolRecord {
  const found = protocols.find((one) => one.slug === slug.toLowerCase())
  if (found) return found
  throw notFound(`protocol ${slug}`)
}

/** Protocols by project, projects in the order of their first protocol. */
export function byProject(
  protocols: readonly ProtocolRecord[],
): ReadonlyMap<string, readonly ProtocolRecord[]> {
  const projects = new Map<string, ProtocolRecord[]>()
  for (const one of protocols) {
    const known = projects.get(one.project)
    if (known) known.push(one)
    else projects.set(one.project, [one])
  }
  return projects
}

/** @param poolCount - positions of the project. */
export function toProject(
  [first, ...others]: readonly [ProtocolRecord, ...ProtocolRecord[]],
  poolCount: number,
): z.output<typeof Project> {
  const all = [first, ...others]
  const ids = new Set(all.flatMap(({ chains }) => chains.map(({ id }) => id)))
  const chains = [...ids].sort((a, b) => a - b)
  return {
    title: titleOf(first.project),
    id: first.project,
    chainIds: chains.join(','),
    chains,
    ...logosOf(first.ofProject),
    url: first.url,
    description: first.ofProject.description ?? first.description,
    twitter: first.ofProject.twitter,
    category: first.category,
    poolCount,
    protocol: first.slug,
    protocols: all.map(({ slug }) => slug),
  }
}

/** Display name of a project: `frax-ether` becomes `Frax Ether`. */
function titleOf(project: string): string {
  return project
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ')
}

export function toStandard(
  record: ProtocolRecord,
  all: readonly ProtocolRecord[],
): z.output<typeof Standard> {
  const supportedChains = record.chains.map(({ id, name }) => ({ id, name }))
  const methods = record.actions.map(({ action, name, functionNames, inputs }) => ({
    method: action,
    name,
    functionNames: [...functionNames],
    supportedChains,
    inputs: Object.fromEntries(Object.entries(inputs).map(toPhrase)),
  }))
  return {
    protocol: { slug: record.slug, url: record.url },
    forks: all
      .filter(({ forkOf }) => forkOf === record.slug)
      .map(({ slug, url }) => ({ slug, url })),
    methods,
    actions: methods.map(({ method, inputs, ...rest }) => ({
      action: method,
      ...rest,
      inputs: Object.keys(inputs),
    })),
  }
}

/** One phrase about an argument, which says where it may be left out. */
export function toPhrase([name, { description, optional }]: readonly [
  string,
  { readonly description: string; readonly optional?: boolean | undefined },
]): [string, string] {
  return [name, optional ? `${description} (optional)` : description]
}

type ActionFields = z.output<typeof Action>
/** How the arguments of an action are written as its `inputs`. */
export type ToInputs = (typed: ActionFields['inputTypes']) => ActionFields['inputs']

type ListedInput = Omit<ActionInput, 'kind'>
type ListedInputs = Readonly<Record<string, ListedInput>>

export function toAction(
  { action, inputs }: { readonly action: string; readonly inputs: ListedInputs },
  toInputs: ToInputs,
): z.output<typeof Action> {
  const inputTypes = Object.fromEntries(
    Object.entries(inputs).map(([name, { type, description, optional }]) => [
      name,
      { type, description, ...defined({ optional: optional || undefined }) },
    ]),
  )
  return { name: action, action, inputs: toInputs(inputTypes), inputTypes }
}

const required = (type: string, description: string) => ({ type, description, optional: false })
const primaryAddress = required('address', 'Contract of the position')
const given = required('address', 'Token to give')
const gotten = required('address', 'Token to get')
const amountIn = required('uint256', 'Raw units of tokenIn, or a reference')
const amountOut = required('uint256', 'Raw units of tokenOut, or a reference')
/** Arguments that an action takes from whichever protocol performs it. */
const commonInputs: Readonly<Record<string, ListedInputs>> = {
  borrow: {
    collateral: required('address', 'Token that secures the debt'),
    tokenOut: gotten,
    amountOut,
    primaryAddress,
  },
  deposit: { tokenIn: given, tokenOut: gotten, amountIn, primaryAddress },
  harvest: { token: required('address', 'Token of the rewards'), primaryAddress },
  redeem: { tokenIn: given, tokenOut: gotten, amountIn, primaryAddress },
  repay: { tokenIn: given, amountIn, primaryAddress },
  withdraw: { primaryAddress, tokenIn: given, tokenOut: gotten, amountOut },
}

/** Each action, and the same by its other names. */
export function withVariants(actions: readonly ActionRecord[]): ActionRecord[] {
  return actions.flatMap((one) => [
    one,
    ...(one.variants ?? []).map((action) => ({ ...one, action })),
  ])
}

/** Every action once, by name: with its common inputs, or its own where it has none. */
export function commonActions(
  actions: readonly ActionRecord[],
  toInputs: ToInputs,
): z.output<typeof Action>[] {
  const byName = new Map(withVariants(actions).map((one) => [one.action, one]))
  return [...byName.values()]
    .map((one) => toAction({ ...one, inputs: commonInputs[one.action] ?? one.inputs }, toInputs))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
