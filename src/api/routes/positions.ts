/** Positions, and those without a token by pages: docs/reference/api.md#tokens-and-positions. */
import { z } from 'zod'
import type { CallContext, Engine } from '../../domain/engine.js'
import type { Listing, ProtocolRecord } from '../../domain/metadata.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { addressFilter, listingErrors, nameFilter, paging } from '../inputs/listing.js'
import { matches, namesOf, pageOf, positionTest, toUnderlying } from '../records/listings.js'
import { NonTokenizedPage, Position } from '../records/metadata-records.js'
import { toProtocol } from '../records/protocols.js'
import { ChainId } from '../schemas.js'

const input = z.object({
  chainId: ChainId.optional(),
  tokenAddress: addressFilter('Tokens of the positions.'),
  poolAddress: addressFilter('Contracts that hold what is deposited.'),
  symbol: nameFilter('Symbols of tokens, letter case ignored.'),
  protocol: nameFilter('Slugs of protocols.'),
  project: nameFilter('Projects.'),
  underlyingAddress: addressFilter('Tokens that the positions are made of, any of these.'),
  name: nameFilter('Names of positions or tokens, letter case ignored.'),
})
type PositionsInput = z.output<typeof input>

/** Numeric codes of the token record. */
const tokenTypes = { base: 0, position: 1 }

function definePositions(path: string, operationId: string, summary: string) {
  return defineRoute({
    method: 'get',
    path,
    tag: 'Metadata',
    operationId,
    summary,
    description:
      'As of the newest snapshot: positions are read again in the background when it is old. ' +
      'What is not known, such as the TVL of a position with a token that has no price, is null.',
    input,
    response: z.array(Position),
    errors: listingErrors,
  })
}

const getPositions = definePositions(
  '/api/v1/positions',
  'getPositions',
  'Lists DeFi tokens, base tokens and non-tokenized positions.',
)
const getDefiTokens = definePositions(
  '/api/v1/defiTokens',
  'getDefiTokens',
  'Lists positions that have a token.',
)
const getBaseTokens = definePositions(
  '/api/v1/baseTokens',
  'getBaseTokens',
  'Lists tokens that are no positions.',
)
const getTokenless = definePositions(
  '/api/v1/tokenless-positions',
  'getTokenlessPositions',
  'Lists positions without a token.',
)

const getNonTokenized = defineRoute({
  method: 'get',
  path: '/api/v1/nontokenized',
  tag: 'Metadata',
  operationId: 'getNonTokenized',
  summary: 'Lists positions without a token, a page at a time.',
  description: 'Go on with page, or hand meta.cursor back as cursor.',
  input: z.object({
    chainId: ChainId.optional(),
    project: nameFilter('Projects.'),
    protocolSlug: nameFilter('Slugs of protocols.'),
    address: addressFilter('Contracts that hold the positions.'),
    primaryAddress: addressFilter('Contracts by which the positions are entered.'),
    ...paging,
  }),
  response: NonTokenizedPage,
  errors: listingErrors,
})

function passes(listing: Listing, filter: PositionsInput): boolean {
  const position = listing.kind === 'position' ? listing : null
  const token = listing.token
  return (
    matches(filter.tokenAddress, token?.address ?? null) &&
    matches(filter.poolAddress, position?.poolAddress ?? token?.address ?? null) &&
    matches(filter.symbol, token?.symbol ?? null) &&
    matches(filter.protocol, position?.protocol ?? null) &&
    matches(filter.project, position?.project ?? null) &&
    matches(
      filter.underlyingAddress,
      ...(position?.underlyingTokens ?? []).map(({ address }) => address),
    ) &&
    matches(filter.name, ...namesOf(listing))
  )
}

/** A base token is its own pool and entry; its yield is unknown. */
function toPosition(
  listing: Listing,
  protocols: ReadonlyMap<string, ProtocolRecord>,
): z.output<typeof Position> {
  if (listing.kind === 'base') {
    const { address, chainId, name, symbol, decimals } = listing.token
    const id = `${chainId}:${address}:${address}`
    const places = { poolAddress: address, primaryAddress: address, underlyingTokens: [] }
    const unattributed = { project: null, protocol: null }
    const type = tokenTypes.base
    return {
      apy: null,
      apyBase: null,
      apyReward: null,
      tvl: null,
      ...places,
      ...unattributed,
      chainId,
      id,
      name,
      subtitle: symbol,
      rewardTokens: [],
      token: {
        id,
        address,
        name,
        symbol,
        decimals,
        chain: chainId,
        type,
        ...unattributed,
        ...places,
      },
      tokenAddress: address,
    }
  }
  const { chainId, token, poolAddress, primaryAddress, project, positionId: id } = listing
  const { apy, apyBase, apyReward, tvl, name, subtitle, rewardTokens } = listing
  const underlyingTokens = listing.underlyingTokens.map(({ address }) => address)
  const places = { poolAddress, primaryAddress, underlyingTokens }
  const record = protocols.get(listing.protocol)
  return {
    apy,
    apyBase,
    apyReward,
    tvl,
    ...places,
    chainId,
    id,
    name,
    subtitle,
    rewardTokens: [...rewardTokens],
    token: token && {
      id,
      address: token.address,
      name: token.name,
      symbol: token.symbol,
      decimals: token.decimals,
      chain: chainId,
      type: tokenTypes.position,
      project,
      protocol: listing.protocol,
      ...places,
    },
    tokenAddress: token?.address ?? null,
    project,
    protocol: record ? toProtocol(record) : null,
  }
}

/** @param isWanted - selects the listings of the endpoint. */
function handler(isWanted: (listing: Listing) => boolean, baseOnly = false) {
  return async (args: { engine: Engine; input: PositionsInput; context: CallContext }) => {
    const { engine, input: filter, context } = args
    const listings = await engine.listings({ chainId: filter.chainId, baseOnly }, context)
    const protocols = new Map(engine.protocols().map((one) => [one.slug, one]))
    return listings
      .filter((listing) => isWanted(listing) && passes(listing, filter))
      .map((listing) => toPosition(listing, protocols))
  }
}

export const positionEndpoints: readonly Endpoint[] = [
  endpoint(
    getPositions,
    handler(() => true),
  ),
  endpoint(
    getDefiTokens,
    handler(({ kind, token }) => kind === 'position' && token !== null),
  ),
  endpoint(
    getBaseTokens,
    handler(({ kind }) => kind === 'base', true),
  ),
  endpoint(
    getTokenless,
    handler(({ token }) => token === null),
  ),
  endpoint(getNonTokenized, async ({ engine, input: view, context }) => {
    const listings = await engine.listings({ chainId: view.chainId }, context)
    const found = listings.flatMap((one) =>
      one.kind === 'position' &&
      one.token === null &&
      matches(view.project, one.project) &&
      matches(view.protocolSlug, one.protocol) &&
      matches(view.address, one.poolAddress) &&
      matches(view.primaryAddress, one.primaryAddress)
        ? [one]
        : [],
    )
    const { meta, rows } = pageOf(found, view)
    const isPosition = positionTest(listings)
    const data = rows.map((one) => ({
      chainId: one.chainId,
      project: one.project,
      protocol: one.protocol,
      address: one.poolAddress,
      positionId: one.positionId,
      primaryAddress: one.primaryAddress,
      name: one.name,
      underlyingTokens: toUnderlying(one, true, isPosition),
    }))
    return { meta, data }
  }),
]
