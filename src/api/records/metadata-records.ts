/** Schemas of the API's answers about tokens, positions and protocols. Unknown values are null. */
import { z } from 'zod'
import { Address, ChainId } from './record-parts.js'

export const TokenSummary = z.object({
  decimals: z.int().nullable(),
  symbol: z.string().nullable(),
  name: z.string().nullable(),
  logosUri: z.array(z.string()).nullable(),
})

/** Kind of a token as text. */
const TokenType = z.enum(['defi', 'base'])
const figures = {
  apy: z.number().nullable().meta({
    description: 'Percent per year (4.5 is 4.5 %), as far as base and reward are known.',
  }),
  apyBase: z.number().nullable().meta({ description: 'Percent per year, without rewards.' }),
  apyReward: z.number().nullable().meta({ description: 'Percent per year, of rewards.' }),
  tvl: z.number().nullable().meta({ description: 'USD.' }),
}

export const UnderlyingToken = TokenSummary.partial()
  .extend({ address: Address, chainId: ChainId, type: TokenType })
  .meta({ id: 'UnderlyingToken' })

export const TokenItem = TokenSummary.partial()
  .extend({
    address: Address,
    chainId: ChainId,
    type: TokenType,
    underlyingTokens: z.array(UnderlyingToken).nullable().optional(),
    project: z.string().nullable(),
    protocolSlug: z.string().nullable(),
    protocol: z.string().nullable().meta({ description: 'Same as protocolSlug.' }),
    primaryAddress: Address.nullable(),
    ...figures,
  })
  .meta({ id: 'Token' })

export const PageMeta = z
  .object({
    total: z.int(),
    lastPage: z.int(),
    currentPage: z.int(),
    perPage: z.int(),
    prev: z.int().nullable(),
    next: z.int().nullable(),
    cursor: z.int().nullable().meta({ description: 'Pass it back as cursor for the next page.' }),
  })
  .meta({ id: 'PageMeta' })

export const TokenPage = z
  .object({ meta: PageMeta, data: z.array(TokenItem) })
  .meta({ id: 'TokenPage' })

export const NonTokenizedPage = z
  .object({
    meta: PageMeta,
    data: z.array(
      z
        .object({
          chainId: ChainId,
          project: z.string(),
          protocol: z.string(),
          address: Address.meta({ description: 'Contract that holds the position.' }),
          positionId: z.string().meta({ description: 'The positionOut of a route to it.' }),
          primaryAddress: Address,
          name: z.string(),
          underlyingTokens: z.array(UnderlyingToken),
        })
        .meta({ id: 'NonTokenizedPosition' }),
    ),
  })
  .meta({ id: 'NonTokenizedPage' })

export const Protocol = z
  .object({
    name: z.string(),
    slug: z.string(),
    project: z.string(),
    logo: z.string().nullable(),
    url: z.string(),
    description: z.string(),
    twitter: z.string().nullable(),
    category: z.string(),
    chainIds: z.array(ChainId),
  })
  .meta({ id: 'Protocol' })

const PositionToken = z
  .object({
    id: z.string(),
    address: Address,
    name: z.string().nullable(),
    symbol: z.string().nullable(),
    decimals: z.int().nullable(),
    chain: ChainId,
    type: z.int().meta({ description: '0: base token, 1: DeFi token.' }),
    project: z.string().nullable(),
    protocol: z.string().nullable(),
    poolAddress: Address,
    primaryAddress: Address,
    underlyingTokens: z.array(Address),
  })
  .meta({ id: 'PositionToken' })

export const Position = z
  .object({
    ...figures,
    chainId: ChainId,
    id: z.string().meta({ description: '<chainId>:<primaryAddress>:<token or key>.' }),
    name: z.string().nullable(),
    poolAddress: Address,
    primaryAddress: Address.meta({ description: 'Contract that actions of a bundle take.' }),
    subtitle: z.string().nullable(),
    rewardTokens: z.array(Address),
    token: PositionToken.nullable().meta({ description: 'Null for a position without a token.' }),
    tokenAddress: Address.nullable(),
    underlyingTokens: z.array(Address),
    project: z.string().nullable(),
    protocol: Protocol.nullable().meta({ description: 'Null for a base token.' }),
  })
  .meta({ id: 'Position' })

export const Project = z
  .object({
    title: z.string(),
    id: z.string(),
    chainIds: z.string().meta({ description: 'Comma-separated.' }),
    logo: z.string().nullable(),
    url: z.string(),
    description: z.string(),
    twitter: z.string().nullable(),
    category: z.string(),
    poolCount: z.int().meta({ description: 'Positions that are listed.' }),
    protocol: z.string().meta({ description: 'The first of protocols.' }),
    protocols: z.array(z.string()),
  })
  .meta({ id: 'Project' })

const SupportedChain = z.object({ id: ChainId, name: z.string() })
const Inputs = z
  .record(z.string(), z.string())
  .meta({ description: 'Argument to one phrase about it.' })
const Reference = z.object({ slug: z.string(), url: z.string() })

export const Standard = z
  .object({
    protocol: Reference,
    forks: z.array(Reference).meta({ description: 'Protocols that run its code.' }),
    methods: z.array(
      z.object({
        method: z.string().meta({ description: 'The action of a bundle.' }),
        name: z.string(),
        functionNames: z.array(z.string()),
        supportedChains: z.array(SupportedChain),
        inputs: Inputs,
      }),
    ),
    actions: z
      .array(
        z.object({
          action: z.string(),
          name: z.string(),
          functionNames: z.array(z.string()),
          supportedChains: z.array(SupportedChain),
          inputs: z.array(z.string()),
        }),
      )
      .meta({ description: 'The methods again, their inputs by name alone.' }),
  })
  .meta({ id: 'Standard' })

export const Action = z
  .object({
    name: z.string(),
    action: z.string().meta({ description: 'Same as name.' }),
    inputs: Inputs,
  })
  .meta({ id: 'Action' })
