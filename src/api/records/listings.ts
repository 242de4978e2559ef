/** Tokens and positions for the wire: filters, pages and records. Percent per year, USD, lower-case addresses. */
import type { z } from 'zod'
import type { Listing, PositionListing, TokenFacts } from '../../domain/metadata.js'
import type { PageMeta, TokenItem, TokenMetadata, UnderlyingToken } from './metadata-records.js'

/** True when no values are wanted; letter case is ignored. */
export function matches(
  values: readonly string[] | undefined,
  ...known: (string | null)[]
): boolean {
  if (!values) return true
  return known.some(
    (value) =>
      value !== null && values.some((wanted) => wanted.toLowerCase() === value.toLowerCase()),
  )
}

/** Names of a token and of its position. */
export function namesOf(listing: Listing): (string | null)[] {
  const token = listing.token?.name ?? null
  return listing.kind === 'base' ? [token] : [token, listing.name]
}

/**
 * One page of rows that are ordered by id.
 * @param cursor - id of the last row of the previous page: rows added or removed since do not shift the page.
 */
export function pageOf<T extends { readonly id: number }>(
  rows: readonly T[],
  view: {
    readonly page: number
    readonly pageSize: number
    readonly cursor?: number | undefined
  },
): { meta: z.output<typeof PageMeta>; rows: readonly T[] } {
  const { page, pageSize: perPage, cursor } = view
  const start =
    cursor === undefined ? (page - 1) * perPage : rows.filter(({ id }) => id <= cursor).length
  const currentPage = Math.ceil(start / perPage) + 1
  const shown = rows.slice(start, start + perPage)
  const hasMore = start + perPage < rows.length
  const meta = pageMetaOf(rows.length, { page: currentPage, pageSize: perPage }, hasMore)
  return { meta: { ...meta, cursor: hasMore ? (shown.at(-1)?.id ?? null) : null }, rows: shown }
}

/** Position of a page that is asked for by its number, as lists without a cursor have it. */
export function pageMetaOf(
  total: number,
  { page, pageSize }: { readonly page: number; readonly pageSize: number },
  hasMore = page * pageSize < total,
): z.output<typeof PageMeta> {
  const lastPage = Math.max(1, Math.ceil(total / pageSize))
  return {
    total,
    lastPage,
    currentPage: page,
    perPage: pageSize,
    prev: page > 1 ? Math.min(page - 1, lastPage) : null,
    next: hasMore ? page + 1 : null,
    cursor: null,
  }
}

/**
 * Decimals always; a list of logos, since clients take its first.
 * @param parts - tokens that it is made of: their logos stand for one that has none of its own.
 */
function metadataOf(
  token: TokenFacts,
  withNames: boolean,
  parts: readonly TokenFacts[] = [],
): z.output<typeof TokenMetadata> {
  const { decimals, symbol, name, logoUri } = token
  if (!withNames) return { decimals }
  const shown = logoUri === null ? parts : [token]
  return { decimals, symbol, name, logosUri: shown.flatMap((one) => one.logoUri ?? []) }
}

/**
 * Tokens that a position is made of.
 * @param isPosition - whether an address is itself a position of the chain.
 */
export function toUnderlying(
  { underlyingTokens }: PositionListing,
  includeMetadata: boolean,
  isPosition: (token: TokenFacts) => boolean,
): z.output<typeof UnderlyingToken>[] {
  return underlyingTokens.map((token) => ({
    address: token.address,
    chainId: token.chainId,
    type: isPosition(token) ? ('defi' as const) : ('base' as const),
    ...metadataOf(token, includeMetadata),
  }))
}

/** Whether a token is the token of a listed position. */
export function positionTest(listings: readonly Listing[]): (token: TokenFacts) => boolean {
  const tokens = new Set<string>()
  for (const one of listings) {
    if (one.kind === 'position' && one.token) tokens.add(`${one.chainId}:${one.token.address}`)
  }
  return ({ chainId, address }) => tokens.has(`${chainId}:${address}`)
}

export function toTokenItem(
  listing: Listing,
  token: TokenFacts,
  view: { readonly includeMetadata: boolean; readonly includeUnderlying: boolean },
  partsOf: (position: PositionListing) => z.output<typeof TokenItem>['underlyingTokens'],
): z.output<typeof TokenItem> {
  const position = listing.kind === 'position' ? listing : null
  return {
    address: token.address,
    chainId: token.chainId,
    type: position ? 'defi' : 'base',
    ...metadataOf(token, view.includeMetadata, position?.underlyingTokens),
    ...(view.includeUnderlying && {
      underlyingTokens: position && partsOf(position),
    }),
    project: position?.project ?? null,
    protocolSlug: position?.protocol ?? null,
    protocol: position?.protocol ?? null,
    primaryAddress: position?.primaryAddress ?? null,
    apy: position?.apy ?? null,
    apyBase: position?.apyBase ?? null,
    apyReward: position?.apyReward ?? null,
    tvl: position?.tvl ?? null,
  }
}
