// Builds unless dist is newer than all that it is made of, so that a command starts in a second.
import { execSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The last file that a build writes. */
const lastBuilt = join(root, 'dist/verify.html')
const sources = [
  'src',
  'workers',
  'scripts/bundle.mjs',
  'scripts/bundle-console.mjs',
  'scripts/bundle-files.mjs',
  'scripts/bundle-verifier.mjs',
  'scripts/verifier',
  'tsconfig.build.json',
  'package.json',
]

/** Milliseconds. A folder counts itself, so that a file that was removed is noticed. */
function newestIn(path) {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  return readdirSync(path).reduce(
    (newest, name) => Math.max(newest, newestIn(join(path, name))),
    stats.mtimeMs,
  )
}

function isStale() {
  if (!existsSync(lastBuilt)) return true
  const builtAt = statSync(lastBuilt).mtimeMs
  return sources.some((source) => newestIn(join(root, source)) > builtAt)
}

// What a build prints is no answer of the command that comes after it.
if (isStale()) execSync('npm run --silent build', { cwd: root, stdio: ['ignore', 2, 2] })
