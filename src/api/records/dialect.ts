/**
 * Where the specification of the interface and published clients of its family differ, a service speaks one of the two,
 * as API_DIALECT says. Every such difference is decided here; endpoints ask what to take and how to write it.
 */
import type { z } from 'zod'
import type { Config } from '../../config/config.js'
import type { RouteRequest } from '../../domain/engine.js'
import type { TokenItem, UnderlyingToken } from './metadata-records.js'
import { type ToInputs, toPhrase } from './protocols.js'

type Underlying = z.output<typeof UnderlyingToken>

export interface Dialect {
  /** The word inside wire identifiers. */
  readonly serviceName: string
  /** Mode of routes that name none. Clients of the family ask for a route before they approve its tokens. */
  readonly executionMode: RouteRequest['executionMode']
  /** The `inputs` of an action, of which `inputTypes` is the typed form in either dialect. */
  readonly toInputs: ToInputs
  /** The `underlyingTokens` of a token. @param includeMetadata - as the request says. */
  toUnderlying(
    tokens: Underlying[],
    includeMetadata: boolean,
  ): NonNullable<z.output<typeof TokenItem>['underlyingTokens']>
}

export function dialectOf({
  serviceName,
  apiDialect,
}: Pick<Config, 'serviceName' | 'apiDialect'>): Dialect {
  return { serviceName, ...dialects[apiDialect] }
}

const dialects: Readonly<Record<Config['apiDialect'], Omit<Dialect, 'serviceName'>>> = {
  specification: {
    executionMode: 'user',
    toInputs: (inputs) => Object.fromEntries(Object.entries(inputs).map(toPhrase)),
    toUnderlying: (tokens, includeMetadata) =>
      includeMetadata ? tokens : tokens.map(({ address }) => address),
  },
  family: {
    executionMode: 'backend',
    toInputs: (inputs) => ({ ...inputs }),
    toUnderlying: (tokens) => tokens,
  },
}
