// Builds the image of the Dockerfile without a daemon or a registry of images, runs it as an orchestrator would, and
// prints what it saw. Ends with 1 where something is not as compose.yaml and deploy/kubernetes count on.
//   npm run image:test
// Needs root, and Debian's buildah, runc and mmdebstrap; says so and ends with 0 where they are not there. The base that
// the Dockerfile names is made of Debian and the package of that Node, and kept in .cache/image.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = join(root, '.cache', 'image')
const image = 'forkroute:test'
const certificates = '/etc/ssl/certs/ca-certificates.crt'
/** The user `node` of the base. */
const user = 1_000
/** Of compose.yaml and deploy/kubernetes, seconds. */
const grace = 30
/** A first start on the sandbox fetches contracts and builds three chains. */
const startTimeoutMs = 600_000

const missing = ['buildah', 'runc', 'mmdebstrap'].filter((name) => !isInstalled(name))
if (process.getuid() !== 0) missing.unshift('root')
if (missing.length > 0) {
  console.log(`The image is not tested: ${missing.join(', ')} missing here.`)
} else {
  await main()
}

async function main() {
  mkdirSync(cache, { recursive: true })
  const [, base, version] = /^FROM (node:([\d.]+)\S*)$/m.exec(
    readFileSync(join(root, 'Dockerfile'), 'utf8'),
  )
  makeBase(`docker.io/library/${base}`, version)
  const seconds = timed(() =>
    buildah(
      ...['bud', '--layers', '--pull-never', '--isolation', 'chroot', '--network', 'host'],
      ...['--format', 'docker', '--tag', image, root],
    ),
  )
  const container = capture('from', '--pull-never', image)
  try {
    const { config } = JSON.parse(capture('inspect', '--type', 'image', image)).Docker
    const rootfs = capture('mount', container)
    const [size] = execFileSync('du', ['-sm', rootfs], { encoding: 'utf8' }).split('\t')
    console.log(`built in ${seconds} s, ${size} MB`)
    await tryOut(config, rootfs)
  } finally {
    capture('rm', container)
  }
}

/** Does nothing where the storage has it. */
function makeBase(name, version) {
  if (capture('images', '--noheading', '--quiet', '--filter', `reference=${name}`)) return
  const folder = join(cache, 'base')
  rmSync(folder, { recursive: true, force: true })
  const packages = [`node-linux-${process.arch}@${version}`, 'npm@10.8.2']
  run('npm', 'install', '--prefix', folder, '--ignore-scripts', '--no-save', ...packages)
  const tar = join(cache, 'debian.tar')
  run('mmdebstrap', '--quiet', '--variant=minbase', 'bookworm', tar)
  const container = capture('from', 'scratch')
  const modules = join(folder, 'node_modules')
  const node = join(modules, `node-linux-${process.arch}`)
  const npm = '/usr/local/lib/node_modules/npm'
  capture('add', container, tar, '/')
  capture('copy', container, join(node, 'bin'), '/usr/local/bin')
  capture('copy', container, join(node, 'include'), '/usr/local/include')
  capture('copy', container, join(modules, 'npm'), npm)
  // For builds where those of Debian do not do; the Dockerfile installs Debian's again.
  if (existsSync(certificates)) capture('copy', container, certificates, certificates)
  const setUp = `ln -s ${npm}/bin/npm-cli.js /usr/local/bin/npm && chmod 755 ${npm}/bin/*.js
    groupadd --gid ${user} node && useradd --uid ${user} --gid node --create-home node`
  capture('run', '--isolation', 'chroot', '--network', 'host', container, '--', 'sh', '-ec', setUp)
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const settings = [`npm_config_registry=${registry}`, `NODE_EXTRA_CA_CERTS=${certificates}`]
  const options = settings.flatMap((each) => ['--env', each])
  capture(
    'config',
    ...options,
    '--env',
    'PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    container,
  )
  capture('commit', '--rm', container, name)
}

