import { describe, expect, test } from 'vitest'
import type { ChainDefinition } from '../chains/chain.js'
import { chains } from '../chains/registry.js'
import { bridgeNames } from '../domain/bridges/names.js'
import { nativeToken } from '../domain/primitives.js'
import { bridgeBySlug, bridges, bridgesWithout } from './registry.js'

const slugs = bridges.map(({ slug }) => slug)
const slugsWithout = (...ignored: string[]) => bridgesWithout(ignored).map(({ slug }) => slug)

/** Symbols of the assets that the chain's definition states for the bridge. */
function symbolsOf(slug: string, { bridges: stated = {} }: ChainDefinition): string[] {
  const { tokens = [], pools = [] } = stated[slug] ?? {}
  return [tokens, pools].flat().map((entry) => String(entry).split(':')[0] ?? '')
}

const pairs = chains.flatMap((source) => chains.map((destination) => ({ source, destination })))

describe('bridges', () => {
  test('slugs are each one bridge’s, as are names but layerzero, and all are names that may be ignored', () => {
    const names = bridges.flatMap((bridge) => bridge.names)
    const own = names.filter((name) => name !== 'layerzero')
    expect(new Set(own).size).toBe(own.length)
    expect(new Set(slugs).size).toBe(slugs.length)
    for (const { slug, names: own } of bridges) {
      expect(own).toContain(slug)
      expect(bridgeBySlug(slug)?.slug).toBe(slug)
    }
    expect(bridgeNames).toEqual(expect.arrayContaining(names))
  })

  test('layerzero is Stargate and OFTs, and what is not installed excludes nothing', () => {
    expect(slugs).toEqual(expect.arrayContaining(['stargate', 'across']))
    const over = ['stargate', 'oft']
    expect(slugsWithout('layerzero')).toEqual(slugs.filter((slug) => !over.includes(slug)))
    for (const slug of over) expect(slugsWithout(slug)).toEqual(slugs.filter((one) => one !== slug))
    expect(slugsWithout(...slugs)).toEqual([])
    const absent = bridgeNames.filter((name) => !bridges.some(({ names }) => names.includes(name)))
    expect(absent).toContain('ccip')
    expect(slugsWithout(...absent)).toEqual(slugs)
    expect(bridgeBySlug('ccip')).toBeUndefined()
  })
})

/** Bridges whose lanes are the assets that the definitions of both chains state. */
const byAsset = bridges.filter(({ slug }) => chains.some((one) => symbolsOf(slug, one).length > 0))

describe.each(byAsset)('lanes of $name', (bridge) => {
  test.each(pairs)(
    '$source.name to $destination.name: none to itself, else one for each asset of both',
    ({ source, destination }) => {
      const lanes = bridge.lanes(source, destination)
      if (source === destination) return expect(lanes).toEqual([])
      const symbols = lanes.map(({ symbol }) => symbol)
      const there = symbolsOf(bridge.slug, destination)
      expect(symbols).toEqual(symbolsOf(bridge.slug, source).filter((one) => there.includes(one)))
      expect(new Set(symbols).size).toBe(symbols.length)
      const back = bridge.lanes(destination, source)
      for (const lane of lanes) {
        const opposite = back.find(({ symbol }) => symbol === lane.symbol)
        expect(opposite).toMatchObject({ tokenIn: lane.tokenOut, tokenOut: lane.tokenIn })
        expect(lane).toMatchObject({ sourceChainId: source.id, destinationChainId: destination.id })
        expect(structuredClone(lane)).toEqual(lane)
        expect(lane.orderContracts).toContain(lane.orderReceiver)
      }
    },
  )

  test('an account is paid ether where Across delivers the wrapped token', () => {
    for (const { source, destination } of pairs) {
      for (const lane of bridge.lanes(source, destination)) {
        const isWrapped = lane.tokenOut === destination.wrappedNative
        expect(lane.tokenOutToAccounts).toBe(isWrapped ? nativeToken : lane.tokenOut)
      }
    }
  })
})

test.each(bridges)('$name: a transaction without its logs has sent nothing', (bridge) => {
  for (const chain of chains) expect(bridge.deliveriesIn([], chain)).toEqual([])
})
