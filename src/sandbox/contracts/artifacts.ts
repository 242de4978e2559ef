/** Fetches the packages of the manifest through the user's own npm and takes the contracts out of them. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { list } from 'tar'
import { keccak256, stringToHex } from 'viem'
import { ForkrouteError } from '../../domain/errors.js'
import type { Hex } from '../../domain/primitives.js'
import type { ArtifactFile, ArtifactPackage } from './artifact-package.js'
import { artifactPackages } from './manifest.js'

/** Creation code by the keys of the manifest. */
export type Artifacts = Readonly<Record<string, Hex>>

/** @throws RangeError for a contract that the manifest does not name. */
export function codeOf(artifacts: Artifacts, key: string): Hex {
  const found = artifacts[key]
  if (!found) throw new RangeError(`The manifest has no contract ${key}.`)
  return found
}

/** Longest wait for the registry, milliseconds. */
const downloadTimeoutMs = 120_000
/** The largest packages follow each other in the manifest, and so come into different calls of npm. */
const parallelDownloads = 4

/** Several chains may be built at once: each file is fetched once. */
const loading = new Map<string, Promise<Artifacts>>()

/**
 * From the cache, else downloaded.
 *
 * @param packages - those of the sandbox, unless others are named.
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE when npm cannot fetch a package or a tarball is not the pinned one.
 */
export function loadArtifacts(
  cacheDir: string,
  onProgress: (message: string) => void,
  packages: readonly ArtifactPackage[] = artifactPackages,
): Promise<Artifacts> {
  const key = createHash('sha256').update(JSON.stringify(packages)).digest('hex')
  const file = join(cacheDir, `artifacts-${key.slice(0, 16)}.json`)
  const known = loading.get(file)
  if (known) return known
  const loaded = load(file, cacheDir, onProgress, packages).finally(() => loading.delete(file))
  loading.set(file, loaded)
  return loaded
}

async function load(
  file: string,
  cacheDir: string,
  onProgress: (message: string) => void,
  packages: readonly ArtifactPackage[],
): Promise<Artifacts> {
  if (existsSync(file)) return JSON.parse(await readFile(file, 'utf8')) as Artifacts
  onProgress(`downloading ${packages.length} contract packages from the npm registry`)
  const directory = await mkdtemp(join(tmpdir(), 'forkroute-artifacts-'))
  try {
    await download(directory, packages)
    onProgress('checking and unpacking the contract packages')
    const artifacts: Record<string, Hex> = {}
    for (const found of await Promise.all(packages.map((item) => unpack(directory, item)))) {
      Object.assign(artifacts, found)
    }
    await mkdir(cacheDir, { recursive: true })
    const temporary = `${file}.${process.pid}`
    await writeFile(temporary, JSON.stringify(artifacts))
    await rename(temporary, file)
    return artifacts
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Side by side: npm fetches what one call names one after the other. */
async function download(directory: string, packages: readonly ArtifactPackage[]): Promise<void> {
  const specs = packages.map(({ name, version }) => `${name}@${version}`)
  const batches = Array.from({ length: parallelDownloads }, (_, first) =>
    specs.filter((_spec, index) => index % parallelDownloads === first),
  )
  const wanted = batches.filter((batch) => batch.length > 0)
  await Promise.all(wanted.map((batch) => pack(directory, batch)))
}

async function pack(directory: string, specs: readonly string[]): Promise<void> {
  const args = ['pack', '--ignore-scripts', '--pack-destination', directory, ...specs]
  const isWindows = process.platform === 'win32'
  try {
    // cwd: npm shall not look at a package.json or .npmrc other than the user's.
    const options = { cwd: directory, timeout: downloadTimeoutMs, shell: isWindows }
    await promisify(execFile)('npm', args, options)
  } catch (cause) {
    throw new ForkrouteError(
      'UPSTREAM_UNAVAILABLE',
      'npm could not download the contract packages.',
      { packages: specs },
      { cause },
    )
  }
}

async function unpack(directory: string, item: ArtifactPackage): Promise<Record<string, Hex>> {
  const name = `${item.name.replace('@', '').replace('/', '-')}-${item.version}.tgz`
  const tarball = await readFile(join(directory, name))
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  if (integrity !== item.integrity) {
    throw new ForkrouteError(
      'UPSTREAM_UNAVAILABLE',
      `The package ${item.name}@${item.version} is not the pinned one.`,
      { expected: item.integrity, found: integrity },
    )
  }
  const wanted = new Set(Object.values(item.files).map(({ path }) => path))
  const texts = new Map<string, Promise<string>>()
  await list({
    file: join(directory, name),
    filter: (path) => wanted.has(path),
    onReadEntry: (entry) => {
      texts.set(
        entry.path,
        entry.concat().then((data) => data.toString()),
      )
    },
  })
  const found: Record<string, Hex> = {}
  for (const [key, { path, field, libraries = {} }] of Object.entries(item.files)) {
    const text = (await texts.get(path)) ?? ''
    const value = path.endsWith('.js') ? constantOf(text, field) : fieldOf(parse(text), field)
    found[key] = toHex(typeof value === 'string' ? link(value, libraries) : value, item, path)
  }
  return found
}

function parse(text: string): unknown {
  return JSON.parse(text || '{}')
}

/** A string constant of a script, which is not run. */
function constantOf(text: string, name: string): unknown {
  return new RegExp(`const ${name} = ["'](0x[0-9a-fA-F]+)["']`).exec(text)?.[1]
}

/** Puts addresses where the compiler left room for them: the placeholder is a part of the hash of the library's name. */
function link(code: string, libraries: NonNullable<ArtifactFile['libraries']>): string {
  return Object.entries(libraries).reduce((linked, [name, address]) => {
    const placeholder = `__$${keccak256(stringToHex(name)).slice(2, 36)}$__`
    return linked.replaceAll(placeholder, address.slice(2))
  }, code)
}

/** @param path - names separated by dots. */
function fieldOf(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => {
    return typeof inner === 'object' && inner !== null
      ? (inner as Record<string, unknown>)[name]
      : undefined
  }, value)
}

function toHex(value: unknown, item: ArtifactPackage, path: string): Hex {
  if (typeof value === 'string') {
    const text = value.startsWith('0x') ? value : `0x${value}`
    if (/^0x([0-9a-f]{2})+$/i.test(text)) return text as Hex
  }
  throw new ForkrouteError('INTERNAL', `${item.name} has no bytecode in ${path}.`)
}