async function tryOut(config, rootfs) {
  const bundle = mkdtempSync(join(tmpdir(), 'forkroute-image-'))
  const id = `forkroute-${process.pid}`
  const port = await freePort()
  const data = join(bundle, 'data')
  mkdirSync(data)
  execFileSync('chown', [`${user}:${user}`, data])
  const env = [...config.Env, 'HOST=127.0.0.1', `PORT=${port}`, 'HOME=/home/node', 'LOG_LEVEL=warn']
  writeFileSync(
    join(bundle, 'config.json'),
    JSON.stringify(runtimeSpec({ config, rootfs, data, env })),
  )
  const child = spawn('runc', [...runcOptions(bundle), 'run', '--bundle', bundle, id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const exec = (...args) =>
    execFileSync('runc', [...runcOptions(bundle), 'exec', id, ...args], { encoding: 'utf8' }).trim()
  try {
    const start = performance.now()
    const key = await Promise.race([keyOf(child), ended.then(() => null), late(startTimeoutMs)])
    if (!key) throw new Error('It did not start.')
    report('started in', `${Math.round((performance.now() - start) / 1_000)} s`)
    report('user', exec('id', '-u'), (uid) => uid === String(user))
    const write =
      'for file in /tried /app/tried /data/tried /tmp/tried; do touch $file && echo $file; done'
    const written = exec('sh', '-c', `{ ${write}; } 2>/dev/null || true`).split('\n').join(' ')
    report('could write', written, (each) => each === '/data/tried /tmp/tried')
    exec(...config.Healthcheck.Test.slice(1))
    report('healthy', 'yes')
    report('memory', `${memoryOf(exec)} MB`)
    for (const path of ['/health', '/ready', '/docs/guide/']) {
      const { status } = await fetch(`http://127.0.0.1:${port}${path}`)
      report(path, status, (each) => each === 200)
    }
    report('quote', await quote(port, key), (amount) => /^\d+$/.test(amount))
    const stop = performance.now()
    execFileSync('runc', [...runcOptions(bundle), 'kill', id, 'TERM'])
    const [code] = await Promise.race([ended, late(grace * 1_000)])
    report('ended by SIGTERM with', code, (each) => each === 0)
    report('after', `${Math.round(performance.now() - stop)} ms`)
  } finally {
    if (child.exitCode === null) {
      execFileSync('runc', [...runcOptions(bundle), 'delete', '--force', id])
      await ended
    }
    rmSync(bundle, { recursive: true, force: true })
  }
}

/** What an orchestrator makes of `read_only`, `cap_drop: ALL`, `no-new-privileges`, a volume and a tmpfs. */
function runtimeSpec({ config, rootfs, data, env }) {
  const device = ['nosuid', 'noexec']
  return {
    ociVersion: '1.0.0',
    process: {
      user: { uid: user, gid: user },
      args: [...config.Entrypoint, ...config.Cmd],
      env,
      cwd: config.WorkingDir,
      capabilities: {},
      noNewPrivileges: true,
    },
    root: { path: rootfs, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
      { destination: '/dev/shm', type: 'tmpfs', source: 'shm', options: [...device, 'mode=1777'] },
      { destination: '/tmp', type: 'tmpfs', source: 'tmp', options: [...device, 'mode=1777'] },
      { destination: '/data', type: 'bind', source: data, options: ['rbind', 'rw'] },
      // Names are looked up as on this machine, whose network it has.
      ...['/etc/resolv.conf', '/etc/hosts', certificates]
        .filter((file) => existsSync(file))
        .map((file) => bound(file)),
    ],
    linux: {
      namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
      maskedPaths: ['/proc/kcore', '/proc/keys', '/sys/firmware'],
      readonlyPaths: ['/proc/sys', '/proc/sysrq-trigger'],
    },
  }
}

function bound(file) {
  return { destination: file, type: 'bind', source: file, options: ['rbind', 'ro'] }
}

/** Reads on, so that the service never waits for a reader. @returns the key that the first start prints. */
function keyOf({ stdout }) {
  return new Promise((resolve) => {
    const lines = createInterface({ input: stdout })
    let key = null
    lines.on('line', (line) => {
      key ??= /fr_\S+/.exec(line)?.[0] ?? null
      if (key && line.startsWith('curl')) resolve(key)
    })
  })
}

async function quote(port, key) {
  const url = new URL(`http://127.0.0.1:${port}/api/v1/shortcuts/quote`)
  url.search = new URLSearchParams({
    tokenIn: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    tokenOut: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    amountIn: '1000000000000000000',
  })
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  return (await answer.json()).amountOut
}

/** Of all processes in it, pages that they share counted by parts. */
function memoryOf(exec) {
  const sums = exec('sh', '-c', 'cat /proc/[0-9]*/smaps_rollup 2>/dev/null || true')
  const kilobytes = [...sums.matchAll(/^Pss: +(\d+)/gm)].map(([, size]) => Number(size))
  return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / 1_024)
}

function report(what, value, isRight = () => true) {
  console.log(`${what}: ${value}`)
  check(isRight(value), `${what}: ${value}`)
}

function check(isRight, problem) {
  if (!isRight) throw new Error(`Not as it should be: ${problem}.`)
}

/** Own storage: nothing of the machine's images is read or changed. */
function storage() {
  return ['--root', join(cache, 'storage'), '--runroot', join(cache, 'run')]
}

function buildah(...args) {
  run('buildah', ...storage(), ...args)
}

function capture(...args) {
  const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 }
  return execFileSync('buildah', [...storage(), ...args], options).trim()
}

function runcOptions(bundle) {
  return ['--root', join(bundle, 'run')]
}

function run(command, ...args) {
  execFileSync(command, args, { stdio: 'inherit' })
}

function timed(work) {
  const start = performance.now()
  work()
  return Math.round((performance.now() - start) / 1_000)
}

function isInstalled(name) {
  return process.env.PATH.split(':').some((folder) => existsSync(join(folder, name)))
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

function late(ms) {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`It took more than ${ms / 1_000} s.`)), ms).unref()
  })
}
