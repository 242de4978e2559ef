import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files that Git has or would take. Installed packages and the sandbox chain stay from the run before. */
export function copyWorkingTree(root, to) {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(to)) {
    if (name !== 'node_modules' && name !== '.cache') rmSync(join(to, name), { recursive: true })
  }
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const paths = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0')
  for (const path of paths) {
    if (path === '' || !existsSync(join(root, path))) continue
    mkdirSync(dirname(join(to, path)), { recursive: true })
    copyFileSync(join(root, path), join(to, path))
  }
}
