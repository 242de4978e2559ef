/** Files of pinned npm packages, fetched through the user's own npm and checked against their integrity. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { list } from 'tar'
import { ForkrouteError } from '../../domain/errors.js'
import type { PinnedPackage } from './artifact-package.js'

/** Longest wait for the registry, milliseconds. */
const downloadTimeoutMs = 120_000
/** The largest packages follow each other in the manifest, and so come into different calls of npm. */
const parallelDownloads = 4

export interface WantedFiles extends PinnedPackage {
  /** In the tarball; one that it lacks is left out of the answer. */
  readonly paths: readonly string[]
}

/** Text by path, in the order of the packages. */
export type FilesOfPackage = ReadonlyMap<string, string>

/**
 * Nothing is kept: who wants it again keeps what it made of it.
 *
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE when npm cannot fetch a package or a tarball is not the pinned one.
 */
export async function readPackageFiles(
  packages: readonly WantedFiles[],
  onProgress: (message: string) => void,
): Promise<FilesOfPackage[]> {
  onProgress(`downloading ${packages.length} contract packages from the npm registry`)
  const directory = await mkdtemp(join(tmpdir(), 'forkroute-artifacts-'))
  try {
    await download(directory, packages)
    onProgress('checking and unpacking the contract packages')
    return await Promise.all(packages.map((item) => unpack(directory, item)))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Side by side: npm fetches what one call names one after the other. */
async function download(directory: string, packages: readonly PinnedPackage[]): Promise<void> {
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

async function unpack(directory: string, item: WantedFiles): Promise<FilesOfPackage> {
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
  const wanted = new Set(item.paths)
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
  const read = await Promise.all(
    [...texts].map(async ([path, text]) => [path, await text] as const),
  )
  return new Map(read)
}
