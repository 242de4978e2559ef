/**
 * Tokens from lists in the token-lists standard: the npm package's list, or the operator's files and URLs.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { z } from 'zod'
import type { ChainDefinition } from '../chains/chain.js'
import { ForkrouteError } from '../domain/errors.js'
import { type Address, isNative, nativeToken, type Token, toAddress } from '../domain/primitives.js'

const schema = z.object({
  tokens: z.array(
    z.object({
      chainId: z.number().int(),
      address: z.string(),
      name: z.string(),
      symbol: z.string(),
      decimals: z.number().int().min(0).max(255),
      logoURI: z.string().optional(),
    }),
  ),
})

const addressPattern = /^0x[0-9a-fA-F]{40}$/
const listTimeoutMs = 15_000
/** Under a licence of its own (NOTICE): who may not ship it removes it. */
const defaultPackage = '@uniswap/default-token-list'

/**
 * @param sources - file paths or http(s) URLs; empty: the list of the package. Earlier lists win.
 * @returns Ordered by chain and address; entries without an EVM address are left out.
 * @throws ForkrouteError INVALID_REQUEST naming the list that cannot be used by its position, or the package where it is
 *   not installed.
 */
export async function loadTokenLists(
  sources: readonly string[],
  packageName = defaultPackage,
): Promise<Token[]> {
  const lists = sources.length
    ? await Promise.all(sources.map(readList))
    : [readPackage(packageName)]
  const byKey = new Map<string, Token>()
  for (const [index, list] of lists.entries()) {
    const parsed = schema.safeParse(list)
    if (!parsed.success) {
      throw new ForkrouteError(
        'INVALID_REQUEST',
        `Token list ${index + 1} does not follow the token-lists standard: ${z.prettifyError(parsed.error)}`,
      )
    }
    for (const entry of parsed.data.tokens) {
      if (!addressPattern.test(entry.address)) continue
      const address = toAddress(entry.address)
      const key = tokenKey(entry.chainId, address)
      if (byKey.has(key)) continue
      byKey.set(key, {
        chainId: entry.chainId,
        address,
        symbol: entry.symbol,
        name: entry.name,
        decimals: entry.decimals,
        logoUri: entry.logoURI ?? null,
      })
    }
  }
  return [...byKey.values()].sort(
    (a, b) => a.chainId - b.chainId || (a.address < b.address ? -1 : a.address > b.address ? 1 : 0),
  )
}

/**
 * The tokens of a chain, its native one first: with the logo that a list gives it, else that of its wrapped token.
 * @param listed - tokens of the chain, as lists have them.
 */
export function withNative(
  { id, nativeCurrency, wrappedNative }: ChainDefinition,
  listed: readonly Token[],
): readonly Token[] {
  const logoOf = (wanted: Address) =>
    listed.find(({ address }) => address === wanted)?.logoUri ?? null
  const logoUri = logoOf(nativeToken) ?? logoOf(wrappedNative)
  const native = { chainId: id, address: nativeToken, ...nativeCurrency, logoUri }
  return [native, ...listed.filter(({ address }) => !isNative(address))]
}

export function tokenKey(chainId: number, address: Address): string {
  return `${chainId}:${address}`
}

function readPackage(name: string): unknown {
  try {
    return createRequire(import.meta.url)(name)
  } catch (cause) {
    throw new ForkrouteError(
      'INVALID_REQUEST',
      `${name} is not installed: TOKEN_LISTS has to name a list of tokens.`,
      undefined,
      { cause },
    )
  }
}

async function readList(source: string, index: number): Promise<unknown> {
  try {
    if (!/^https?:/.test(source)) return JSON.parse(await readFile(source, 'utf8'))
    const response = await fetch(source, { signal: AbortSignal.timeout(listTimeoutMs) })
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    return await response.json()
  } catch (cause) {
    const reason = (cause as { code?: string }).code ?? (cause as Error).name
    throw new ForkrouteError(
      'INVALID_REQUEST',
      `Token list ${index + 1} cannot be read (${reason}).`,
      undefined,
      { cause },
    )
  }
}
