/** The forms of what forks and threads send along with the methods of `archive-methods.ts`. */
import { z } from 'zod'
import type { Address, Hex } from '../../domain/primitives.js'

/** Calls of one request whose reads are foreseen. */
const maxForeseen = 1_024

export const addressForm = /^0x[0-9a-f]{40}$/
export const slotForm = /^0x[0-9a-f]{1,64}$/i
export const addressParam = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .transform((value) => value.toLowerCase() as Address)
export const slotParam = z.string().regex(slotForm)
const quantityParam = z
  .string()
  .regex(/^0x[0-9a-f]{1,16}$/i)
  .transform((value) => BigInt(value))
export const hashParam = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .transform((value) => value.toLowerCase() as Hex)
export const callParam = z.object({
  from: addressParam.optional(),
  to: addressParam,
  data: z
    .string()
    .regex(/^0x([0-9a-f]{2})*$/i)
    .transform((value) => value as Hex),
})
export const foreseenParam = z.array(callParam).max(maxForeseen)
const tagParam = z.enum(['latest', 'pending', 'safe', 'finalized']).optional()
export const topicParam = z.string().regex(/^[a-z]+:0x[0-9a-f]{1,64}$/)
export const learnedParam = z.string().max(65_536)
export const noteNameParam = z.string().max(65_536)
export const noteParam = z.string().max(4_194_304)
/** Values that one request may read ahead. */
const maxAhead = 4_096
export const aheadParam = z.object({
  accounts: z.array(addressParam).max(maxAhead),
  slots: z.array(z.object({ address: addressParam, slot: slotParam })).max(maxAhead),
  topics: z.array(topicParam).max(maxAhead),
})
const wordParam = slotParam.transform((value) => value as Hex)
export const slotsParam = z.array(wordParam).max(maxAhead)
const countParam = z
  .number()
  .int()
  .min(0)
  .max(2 ** 24)
export const guessParam = z.object({
  slots: z.array(z.object({ address: addressParam, slot: wordParam })).max(maxAhead),
  pools: z
    .array(
      z.object({
        address: addressParam,
        slot0: wordParam,
        liquidity: wordParam,
        tickBitmap: wordParam,
        ticks: wordParam,
        tickSpacing: countParam,
        wordsPerSide: countParam,
        recordWord: countParam,
        isLookUp: z.boolean().optional(),
      }),
    )
    .max(maxAhead),
})
export const requestsParam = z.number().int().min(0).default(0)
/** A block by number and hash, and accounts. */
export const movedParam = z.tuple([
  z.object({ number: quantityParam, hash: hashParam }),
  z.array(addressParam).max(maxAhead),
])
export const accountsParam = z.array(addressParam).max(maxAhead)
export const logsParam = z.object({
  from: quantityParam,
  to: quantityParam,
  address: z.union([addressParam, z.array(addressParam).min(1).max(maxAhead)]),
  topics: z.array(hashParam.nullable()).max(4),
})
export const swappedParam = z
  .array(z.object({ topic: topicParam, address: addressParam }))
  .max(maxAhead)
export const blockParam = z.union([
  tagParam,
  quantityParam,
  z.object({ blockNumber: quantityParam }).transform(({ blockNumber }) => blockNumber),
  z.object({ blockHash: hashParam }).transform(({ blockHash }) => ({ hash: blockHash })),
])
