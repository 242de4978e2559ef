// Tests the project on other versions of Node than the installed one, each with packages of its own: what is compiled
// for one does not load in the next. Ends with 1 where one of them fails.
//   npm run test:node              on each version below
//   npm run test:node -- 22 24     on these
//   node scripts/on-node.mjs --folder 20.19     only puts that Node into .cache, and prints where bin/node is
//   node scripts/on-node.mjs --install 22 24    only puts those and the packages of each there
// Node comes as a package; the working tree is copied beside it, with what Git ignores left out.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { copyWorkingTree } from './working-tree.mjs'

/** The least that package.json allows, and one of each line with long-term support since. */
const versions = ['20.19.0', '22.23.3', '24.21.0']
const projects = ['unit', 'integration', 'e2e']
/** What file names contain: one journey by HTTP, threads, forks and SQLite. */
const journey = 'test/e2e/routes/route.e2e.ts'
/** Unit tests of what asks Node for HTTP, sockets, threads, processes and files. */
const parts = ['api', 'cli', 'config', 'forks', 'platform', 'rpc', 'telemetry'].map(
  (name) => `src/${name}/`,
)
/** All else that does. Arithmetic next to contracts is the same on every Node, and the unit tests have it, too. */
const asksNode = ['test/api/', 'test/integration/rpc/', 'test/integration/forks/']
/** On the versions between the oldest and the newest, little is tried that both do not show. */
const filesOf = (version) =>
  version === versions.at(0) || version === versions.at(-1)
    ? [journey, '.test.ts', ...asksNode]
    : [journey, ...parts]

const root = fileURLToPath(new URL('..', import.meta.url))
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8')
const { values, positionals } = parseArgs({
  options: { folder: { type: 'boolean' }, install: { type: 'boolean' } },
  allowPositionals: true,
})
const chosen = positionals.length > 0 ? positionals.map(versionOf) : versions

if (values.folder) {
  for (const version of chosen) console.log(nodeFolder(version))
} else {
  const places = chosen.map(prepare)
  // Most of it is one compiler at work; tests would disturb each other.
  const installed = await Promise.all(places.map((place) => timed(() => installPackages(place))))
  const lines = []
  for (const [index, place] of places.entries()) {
    lines.push(
      values.install
        ? installedLine(place, installed[index])
        : await testIn(place, installed[index]),
    )
  }
  for (const line of lines) console.log(line)
}

/** @param prefix - such as 22 or 20.19. */
function versionOf(prefix) {
  const version = versions.find((known) => `${known}.`.startsWith(`${prefix}.`))
  if (!version) throw new Error(`Node ${prefix} is none of ${versions.join(', ')}`)
  return version
}

function homeOf(version) {
  return join(root, '.cache', 'node', version)
}

/** @returns the folder of bin/node and of the headers that packages are compiled with; fetched where it is missing. */
function nodeFolder(version) {
  const name = `node-${process.platform}-${process.arch}`
  const folder = join(homeOf(version), 'node_modules', name)
  // Written by npm when all is there.
  if (!existsSync(join(homeOf(version), 'node_modules', '.package-lock.json'))) {
    mkdirSync(homeOf(version), { recursive: true })
    const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--silent']
    const target = ['--prefix', homeOf(version), `${name}@${version}`]
    execFileSync('npm', ['install', ...options, ...target])
  }
  return folder
}

/** @returns where the project stands for that Node, and the environment in which `node` and `npm` are its own. */
function prepare(version) {
  const folder = nodeFolder(version)
  const project = join(homeOf(version), 'project')
  copyWorkingTree(root, project)
  shareTools(project)
  const PATH = `${join(folder, 'bin')}:${process.env.PATH}`
  // What is compiled for a test need not be fast, and SQLite without optimisation halves the time of `npm ci`.
  const compiler = { CFLAGS: '-O0', CXXFLAGS: '-O0', npm_config_nodedir: folder }
  return { version, project, env: { ...process.env, PATH, ...compiler } }
}

/** @returns a line that says how it went, with the seconds that it took. */
function installedLine({ version }, { passed, seconds }) {
  const times = `npm ci ${seconds} s`
  return passed ? `Node ${version}: ${times}` : failed(`Node ${version}: npm ci FAILED (${times})`)
}

/** @returns the same of the tests. */
async function testIn(place, installed) {
  const times = `npm ci ${installed.seconds} s`
  if (!installed.passed) return installedLine(place, installed)
  const options = projects.flatMap((name) => ['--project', name])
  const tested = await timed(() =>
    run(place, 'npx', 'vitest', 'run', ...options, ...filesOf(place.version)),
  )
  const both = `${times}, tests ${tested.seconds} s`
  if (!tested.passed) return failed(`Node ${place.version}: tests FAILED (${both})`)
  return `Node ${place.version}: passed (${both})`
}

function failed(line) {
  process.exitCode = 1
  return line
}

async function timed(work) {
  const start = performance.now()
  const passed = await work()
  return { passed, seconds: Math.round((performance.now() - start) / 1000) }
}

/** What scripts/tools.ts fetches does not depend on Node. */
function shareTools(project) {
  const [own, shared] = [project, root].map((folder) => join(folder, '.cache', 'tools'))
  mkdirSync(shared, { recursive: true })
  mkdirSync(dirname(own), { recursive: true })
  if (!existsSync(own)) symlinkSync(shared, own)
}

/** Does nothing where the packages of the same lock file are there. */
async function installPackages(place) {
  const installed = join(place.project, 'node_modules', '.installed-lock.json')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return true
  if (!(await run(place, 'npm', 'ci', '--no-audit', '--no-fund'))) return false
  copyFileSync(join(place.project, 'package-lock.json'), installed)
  return true
}

/** @returns whether it ended with 0. */
async function run({ project, env }, command, ...args) {
  const [code] = await once(spawn(command, args, { cwd: project, env, stdio: 'inherit' }), 'close')
  return code === 0
}
