// Layer rules by dependency-cruiser. It reports "no violations" when it could not read a single module,
// so the number of modules is checked too.
import { createRequire } from 'node:module'
import { cruise } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'

const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs')
const leastModules = 50

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
if (output.summary.violations.length || own.length < leastModules) process.exit(1)
console.log(`layers: ${own.length} modules, no violations`)
