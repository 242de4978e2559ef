/** Protocols for the wire: records, projects, standards and actions. */
import type { z } from 'zod'
import { notFound } from '../../domain/common-errors.js'
import type { ActionRecord, ProtocolRecord } from '../../domain/metadata.js'
import type { Action, Project, Protocol, Standard } from './metadata-records.js'

export function toProtocol(record: ProtocolRecord): z.output<typeof Protocol> {
  const { name, slug, project, logo, url, description, twitter, category, chains } = record
  const chainIds = chains.map(({ id }) => id)
  return { name, slug, project, logo, url, description, twitter, category, chainIds }
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
  const chainIds = new Set(all.flatMap(({ chains }) => chains.map(({ id }) => id)))
  return {
    title: titleOf(first.project),
    id: first.project,
    chainIds: [...chainIds].sort((a, b) => a - b).join(','),
    logo: all.find(({ logo }) => logo)?.logo ?? null,
    url: first.url,
    description: first.description,
    twitter: all.find(({ twitter }) => twitter)?.twitter ?? null,
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
    inputs: { ...inputs },
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

export function toAction({ action, inputs }: ActionRecord): z.output<typeof Action> {
  return { name: action, action, inputs: { ...inputs } }
}

const primaryAddress = 'Contract of the position'
const given = 'Token to give'
const gotten = 'Token to get'
const amountIn = 'Raw units of tokenIn, or a reference'
const amountOut = 'Raw units of tokenOut, or a reference'
/** Arguments that an action takes from whichever protocol performs it. */
const commonInputs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  borrow: {
    collateral: 'Token that secures the debt',
    tokenOut: gotten,
    amountOut,
    primaryAddress,
  },
  deposit: { tokenIn: given, tokenOut: gotten, amountIn, primaryAddress },
  harvest: { token: 'Token of the rewards', primaryAddress },
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
export function commonActions(actions: readonly ActionRecord[]): z.output<typeof Action>[] {
  const byName = new Map(withVariants(actions).map((one) => [one.action, one]))
  return [...byName.values()]
    .map((one) => toAction({ ...one, inputs: commonInputs[one.action] ?? one.inputs }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
