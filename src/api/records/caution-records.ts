/** Cautions of an answer on the wire. */
import { z } from 'zod'
import { type Caution, cautionKinds } from '../../domain/caution.js'
import { defined } from '../../domain/defined.js'

export const Cautions = z
  .array(
    z
      .object({
        pool: z.string().meta({ description: 'Address or id.' }),
        protocol: z.string().meta({ description: 'Slug.' }),
        kind: z.enum(cautionKinds).meta({
          description:
            'fee: it follows time, volatility or the place in the block. rate: an oracle, a vault or an operator says ' +
            'what a token is worth. price: the pool moves its own price. rebase: balances of a token change by ' +
            'themselves. plugin: code beside the pool takes part in swaps. order: its maker can withdraw what it offers.',
        }),
        message: z.string().meta({ description: 'One sentence: what moves, and by what.' }),
      })
      .meta({ id: 'Caution' }),
  )
  .optional()
  .meta({
    description:
      'What may move in the pools of the transaction before it lands, although nobody trades there; absent where ' +
      'nothing is known to.',
  })

export function cautionsOf({ cautions }: { readonly cautions?: readonly Caution[] | undefined }) {
  return defined({ cautions: cautions?.map((one) => ({ ...one })) })
}
