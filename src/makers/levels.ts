/** The documents of makers that sign when they are asked: what they offer, as they publish it. Pure. */
import { keccak256, stringToHex } from 'viem'
import { addressPattern } from '../domain/grammar.js'
import { type Address, maxUint256, toAddress } from '../domain/primitives.js'
import type { MakerLevels } from '../domain/signed-order.js'

const mostPairs = 500
const mostLevels = 50
const mostSeconds = 253_402_300_799

/**
 * Reads `{ "expiry": 1764000000, "pairs": [{ "tokenIn": "0x…", "tokenOut": "0x…", "levels": [["10", "20"]] }] }`. Levels are
 * what the maker gives for so much in all, raw units as decimal texts, both rising, and at rates that do not rise.
 *
 * @param problems - receives sentences about what is wrong with the document, which then counts as none.
 */
export function levelsOf(
  { chainId, name }: { readonly chainId: number; readonly name: string },
  document: unknown,
  problems: string[],
): readonly MakerLevels[] | null {
  const { expiry, pairs } = Object(document) as { expiry?: unknown; pairs?: unknown }
  if (!Number.isSafeInteger(expiry) || (expiry as number) > mostSeconds) {
    problems.push('expiry must be unix seconds')
  }
  if (!Array.isArray(pairs) || pairs.length > mostPairs) {
    problems.push(`pairs must be a list of at most ${mostPairs}`)
    return null
  }
  const found = pairs.map((pair: unknown, index): MakerLevels | null => {
    const place = `pairs.${index}`
    const { tokenIn, tokenOut, levels } = Object(pair) as Record<string, unknown>
    const [input, output] = [addressOf(tokenIn), addressOf(tokenOut)]
    if (!input || !output || input === output) {
      problems.push(`${place} must have two addresses, tokenIn and tokenOut`)
      return null
    }
    const read = rising(levels)
    const last = read?.at(-1)
    if (!read || !last) {
      problems.push(
        `${place}.levels must be up to ${mostLevels} pairs of decimal texts that rise, at rates that do not`,
      )
      return null
    }
    return {
      chainId,
      format: 'levels',
      hash: keccak256(stringToHex([name, chainId, input, output].join(' '))),
      name,
      tokenIn: input,
      tokenOut: output,
      amountIn: last[0],
      amountOut: last[1],
      partialFill: true,
      expiry: Number(expiry),
      levels: read,
    }
  })
  const hashes = found.map((one) => one?.hash)
  if (new Set(hashes).size < hashes.length) problems.push('pairs must not repeat')
  return problems.length > 0 ? null : found.flatMap((one) => one ?? [])
}

function addressOf(value: unknown): Address | null {
  return typeof value === 'string' && addressPattern.test(value) ? toAddress(value) : null
}

/** @returns null where they are none. */
function rising(levels: unknown): (readonly [string, string])[] | null {
  if (!Array.isArray(levels) || levels.length === 0 || levels.length > mostLevels) return null
  let [beforeIn, beforeOut] = [0n, 0n]
  let rate: readonly [bigint, bigint] | null = null
  const read: [string, string][] = []
  for (const level of levels) {
    const [amountIn, amountOut] = Array.isArray(level) ? level.map(amountOf) : []
    if (amountIn === undefined || amountOut === undefined) return null
    const step = [amountIn - beforeIn, amountOut - beforeOut] as const
    if (step[0] <= 0n || step[1] <= 0n) return null
    if (rate && step[1] * rate[0] > rate[1] * step[0]) return null
    rate = step
    beforeIn = amountIn
    beforeOut = amountOut
    read.push([String(amountIn), String(amountOut)])
  }
  return read
}

function amountOf(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value)) return undefined
  const amount = BigInt(value)
  return amount <= maxUint256 ? amount : undefined
}
