// Tries the two commands of the README, `npm ci && npm test`, on a bare machine: a Debian with Node, what README.md asks
// for beside it, and nothing else, for each version of Node. Prints times and how the tests ended; ends with 1 where one
// of the commands fails.
//   npm run test:bare              on each version below
//   npm run test:bare -- 22 24     on these
// Needs root, mmdebstrap, and a kernel that lets it mount; says so and ends with 0 where they are not there. Debians are
// kept in .cache/bare, and what the commands said stands there, too.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyWorkingTree } from './working-tree.mjs'

/** The npm that comes with each Node, and the packages of Debian that README.md asks for there. */
const machines = [
  { node: '20.19', npm: '10.8.2', packages: ['python3', 'make', 'g++'] },
  { node: '22', npm: '10.9.3', packages: ['python3', 'make'] },
  { node: '24', npm: '11.12.0', packages: ['python3', 'make'] },
]

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = join(root, '.cache', 'bare')
const certificates = '/etc/ssl/certs/ca-certificates.crt'
const chosen = process.argv.slice(2)
const unshare = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private']

const lacks = whatIsMissing()
if (lacks) {
  console.log(`The bare machine is not tried: ${lacks}.`)
} else {
  mkdirSync(cache, { recursive: true })
  for (const machine of machines) {
    if (chosen.length === 0 || chosen.includes(machine.node)) tryOn(machine)
  }
}

function whatIsMissing() {
  if (process.getuid() !== 0) return 'it takes root'
  if (spawnSync('mmdebstrap', ['--version']).error) return 'apt-get install mmdebstrap'
  if (spawnSync('unshare', [...unshare, 'true']).status !== 0) return 'nothing may be mounted here'
  return null
}

function tryOn({ node, npm, packages }) {
  const machine = join(cache, `node-${node}`)
  rmSync(machine, { recursive: true, force: true })
  mkdirSync(machine)
  execFileSync('tar', ['-x', '-f', debian(packages), '-C', machine])
  addNode(machine, node, npm)
  letReachRegistry(machine)
  const project = join(machine, 'root', 'forkroute')
  copyWorkingTree(root, project)
  console.log(`Node ${node} with ${packages.join(', ')}`)
  for (const command of ['npm ci', 'npm test']) {
    const log = join(cache, `node-${node}-${command.replace(' ', '-')}.log`)
    const { status, seconds } = runIn(machine, command, log)
    const ending = lastLines(log, command === 'npm ci' || status === 0 ? 6 : 60)
    console.log(`  ${command}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s\n${ending}`)
    if (status === 0) continue
    console.log(`  All that it said: ${log}`)
    process.exitCode = 1
    break
  }
  rmSync(machine, { recursive: true, force: true })
}

/** @returns a tar of the smallest Debian with these packages. */
function debian(packages) {
  const tar = join(cache, `debian-${packages.join('-')}.tar`)
  if (!existsSync(tar)) {
    const include = ['ca-certificates', ...packages].join(',')
    const partial = tar.replace('.tar', '.partial.tar')
    const options = ['--quiet', '--variant=minbase', `--include=${include}`]
    execFileSync('mmdebstrap', [...options, 'bookworm', partial], { stdio: 'inherit' })
    execFileSync('mv', [partial, tar])
  }
  return tar
}

/** As the archives of nodejs.org have them: programs, headers, and npm. */
function addNode(machine, node, npm) {
  const script = join(root, 'scripts', 'on-node.mjs')
  const folder = execFileSync(process.execPath, [script, '--folder', node], { encoding: 'utf8' })
  const local = join(machine, 'usr', 'local')
  for (const part of ['bin', 'include']) {
    cpSync(join(folder.trim(), part), join(local, part), { recursive: true })
  }
  const fetched = join(cache, `npm-${npm}`)
  if (!existsSync(join(fetched, 'node_modules', '.package-lock.json'))) {
    const options = ['--prefix', fetched, '--ignore-scripts', '--no-save', '--silent']
    execFileSync('npm', ['install', ...options, `npm@${npm}`], { stdio: 'inherit' })
  }
  const modules = join(local, 'lib', 'node_modules')
  cpSync(join(fetched, 'node_modules', 'npm'), join(modules, 'npm'), { recursive: true })
  for (const name of ['npm', 'npx']) {
    const entry = `npm/bin/${name}-cli.js`
    chmodSync(join(modules, entry), 0o755)
    symlinkSync(`../lib/node_modules/${entry}`, join(local, 'bin', name))
  }
}

/** Names, certificates and npm's settings are those of this machine. */
function letReachRegistry(machine) {
  for (const file of ['/etc/resolv.conf', '/etc/hosts', certificates]) {
    if (!existsSync(file)) continue
    mkdirSync(dirname(join(machine, file)), { recursive: true })
    copyFileSync(file, join(machine, file))
  }
  const settings = npmSetting('userconfig')
  if (existsSync(settings)) copyFileSync(settings, join(machine, 'root', '.npmrc'))
}

function npmSetting(name) {
  return execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim()
}

function environment() {
  const ofProxies = Object.entries(process.env).filter(([name]) =>
    /^(https?|no)_proxy$/i.test(name),
  )
  return {
    ...Object.fromEntries(ofProxies),
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: '/root',
    NODE_EXTRA_CA_CERTS: certificates,
    npm_config_registry: npmSetting('registry'),
    npm_config_nodedir: '/usr/local',
  }
}

function runIn(machine, command, log) {
  const start = performance.now()
  const script = `mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
    exec chroot "$0" sh -c 'cd /root/forkroute && ${command}'`
  writeFileSync(log, '')
  const said = openSync(log, 'a')
  const { status } = spawnSync('unshare', [...unshare, 'sh', '-c', script, machine], {
    env: environment(),
    stdio: ['ignore', said, said],
  })
  return { status, seconds: Math.round((performance.now() - start) / 1_000) }
}

function lastLines(log, count) {
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .slice(-count)
    .map((line) => `    ${line.trim()}`)
    .join('\n')
}
