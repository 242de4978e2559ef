/** How an answer says that it is of the chain with what makers publish of its next block. */
import { z } from 'zod'
import { accountsIn, type StateOverlay } from '../../domain/changes/overlay.js'
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
