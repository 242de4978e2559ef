// Joins modules into files by esbuild, and writes those that have changed: a running service may be reading the others.
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Folders of the packages whose code lies in the files so far; some are of the development alone (scripts/sbom.ts). */
const joined = new Set()

/**
 * @param options - of esbuild; paths are relative to the root of the package.
 * @returns the paths of the files, and what esbuild tells of each.
 */
export async function bundle(options) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    metafile: true,
    logLevel: 'warning',
    write: false,
    ...options,
  })
  for (const { path, contents } of outputFiles) await writeChanged(path, contents)
  for (const path of Object.keys(metafile.inputs)) {
    const [folder] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path) ?? []
    if (folder) joined.add(folder)
  }
  return { written: outputFiles.map(({ path }) => path), outputs: metafile.outputs }
}

export async function writeChanged(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, contents)
}

/** Names the packages of all files in one of their own. */
export async function writeJoined(path) {
  await writeChanged(path, Buffer.from(`${JSON.stringify([...joined].sort(), null, 2)}\n`))
}

/** Removes what an earlier build left in a folder. */
export async function keepOnly(folder, paths) {
  for (const name of await readdir(folder)) {
    if (!paths.includes(join(folder, name))) await rm(join(folder, name))
  }
}
