/** Fetches the packages of the manifest and takes the contracts out of them. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keccak256, stringToHex } from 'viem'
import { ForkrouteError } from '../../domain/errors.js'
import type { Hex } from '../../domain/primitives.js'
import type { ArtifactFile, ArtifactPackage } from './artifact-package.js'
import { artifactPackages } from './manifest.js'
import { type FilesOfPackage, readPackageFiles } from './package-files.js'

/** Creation code by the keys of the manifest. */
export type Artifacts = Readonly<Record<string, Hex>>

/** @throws RangeError for a contract that the manifest does not name. */
export function codeOf(artifacts: Artifacts, key: string): Hex {
  const found = artifacts[key]
  if (!found) throw new RangeError(`The manifest has no contract ${key}.`)
  return found
}

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
  const cached = loading.get(file)
  if (cached) return cached
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
  const wanted = packages.map(({ files, ...pinned }) => ({
    ...pinned,
    paths: Object.values(files).map(({ path }) => path),
  }))
  const artifacts: Record<string, Hex> = {}
  for (const [index, texts] of (await readPackageFiles(wanted, onProgress)).entries()) {
    const item = packages[index]
    if (item) Object.assign(artifacts, codesIn(item, texts))
  }
  await mkdir(cacheDir, { recursive: true })
  const temporary = `${file}.${process.pid}`
  await writeFile(temporary, JSON.stringify(artifacts))
  await rename(temporary, file)
  return artifacts
}

function codesIn(item: ArtifactPackage, texts: FilesOfPackage): Record<string, Hex> {
  const found: Record<string, Hex> = {}
  for (const [key, { path, field, libraries = {} }] of Object.entries(item.files)) {
    const text = texts.get(path) ?? ''
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
