/** Every address of every chain's file against packages whose authors state it, and docs/reference/chains.md for what they do not. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import * as viemChains from 'viem/chains'
import { beforeAll, describe, expect, test } from 'vitest'
import { chains } from '../../../src/chains/registry.js'
import { toAddress } from '../../../src/domain/primitives.js'
import { declaredSlug } from '../../../src/protocols/declared/venue.js'
import { protocols } from '../../../src/protocols/registry.js'
import { ordersSlug } from '../../../src/protocols/signed-orders/load.js'
import { coverageTable } from '../../support/addresses/coverage.js'
import {
  chainTables,
  checkPlaces,
  readAt,
  sourcesOf,
  statementsOf,
} from '../../support/addresses/document.js'
import { evidence } from '../../support/addresses/evidence.js'
import { loadStatements, type Statement } from '../../support/addresses/statements.js'

const path = 'docs/reference/chains.md'
const coveragePath = 'docs/reference/coverage.md'
const marks = ['<!-- generated: UPDATE_DOCS=1 -->', '<!-- end of generated -->'] as const
let statements: Statement[] = []

beforeAll(async () => {
  statements = await loadStatements()
})

/** With UPDATE_DOCS=1 it is written. */
function expectGenerated(document: string, generated: string): void {
  const [before = '', rest = ''] = readFileSync(document, 'utf8').split(marks[0])
  const [written = '', after = ''] = rest.split(marks[1])
  const tables = `\n\n${generated}\n`
  if (process.env.UPDATE_DOCS) {
    writeFileSync(document, [before, marks[0], tables, marks[1], after].join(''))
  } else expect(written).toBe(tables)
}

test('docs/reference/chains.md has what no package states, with where it is read: UPDATE_DOCS=1 writes it', () => {
  expectGenerated(path, chainTables(chains, statements))
})

test('docs/reference/coverage.md has every venue, and each test that it names is there: UPDATE_DOCS=1 writes it', () => {
  // What a file declares is on no chain by itself.
  const own = protocols.filter(({ slug }) => slug !== declaredSlug && slug !== ordersSlug)
  expectGenerated(coveragePath, coverageTable(chains, own, evidence, statements))
  const missing = Object.values(evidence).flatMap(({ tests }) =>
    tests.filter((file) => !existsSync(file)),
  )
  expect(missing).toEqual([])
})

describe.each(chains)('$name', (chain) => {
  test('what packages state of its tokens, feeds, venues and bridges is what its file has', () => {
    const places = checkPlaces(chain, statements)
    expect(places.length).toBeGreaterThan(20)
    // Whatever is not stated is in the table of the document, address by address.
    const unchecked = places.filter(({ sources }) => sources.length === 0)
    for (const { path: place } of unchecked) expect(Object.keys(readAt)).toContain(place)
    const text = readFileSync(path, 'utf8')
    for (const { path: place, address } of unchecked) {
      expect(text).toContain(`| ${place} | ${address} |`)
    }
  })

  test('an address that differs in any one of its digits is stated by nobody and in no table', () => {
    const byAddress = statementsOf(chain.id, statements)
    const text = readFileSync(path, 'utf8')
    for (const place of checkPlaces(chain, statements)) {
      for (let at = 2; at < 42; at++) {
        const digit = (Number.parseInt(place.address[at] ?? '', 16) ^ 1).toString(16)
        const wrong = toAddress(
          `${place.address.slice(0, at)}${digit}${place.address.slice(at + 1)}`,
        )
        const found = sourcesOf(place, wrong, byAddress)
        if (found.length > 0) throw new Error(`${place.path} ${wrong} is stated by ${found}`)
        if (text.includes(`| ${place.path} | ${wrong} |`)) throw new Error(`${wrong} is in ${path}`)
      }
    }
  })

  test("an address in another one's place is refused", () => {
    const byAddress = statementsOf(chain.id, statements)
    const places = checkPlaces(chain, statements).filter(({ sources }) => sources.length > 0)
    const [factories, routers] = [/\.factory$/, /\.(router|routers)$/].map((key) =>
      places.filter((place) => key.test(place.path)),
    )
    for (const factory of factories ?? []) {
      for (const router of routers ?? []) {
        expect(sourcesOf(factory, router.address, byAddress)).toEqual([])
        expect(sourcesOf(router, factory.address, byAddress)).toEqual([])
      }
    }
    for (const feed of places.filter((place) => place.path === 'chainlinkFeeds')) {
      expect(sourcesOf(feed, chain.wrappedNative, byAddress)).toEqual([])
    }
  })

  test("its native currency is viem's", () => {
    const known = Object.values(viemChains).find(
      (one) => typeof one === 'object' && 'id' in one && one.id === chain.id,
    )
    expect(known).toMatchObject({
      nativeCurrency: {
        symbol: chain.nativeCurrency.symbol,
        decimals: chain.nativeCurrency.decimals,
      },
    })
  })
})
