/**
 * Programs that few commands need are no packages of the project: each has a folder in tools/ with a package.json and a
 * lock file of its own, and is fetched into .cache/tools when it is asked for.
 *   npx tsx scripts/tools.ts prism      fetches it, and prints its node_modules
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = join(root, '.cache', 'tools')

/**
 * @param name - a folder of tools/.
 * @returns its node_modules, fetched where that lock file has not been installed yet.
 * @throws Error when npm cannot install it.
 */
export async function toolFolder(name: string): Promise<string> {
  const source = join(root, 'tools', name)
  const lock = createHash('sha256').update(readFileSync(join(source, 'package-lock.json')))
  const folder = join(cache, `${name}-${lock.digest('hex').slice(0, 12)}`)
  const modules = join(folder, 'node_modules')
  if (existsSync(folder)) return modules
  console.log(`fetching ${name} into .cache/tools`)
  await mkdir(cache, { recursive: true })
  // Several processes may want it at the same time: the first that has it all gives it its name.
  const own = await mkdtemp(`${folder}-`)
  for (const file of ['package.json', 'package-lock.json']) {
    await copyFile(join(source, file), join(own, file))
  }
  // A tool's peers, such as vitest, are those of the project, where Node looks next.
  const options = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund']
  await promisify(execFile)('npm', ['ci', ...options], { cwd: own })
  try {
    await rename(own, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    await rm(own, { recursive: true })
  }
  return modules
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of process.argv.slice(2)) console.log(await toolFolder(name))
}
