// Counts tests and assertions per file, by reading the sources: what a helper asserts counts once, where it stands.
//   npm run test:assertions                       of the working tree
//   npm run test:assertions -- --at <ref>         of a commit
//   npm run test:assertions -- --vs <ref>         what changed since a commit; exit code 1 where something was lost
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import ts from 'typescript'

const isCounted = (path) =>
  /^test\/.*\.ts$/.test(path) ||
  /^(src|workers|bench)\/.*\.test\.ts$/.test(path) ||
  /^contracts\/test\/.*\.sol$/.test(path)

const { values } = parseArgs({ options: { at: { type: 'string' }, vs: { type: 'string' } } })
const after = countAll(values.at)
if (values.vs === undefined) printCounts(after)
else printChanges(countAll(values.vs), after, renames(values.vs, values.at))

/** @param ref - a commit; without one the working tree. @returns path to its counts, files without any left out. */
function countAll(ref) {
  const list =
    ref === undefined
      ? git('ls-files', '--cached', '--others', '--exclude-standard')
      : git('ls-tree', '-r', '--name-only', ref)
  const paths = [...new Set(list)].filter(isCounted).sort()
  const present = ref === undefined ? paths.filter((path) => existsSync(path)) : paths
  const counted = present.map((path) => {
    const text = ref === undefined ? readFileSync(path, 'utf8') : gitText('show', `${ref}:${path}`)
    return [path, path.endsWith('.sol') ? countSolidity(text) : countTypeScript(path, text)]
  })
  return new Map(counted.filter(([, { tests, assertions }]) => tests.length + assertions > 0))
}

/** @returns tests: names with the assertions written inside of each; assertions: of the file, helpers included. */
function countTypeScript(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const tests = []
  let assertions = 0
  const visit = (node, test) => {
    let inside = test
    if (ts.isCallExpression(node)) {
      const root = rootOf(node.expression)
      // `test.each(rows)` alone declares nothing: the call of what it returns does.
      const [first, second] = node.arguments
      if (
        (root === 'test' || root === 'it') &&
        first &&
        second &&
        !ts.isCallExpression(node.parent)
      ) {
        inside = { name: nameOf(first), assertions: 0 }
        tests.push(inside)
      }
      if (isAssertion(node.expression)) {
        assertions += 1
        if (inside) inside.assertions += 1
      }
    }
    ts.forEachChild(node, (child) => visit(child, inside))
  }
  visit(source, null)
  return { tests, assertions }
}

/** `expect(x)`, `expect.soft(x)`, `expect.objectContaining({})`, `fc.assert(property)`. */
function isAssertion(callee) {
  if (ts.isIdentifier(callee)) return callee.text === 'expect'
  if (!ts.isPropertyAccessExpression(callee) || !ts.isIdentifier(callee.expression)) return false
  const { text } = callee.expression
  return text === 'expect' || (text === 'fc' && callee.name.text === 'assert')
}

/** The identifier that a chain starts with: `test` of `test.skipIf(x).each(rows)`. */
function rootOf(node) {
  if (ts.isIdentifier(node)) return node.text
  const isChain = ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)
  if (ts.isTaggedTemplateExpression(node)) return rootOf(node.tag)
  return isChain ? rootOf(node.expression) : null
}

function nameOf(node) {
  return ts.isStringLiteralLike(node) ? node.text : node.getText()
}

