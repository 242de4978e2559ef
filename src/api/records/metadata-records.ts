/** Schemas of the API's answers about tokens, positions and protocols. Unknown values are null. */
import { z } from 'zod'
import { Address, ChainId } from './record-parts.js'

/** Empty where no logo is known: clients take the first without a look. */
const Logos = z.array(z.string()).meta({ description: 'URLs of pictures; empty: none is known.' })

export const TokenMetadata = z.object({
  decimals: z
    .int()
    .nullable()
    .meta({ description: 'Null for a token of a position that cannot be read.' }),
  symbol: z.string().nullable().optional(),
  name: z.string().nullable().optional(),
  logosUri: Logos.optional().meta({
    description:
      'URLs of pictures: its own, else those of its underlying tokens; empty where none is known.',
  }),
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

export const UnderlyingToken = TokenMetadata.extend({
  address: Address,
  chainId: ChainId,
  type: TokenType,
}).meta({ id: 'UnderlyingToken' })

export const TokenItem = TokenMetadata.extend({
  address: Address,
  chainId: ChainId,
  type: TokenType,
  underlyingTokens: z
    .union([z.array(Address), z.array(UnderlyingToken)])
    .nullable()
    .optional()
    .meta({
      description:
        'What it is made of, in the order of the protocol: addresses, with includeMetadata=true records. With ' +
        'API_DIALECT=family always records. Null for a base token.',
    }),
  project: z.string().nullable(),
  protocolSlug: z.string().nullable(),
  protocol: z.string().nullable().meta({ description: 'Same as protocolSlug.' }),
  primaryAddress: Address.nullable(),
  ...figures,
}).meta({ id: 'Token' })

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

const SupportedChain = z.object({ id: ChainId, name: z.string() })
/** Who made protocols. */
const maker = {
  logo: z.string().nullable().meta({ description: 'The first of logosUri.' }),
  logosUri: Logos,
  url: z.string(),
  description: z.string(),
  twitter: z.string().nullable().meta({ description: 'Name of the account.' }),
}

export const Protocol = z
  .object({
    name: z.string(),
    slug: z.string(),
    project: z.string(),
    projectId: z.string().meta({ description: 'Same as project.' }),
    ...maker,
    category: z.string(),
    chains: z.array(SupportedChain).meta({ description: 'Configured chains that it is on.' }),
    chainIds: z.array(ChainId).meta({ description: 'The ids of chains.' }),
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
    chains: z.array(ChainId).meta({ description: 'Ids of the chains of its protocols.' }),
    ...maker,
    category: z.string(),
    poolCount: z.int().meta({ description: 'Positions that are listed.' }),
    protocol: z.string().meta({ description: 'The first of protocols.' }),
    protocols: z.array(z.string()),
  })
  .meta({ id: 'Project' })

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

export const ActionInput = z
  .object({
    type: z.string().meta({
      description:
        'address, bytes, integer, string, uint256 (a decimal string, or a reference to what an earlier ' +
        'action yields), bps (basis points), reference, array or action; with [] a list; an ' +
        'only address or amount of it may stand alone.',
      example: 'uint256',
    }),
    description: z.string().meta({ description: 'One phrase.' }),
    optional: z.literal(true).optional().meta({ description: 'Absent: it is required.' }),
  })
  .meta({ id: 'ActionInput' })

export const Action = z
  .object({
    name: z.string(),
    action: z.string().meta({ description: 'Same as name.' }),
    inputs: z.record(z.string(), z.union([z.string(), ActionInput])).meta({
      description:
        'Argument to one phrase about it; with API_DIALECT=family the same as inputTypes.',
    }),
    inputTypes: z
      .record(z.string(), ActionInput)
      .meta({ description: 'Argument to its type and one phrase about it.' }),
  })
  .meta({ id: 'Action' })
