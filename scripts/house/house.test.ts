import { describe, expect, test } from 'vitest'
import { countedByHand, misplaced } from './by-hand.js'
import { isWithoutVerb } from './comments.js'
import { isMeasured, measure } from './measure.js'
import { allowedModuleState, outdatedReasons, withoutReason } from './module-state.js'
import { counted, markers, tableOf, withTable } from './table.js'

const one = (text: string, path = 'src/folder/file.ts') => measure([{ path, text }])

const empty = one('')

describe('isMeasured', () => {
  test.each([
    ['src/api/app.ts', true],
    ['src/console/main.tsx', true],
    ['src/api/errors.test.ts', false],
    ['src/client/generated/schema.ts', false],
    ['src/types.d.ts', false],
    ['src/console/style.css', false],
  ])('%s: %s', (path, expected) => {
    expect(isMeasured(path)).toBe(expected)
  })
})

describe('measure', () => {
  test('a function counts on its own and in the lines of the one around it', () => {
    const inner = `  const inner = () => {\n${'    f()\n'.repeat(100)}  }\n`
    const { longFunctions } = one(`/** Why. */\nfunction outer() {\n${inner}}\nfunction f() {}\n`)
    expect(longFunctions).toEqual([
      { name: 'outer', path: 'src/folder/file.ts', lines: 104 },
      { name: 'inner', path: 'src/folder/file.ts', lines: 102 },
    ])
  })

  test('a function of a hundred lines is not long', () => {
    expect(one(`function f() {\n${'  g()\n'.repeat(98)}}`).longFunctions).toEqual([])
  })

  test('more than four parameters, of functions with a body alone', () => {
    const source = `
      interface Some { many(a, b, c, d, e): void }
      function four(a, b, c, d) {}
      const five = (a, b, c, d, e) => a
    `
    expect(one(source).manyParameters).toEqual(['src/folder/file.ts: five'])
  })

  test('spreads of a literal are idle, those on a condition conditional, others neither', () => {
    const { idleSpreads, conditionalSpreads } = one(`
      const a = { ...{ b, c }, ...({ d }) }
      const e = { ...(x && { y }), ...(x !== undefined && { y }), ...(x ? { y } : {}) }
      const f = { ...g, ...h(), ...(i ?? {}), k: [...l] }
    `)
    expect([idleSpreads, conditionalSpreads]).toEqual([2, 3])
  })

  test('what a module holds counts where a function of it changes it', () => {
    const { moduleCaches } = one(`
      const table = new Map([[1, 2]])
      const filled = new Set()
      filled.add(1)
      const cache = new Map<string, number>()
      const recent = new LRUCache({ max: 5 })
      let last = 0
      let fixed = 0
      export function note(key) {
        const own = new Map()
        own.set(key, table.get(key))
        cache.set(key, fixed)
        recent.delete(key)
        last += 1
      }
    `)
    expect(moduleCaches).toEqual(
      ['cache', 'recent', 'last'].map((name) => `src/folder/file.ts: ${name}`),
    )
  })

  test('what a module holds with a reason is allowed, and a reason for nothing is told', () => {
    const [allowed = '', ...others] = Object.keys(allowedModuleState)
    expect(withoutReason([allowed, 'src/a.ts: cache'])).toEqual(['src/a.ts: cache'])
    expect(outdatedReasons(others)).toEqual([
      `scripts/house/module-state.ts allows ${allowed}, which is not there.`,
    ])
  })

  test('functions that return methods, and classes that are no errors', () => {
    const { factories, classes } = one(`
      const createA = () => ({ run() {} })
      function createB() { return { run: () => 1, size: 2 } }
      function plain() { return { size: 2 } }
      class Pool {}
      class PoolError extends Error {}
    `)
    expect([factories, classes]).toEqual([2, 1])
  })

  test('errors that are dropped, and loose files', () => {
    const { ignoredErrors, loose } = one(
      'a.catch(() => undefined); b.catch(() => null)',
      'src/loose.ts',
    )
    expect([ignoredErrors, loose]).toEqual([1, 1])
    expect(empty.loose).toBe(0)
  })

  test('files and folders by size, and names that several files declare', () => {
    const found = measure([
      { path: 'src/a/one.ts', text: 'function chunksOf() {}\n' },
      { path: 'src/a/two.ts', text: '\n\nfunction chunksOf() {}\n' },
      { path: 'src/b/three.ts', text: '' },
    ])
    expect(found).toMatchObject({ files: 3, lines: 4 })
    expect(found.longestFiles[0]).toEqual(['src/a/two.ts', 3])
    expect(found.fullestFolders[0]).toEqual(['src/a', 2])
    expect(found.repeats.get('chunksOf')).toBe(2)
  })

  test('comments are blocks, and lines that follow each other', () => {
    const source = `
      /** Of the pool. */
      // Of the pool,
      // which has two tokens.
      /** The tokens that it has. */
      const url = 'https://x' // By name.
    `
    expect(one(source).fragments).toBe(3)
  })
})

describe('isWithoutVerb', () => {
  test.each([
    ['Of one HTTP request to a node.', true],
    ['As the chain has it.', true],
    ['Those that are not locked at the time of the block.', true],
    ['That of an amount near this one, where it gives no less.', true],
    ['By token, raw units that the call took.', true],
    ['Of the pinned block. The rest is known.', true],
    ['Of the pinned block: few parties make it.', false],
    ['Of adjacent hops the first has the manager, which is called once for all.', false],
    ['Those are skipped.', false],
    ['As soon as it ends, all are told. Another.', false],
    ['Offers of all bridges.', false],
    ['Reuses the split of a nearby amount.', false],
  ])('%s %s', (comment, expected) => {
    expect(isWithoutVerb(comment)).toBe(expected)
  })
})

describe('the table', () => {
  const byHand = [{ what: 'shapes', before: 3, aim: 1, now: [['Shape', 'src/a.ts'] as const] }]

  test('has what was, what is and the aim, of rows by machine and by hand', () => {
    const lines = tableOf(counted(empty), one('a.catch(() => undefined)'), byHand).split('\n')
    expect(lines).toContain('| `.catch(() => undefined)` | 0 | 1 | 0 |')
    expect(lines).toContain('| loose files at the root of src | 0 (stated: 20) | 0 | 0 |')
    expect(lines.at(-1)).toBe('| shapes, by hand | 3 | 1 | 1 |')
  })

  test('is written between its markers, and is the same when written again', () => {
    const document = `before\n${markers.join('\nold\n')}\nafter\n`
    const written = withTable(document, 'new')
    expect(written).toBe(`before\n${markers.join('\nnew\n')}\nafter\n`)
    expect(withTable(written, 'new')).toBe(written)
    expect(() => withTable('none', 'new')).toThrow('lacks the markers')
  })

  test('names that are not where the lists say are told', () => {
    const read = (file: string) => (file === 'src/a.ts' ? 'interface Shapes {}' : null)
    expect(misplaced(byHand, read)).toEqual(['shapes: src/a.ts has no Shape.'])
    expect(misplaced(byHand, () => null)).toEqual(['shapes: src/a.ts is not there.'])
    expect(countedByHand.length).toBeGreaterThan(5)
  })
})
