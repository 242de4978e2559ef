/** A pool as it is imported, over HTTP and from a file. */
import { z } from 'zod'
import { Address, described, PoolId } from '../schemas.js'

/** A pool as import takes it, and as export gives it; lower-cased. */
export const PoolRow = z
  .object(
    {
      protocol: described(
        z.string('must be the slug of a protocol').max(64, 'must be the slug of a protocol'),
        'Slug of its protocol.',
      ),
      id: described(PoolId, 'Its address, or its id where many pools share one contract.'),
      address: described(Address, 'The contract that a swap calls.'),
      tokens: described(
        z
          .array(Address, 'must be a list of addresses')
          .min(2, 'must hold at least two tokens')
          .max(16, 'must hold at most 16 tokens')
          .refine(
            (tokens) => new Set(tokens).size === tokens.length,
            'must not name a token twice',
          ),
        "In the protocol's order.",
      ),
      parameters: described(
        z.record(
          z.string(),
          z.union(
            [z.string(), z.number(), z.boolean(), z.array(z.string())],
            'must be a text, a number, a flag or a list of texts',
          ),
          'must be an object',
        ),
        'Constants of the pool, such as its fee; which ones depends on the protocol.',
      ),
    },
    'must be an object',
  )
  .meta({ id: 'PoolRow' })
