// Builds the documents as pages into dist/site, which the service has at /docs/guide: npm run site.
// VitePress is installed in site/ first where it is not there, or is another than that of the lock file.
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../site', import.meta.url))
const changedAt = (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

// npm writes this file last.
if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
  run('npm', 'ci', '--no-audit', '--no-fund')
}
run(process.execPath, 'node_modules/vitepress/bin/vitepress.js', 'build', '.')
