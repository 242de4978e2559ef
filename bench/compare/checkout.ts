/** Another commit of this repository, built, in a folder of its own. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Checkout {
  readonly commit: string
  readonly folder: string
  remove(): void
}

export const here = fileURLToPath(new URL('../..', import.meta.url))

const git = (...args: string[]) => execFileSync('git', args, { cwd: here, encoding: 'utf8' }).trim()

/** What takes minutes to make; of the rest, an image has files that cannot be copied. */
const caches = ['sandbox', 'node']

/** Takes the packages of this folder where the lock file is the same, since they are most of the time. */
export function checkOut(name: string): Checkout {
  const commit = git('rev-parse', '--short', `${name}^{commit}`)
  const parent = mkdtempSync(join(tmpdir(), 'forkroute-base-'))
  const folder = join(parent, commit)
  git('worktree', 'add', '--quiet', '--detach', folder, commit)
  const remove = () => {
    git('worktree', 'remove', '--force', folder)
    rmSync(parent, { recursive: true, force: true })
  }
  try {
    const isSameLock = git('diff', '--name-only', commit, '--', 'package-lock.json') === ''
    const run = (command: string, ...args: string[]) =>
      execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    // Links, not a link to the folder: packages look for others from where they really are.
    if (isSameLock) run('cp', '-al', join(here, 'node_modules'), folder)
    else run('npm', 'ci', '--no-audit', '--no-fund')
    for (const name of caches) {
      const own = join(here, '.cache', name)
      if (existsSync(own)) cpSync(own, join(folder, '.cache', name), { recursive: true })
    }
    run('npm', 'run', '--silent', 'build')
    return { commit, folder, remove }
  } catch (error) {
    remove()
    throw error
  }
}
