/** What the service says of chains and tokens, read once for each chain. */
import { signal } from '@preact/signals'
import { isTemporary } from '../../client/errors.js'
import type { components } from '../../client/generated/schema.js'
import { client, noteRefusal } from './session.js'

export type Network = components['schemas']['Network']
export interface Token {
  readonly address: string
  readonly symbol: string
  readonly name: string
  /** Null: not known, so that amounts are shown in raw units. */
  readonly decimals: number | null
}

export const nativeToken = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

export const networks = signal<readonly Network[]>([])
/** Keyed by chain id and address. */
export const tokens = signal<ReadonlyMap<string, Token>>(new Map())
/** Keys of tokens that the service was asked for and does not know. */
const unknown = signal<ReadonlySet<string>>(new Set())
const lists = signal<ReadonlyMap<number, readonly Token[]>>(new Map())
const asked = new Set<string>()
const millisecondsToNextTry = 5_000

export function forgetCatalog(): void {
  asked.clear()
}

export function loadNetworks(): void {
  once('networks', async () => {
    networks.value = await client.peek().networks()
  })
}

/** The listed tokens of a chain, empty until they are there. */
export function listOf(chainId: number): readonly Token[] {
  once(`list ${chainId}`, async () => {
    const all: Token[] = []
    for (let page = 1, last = 1; page <= last && page <= mostPages; page++) {
      const { data, meta } = await client
        .peek()
        .tokens({ chainId, type: 'base', page, pageSize: 1_000, includeMetadata: true })
      last = meta.lastPage
      all.push(...data.map(toToken))
    }
    keep(chainId, all)
    lists.value = new Map(lists.peek()).set(chainId, all)
  })
  return lists.value.get(chainId) ?? []
}

/** Null until it is known, and where the service does not know it. */
export function tokenAt(chainId: number, address: string): Token | null {
  const known = tokens.value.get(keyOf(chainId, address))
  if (known) return known
  listOf(chainId)
  if (lists.value.has(chainId)) {
    once(keyOf(chainId, address), async () => {
      const { data } = await client
        .peek()
        .tokens({ chainId, address: [address], includeMetadata: true })
      keep(chainId, data.map(toToken))
      if (!data.length) unknown.value = new Set(unknown.peek()).add(keyOf(chainId, address))
    })
  }
  return null
}

/** Whether the service has said that it does not know the token: its amounts have no decimals then. */
export function isUnknown(chainId: number, address: string): boolean {
  return unknown.value.has(keyOf(chainId, address))
}

/** Finds tokens of every kind, by symbol or address. */
export async function findTokens(chainId: number, text: string, abort: AbortSignal) {
  const by = isAddress(text) ? { address: [text] } : { symbol: [text] }
  const { data } = await client
    .peek()
    .tokens({ chainId, ...by, pageSize: 20, includeMetadata: true }, { signal: abort })
  const found = data.map(toToken)
  keep(chainId, found)
  return found
}

/** Answers at once for a token that is known, else once the service has answered. */
export async function tokenFor(
  chainId: number,
  address: string,
  abort: AbortSignal,
): Promise<Token | null> {
  const known = tokens.peek().get(keyOf(chainId, address))
  return known ?? (await findTokens(chainId, address, abort))[0] ?? null
}

export const isAddress = (text: string) => /^0x[0-9a-fA-F]{40}$/.test(text)

const mostPages = 10
const keyOf = (chainId: number, address: string) => `${chainId} ${address.toLowerCase()}`

function keep(chainId: number, found: readonly Token[]): void {
  const next = new Map(tokens.peek())
  for (const one of found) next.set(keyOf(chainId, one.address), one)
  tokens.value = next
}

function once(name: string, load: () => Promise<void>): void {
  if (asked.has(name)) return
  asked.add(name)
  // After the rendering that asked, which must not change what it reads.
  void Promise.resolve()
    .then(load)
    .catch((error: unknown) => {
      noteRefusal(error)
      asked.delete(name)
      if (isTemporary(error)) setTimeout(() => once(name, load), millisecondsToNextTry)
    })
}

function toToken(one: components['schemas']['Token']): Token {
  const { address, decimals } = one
  const symbol = plain(one.symbol ?? '') || shortened(address)
  return { address, symbol, decimals, name: plain(one.name ?? '') }
}

/** Anybody can name a token: without characters that are not seen or that turn text around, and not without end. */
export function plain(text: string, mostCharacters = 60): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, mostCharacters)
}

export function shortened(address: string): string {
  return address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address
}
