/** How an answer says that it is of the chain with what makers publish of its next block. */
import { z } from 'zod'
import { accountsIn, type StateOverlay } from '../../domain/state-overlay.js'
import type { RouteDefinition } from '../contract.js'
import { Address, BlockNumber } from './record-parts.js'

export const OverlayOfAnswer = z
  .object({
    blockNumber: BlockNumber.meta({ description: 'The block that it is meant for.' }),
    venues: z.array(Address).meta({ description: 'Venues whose makers published it.' }),
    accounts: z.array(Address).meta({ description: 'Accounts that it changes.' }),
  })
  .meta({
    id: 'Overlay',
    description:
      'Present where the answer was calculated with what makers publish of the next block: the transaction does what ' +
      'the answer says only if that block has it.',
  })
  .optional()
  .meta({ description: 'What was published of the next block and used; absent: nothing.' })

/** A call about the newest block whose answer has a place to say so. */
export function takesOverlay(
  { response }: Pick<RouteDefinition, 'response'>,
  input: unknown,
): boolean {
  const { blockNumber } = Object(input) as { readonly blockNumber?: unknown }
  return response instanceof z.ZodObject && 'overlay' in response.shape && blockNumber === undefined
}

export function withOverlay<T>(answer: T, overlay: StateOverlay | null): T {
  if (!overlay) return answer
  return {
    ...answer,
    overlay: {
      blockNumber: Number(overlay.blockNumber),
      venues: Object.keys(overlay.published).sort(),
      accounts: Object.keys(accountsIn(overlay)).sort(),
    },
  }
}
