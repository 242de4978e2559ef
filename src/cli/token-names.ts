/**
 * Tokens by the words of users: a symbol or an address leads to a token, and the addresses of an answer lead to symbols.
 * Lists of the service come first; on the sandbox its own tokens, which no list has, come next.
 */
import { formatUnits } from 'viem'
import { chainById } from '../chains/registry.js'
import type { ForkrouteClient } from '../client/client.js'
import { chunksOf } from '../domain/lists.js'
import { nativeToken } from '../domain/primitives.js'
import { chainText } from './chains.js'
import { shortHex } from './output.js'

export interface NamedToken {
  readonly address: string
  /** Null for an address that no list knows. */
  readonly decimals: number | null
  /** The shortened address where no symbol is known. */
  readonly symbol: string
}

/** A token of a chain, as answers name it. */
export interface TokenPlace {
  readonly chainId: number
  readonly address: string
}

export interface KnownToken extends NamedToken, TokenPlace {}

/** Names the token at an address of a chain. */
export type TokenNamer = (place: TokenPlace) => NamedToken

type Listed = Awaited<ReturnType<ForkrouteClient['tokens']>>['data'][number]

/** Addresses of one request for tokens: as many as a URL holds. */
const addressesPerRequest = 100

/**
 * @param text - an address, or a symbol that one listed token of the chain has.
 * @throws Error when the symbol is unknown, or several tokens have it.
 */
export async function resolveToken(
  client: ForkrouteClient,
  chainId: number,
  text: string,
): Promise<NamedToken> {
  const native = nativeOf(chainId)
  const lower = text.toLowerCase()
  if (native && (lower === nativeToken || lower === native.symbol.toLowerCase())) return native
  const isAddress = /^0x[0-9a-f]{40}$/.test(lower)
  const query = {
    chainId,
    includeMetadata: true,
    ...(isAddress ? { address: [text] } : { symbol: [text] }),
  }
  const base = await client.tokens({ ...query, type: 'base' })
  if (base.data.length) return only(base.data, text)
  const own = await ownToken(client, chainId, lower)
  if (own) return own
  if (isAddress) return { address: lower, decimals: null, symbol: shortHex(lower) }
  // The first request for positions may take long, so it is made only when nothing else has the symbol.
  const positions = await client.tokens({ ...query, type: 'defi' })
  if (positions.data.length) return only(positions.data, text)
  throw new Error(
    `No listed token of ${chainText(chainId)} is called ${text}; name it by its address.`,
  )
}

/** @throws Error where several tokens have the symbol. */
function only(found: readonly Listed[], text: string): NamedToken {
  const [token] = found
  if (token && found.length === 1) return toNamed(token)
  const choices = found.map((entry) => `  ${entry.address} ${entry.name ?? ''}`).join('\n')
  throw new Error(`Several tokens are called ${text}; name one by its address:\n${choices}`)
}

function toNamed({ address, decimals, symbol }: Listed): NamedToken {
  return { address, decimals, symbol: symbol ?? shortHex(address) }
}

function nativeOf(chainId: number): NamedToken | null {
  const native = chainById(chainId)?.nativeCurrency
  return native ? { address: nativeToken, decimals: native.decimals, symbol: native.symbol } : null
}

/** A token that only the sandbox has, where the service runs on it. */
async function ownToken(
  client: ForkrouteClient,
  chainId: number,
  lower: string,
): Promise<NamedToken | null> {
  // Loaded when needed: the other commands start faster without it.
  const { sandboxPlans } = await import('../sandbox/plans/registry.js')
  const plan = sandboxPlans.find(({ market }) => market.chain.id === chainId)
  const token = plan?.market.tokens.find(
    ({ symbol, address }) => lower === symbol.toLowerCase() || lower === address,
  )
  if (!token) return null
  const { chains } = await client.system()
  const isSandbox = chains.some((chain) => chain.chainId === chainId && chain.isSandbox)
  return isSandbox ? token : null
}

/**
 * Looks up the tokens of an answer.
 * @param options.known - tokens that need no look-up.
 * @param options.withPositions - whether positions, such as shares of vaults, may be among them.
 */
export async function tokenNamer(
  client: ForkrouteClient,
  places: readonly TokenPlace[],
  options: { readonly known?: readonly KnownToken[]; readonly withPositions?: boolean } = {},
): Promise<TokenNamer> {
  const named = (options.known ?? []).filter(({ decimals }) => decimals !== null)
  const types = options.withPositions ? (['base', 'defi'] as const) : (['base'] as const)
  for (const chainId of new Set(places.map((place) => place.chainId))) {
    for (const type of types) {
      const nameOf = namerOf(named)
      const missing = places.filter(
        (one) => one.chainId === chainId && nameOf(one).decimals === null,
      )
      const addresses = new Set(missing.map((one) => one.address))
      for (const address of chunksOf([...addresses], addressesPerRequest)) {
        const { data } = await client.tokens({ chainId, includeMetadata: true, type, address })
        named.push(...data.map((token) => ({ ...toNamed(token), chainId })))
      }
    }
  }
  return namerOf(named)
}

/** Names these tokens and the native token of each chain; any other by its shortened address. */
export function namerOf(tokens: readonly KnownToken[]): TokenNamer {
  const keyOf = ({ chainId, address }: TokenPlace) => `${chainId} ${address}`
  const named = new Map(tokens.map((token) => [keyOf(token), token]))
  return (place) => {
    const { chainId, address } = place
    const native = address === nativeToken ? nativeOf(chainId) : null
    const unknown = { address, decimals: null, symbol: shortHex(address) }
    return native ?? named.get(keyOf(place)) ?? unknown
  }
}

/** An amount of the chain's native token, given in wei. */
export function nativeAmountOf(wei: bigint, chainId: number): string {
  return amountOf(wei, namerOf([])({ chainId, address: nativeToken }))
}

/** In whole tokens with the symbol; in raw units where the decimals are not known. */
export function amountOf(raw: bigint, { decimals, symbol }: NamedToken): string {
  if (decimals === null) return `${raw} raw units of ${symbol}`
  return `${formatUnits(raw, decimals)} ${symbol}`
}
