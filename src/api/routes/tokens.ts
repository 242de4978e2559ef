/** Pages of tokens: contract section 4.4. */
import { z } from 'zod'
import type { Token } from '../../domain/primitives.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { type TokenItem, TokenPage } from '../records.js'
import {
  Address,
  ChainId,
  Decimal,
  described,
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

function addresses(description: string) {
  return described(listOf(Address, 1, maxValues).optional(), description)
}

function names(description: string) {
  return described(listOf(Name, 1, maxValues).optional(), description)
}

const input = z.object({
  project: described(Name.optional(), 'Project of the DeFi token.'),
  protocolSlug: described(Name.optional(), 'Protocol of the DeFi token.'),
  underlyingTokens: addresses('Tokens that the DeFi token stands for, all of these among others.'),
  underlyingTokensExact: addresses('Tokens that the DeFi token stands for, these and no others.'),
  primaryAddress: addresses('Contracts by which the DeFi token is entered.'),
  address: addresses('Tokens themselves.'),
  name: names('Names of tokens, letter case ignored.'),
  symbol: names('Symbols of tokens, letter case ignored.'),
  chainId: ChainId.optional(),
  type: described(oneOf(['defi', 'base']).optional(), 'Default: both.'),
  liquidityType: described(
    oneOf(['SingleToken', 'MultiToken']).optional(),
    'DeFi tokens of one or of several underlying tokens; default: both.',
  ),
  page: described(withDefault(integer(1, 1_000_000_000), 1, 1), 'Counted from 1.'),
  pageSize: described(
    withDefault(integer(1, maxPageSize), maxPageSize, maxPageSize),
    'Tokens per page.',
  ),
  cursor: integer(0, 1_000_000_000)
    .optional()
    .meta({ description: 'The cursor of the page before; wins over page.' }),
  includeMetadata: described(
    withDefault(Flag, false, false),
    'Adds symbol, name, decimals and logosUri.',
  ),
  includeUnderlying: described(withDefault(Flag, true, true), 'Adds underlyingTokens.'),
  apyFrom: described(Decimal.optional(), 'Lowest APY in percent.'),
  apyTo: described(Decimal.optional(), 'Highest APY in percent.'),
  tvlFrom: described(Decimal.optional(), 'Lowest TVL in USD.'),
  tvlTo: described(Decimal.optional(), 'Highest TVL in USD.'),
})
type TokensInput = z.output<typeof input>

const getTokens = defineRoute({
  method: 'get',
  path: '/api/v1/tokens',
  tag: 'Metadata',
  operationId: 'getTokens',
  summary: 'Lists tokens, a page at a time, ordered by chain and address.',
  description:
    'Go on with page, or hand meta.cursor back as cursor; a filter that is absent lets everything pass.',
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
        prev: currentPage > 1 ? Math.min(currentPage - 1, lastPage) : null,
        next: hasMore ? currentPage + 1 : null,
        cursor: hasMore ? start + perPage : null,
      },
      data: found.slice(start, start + perPage).map((token) => toItem(token, view)),
    }
  }),
]
