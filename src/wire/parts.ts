/** The schemas of single values that plans and results share. */
import { z } from 'zod'
import { type ErrorCode, errorCodes } from '../domain/errors.js'
import type { Address, Hex } from '../domain/primitives.js'

/** Every field is named: what a schema does not know would be lost on the way. */
export type Shape<T> = { readonly [K in keyof T]-?: z.ZodType }

export const uint = z.bigint().nonnegative()
export const address = z.custom<Address>(matches(/^0x[0-9a-f]{40}$/))
export const hex = z.custom<Hex>(matches(/^0x[0-9a-f]*$/))
export const names = list(z.string())

export function list<T extends z.ZodType>(item: T) {
  return z.array(item).readonly()
}

function matches(pattern: RegExp): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && pattern.test(value)
}

/** An error as data: see `toWireError`. */
export const wireError = z.object({
  code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  messages: names.exactOptional(),
  details: z.record(z.string(), z.unknown()).exactOptional(),
})
