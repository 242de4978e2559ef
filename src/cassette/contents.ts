/**
 * What all requests of a cassette share, besides the state of their blocks: settings that answers depend on, tokens,
 * imported pools, and the software that recorded them. It is the whole configuration of a replay.
 */
import { existsSync } from 'node:fs'
import { z } from 'zod'
import type { Config } from '../config/config.js'
import { DeclaredVenues } from '../config/venues.js'
import type { DeclaredVenue } from '../domain/declared-venue.js'
import { ForkrouteError } from '../domain/errors.js'
import { type Address, bigintToString, type Token } from '../domain/primitives.js'
import type { Pool } from '../protocols/pool.js'
import { cassetteFormat, guarded, openCassetteFile } from '../rpc/cassette/cassette-file.js'
import {
  type CassetteHead,
  CassetteRequests,
  DamagedRow,
} from '../rpc/cassette/cassette-requests.js'
import { earlierProtocols } from './earlier-protocols.js'

/** The part of the configuration that changes answers. */
export type CassetteSettings = Pick<
  Config,
  | 'candidates'
  | 'maxHops'
  | 'proof'
  | 'dataFee'
  | 'cautions'
  | 'poolBlacklist'
  | 'v4Hooks'
  | 'v4HooksAllowlist'
  | 'venues'
  | 'poolIndex'
  | 'liquidityFloorUsd'
  | 'serviceName'
  | 'apiDialect'
  | 'marksAnswers'
  | 'widensPools'
  | 'countsHoldings'
  | 'boundsPools'
  | 'mergesInputs'
  | 'narrowsSearches'
  | 'findsRebases'
  | 'runsBalancerHooks'
  | 'runsHooksOfMany'
  | 'countsFeeOrder'
  | 'disabledAggregators'
  | 'priorityFeePerGas'
  | 'acrossFeeBps'
  | 'acrossMaxUsd'
> & {
  readonly chainIds: readonly number[]
  /** Slugs of the protocols, the later venues and the later bridges, that the recording software has: the state of others was not recorded. */
  readonly protocols: readonly string[]
}

export interface CassetteContents {
  readonly settings: CassetteSettings
  readonly tokens: readonly Token[]
  /** Imported by the operator, by chain. */
  readonly importedPools: Readonly<Record<number, readonly Pool[]>>
  readonly sandboxPools: readonly Pool[]
}

/** The software that recorded a request. */
export interface RecorderVersion {
  readonly forkroute: string
  readonly anvil: string
  /** First bytes of the SHA-256 of each contract's code, by name. */
  readonly contracts: Readonly<Record<string, string>>
}

/** What earlier files, which lack these settings, were recorded with. */
const laterSettings = {
  apiDialect: 'specification',
  marksAnswers: false,
  widensPools: false,
  countsHoldings: false,
  boundsPools: false,
  mergesInputs: false,
  narrowsSearches: false,
  findsRebases: false,
  runsBalancerHooks: false,
  runsHooksOfMany: false,
  countsFeeOrder: false,
  disabledAggregators: [] as string[],
  v4Hooks: 'listed',
  venues: [] as DeclaredVenue[],
  acrossFeeBps: 5,
  acrossMaxUsd: null,
  poolIndex: false,
  proof: 'all',
  dataFee: 'shown',
  cautions: false,
  protocols: earlierProtocols,
} as const

