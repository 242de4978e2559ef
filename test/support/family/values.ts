/** Values as the API family writes them in JSON. */
import { z } from 'zod'

/** A raw amount: a decimal string without sign and leading zeros, below 2^256. */
export const Wei = z
  .string()
  .regex(/^(0|[1-9]\d*)$/, 'is no decimal string of an amount')
  .refine((text) => BigInt(text) < 2n ** 256n, 'is 2^256 or more')

/** A raw amount that may be below zero. */
export const SignedWei = z.string().regex(/^(0|-?[1-9]\d*)$/, 'is no decimal string')

/** Addresses are answered in lower case. */
export const Address = z.string().regex(/^0x[0-9a-f]{40}$/, 'is no lower-case address')

export const Bytes = z.string().regex(/^0x([0-9a-f]{2})*$/, 'are no lower-case hex bytes')

export const Word32 = z.string().regex(/^0x[0-9a-f]{64}$/, 'are no 32 bytes in lower case')

/** A pool is an address, or the 32-byte id where it has one. */
export const Pool = z.union([Address, Word32])

export const ChainId = z.int().positive()

export const BlockNumber = z.int().nonnegative()

/** Basis points with at most two decimals; below zero where an output is worth more than its input. */
export const Impact = z
  .number()
  .max(10_000)
  .refine((bps) => Number(bps.toFixed(2)) === bps, 'has more than two decimals')

/** In bps, in which the least part of an input is none. */
export const Share = z.number().min(0).max(10_000)

export const Url = z.string().regex(/^(https?|ipfs|data):/, 'is no URL')

/** `<chainId>:<primaryAddress>:<tokenAddress or position key>`, lower case. */
export const PositionId = z.string().regex(/^\d+:0x[0-9a-f]{40}:[a-z0-9-]+$/, 'is no position id')

export const Text = z.string().min(1)

export const Slug = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'is no slug')

export const Texts = z.array(Text)

/** What was left out and could have mattered: absent where nothing was. */
export const Warnings = z.array(Text).min(1).optional()
