import { describe, expect, test } from 'vitest'
import { protocols } from '../protocols/registry.js'
import { laterBridges, laterVenues, withProtocols } from './chain.js'
import { ethereum } from './ethereum.js'
import { chains } from './registry.js'

const slugs = new Set(protocols.map(({ slug }) => slug))

test('chain ids are unique', () => {
  const ids = chains.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('a chain without later protocols has the venues of the others, and is the same where none is left out', () => {
  const { venues, ...rest } = withProtocols(ethereum, ['curve', 'sky', ...laterBridges])
  expect(Object.keys(venues)).toEqual(['curve', 'sky'])
  expect({ ...rest, venues: ethereum.venues }).toEqual(ethereum)
  expect(withProtocols(ethereum, undefined)).toBe(ethereum)
  expect(withProtocols(ethereum, [...slugs, ...laterBridges])).toBe(ethereum)
})

test('a venue that came to a chain later is there where it is named, and for a cassette that names protocols alone it is not', () => {
  const later = chains.filter(({ id }) => laterVenues.includes(`curve:${id}`))
  expect(later.map(({ name }) => name).sort()).toEqual([
    'Arbitrum One',
    'Avalanche C-Chain',
    'BNB Smart Chain',
    'Base',
    'Gnosis',
    'OP Mainnet',
    'Polygon PoS',
    'Sonic',
    'Unichain',
  ])
  for (const chain of later) {
    const named = [...slugs, ...laterBridges]
    expect(withProtocols(chain, [...named, ...laterVenues])).toBe(chain)
    const { curve: _later, ...venues } = chain.venues
    expect(withProtocols(chain, named)).toEqual({ ...chain, venues })
    const others = laterVenues.filter((venue) => venue !== `curve:${chain.id}`)
    expect(withProtocols(chain, [...named, ...others])).toEqual({ ...chain, venues })
    expect(withProtocols(chain, laterVenues).venues).toEqual({})
  }
  expect(laterVenues).toHaveLength(later.length)
})

test('a later bridge is on a chain where it is named, and the earlier ones always are', () => {
  const parameters = { across: { spokePool: '0x01' }, canonical: { name: 'here' } }
  const chain = { ...ethereum, bridges: parameters }
  expect(laterBridges).toEqual(
    expect.arrayContaining(['bridge:canonical', 'bridge:canonical-tokens']),
  )
  expect(withProtocols(chain, [...slugs, ...laterBridges])).toBe(chain)
  expect(withProtocols(chain, [...slugs]).bridges).toEqual({ across: parameters.across })
  expect(withProtocols(chain, undefined)).toBe(chain)
  const { bridges: _none, ...without } = ethereum
  expect(withProtocols(without, [...slugs])).toBe(without)
})

test('a token whose decimals differ between chains states them on all that a bridge moves it to', () => {
  const stated = new Map<string, Set<string>>()
  for (const { bridges = {} } of chains) {
    for (const [slug, { tokens = [], pools = [] }] of Object.entries(bridges)) {
      for (const entry of [tokens, pools].flat()) {
        const [symbol, ...rest] = String(entry).split(':')
        const key = `${slug} ${symbol}`
        const decimals = rest.at(-1)?.startsWith('0x') ? 'unstated' : String(rest.at(-1))
        stated.set(key, (stated.get(key) ?? new Set()).add(decimals))
      }
    }
  }
  expect(stated.get('stargate USDC')).toEqual(new Set(['6', '18']))
  expect(stated.get('across USDT')).toEqual(new Set(['6', '18']))
  for (const [key, decimals] of stated) {
    const isLeftOut = decimals.delete('unstated')
    expect([key, decimals.size > 1 && isLeftOut]).toEqual([key, false])
  }
})

describe.each(chains)('$name', (chain) => {
  test('addresses are lower-case and well formed', () => {
    const { wrappedNative, connectorTokens, stableAnchors, chainlinkFeeds } = chain
    const feeds = chainlinkFeeds.flatMap(({ token, feed }) => [token, feed])
    const places = [chain.venues, chain.bridges ?? {}].flatMap((one) => Object.values(one))
    const parameters = places.flatMap((place) => Object.values(place).flat())
    // Some parameters are a pair of addresses.
    const ofPlaces = parameters.flatMap((value) => String(value).split(':'))
    const addresses = [
      ...[wrappedNative, ...connectorTokens, ...stableAnchors, ...feeds],
      ...ofPlaces.filter((value) => /^0x/i.test(value)),
    ]
    for (const address of addresses) expect(address).toMatch(/^0x([0-9a-f]{40}|[0-9a-f]{64})$/)
  })

  test('paths may lead through the wrapped native token and through every anchor', () => {
    expect(chain.connectorTokens).toContain(chain.wrappedNative)
    for (const anchor of chain.stableAnchors) expect(chain.connectorTokens).toContain(anchor)
    expect(new Set(chain.connectorTokens).size).toBe(chain.connectorTokens.length)
  })

  test('every venue is of a protocol, and every feed has a heartbeat', () => {
    for (const slug of Object.keys(chain.venues)) expect(slugs).toContain(slug)
    for (const { heartbeatSeconds } of chain.chainlinkFeeds) {
      expect(heartbeatSeconds).toBeGreaterThan(0)
    }
  })
})