function countSolidity(text) {
  const code = text.replace(/\/\/.*$/gm, '')
  const assertion = /\b(assert[A-Z]\w*|vm\.expect\w+)\s*\(/g
  const functions = code.split(/\bfunction\s+/).slice(1)
  const tests = functions.flatMap((body) => {
    const name = /^(test|invariant)\w*/.exec(body)?.[0]
    return name ? [{ name, assertions: body.match(assertion)?.length ?? 0 }] : []
  })
  // Declarations of helpers that begin with assert are no assertions.
  const declared = code.match(/\bfunction\s+assert[A-Z]\w*\s*\(/g)?.length ?? 0
  return { tests, assertions: (code.match(assertion)?.length ?? 0) - declared }
}

function printCounts(files) {
  const rows = [...files].map(([path, { tests, assertions }]) => [tests.length, assertions, path])
  printTable([['tests', 'assertions', 'file'], ...rows, ['', '', ''], totals(files)])
}

function totals(files) {
  const all = [...files.values()]
  return [sum(all, ({ tests }) => tests.length), sum(all, ({ assertions }) => assertions), 'total']
}

/** Assertions that stand outside of every test. */
function ofHelpers(files) {
  return sum([...files.values()], ({ tests, assertions }) => {
    return assertions - sum(tests, (test) => test.assertions)
  })
}

/** A row per file, or per group of files that tests moved between. */
function printChanges(before, after, renamed) {
  const groups = group(before, after, renamed)
  const rows = [['tests', '', 'assertions', '', 'file']]
  const losses = []
  let unchanged = 0
  for (const { old, recent } of groups) {
    const [a, b] = [merge(old, before), merge(recent, after)]
    const isSame = a.tests.length === b.tests.length && a.assertions === b.assertions
    if (isSame && String(old) === String(recent)) unchanged += 1
    else
      rows.push([
        ...pair(a.tests.length, b.tests.length),
        ...pair(a.assertions, b.assertions),
        label(old, recent),
      ])
    losses.push(...lost(a, b, recent.length ? recent : old))
  }
  // Helpers move between files more freely than tests do: theirs are counted together.
  const [helpersBefore, helpersAfter] = [ofHelpers(before), ofHelpers(after)]
  if (helpersAfter < helpersBefore) {
    losses.push(`less: ${helpersBefore} -> ${helpersAfter} assertions outside of tests`)
  }
  const [a, b] = [totals(before), totals(after)]
  rows.push(['', '', '', '', ''], [...pair(a[0], b[0]), ...pair(a[1], b[1]), 'total'])
  printTable(rows)
  console.log(`\n${unchanged} files with the same numbers are left out.`)
  for (const line of losses) console.log(line)
  if (losses.length) process.exitCode = 1
  else console.log('No test is gone, and none asserts less.')
}

/**
 * Files that belong together: the same path, a renamed file, and files that a test of the same name left and joined.
 */
function group(before, after, renamed) {
  const parents = new Map()
  const find = (node) => (parents.get(node) === node ? node : find(parents.get(node)))
  const oldNodes = [...before.keys()].map((path) => `old ${path}`)
  const newNodes = [...after.keys()].map((path) => `new ${path}`)
  for (const node of [...oldNodes, ...newNodes]) parents.set(node, node)
  const join = (old, recent) => {
    if (before.has(old) && after.has(recent)) parents.set(find(`new ${recent}`), find(`old ${old}`))
  }
  const nowAt = (path) => (after.has(path) ? path : renamed.get(path))
  for (const path of before.keys()) join(path, nowAt(path))
  const arrived = new Map()
  const originOf = new Map([...before.keys()].map((path) => [nowAt(path), path]))
  for (const [path, { tests }] of after) {
    const known = new Set(before.get(originOf.get(path))?.tests.map(({ name }) => name))
    for (const { name } of tests) {
      if (!known.has(name)) arrived.set(name, [...(arrived.get(name) ?? []), path])
    }
  }
  for (const [path, { tests }] of before) {
    const kept = new Set(after.get(nowAt(path))?.tests.map(({ name }) => name))
    for (const { name } of tests) {
      if (!kept.has(name)) for (const recent of arrived.get(name) ?? []) join(path, recent)
    }
  }
  const groups = new Map()
  for (const node of [...oldNodes, ...newNodes]) {
    const one = groups.get(find(node)) ?? { old: [], recent: [] }
    one[node.startsWith('old ') ? 'old' : 'recent'].push(node.slice(4))
    groups.set(find(node), one)
  }
  return [...groups.values()]
}

function merge(paths, files) {
  const all = paths.map((path) => files.get(path))
  return { tests: all.flatMap(({ tests }) => tests), assertions: sum(all, (one) => one.assertions) }
}

/** What can not be seen from the numbers: a test that went while another came, or that asserts less. */
function lost(a, b, paths) {
  const left = [...b.tests]
  const lines = []
  for (const test of a.tests) {
    const same = left
      .filter(({ name }) => name === test.name)
      .sort((one, other) => one.assertions - other.assertions)
    const best = same.find((one) => one.assertions >= test.assertions) ?? same.at(-1)
    if (best) left.splice(left.indexOf(best), 1)
    if (!best) lines.push(`gone: '${test.name}' (${test.assertions}), ${paths.join(', ')}`)
    else if (best.assertions < test.assertions) {
      lines.push(
        `less: '${test.name}' ${test.assertions} -> ${best.assertions}, ${paths.join(', ')}`,
      )
    }
  }
  return lines
}

function renames(from, to) {
  const lines = git('diff', '-M', '--diff-filter=R', '--name-status', from, ...(to ? [to] : []))
  return new Map(lines.map((line) => line.split('\t').slice(1)))
}

function label(old, recent) {
  if (String(old) === String(recent)) return old.join(', ')
  if (!old.length) return `+ ${recent.join(', ')}`
  return `${old.join(', ')} -> ${recent.length ? recent.join(', ') : 'gone'}`
}

function pair(a, b) {
  return [`${a} -> ${b}`, b === a ? '' : b > a ? `+${b - a}` : `${b - a}`]
}

function printTable(rows) {
  const widths = rows[0].map((_, k) => Math.max(...rows.map((row) => String(row[k]).length)))
  const last = widths.length - 1
  for (const row of rows) {
    const cells = row.map((cell, k) => (k === last ? cell : String(cell).padStart(widths[k])))
    console.log(cells.join('  ').trimEnd())
  }
}

function sum(list, of) {
  return list.reduce((total, one) => total + of(one), 0)
}

function git(...args) {
  return gitText(...args)
    .split('\n')
    .filter(Boolean)
}

function gitText(...args) {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
}
