/** What answers say of where their transaction was simulated, how long it holds, and how its slippage was found. */
import { z } from 'zod'
import type { AnswerMarks, FoundSlippage } from '../../domain/validity.js'
import { BlockNumber } from './record-parts.js'

/** Fields of every answer with a transaction. */
export const marks = {
  simulatedPosition: z
    .literal([0, 1])
    .nullable()
    .optional()
    .meta({
      description:
        'Index in block createdAt + 1 at which the transaction was simulated: 0, its first; 1, behind a swap that makes a pool ' +
        'dearer, where blockPosition is any. Null with skipQuote; absent in a ' +
        'replay of a cassette recorded without it.',
    }),
  expiresAtBlock: z
    .int()
    .nullable()
    .optional()
    .meta({
      description:
        'The last block in which the transaction still fills, as far as was measured; null: it was not measured. Absent ' +
        'where simulatedPosition is.',
    }),
}

export const Slippage = z
  .object({
    bps: z.int().meta({ description: 'The slippage that the transaction has.' }),
    source: z.enum(['measured', 'default']).meta({
      description:
        'default: the blocks before, or the pair in them, cannot be read here; a warning says so.',
    }),
    blocks: z.object({ from: BlockNumber, to: BlockNumber }).nullable().meta({
      description: 'At whose ends a transaction for the pair was executed; null by default.',
    }),
    samples: z.int().meta({
      description: 'Pairs of a block with one of the three after it.',
    }),
    filledShare: z.number().nullable().meta({
      description: 'Share of the samples that would have been filled with it, 0 to 1.',
    }),
    maxSlippage: z.int().meta({ description: 'Basis points that it could be at most.' }),
  })
  .meta({ id: 'MeasuredSlippage', description: 'A slippage that was measured, and how.' })
  .optional()
  .meta({ description: 'Only with slippage=auto.' })

export function marksOf({ marks }: { readonly marks?: AnswerMarks }) {
  if (!marks) return {}
  const { simulatedPosition, expiresAtBlock } = marks
  return {
    simulatedPosition,
    expiresAtBlock: expiresAtBlock === null ? null : Number(expiresAtBlock),
  }
}

export function slippageOf({ slippage }: { readonly slippage?: FoundSlippage }) {
  if (!slippage) return {}
  const { bps, maxBps, source, blocks, samples, filledShare } = slippage
  return {
    slippage: {
      bps: Number(bps),
      source,
      blocks: blocks && { from: Number(blocks.from), to: Number(blocks.to) },
      samples,
      filledShare,
      maxSlippage: Number(maxBps),
    },
  }
}
