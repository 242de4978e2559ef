// Packs src/client as @forkroute/client, a package without the service: node scripts/pack-client.mjs [folder]
// Run after the build, which writes its types. Prints the path of the tarball.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = resolve(process.argv[2] ?? join(root, 'dist'))
const folder = join(root, 'dist', 'client-package')
const { version, license, engines, dependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
const own = ['eventsource-parser', 'openapi-fetch']

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
await build({
  absWorkingDir: root,
  entryPoints: ['src/client/index.ts'],
  outdir: folder,
  bundle: true,
  // What needs viem is a file of its own, read when it is used.
  splitting: true,
  format: 'esm',
  platform: 'neutral',
  target: ['node20', 'chrome109', 'firefox115', 'safari16.4'],
  packages: 'external',
  logLevel: 'warning',
})
cpSync(join(root, 'dist', 'src', 'client'), join(folder, 'types'), {
  recursive: true,
  filter: (path) => !/\.(js|map)$/.test(path),
})
cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
cpSync(join(root, 'docs', 'how-to', 'client.md'), join(folder, 'README.md'))
const manifest = {
  name: '@forkroute/client',
  version,
  description: 'Typed client of forkroute, for Node and browsers.',
  license,
  type: 'module',
  sideEffects: false,
  engines,
  exports: {
    '.': { types: './types/index.d.ts', default: './index.js' },
    './package.json': './package.json',
  },
  dependencies: Object.fromEntries(own.map((name) => [name, dependencies[name]])),
  peerDependencies: { viem: '>=2.30 <3' },
  peerDependenciesMeta: { viem: { optional: true } },
}
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
mkdirSync(target, { recursive: true })
const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', target], {
  cwd: folder,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
})
const [{ filename, size, unpackedSize }] = JSON.parse(packed)
console.error(`${(size / 1000).toFixed(0)} kB, unpacked ${(unpackedSize / 1000).toFixed(0)} kB`)
console.log(join(target, filename))
