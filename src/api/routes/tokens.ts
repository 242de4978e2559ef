/** Pages of tokens: contract section 4.4. */
import { z } from 'zod'
import type { Token } from '../../domain/primitives.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { type TokenItem, TokenPage } from '../records.js'
import {
  Address,
  ChainId,
  Decimal,
  Flag,
  integer,
  listOf,
  Name,
  oneOf,
  withDefault,
} from '../schemas.js'

const maxPageSize = 1_000
/** Values of one list filter. */
const maxValues = 1_000
const addresses = listOf(Address, 1, maxValues).optional()
const names = listOf(Name, 1, maxValues).optional()

const input = z.object({
  project: Name.optional(),
  protocolSlug: Name.optional(),
  underlyingTokens: addresses,
  underlyingTokensExact: addresses,
  primaryAddress: addresses,
  address: addresses,
  name: names.meta({ description: 'Letter case ignored.' }),
  symbol: names.meta({ description: 'Letter case ignored.' }),
  chainId: ChainId.optional(),
  type: oneOf(['defi', 'base']).optional(),
  liquidityType: oneOf(['SingleToken', 'MultiToken']).optional(),
  page: withDefault(integer(1, 1_000_000_000), 1, 1),
  pageSize: withDefault(integer(1, maxPageSize), maxPageSize, maxPageSize),
  cursor: integer(0, 1_000_000_000)
    .optional()
    .meta({ description: 'The cursor of the page before; wins over page.' }),
  includeMetadata: withDefault(Flag, false, false),
  includeUnderlying: withDefault(Flag, true, true),
  apyFrom: Decimal.optional(),
  apyTo: Decimal.optional(),
  tvlFrom: Decimal.optional(),
  tvlTo: Decimal.optional(),
})
type TokensInput = z.output<typeof input>

const getTokens = defineRoute({
  method: 'get',
  path: '/api/v1/tokens',
  tag: 'Metadata',
  operationId: 'getTokens',
  summary: 'Lists tokens, a page at a time, ordered by chain and address.',
  input,
  response: TokenPage,
  errors: ['INVALID_REQUEST', 'UNKNOWN_CHAIN'],
})

/** Filters on what only a DeFi token has: a base token passes none of them. */
const defiFilters = [
  'project',
  'protocolSlug',
  'underlyingTokens',
  'underlyingTokensExact',
  'primaryAddress',
  'liquidityType',
  'apyFrom',
  'apyTo',
  'tvlFrom',
  'tvlTo',
] as const satisfies readonly (keyof TokensInput)[]

function matches(values: readonly string[] | undefined, value: string | null): boolean {
  if (!values) return true
  return value !== null && values.some((wanted) => wanted.toLowerCase() === value.toLowerCase())
}

function select(tokens: readonly Token[], filter: TokensInput): readonly Token[] {
  if (filter.type === 'defi' || defiFilters.some((name) => filter[name] !== undefined)) return []
  return tokens.filter(
    (token) =>
      matches(filter.address, token.address) &&
      matches(filter.name, token.name) &&
      matches(filter.symbol, token.symbol),
  )
}

function toItem(token: Token, view: TokensInput): z.output<typeof TokenItem> {
  return {
    address: token.address,
    chainId: token.chainId,
    type: 'base',
    ...(view.includeMetadata && {
      decimals: token.decimals,
      symbol: token.symbol,
      name: token.name,
      logosUri: token.logoUri ? [token.logoUri] : null,
    }),
    ...(view.includeUnderlying && { underlyingTokens: null }),
    project: null,
    protocolSlug: null,
    protocol: null,
    primaryAddress: null,
    apy: null,
    apyBase: null,
    apyReward: null,
    tvl: null,
  }
}

export const tokenEndpoints: readonly Endpoint[] = [
  endpoint(getTokens, ({ engine, input: view }) => {
    const found = select(engine.tokens(view.chainId), view)
    const perPage = view.pageSize
    const start = view.cursor ?? (view.page - 1) * perPage
    const lastPage = Math.max(1, Math.ceil(found.length / perPage))
    const currentPage = Math.floor(start / perPage) + 1
    const hasMore = start + perPage < found.length
    return {
      meta: {
        total: found.length,
        lastPage,
        currentPage,
        perPage,
        prev: currentPage > 1 ? currentPage - 1 : null,
        next: hasMore ? currentPage + 1 : null,
        cursor: hasMore ? start + perPage : null,
      },
      data: found.slice(start, start + perPage).map((token) => toItem(token, view)),
    }
  }),
]
