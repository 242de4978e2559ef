import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import { cautionKinds, cautionsIn } from '../../domain/caution.js'
import type { Address } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { Pool } from '../../protocols/pool.js'
import { canSwap } from '../../protocols/protocol.js'
import { protocols } from '../../protocols/registry.js'
import { addressesOf } from '../../protocols/shared/parameters.js'
import { rebasingTokens } from '../market/rebasing-tokens.js'
import { cautionsOf } from './cautions.js'

const [a, b, c] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`, `0x${'c'.repeat(40)}`] as const
const pool: Pool = { protocol: 'x', id: a, address: a, tokens: [a, b], parameters: {} }

function adapterOf(slug: string) {
  const adapter = protocols.find((one) => one.slug === slug)
  if (!adapter || !canSwap(adapter)) throw new Error(`${slug} does not swap`)
  return adapter
}

function kindsOf(slug: string, state: unknown, parameters: Pool['parameters'] = {}): string[] {
  const { swaps } = adapterOf(slug)
  return (swaps.cautions?.({ ...pool, parameters }, state) ?? []).map(({ kind }) => kind)
}

const stable = { kind: 'stable', rates: [10n ** 18n, 10n ** 30n], offpegFeeMultiplier: 0n }
const crypto = { kind: 'crypto', midFee: 3n, outFee: 3n }
const plain = { scalingFactors: [10n ** 18n, 10n ** 30n] }

describe('a pool carries a caution where its state tells that something may move', () => {
  test.each([
    ['uniswap-v2', {}, []],
    ['uniswap-v3', {}, []],
    ['curve', stable, []],
    ['curve', { ...stable, rates: [10n ** 18n, 11n * 10n ** 17n] }, ['rate']],
    ['curve', { ...stable, offpegFeeMultiplier: 2n * 10n ** 10n }, ['fee']],
    ['curve', crypto, ['price']],
    ['curve', { ...crypto, outFee: 9n }, ['price', 'fee']],
    ['curve', { kind: 'meta', base: { pool: stable }, isRateCached: false }, []],
    ['curve', { kind: 'meta', base: { pool: stable }, isRateCached: true }, ['rate']],
    ['curve', { kind: 'sampled' }, ['plugin']],
    ['curve', { kind: 'liquidity', math: { kind: 'sampled' } }, []],
    ['curve', { kind: 'liquidity', math: { kind: 'native', base: { pool: stable } } }, []],
    ['balancer-v2', { kind: 'stable', ...plain }, []],
    ['balancer-v2', { kind: 'stable', scalingFactors: [10n ** 18n + 1n] }, ['rate']],
    ['balancer-v2', { kind: 'liquidity', pool: { kind: 'weighted', ...plain } }, []],
    ['balancer-v3', { rateProvider: null }, []],
    ['balancer-v3', { rateProvider: a }, ['rate']],
    ['erc-4626', { totalSupply: 0n }, []],
    ['erc-4626', { totalSupply: 1n }, ['rate']],
    ['yearn-v2', {}, ['rate']],
    ['compound-v2', {}, ['rate']],
    ['compound-v3', {}, ['rebase']],
    ['aave-v3', {}, ['rebase']],
    ['lido', {}, ['rebase']],
    ['ether-fi', {}, ['rebase']],
    ['rocket-pool', {}, ['rate']],
    ['sky', {}, []],
    ['signed-orders', { order: { expiry: 60 } }, ['order']],
    ['sky-psm', {}, []],
    ['spark-psm3', { assets: [{ isShare: false }, { isShare: true }] }, ['rate']],
    ['spark-psm3', { assets: [{ isShare: false }, { isShare: false }] }, []],
    ['pendle', { kind: 'market' }, ['price']],
    ['pendle', { kind: 'redemption' }, ['rate']],
    ['pendle', { kind: 'yield' }, ['rate']],
    ['fluid-dex-t1', { collateral: null, debt: null }, []],
    ['fluid-dex-t1', { collateral: {}, debt: null }, ['price']],
    ['liquidity-book', { parameters: { variableFeeControl: 0n }, hooks: null }, []],
    ['liquidity-book', { parameters: { variableFeeControl: 1n }, hooks: a }, ['fee', 'plugin']],
    ['camelot-v3', {}, ['fee']],
    ['camelot-v4', {}, []],
    ['camelot-v4', { isHooked: true }, ['plugin']],
    ['aerodrome-slipstream', { oracle: { index: 0, cardinality: 1 } }, []],
    ['aerodrome-slipstream', { oracle: { index: 0, cardinality: 2 } }, ['fee']],
  ])('%s with %o', (slug, state, kinds) => {
    expect(kindsOf(slug, state)).toEqual(kinds)
  })

  test('Uniswap V4: by the flag in place of a fee, and by what the address of the hooks allows', () => {
    const hooks = `0x${'0'.repeat(40)}`
    const key = { fee: 3_000, tickSpacing: 60, hooks }
    expect(kindsOf('uniswap-v4', {}, key)).toEqual([])
    expect(kindsOf('uniswap-v4', {}, { ...key, fee: 0x800000 })).toEqual(['fee'])
    expect(kindsOf('uniswap-v4', {}, { ...key, hooks: `${hooks.slice(0, -2)}80` })).toEqual([
      'plugin',
    ])
  })

  test.each(['pancakeswap-infinity-cl', 'pancakeswap-infinity-bin'])(
    '%s: by the flag in place of a fee',
    (slug) => {
      expect(kindsOf(slug, {}, { fee: 3_000, hooks: a })).toEqual([])
      expect(kindsOf(slug, {}, { fee: 0x800000, hooks: a })).toEqual(['fee'])
    },
  )
})

describe('the cautions of a flow', () => {
  const vault = {
    adapter: adapterOf('erc-4626'),
    loaded: { pool, state: { totalSupply: 1n }, partial: false },
  }
  const edge = {
    hop: { kind: 'swap', tokenIn: a, tokenOut: b, market: vault },
    spends: 10_000,
  } as const
  const flow = { edges: [edge, edge] }
  const settings = {
    dataDir: '',
    candidates: 1,
    maxHops: 1,
    poolBlacklist: [],
    liquidityFloorUsd: 0,
    priorityFeePerGas: {},
    tokens: [],
  }

  const reader = {} as StateReader
  /** @param lent - a token that a lending market pays interest on. */
  const taskAt = (lent?: Address) => ({
    settings,
    reader,
    facts: {
      rebases: async (_reader: StateReader, token: Address) =>
        token === lent || rebasingTokens(ethereum).has(token),
    },
  })

  test('name the pool, each once', async () => {
    const { cautions } = cautionsIn(await cautionsOf(taskAt(), flow))
    const message = 'The worth of a share moves as the vault earns, loses or reports.'
    expect(cautions).toEqual([{ pool: a, protocol: 'erc-4626', kind: 'rate', message }])
  })

  test('are left out where the service says so, and the answer then has no such field', async () => {
    const without = { ...taskAt(), settings: { ...settings, cautions: false } }
    expect(cautionsIn(await cautionsOf(without, flow))).toEqual({})
  })

  describe('of a token whose balances change by themselves', () => {
    const { lido, 'ether-fi': etherFi, 'compound-v3': compound } = ethereum.venues
    const [stETH = a] = addressesOf(lido?.stETH)
    const [eETH = a] = addressesOf(etherFi?.eETH)
    const [comet = a] = addressesOf(compound?.comets)
    const rebase = {
      kind: 'rebase',
      message: 'The pool holds a token whose balances change by themselves.',
    }
    const through = async (
      slug: string,
      tokens: readonly Address[],
      { state = {}, lent }: { readonly state?: unknown; readonly lent?: Address } = {},
    ) => {
      const market = {
        adapter: adapterOf(slug),
        loaded: { pool: { ...pool, tokens }, state, partial: false },
      }
      const hop = { kind: 'swap', tokenIn: a, tokenOut: b, market } as const
      const edges = [{ hop, spends: 10_000 }]
      const found = await cautionsOf(taskAt(lent), { edges })
      return found.map(({ kind, message }) => ({ kind, message }))
    }

    test.each([
      ['uniswap-v2', [a, stETH]],
      ['uniswap-v3', [eETH, a]],
      ['uniswap-v2', [comet, a]],
    ])('a pool of %s with it moves', async (slug, tokens) => {
      expect(await through(slug, tokens)).toEqual([rebase])
    })

    test('one that a lending market pays interest on moves a pool, also where it is neither given nor got', async () => {
      expect(await through('uniswap-v2', [a, b], { lent: b })).toEqual([rebase])
      expect(await through('curve', [a, c, b], { state: stable, lent: b })).toEqual([rebase])
      expect(await through('uniswap-v2', [a, b])).toEqual([])
    })

    test('a Curve pool says so beside its rates, and one without such a token does not', async () => {
      expect(await through('curve', [a, stETH], { state: stable })).toEqual([rebase])
      expect(await through('curve', [a, b, stETH], { state: crypto })).toEqual([
        expect.objectContaining({ kind: 'price' }),
        rebase,
      ])
      expect(await through('curve', [a, b], { state: stable })).toEqual([])
    })

    test('the protocol that issues it says so itself, once', async () => {
      expect(await through('lido', [stETH, b])).toEqual([
        {
          kind: 'rebase',
          message:
            'Balances of stETH, and what wstETH stands for, follow the reports of an oracle.',
        },
      ])
    })
  })
})

test('the page names every protocol that has cautions, and no other', () => {
  const page = readFileSync(new URL('../../../docs/reference/cautions.md', import.meta.url), 'utf8')
  const table = page.split('## Venues')[1]?.split('\n\nAll other venues')[0] ?? ''
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'))
  const named = rows.flatMap((line) => line.split(' | ')[0]?.slice(2).split(', ') ?? [])
  const declared = protocols.filter((one) => canSwap(one) && one.swaps.cautions)
  expect([...new Set(named)].sort()).toEqual(declared.map(({ slug }) => slug).sort())
  for (const line of rows) {
    const kind = /`(\w+)`/.exec(line)?.[1]
    expect(cautionKinds).toContain(kind)
  }
})
