/** Schemas of the answers about pools. */
import { z } from 'zod'
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
  const { chainId, source, firstSeenBlock } = pool
  return { chainId, ...toExported(pool), source, firstSeenBlock }
}
