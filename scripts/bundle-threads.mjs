// Joins each thread of workers/ with all that it imports into one file: a thread starts in a quarter of the time
// that reading hundreds of modules takes. What has not changed is left alone: a running service may be reading it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const threads = readdirSync(`${root}/workers`).filter((name) => name.endsWith('.ts'))

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: threads.map((name) => `workers/${name}`),
  outdir: 'dist/workers',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  // It finds its binary beside its own files.
  external: ['better-sqlite3'],
  // Packages in CommonJS ask for Node's modules by `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  logLevel: 'warning',
  write: false,
})
for (const { path, contents } of outputFiles) {
  if (existsSync(path) && readFileSync(path).equals(contents)) continue
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, contents)
}