const address = z.custom<Address>((value) => /^0x[0-9a-f]{40}$/.test(String(value)))
const integer = z.number().int().nonnegative()
const pool = z.object({
  protocol: z.string(),
  id: z.string(),
  address,
  tokens: z.array(address),
  parameters: z.custom<Pool['parameters']>((value) => typeof value === 'object' && value !== null),
})
const schemas = {
  settings: z.object({
    chainIds: z.array(integer).min(1),
    candidates: integer,
    maxHops: integer,
    poolBlacklist: z.array(z.string()),
    v4HooksAllowlist: z.array(z.string()),
    v4Hooks: z.enum(['run', 'listed']).default(laterSettings.v4Hooks),
    venues: DeclaredVenues.default(laterSettings.venues),
    liquidityFloorUsd: z.number(),
    serviceName: z.string(),
    apiDialect: z.enum(['specification', 'family']).default(laterSettings.apiDialect),
    marksAnswers: z.boolean().default(laterSettings.marksAnswers),
    widensPools: z.boolean().default(laterSettings.widensPools),
    countsHoldings: z.boolean().default(laterSettings.countsHoldings),
    boundsPools: z.boolean().default(laterSettings.boundsPools),
    mergesInputs: z.boolean().default(laterSettings.mergesInputs),
    narrowsSearches: z.boolean().default(laterSettings.narrowsSearches),
    findsRebases: z.boolean().default(laterSettings.findsRebases),
    runsBalancerHooks: z.boolean().default(laterSettings.runsBalancerHooks),
    runsHooksOfMany: z.boolean().default(laterSettings.runsHooksOfMany),
    countsFeeOrder: z.boolean().default(laterSettings.countsFeeOrder),
    disabledAggregators: z.array(z.string()).default(laterSettings.disabledAggregators),
    priorityFeePerGas: z.record(
      z.string(),
      z.string().transform((wei) => BigInt(wei)),
    ),
    proof: z.enum(['all', 'adaptive']).default(laterSettings.proof),
    dataFee: z.enum(['ranked', 'shown']).default(laterSettings.dataFee),
    cautions: z.boolean().default(laterSettings.cautions),
    protocols: z.array(z.string()).default([...earlierProtocols]),
    poolIndex: z.boolean().default(laterSettings.poolIndex),
    acrossFeeBps: integer.default(laterSettings.acrossFeeBps),
    acrossMaxUsd: z.number().nullable().default(laterSettings.acrossMaxUsd),
  }),
  tokens: z.array(
    z.object({
      chainId: integer,
      address,
      symbol: z.string().nullable(),
      name: z.string().nullable(),
      decimals: integer,
      logoUri: z.string().nullable(),
    }),
  ),
  importedPools: z.record(z.string(), z.array(pool)),
  sandboxPools: z.array(pool),
}

/** The contents in the form that the file stores. */
export function toHead(contents: CassetteContents, version: RecorderVersion): CassetteHead {
  return { facts: toFacts(contents), version: JSON.stringify(version) }
}

function toFacts({ settings, tokens, importedPools, sandboxPools }: CassetteContents) {
  const plainPools = (pools: readonly Pool[]) => pools.map((one) => fieldsOf(pool, one))
  const imported = Object.entries(importedPools).map(([id, pools]) => [id, plainPools(pools)])
  const { chainIds } = settings
  return {
    settings: JSON.stringify(fieldsOf(schemas.settings, settings), bigintToString),
    tokens: JSON.stringify(tokens.filter(({ chainId }) => chainIds.includes(chainId))),
    importedPools: JSON.stringify(Object.fromEntries(imported)),
    sandboxPools: JSON.stringify(plainPools(sandboxPools)),
  }
}

/** The fields of a value that the schema names, in its order: callers may pass the whole configuration. */
function fieldsOf(schema: z.ZodObject, value: object): object {
  const fields = new Map(Object.entries(value))
  return Object.fromEntries(Object.keys(schema.shape).map((name) => [name, fields.get(name)]))
}

/** @throws ForkrouteError STORAGE_UNAVAILABLE naming the row that is damaged or missing. */
export function contentsOf(requests: Pick<CassetteRequests, 'facts'>): CassetteContents {
  const facts = readable(() => requests.facts())
  const read = <T>(name: keyof typeof schemas, schema: z.ZodType<T>): T => {
    const text = facts[name]
    const parsed = text === undefined ? null : schema.safeParse(JSON.parse(text))
    if (parsed?.success) return parsed.data
    const what = parsed ? 'is not of the form of this version' : 'is missing'
    throw unusable(`row ${name} of facts ${what}`)
  }
  return {
    settings: read('settings', schemas.settings),
    tokens: read('tokens', schemas.tokens),
    importedPools: read('importedPools', schemas.importedPools),
    sandboxPools: read('sandboxPools', schemas.sandboxPools),
  }
}

