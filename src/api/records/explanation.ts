/** What `explain` adds to the answers of routes, quotes and bundles. */
import { z } from 'zod'
import { mostCandidates, mostRefused } from '../../domain/explanation.js'
import { Address, SignedWei, Wei, WeiOrList } from './record-parts.js'

const Candidate = z
  .object({
    action: z
      .int()
      .optional()
      .meta({ description: 'Of a bundle: index of the action that it was found for.' }),
    path: z
      .array(
        z.object({
          tokenIn: Address,
          tokenOut: Address,
          protocol: z.string().meta({ description: 'Slug; wrapped-native for wrapping.' }),
          pool: z
            .string()
            .optional()
            .meta({ description: 'Address or 32-byte id; absent for wrapping.' }),
          share: z.int().meta({ description: 'Part of tokenIn that it takes, basis points.' }),
        }),
      )
      .meta({ description: 'Swaps and wraps in the order in which they run.' }),
    estimatedAmountOut: Wei.meta({
      description: 'By the math of the pools, in the smallest unit of the first tokenOut.',
    }),
    amountOut: WeiOrList.nullable().meta({
      description: 'What its simulation paid; null where none succeeded.',
    }),
    gas: z
      .string()
      .regex(/^\d+$/)
      .nullable()
      .meta({ description: 'Gas that its simulation used; null where none ran.' }),
    valueAfterGas: SignedWei.nullable().meta({
      description:
        'amountOut less what the gas costs, and on a rollup what L1 charges for its bytes, in the smallest unit of tokenOut; null without prices, and with several tokenOut.',
    }),
    status: z.enum(['chosen', 'measured', 'reverted', 'unreadable', 'skipped']).meta({
      description:
        'chosen: the answer; measured: it works and is worth less; reverted: its simulation failed; unreadable: the node ' +
        'does not give state that it needs; skipped: found, and not simulated.',
    }),
    step: z
      .enum(['search', 'plan', 'simulate'])
      .optional()
      .meta({ description: 'Where it was left out; of skipped ones only.' }),
    reason: z.string().optional().meta({ description: 'Why it reverted or was left out.' }),
  })
  .meta({ id: 'Candidate', description: 'A way that the search found, and what became of it.' })

/** To take the fields away from a record that extends another. */
export const onlyExplained = {
  candidates: true,
  candidatesOmitted: true,
  pools: true,
  times: true,
} as const

/** Fields of the answer itself; absent unless asked for. */
export const explanation = {
  candidates: z
    .array(Candidate)
    .optional()
    .meta({
      description: `With explain: the chosen one first, then by value; ${mostCandidates} at most.`,
    }),
  candidatesOmitted: z
    .int()
    .optional()
    .meta({ description: 'With explain: candidates beyond those that are listed.' }),
  pools: z
    .object({
      considered: z.int().meta({ description: 'Pools that the search could use.' }),
      refused: z
        .array(
          z.object({
            pool: z.string().meta({ description: 'Address or 32-byte id, or what was looked up.' }),
            protocol: z.string(),
            reason: z.string(),
          }),
        )
        .meta({ description: `Known and not used, ${mostRefused} at most.` }),
      omitted: z.int().meta({ description: 'Refused ones beyond those that are listed.' }),
    })
    .optional()
    .meta({ description: 'With explain.' }),
  times: z
    .record(z.string(), z.number())
    .optional()
    .meta({ description: 'With explain=timed: milliseconds by stage.' }),
}
