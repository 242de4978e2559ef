/** Pools that the service knows, an operator's own, and the index of all: docs/reference/api.md#pools. */
import { z } from 'zod'
import { invalidRequest } from '../../domain/common-errors.js'
import type { ErrorCode } from '../../domain/errors.js'
import { hooksClasses } from '../../domain/hooks.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { pagesOf } from '../inputs/listing.js'
import { PoolRow } from '../inputs/pool-row.js'
import { pageMetaOf } from '../records/listings.js'
import {
  ExportedPool,
  PoolImport,
  PoolIndexState,
  PoolPage,
  toExported,
  toPool,
} from '../records/pool-records.js'
import {
  Address,
  ChainId,
  described,
  examples,
  listOf,
  Name,
  oneOf,
  PoolId,
  withDefault,
} from '../schemas.js'

const tag = 'Pools'
const errors: readonly ErrorCode[] = ['INVALID_REQUEST', 'UNKNOWN_CHAIN', 'STORAGE_UNAVAILABLE']
/** Pools of one import: what a body of the usual limit holds. */
const mostImported = 2_000

const chainId = withDefault(ChainId, 1, 1)
const ownSource = oneOf(['discovered', 'imported'])

const getPools = defineRoute({
  method: 'get',
  path: '/api/v1/pools',
  tag,
  operationId: 'getPools',
  summary: 'Pools that the service knows, a page at a time.',
  description:
    'Discovered and imported ones by protocol and id, or those of the index, the oldest first. All filters that are given must fit.',
  input: z.object({
    chainId,
    source: described(
      oneOf(['discovered', 'imported', 'indexed']).optional(),
      'indexed: those of the index of all pools; default: discovered and imported ones.',
    ),
    protocol: described(Name.optional(), 'Slug of the protocol.'),
    token: described(Address.optional(), 'A token that the pool holds.'),
    pool: described(PoolId.optional(), 'Id or address of the pool.'),
    hooks: described(
      oneOf(hooksClasses).optional(),
      'What running its hooks told: changing and closed pools are left out of routes.',
    ),
    ...pagesOf(200, 50),
  }),
  response: PoolPage,
  errors,
})

const exportPools = defineRoute({
  method: 'get',
  path: '/api/v1/pools/export',
  tag,
  operationId: 'exportPools',
  summary: 'All discovered and imported pools of a chain, in the form that import takes.',
  description: 'As forkroute pools export writes them.',
  input: z.object({
    chainId,
    source: described(ownSource.optional(), 'Default: both.'),
  }),
  response: z.array(ExportedPool),
  errors,
})

const importPools = defineRoute({
  method: 'post',
  path: '/api/v1/pools/import',
  tag,
  operationId: 'importPools',
  summary: "Adds an operator's own pools.",
  description: `At most ${mostImported} in one request. Routes use them from the next block on; a pool that is known is replaced.`,
  scope: 'admin',
  input: z.object({
    chainId,
    pools: described(listOf(PoolRow, 1, mostImported), 'Pools as export gives them.', [
      {
        protocol: 'uniswap-v3',
        id: '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640',
        address: '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640',
        tokens: [examples.usdc, examples.weth],
        parameters: { fee: 500, tickSpacing: 10 },
      },
    ]),
  }),
  response: PoolImport,
  errors,
})

const getPoolIndex = defineRoute({
  method: 'get',
  path: '/api/v1/pools/index',
  tag,
  operationId: 'getPoolIndex',
  summary: 'The index of all pools: how far it was read, and what is in it.',
  description: 'One entry for each chain that is served. docs/how-to/pools.md says what it is.',
  response: z.array(PoolIndexState),
  errors: ['STORAGE_UNAVAILABLE'],
})

export const poolEndpoints: readonly Endpoint[] = [
  endpoint(getPools, ({ operations, input: { page, pageSize, ...filter } }) => {
    const offset = (page - 1) * pageSize
    const { total, pools } = operations.pools({ ...filter, offset, limit: pageSize })
    return { meta: pageMetaOf(total, { page, pageSize }), data: pools.map(toPool) }
  }),
  endpoint(exportPools, ({ operations, input }) => {
    const query = { ...input, offset: 0, limit: Number.MAX_SAFE_INTEGER }
    return operations.pools(query).pools.map(toExported)
  }),
  endpoint(importPools, ({ engine, operations, input }) => {
    const slugs = new Set(engine.protocols().map(({ slug }) => slug))
    const problems = input.pools.flatMap(({ protocol }, index) =>
      slugs.has(protocol)
        ? []
        : [`pools[${index}].protocol is not the slug of a protocol that is here`],
    )
    if (problems.length > 0) throw invalidRequest(problems.slice(0, 100))
    return operations.importPools(input.chainId, input.pools)
  }),
  endpoint(getPoolIndex, ({ operations }) =>
    operations.poolIndex().map((state) => ({
      ...state,
      protocols: state.protocols.map((one) => ({ ...one })),
    })),
  ),
]
