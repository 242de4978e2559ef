/** Schemas of the answers about signed orders. */
import { z } from 'zod'
import { type ImportedOrder, orderFormats, orderVisibilities } from '../../domain/signed-order.js'
import { PageMeta } from './metadata-records.js'
import { Address, ChainId, Wei } from './record-parts.js'

const Hash = z.string().regex(/^0x[0-9a-f]{64}$/)

const Order = z
  .object({
    chainId: ChainId,
    hash: Hash.meta({ description: 'What the maker has signed. Answers name the order so.' }),
    format: z.enum(orderFormats).meta({ description: 'Whose format it is.' }),
    settlement: Address.meta({ description: 'The contract that settles it.' }),
    maker: Address.meta({ description: 'Who has signed it.' }),
    tokenIn: Address.meta({ description: 'What the maker gets.' }),
    tokenOut: Address.meta({ description: 'What the maker gives.' }),
    amountIn: Wei.meta({ description: 'Raw units that the maker gets for all of it.' }),
    amountOut: Wei.meta({ description: 'Raw units that the maker gives for all of it.' }),
    expiry: z.int().nullable().meta({
      description: 'Unix seconds: the last at which it can be filled; null: it has no end.',
    }),
    nonce: Wei.meta({ description: 'Orders of a maker that share one are cancelled together.' }),
    partialFill: z.boolean().meta({ description: 'Whether a part of it can be filled.' }),
    signature: z.string().meta({ description: 'Of the maker.' }),
    salt: Wei.optional().meta({ description: 'Of an order of 1inch.' }),
    receiver: Address.optional().meta({
      description: 'Who is paid by an order of 1inch; the zero address: the maker.',
    }),
    makerTraits: Wei.optional().meta({ description: 'Flags of an order of 1inch.' }),
    extension: z.string().optional().meta({ description: 'Of an order of 1inch.' }),
    visibility: z.enum(orderVisibilities).meta({ description: 'Whose requests may use it.' }),
    importedAt: z.int().meta({ description: 'Milliseconds since 1970.' }),
  })
  .meta({ id: 'Order' })

export const OrderPage = z
  .object({
    meta: PageMeta.meta({ description: 'Of the page.' }),
    data: z.array(Order).meta({ description: 'Orders of the page.' }),
  })
  .meta({ id: 'OrderPage' })

export const OrderImport = z
  .object({
    added: z.int().meta({ description: 'Orders that were not known.' }),
    updated: z.int().meta({ description: 'Orders that were known, and are as given from now on.' }),
    hashes: z.array(Hash).meta({ description: 'Of each order, in the order of the request.' }),
    settlement: Address.meta({
      description:
        'The contract that settles orders of our own format, which each maker allows to spend tokenOut.',
    }),
  })
  .meta({ id: 'OrderImport' })

export const OrderRemoval = z
  .object({ removed: z.int().meta({ description: 'Orders that the key had.' }) })
  .meta({ id: 'OrderRemoval' })

export function toOrder(order: ImportedOrder): z.output<typeof Order> {
  if (order.format === 'forkroute') return { ...order }
  const { isSignedByKey: _, ...shown } = order
  return shown
}
