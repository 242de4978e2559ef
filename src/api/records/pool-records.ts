/** Schemas of the answers about pools. */
import { z } from 'zod'
import { hooksClasses } from '../../domain/hooks.js'
import type { KnownPool } from '../../domain/operations/pools.js'
import { PageMeta } from './metadata-records.js'
import { Address, ChainId } from './record-parts.js'

const exported = {
  protocol: z.string().meta({ description: 'Slug of its protocol.' }),
  id: z.string().meta({ description: 'Its address, or its id.' }),
  address: Address.meta({ description: 'The contract that a swap calls.' }),
  tokens: z.array(Address).meta({ description: "In the protocol's order." }),
  parameters: z.record(z.string(), z.unknown()).meta({ description: 'Constants of the pool.' }),
}

export const ExportedPool = z.object(exported).meta({ id: 'ExportedPool' })

const Hooks = z
  .object({
    class: z.enum(hooksClasses).meta({
      description:
        'exact: amounts are those of the pool without hooks. steady: others, and the same each time. changing: they differ by sender, time or order in the block. closed: no swap succeeds. Routes use the first two.',
    }),
    reason: z.string().nullable().meta({
      description: 'Why routes leave the pool out; null: they use it.',
    }),
    contract: Address.meta({ description: 'The hooks.' }),
    codeHash: z.string().nullable().meta({
      description: 'Hash of the code of the hooks; null where it was not read.',
    }),
    blockNumber: z.string().meta({
      description: 'The newest block at which a request could use the pool. Decimal.',
    }),
  })
  .meta({ id: 'PoolHooks' })

const Pool = z
  .object({
    chainId: ChainId,
    ...exported,
    source: z.enum(['discovered', 'imported', 'indexed']).meta({
      description: 'How the service came to know it.',
    }),
    firstSeenBlock: z.string().nullable().meta({
      description:
        'Block at which a look-up first gave it, or in which it was made (indexed); null for imports. Decimal.',
    }),
    hooks: Hooks.optional().meta({
      description:
        'What running its hooks told. Absent: it has none, the operator lists them, or no request could use the pool yet. Each block is asked anew.',
    }),
  })
  .meta({ id: 'Pool' })

export const PoolPage = z
  .object({
    meta: PageMeta.meta({ description: 'Of the page.' }),
    data: z.array(Pool).meta({ description: 'Pools of the page.' }),
  })
  .meta({ id: 'PoolPage' })

export const PoolImport = z
  .object({
    added: z.int().meta({ description: 'Pools that were not known.' }),
    updated: z.int().meta({ description: 'Pools that were known, and are as given from now on.' }),
  })
  .meta({ id: 'PoolImport' })

export const PoolIndexState = z
  .object({
    chainId: ChainId,
    isOn: z.boolean().meta({ description: 'Whether routes use it, and it is kept up to date.' }),
    readTo: z.int().nullable().meta({
      description: 'The last block that was read of every factory; null: nothing is read.',
    }),
    protocols: z
      .array(
        z.object({
          protocol: z.string().meta({ description: 'Slug.' }),
          pools: z.int().meta({ description: 'Number of its pools.' }),
        }),
      )
      .meta({ description: 'What is in it.' }),
  })
  .meta({ id: 'PoolIndexState' })

export function toExported({ protocol, id, address, tokens, parameters }: KnownPool) {
  return { protocol, id, address, tokens: [...tokens], parameters: { ...parameters } }
}

export function toPool(pool: KnownPool) {
  const { chainId, source, firstSeenBlock, hooks } = pool
  return {
    chainId,
    ...toExported(pool),
    source,
    firstSeenBlock,
    ...(hooks && { hooks: { ...hooks } }),
  }
}
