/** Pages of tokens: docs/reference/api.md#tokens-and-positions. */
import { z } from 'zod'
import { invalidRequest } from '../../domain/common-errors.js'
import type { Engine } from '../../domain/engine.js'
import type { ForkrouteError } from '../../domain/errors.js'
import type { Listing, PositionListing } from '../../domain/metadata.js'
import type { Address } from '../../domain/primitives.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { textOf } from '../input.js'
import { addressFilter, listingErrors, nameFilter, paging } from '../inputs/listing.js'
import type { Dialect } from '../records/dialect.js'
import {
  matches,
  namesOf,
  pageOf,
  positionTest,
  toTokenItem,
  toUnderlying,
} from '../records/listings.js'
import { TokenPage } from '../records/metadata-records.js'
import { ChainId, Decimal, described, Flag, Name, oneOf, withDefault } from '../schemas.js'

/** Tokens that one request may ask the chain about: 25 calls of the node, where it takes calls in bulk. */
const mostAsked = 5_000

const input = z.object({
  project: described(Name.optional(), 'Project of the DeFi token.'),
  protocolSlug: described(Name.optional(), 'Protocol of the DeFi token.'),
  underlyingTokens: addressFilter(
    'Tokens that the DeFi token stands for, all of these among others.',
  ),
  underlyingTokensExact: addressFilter(
    'Tokens that the DeFi token stands for, these and no others.',
  ),
  primaryAddress: addressFilter('Contracts by which the DeFi token is entered.'),
  address: addressFilter('Tokens themselves.'),
  name: nameFilter('Names of tokens, letter case ignored.'),
  symbol: nameFilter('Symbols of tokens, letter case ignored.'),
  chainId: ChainId.optional(),
  type: described(oneOf(['defi', 'base']).optional(), 'Default: both.'),
  liquidityType: described(
    oneOf(['SingleToken', 'MultiToken']).optional(),
    'DeFi tokens of one or of several underlying tokens; default: both.',
  ),
  present: described(
    withDefault(Flag, false, false),
    `Only tokens that are on the chain at its newest block; needs chainId. At most ${mostAsked} tokens may pass the other filters.`,
  ),
  ...paging,
  includeMetadata: described(
    withDefault(Flag, false, false),
    'Adds symbol, name and logosUri; decimals stand there always.',
  ),
  includeUnderlying: described(
    withDefault(Flag, true, true),
    'Adds underlyingTokens: addresses, with includeMetadata their records.',
  ),
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
  summary: 'Lists base tokens and DeFi tokens, a page at a time.',
  description:
    'Go on with page, or hand meta.cursor back as cursor: what is listed later comes last, so pages stay as they are. ' +
    'A filter that is absent lets everything pass; a figure that is not known passes no bound.',
  input,
  rules: ({ present, chainId }) =>
    textOf(present) === 'true' && chainId === undefined ? ['present needs chainId'] : [],
  response: TokenPage,
  errors: listingErrors,
})

/**
 * The listings whose token is on the chain, where that is wanted.
 * @throws ForkrouteError INVALID_REQUEST where the chain would be asked about too many tokens.
 */
async function presentOf(
  listings: readonly Listing[],
  { present, chainId, type }: TokensInput,
  find: (args: Parameters<Engine['presentTokens']>[0]) => Promise<readonly Address[]>,
): Promise<readonly Listing[]> {
  if (!present || chainId === undefined) return listings
  const tokens = [...new Set(listings.flatMap(({ token }) => token?.address ?? []))]
  if (tokens.length > mostAsked) throw tooManyAsked(tokens.length, type)
  const found = new Set(await find({ chainId, tokens }))
  return listings.filter(({ token }) => token !== null && found.has(token.address))
}

function tooManyAsked(tokens: number, type: TokensInput['type']): ForkrouteError {
  return invalidRequest(
    [
      `present asks the chain about each token, ${mostAsked} at most, and ${tokens} pass the other filters: name them by symbol or address, or ask for one type alone`,
    ],
    {
      tokens,
      next: [
        ...(type === 'base' ? [] : [{ parameter: 'type', value: 'base' }]),
        { parameter: 'symbol' },
        { parameter: 'address' },
        { parameter: 'present', value: null },
      ],
    },
  )
}

/** A base token fails every filter on a field that only DeFi tokens have. */
function passes(listing: Listing, filter: TokensInput): boolean {
  if (filter.type !== undefined && filter.type !== typeOf(listing)) return false
  if (!matches(filter.address, listing.token?.address ?? null)) return false
  if (!matches(filter.name, ...namesOf(listing))) return false
  if (!matches(filter.symbol, listing.token?.symbol ?? null)) return false
  if (listing.kind === 'base') return defiFilters.every((name) => filter[name] === undefined)
  const underlying = listing.underlyingTokens.map(({ address }) => address)
  return (
    isNamed(filter.project, listing.project) &&
    isNamed(filter.protocolSlug, listing.protocol) &&
    matches(filter.primaryAddress, listing.primaryAddress) &&
    (filter.underlyingTokens ?? []).every((token) => underlying.includes(token)) &&
    isSameSet(filter.underlyingTokensExact, underlying) &&
    (!filter.liquidityType ||
      filter.liquidityType === (underlying.length > 1 ? 'MultiToken' : 'SingleToken')) &&
    isWithin(listing.apy, filter.apyFrom, filter.apyTo) &&
    isWithin(listing.tvl, filter.tvlFrom, filter.tvlTo)
  )
}

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

function isNamed(wanted: string | undefined, known: string): boolean {
  return wanted === undefined || matches([wanted], known)
}

function typeOf(listing: Listing): 'defi' | 'base' {
  return listing.kind === 'base' ? 'base' : 'defi'
}

/** True when no set is wanted. */
function isSameSet(wanted: readonly string[] | undefined, known: readonly string[]): boolean {
  if (!wanted) return true
  const own = new Set(known)
  return new Set(wanted).size === own.size && wanted.every((token) => own.has(token))
}

/** Bounds are inclusive. An unknown value passes no bound. */
function isWithin(value: number | null, from: number | undefined, to: number | undefined): boolean {
  if (from === undefined && to === undefined) return true
  return value !== null && value >= (from ?? -Infinity) && value <= (to ?? Infinity)
}

export function tokenEndpoints(dialect: Dialect): readonly Endpoint[] {
  return [
    endpoint(getTokens, async ({ engine, input: view, context }) => {
      const wanted = { chainId: view.chainId, baseOnly: view.type === 'base' }
      const listings = await engine.listings(wanted, context)
      const passing = listings.filter((listing) => listing.token !== null && passes(listing, view))
      const found = await presentOf(passing, view, (args) => engine.presentTokens(args, context))
      const { meta, rows } = pageOf(found, view)
      const isPosition = positionTest(listings)
      const { includeMetadata } = view
      const partsOf = (position: PositionListing) =>
        dialect.toUnderlying(toUnderlying(position, includeMetadata, isPosition), includeMetadata)
      const data = rows.flatMap((listing) =>
        listing.token ? [toTokenItem(listing, listing.token, view, partsOf)] : [],
      )
      return { meta, data }
    }),
  ]
}
