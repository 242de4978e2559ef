// Layer rules by dependency-cruiser, how large folders and files may become, and no spread that only packs a line. The cruiser reports "no violations"
// when it could not read a single module, so the number of modules is checked too.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'

const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs')
const leastModules = 50
/** Of a folder, besides the unit tests beside their source. */
const mostFiles = 32
/** Of a file that is written by hand. */
const mostLines = 500

const { output } = await cruise(
  ['src', 'workers'],
  { ...config.options, ruleSet: { forbidden: config.forbidden }, validate: true },
  undefined,
  { tsConfig: extractTSConfig('tsconfig.json') },
)
const own = output.modules.filter(({ source }) => /^(src|workers)\//.test(source))
for (const { rule, from, to } of output.summary.violations) {
  console.error(`${rule.name}: ${from} -> ${to}`)
}
if (own.length < leastModules) {
  console.error(`layers: only ${own.length} modules were read; the check itself is broken`)
}
const crammed = tooLarge()
for (const problem of crammed) console.error(problem)
if (output.summary.violations.length || own.length < leastModules || crammed.length) process.exit(1)
console.log(`layers: ${own.length} modules, no violations`)

function tooLarge() {
  const files = ['src', 'workers', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !path.includes('generated'))
      .map((path) => join(folder, path)),
  )
  const counts = new Map()
  for (const file of files.filter((path) => !/\.test\.tsx?$/.test(path))) {
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  }
  const lines = (file) => readFileSync(file, 'utf8').split('\n').length - 1
  return [
    ...[...counts]
      .filter(([, count]) => count > mostFiles)
      .map(([folder, count]) => `${folder}: ${count} files, at most ${mostFiles}`),
    ...files
      .filter((file) => lines(file) > mostLines)
      .map((file) => `${file}: ${lines(file)} lines, at most ${mostLines}`),
    ...files
      .filter((file) => file.endsWith('.ts') && /\.\.\.\{/.test(readFileSync(file, 'utf8')))
      .map((file) => `${file}: a spread of an object literal has no effect; write its fields`),
  ]
}