/** @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function readContents(file: string): CassetteContents {
  const db = openCassetteFile(file, 'read')
  try {
    return guarded(() => contentsOf(new CassetteRequests(db)))
  } finally {
    db.close()
  }
}

/** What recorded the requests of the file. @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function readVersions(file: string): string[] {
  const db = openCassetteFile(file, 'read')
  try {
    return readable(() => guarded(() => new CassetteRequests(db).versions()))
  } finally {
    db.close()
  }
}

/**
 * The contents with which a service adds to the file: it must be absent, or recorded with equal contents. Answers have
 * marks and cautions, are ranked after the L1 data fee and come from pools that are widened or bounded, count what they
 * hold and are of the same protocols, where those in the file do.
 * @throws ForkrouteError INVALID_REQUEST naming what differs.
 */
export function contentsToAdd(file: string, contents: CassetteContents): CassetteContents {
  if (!existsSync(file)) return contents
  const db = openCassetteFile(file, 'read')
  try {
    const facts = readable(() => guarded(() => new CassetteRequests(db).facts()))
    if (!Object.keys(facts).length) return contents
    const own = contentsOf({ facts: () => facts }).settings
    const alike = { ...contents, settings: { ...contents.settings, ...laterOf(own) } }
    const differing = differences(facts, toFacts(alike))
    if (!differing.length) return alike
    throw new ForkrouteError(
      'INVALID_REQUEST',
      `The cassette was recorded otherwise, and one cassette has one of each: ${differing.join('; ')}.`,
    )
  } finally {
    db.close()
  }
}

/** Settings that files may lack: what is added to a file takes them from it. */
export function laterOf(settings: CassetteSettings) {
  const {
    marksAnswers,
    widensPools,
    countsHoldings,
    boundsPools,
    mergesInputs,
    narrowsSearches,
    findsRebases,
    runsBalancerHooks,
    runsHooksOfMany,
    countsFeeOrder,
    cautions,
    dataFee,
    v4Hooks,
    protocols,
  } = settings
  return {
    marksAnswers,
    widensPools,
    countsHoldings,
    boundsPools,
    mergesInputs,
    narrowsSearches,
    findsRebases,
    runsBalancerHooks,
    runsHooksOfMany,
    countsFeeOrder,
    cautions,
    dataFee,
    v4Hooks,
    protocols,
  }
}

/** One sentence per field that differs. */
export function differences(
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>>,
): string[] {
  return Object.keys(schemas).flatMap((name) => {
    if (a[name] === b[name]) return []
    if (name !== 'settings') return [`${name} differ`]
    const [left, right] = [a[name], b[name]].map(
      (text): Record<string, unknown> => ({ ...laterSettings, ...JSON.parse(text ?? '{}') }),
    )
    return Object.keys({ ...left, ...right }).flatMap((key) => {
      const [before, after] = [left?.[key], right?.[key]].map((value) => JSON.stringify(value))
      return before === after ? [] : [`${key} is ${before} there, ${after} here`]
    })
  })
}

/** Differences between the software that recorded and this one, as sentences. */
export function versionWarnings(texts: readonly string[], own: RecorderVersion): string[] {
  return texts.flatMap((text) => {
    const recorded = JSON.parse(text) as Partial<RecorderVersion>
    const names = Object.keys({ ...recorded.contracts, ...own.contracts })
    const changed = names.filter((name) => recorded.contracts?.[name] !== own.contracts[name])
    const facts = [
      ...(recorded.forkroute === own.forkroute
        ? []
        : [`forkroute ${recorded.forkroute}, and this is ${own.forkroute}`]),
      ...(recorded.anvil === own.anvil
        ? []
        : [`Anvil ${recorded.anvil}, and this is ${own.anvil}`]),
      ...(changed.length ? [`other code of ${changed.join(', ')}`] : []),
    ]
    return facts.length ? [`Recorded with ${facts.join('; ')}: answers may differ.`] : []
  })
}

/** Runs a read; a damaged row becomes an error that names it. */
export function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof DamagedRow ? unusable(`${error.message} is damaged`) : error
  }
}

function unusable(reason: string): ForkrouteError {
  return new ForkrouteError(
    'STORAGE_UNAVAILABLE',
    `The cassette (format ${cassetteFormat}) cannot be used: ${reason}.`,
  )
}
