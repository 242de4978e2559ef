/** Every address that a chain's file has, and what it must be. */
import type { ChainDefinition } from '../../../src/chains/chain.js'
import { type Address, nativeToken, toAddress } from '../../../src/domain/primitives.js'
import type { Statement } from './statements.js'

export interface Place {
  /** In the definition, such as `venues.uniswap-v2.factory`. */
  readonly path: string
  readonly address: Address
  /** Whether a statement about the address is one of what the definition takes it for. */
  accepts(role: string): boolean
}

/** In the order of the file; the native token's constant is no address. */
export function placesOf(chain: ChainDefinition, statements: readonly Statement[]): Place[] {
  const symbolsOf = (token: Address) =>
    statements.flatMap(({ chainId, address, role }) =>
      chainId === chain.id && address === token && role.startsWith('token ') ? [role.slice(6)] : [],
    )
  const wrapped = wrappedSymbols(chain)
  return [
    place('wrappedNative', chain.wrappedNative, (role) => wrapped.has(role)),
    ...chain.stableAnchors.map((token) =>
      place('stableAnchors', token, (role) => /^token .*(USD|DAI)/i.test(role)),
    ),
    ...chain.connectorTokens.map((token) =>
      place('connectorTokens', token, (role) => role.startsWith('token ')),
    ),
    ...chain.chainlinkFeeds.flatMap(({ token, feed }) => {
      const bases = new Set(symbolsOf(token).flatMap(feedsOf))
      return [
        place('chainlinkFeeds token', token, (role) => role.startsWith('token ')),
        place('chainlinkFeeds', feed, (role) => bases.has(role)),
      ]
    }),
    ...placesIn('venues', chain.venues),
    ...placesIn('bridges', chain.bridges ?? {}),
  ].filter(({ address }) => address !== nativeToken)
}

function place(path: string, address: string, accepts: Place['accepts']): Place {
  return { path, address: toAddress(address), accepts }
}

/** POL was MATIC, and its wrapped token still says so to some. */
function wrappedSymbols({ nativeCurrency: { symbol } }: ChainDefinition): Set<string> {
  const names = symbol === 'POL' ? ['POL', 'MATIC'] : [symbol]
  return new Set(names.flatMap((name) => [`token W${name}`, `token w${name}`]))
}

/** Of a token, or of what it stands for. */
function feedsOf(symbol: string): string[] {
  const base = symbol.replace(/\.[eb]$/, '')
  const native = base.replace(/^[Ww](?=[A-Z]+$)/, '')
  const others: Record<string, string[]> = {
    BTCB: ['BTC'],
    CBBTC: ['cbBTC', 'BTC'],
    XDAI: ['DAI'],
    POL: ['MATIC'],
  }
  const names = [symbol, base, native, ...(others[native.toUpperCase()] ?? [])]
  return names.map((name) => `feed ${name}`)
}

function placesIn(kind: 'venues' | 'bridges', all: ChainDefinition['venues']): Place[] {
  return Object.entries(all).flatMap(([slug, parameters]) =>
    Object.entries(parameters).flatMap(([key, value]) =>
      [value].flat().flatMap((entry) => placesOfEntry(`${kind}.${slug}.${key}`, String(entry))),
    ),
  )
}

/** Parameters of venues that are tokens. */
const tokenKeys = new Set([
  'vaults',
  'rETH',
  'eETH',
  'gho',
  'weETH',
  'frxETH',
  'dai',
  'usdc',
  'usds',
  'susds',
])

/** Words of 32 bytes are hashes and ids. */
function placesOfEntry(path: string, entry: string): Place[] {
  const [, slug = '', key = ''] = path.split('.')
  const [symbol, ...rest] = entry.split(':')
  const isToken = tokenKeys.has(key) || slug === 'lido'
  const at = (address: string, role: string) =>
    place(path, address, isToken ? (one) => one.startsWith('token ') : (one) => one === role)
  if (/^0x[0-9a-f]{40}$/.test(entry)) return [at(entry, `${slug} ${key}`)]
  if (key === 'zaps') return entry.split(':').map((address) => at(address, `${slug} ${key}`))
  if (key === 'tokens') return [at(rest[0] ?? '', `${slug} token ${symbol}`)]
  if (key === 'modules') {
    const [vault = '', asset = ''] = rest
    return [
      at(symbol ?? '', `${slug} module`),
      ...[vault, asset].map((token) => place(path, token, (one) => one.startsWith('token '))),
    ]
  }
  if (key !== 'pools') return []
  // Of a declared protocol: the pool and its tokens, then what it has by name.
  if (symbol?.startsWith('0x')) {
    return [
      at(symbol, `${slug} pool`),
      ...rest
        .filter((part) => part.startsWith('0x'))
        .map((token) => place(path, token, (one) => one.startsWith('token '))),
    ]
  }
  const [pool = '', token = ''] = rest
  return [at(pool, `${slug} pool ${symbol}`), at(token, `${slug} token ${symbol}`)]
}
