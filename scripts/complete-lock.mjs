// Puts the optional packages of other platforms into package-lock.json, by version and platform.
// `npm install` leaves them out where its registry does not have them, and `npm ci` then refuses the lock file.
// Run after every `npm install`; does nothing when none is missing.
import { readFileSync, writeFileSync } from 'node:fs'

const path = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(path, 'utf8'))
const systems = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openbsd', 'netbsd', 'sunos']
const processors = ['arm64', 'x64', 'ia32', 'arm', 'ppc64', 'riscv64', 's390x', 'loong64']
const aliases = { amd64: 'x64', windows: 'win32', x86: 'ia32' }

/** Platform fields from a package's name, such as `@scope/tool-linux-x64-musl`. */
function platformOf(name) {
  const words = name.split(/[-./@]/).map((word) => aliases[word] ?? word)
  const os = words.find((word) => systems.includes(word))
  const cpu = words.find((word) => processors.includes(word))
  const libc = words.includes('musl') ? 'musl' : words.includes('gnu') ? 'glibc' : null
  return { ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }), ...(os && { os: [os] }) }
}

const missing = {}
for (const [key, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const places = [`node_modules/${name}`, `${key}/node_modules/${name}`]
    if (places.some((place) => lock.packages[place])) continue
    const platform = platformOf(name)
    if (!/^\d/.test(version) || Object.keys(platform).length === 0) {
      throw new Error(`${name}@${version} names no exact version or no platform; add it by hand`)
    }
    const dev = entry.dev ? { dev: true } : {}
    missing[`node_modules/${name}`] = { version, ...dev, optional: true, ...platform }
  }
}
const { '': root, ...packages } = { ...lock.packages, ...missing }
const ordered = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'))
lock.packages = { '': root, ...Object.fromEntries(ordered) }
if (Object.keys(missing).length) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${Object.keys(missing).length} packages of other platforms added`)
