// Joins the threads of workers/ and the command line with the modules that they import, so that they start in a
// fraction of the time that reading hundreds of modules takes. Runs after the compiler and replaces its entry files.
// Then the console, for browsers.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bundleConsole } from './bundle-console.mjs'
import { bundle, keepOnly, root, writeJoined } from './bundle-files.mjs'

const threads = readdirSync(join(root, 'workers')).filter((name) => name.endsWith('.ts'))
const commands = join('dist', 'src', 'cli')

const ofNode = {
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  // Packages in CommonJS ask for Node's modules by `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  // What the package debug takes where it finds it: here by packages of the development alone, which are not shipped.
  external: ['supports-color'],
}

// OpenTelemetry in a file of its own, which is read only where traces are exported: its packages take a hundred times the room.
await bundle({
  ...ofNode,
  entryPoints: ['src/telemetry/opentelemetry.ts'],
  outdir: 'dist/src/telemetry',
  minify: true,
  sourcemap: false,
  footer: {
    js: '/* Contains packages of The OpenTelemetry Authors (Apache-2.0): opentelemetry.io */',
  },
})
await bundle({
  ...ofNode,
  entryPoints: threads.map((name) => `workers/${name}`),
  outdir: 'dist/workers',
})
const { written } = await bundle({
  ...ofNode,
  entryPoints: ['src/cli/main.ts'],
  outdir: commands,
  // What one command needs is a file of its own, read by that command alone.
  splitting: true,
  chunkNames: 'parts/[name]-[hash]',
  // They look for further files beside their own.
  external: [...ofNode.external, 'bullmq', 'ioredis', 'pg', 'pino', 'pino-pretty', 'piscina'],
})
await keepOnly(join(root, commands, 'parts'), written)
await bundleConsole()
await writeJoined(join(root, 'dist', 'joined-packages.json'))
