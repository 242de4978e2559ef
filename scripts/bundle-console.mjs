// Joins the console of src/console for browsers into dist/console: each view a file of its own, read when it is opened.
// Names have a hash of what is in them, so that they may be kept for ever. Fails where it grows beyond its budget.
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bundle, keepOnly, root, writeChanged } from './bundle-files.mjs'

const source = join(root, 'src', 'console')
const target = join(root, 'dist', 'console')
const firstView = 'src/console/route/view.tsx'
/** Bytes after gzip: of all files, and of those that the first view needs. */
const budget = { all: 120_000, first: 40_000 }

export async function bundleConsole() {
  const { written, outputs } = await bundle({
    entryPoints: ['src/console/main.tsx', 'src/console/style.css'],
    outdir: 'dist/console',
    platform: 'browser',
    target: ['chrome109', 'firefox115', 'safari16.4'],
    tsconfig: 'src/console/tsconfig.json',
    splitting: true,
    minify: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    plugins: [signsNothing],
  })
  const script = fileOf(outputs, 'src/console/main.tsx')
  const style = fileOf(outputs, 'src/console/style.css')
  const html = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('main.js', basename(script))
    .replace('main.css', basename(style))
  const page = join(target, 'index.html')
  const icon = join(target, 'icon.svg')
  await writeChanged(page, Buffer.from(html))
  await writeChanged(icon, readFileSync(join(source, 'icon.svg')))
  await keepOnly(target, [...written, page, icon])

  const needed = [script, fileOf(outputs, firstView)].flatMap((file) => withImports(outputs, file))
  const sizes = {
    all: sizeOf(written),
    first: sizeOf([...new Set([...needed, style])].map((file) => join(root, file))),
  }
  const tooLarge = Object.keys(budget).filter((name) => sizes[name] > budget[name])
  if (tooLarge.length > 0) {
    const told = tooLarge.map((name) => `${name} ${sizes[name]} of ${budget[name]} bytes`)
    throw new Error(`The console is beyond its budget: ${told.join(', ')}`)
  }
  return sizes
}

/** The part of the client that sends transactions brings viem, half as much as the whole console. */
const signsNothing = {
  name: 'signs-nothing',
  setup(build) {
    build.onResolve({ filter: /\/execute\.js$/ }, ({ path }) => ({ path, namespace: 'left-out' }))
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({
      contents: 'export const execute = undefined',
    }))
  },
}

function fileOf(outputs, entry) {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry)
  if (!found) throw new Error(`No file was made of ${entry}`)
  return found[0]
}

/** With the files that it imports at once, and theirs. */
function withImports(outputs, file) {
  const imports = outputs[file].imports.filter(({ kind }) => kind === 'import-statement')
  return [file, ...imports.flatMap(({ path }) => withImports(outputs, path))]
}

function sizeOf(paths) {
  return paths.reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0)
}
