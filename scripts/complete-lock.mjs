// Puts the optional packages of other platforms into package-lock.json, by version and platform: `npm install` leaves
// them out where its registry does not have them, and `npm ci` then refuses the lock file. Asks the registry for the
// integrity of entries that have none, there and in the lock files of tools/ and site/.
// Run after every `npm install`; does nothing when all is there.
//   node scripts/complete-lock.mjs --check      writes nothing, and ends with 1 where something is missing
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = [
  'package-lock.json',
  'site/package-lock.json',
  ...readdirSync(`${root}tools`).map((name) => `tools/${name}/package-lock.json`),
]
const systems = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openbsd', 'netbsd', 'sunos']
const processors = ['arm64', 'x64', 'ia32', 'arm', 'ppc64', 'riscv64', 's390x', 'loong64']
const aliases = { amd64: 'x64', windows: 'win32', x86: 'ia32' }
const isCheck = process.argv.includes('--check')

for (const file of files) {
  const lock = JSON.parse(readFileSync(root + file, 'utf8'))
  const missing = otherPlatforms(lock.packages)
  const { '': project, ...packages } = { ...lock.packages, ...missing }
  const open = Object.entries(packages).filter(([, { integrity, link }]) => !integrity && !link)
  const lacks = [
    ...Object.keys(missing).map((key) => `${key} of another platform`),
    ...open.map(([key]) => `the integrity of ${key}`),
  ]
  for (const each of lacks) console.log(`${file}: ${isCheck ? 'lacks' : 'added'} ${each}`)
  if (lacks.length === 0) continue
  if (isCheck) {
    process.exitCode = 1
    continue
  }
  for (const [key, entry] of open) entry.integrity = integrityOf(key, entry)
  const ordered = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'))
  lock.packages = { '': project, ...Object.fromEntries(ordered) }
  writeFileSync(root + file, `${JSON.stringify(lock, null, 2)}\n`)
}
if (process.exitCode) console.log('Run: node scripts/complete-lock.mjs')

/** @returns the entries that are missing for optional packages of those that are there, by their places. */
function otherPlatforms(packages) {
  const missing = {}
  for (const [key, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const places = [`node_modules/${name}`, `${key}/node_modules/${name}`]
      if (places.some((place) => packages[place])) continue
      const platform = platformOf(name)
      if (!/^\d/.test(version) || Object.keys(platform).length === 0) {
        throw new Error(`${name}@${version} names no exact version or no platform; add it by hand`)
      }
      const dev = entry.dev ? { dev: true } : {}
      missing[`node_modules/${name}`] = { version, ...dev, optional: true, ...platform }
    }
  }
  return missing
}

/** Platform fields from a package's name, such as `@scope/tool-linux-x64-musl`. */
function platformOf(name) {
  const words = name.split(/[-./@]/).map((word) => aliases[word] ?? word)
  const os = words.find((word) => systems.includes(word))
  const cpu = words.find((word) => processors.includes(word))
  const libc = words.includes('musl') ? 'musl' : words.includes('gnu') ? 'glibc' : null
  return { ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }), ...(os && { os: [os] }) }
}

/** Of the tarball, as the registry states it. */
function integrityOf(key, { name = key.split('node_modules/').at(-1), version }) {
  const spec = `${name}@${version}`
  const integrity = execFileSync('npm', ['view', spec, 'dist.integrity'], { encoding: 'utf8' })
  if (!integrity.startsWith('sha512-')) throw new Error(`the registry states none of ${spec}`)
  return integrity.trim()
}
