// Joins the threads of workers/ and the command line with the modules that they import, so that they start in a
// fraction of the time that reading hundreds of modules takes. Runs after the compiler and replaces its entry files.
// What has not changed is left alone: a running service may be reading it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const threads = readdirSync(join(root, 'workers')).filter((name) => name.endsWith('.ts'))
const commands = join('dist', 'src', 'cli')

/** @returns the paths of the files. */
async function bundle(options) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    // Packages in CommonJS ask for Node's modules by `require`.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'warning',
    write: false,
    ...options,
    // What the package debug takes where it finds it: here by packages of the development alone, which are not shipped.
    external: [...(options.external ?? []), 'supports-color'],
  })
  for (const { path, contents } of outputFiles) {
    if (existsSync(path) && readFileSync(path).equals(contents)) continue
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, contents)
  }
  return outputFiles.map(({ path }) => path)
}

// OpenTelemetry in a file of its own, which is read only where traces are exported: its packages take a hundred times the room.
await bundle({
  entryPoints: ['src/opentelemetry.ts'],
  outdir: 'dist/src',
  minify: true,
  sourcemap: false,
  footer: {
    js: '/* Contains packages of The OpenTelemetry Authors (Apache-2.0): opentelemetry.io */',
  },
})
await bundle({
  entryPoints: threads.map((name) => `workers/${name}`),
  outdir: 'dist/workers',
})
const written = await bundle({
  entryPoints: ['src/cli/main.ts'],
  outdir: commands,
  // What one command needs is a file of its own, read by that command alone.
  splitting: true,
  chunkNames: 'parts/[name]-[hash]',
  // They look for further files beside their own.
  external: ['bullmq', 'ioredis', 'pg', 'pino', 'pino-pretty', 'piscina'],
})
const parts = join(root, commands, 'parts')
for (const name of await readdir(parts)) {
  if (!written.includes(join(parts, name))) await rm(join(parts, name))
}
