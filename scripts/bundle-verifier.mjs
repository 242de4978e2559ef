// Joins the page that checks evidence into one file, dist/verify.html, which may be saved and opened from a disk.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './bundle-files.mjs'

const folder = join(root, 'scripts', 'verifier')
const { outputFiles } = await build({
  entryPoints: [join(folder, 'page.js')],
  bundle: true,
  write: false,
  minify: true,
  charset: 'ascii',
  format: 'iife',
  platform: 'browser',
  target: ['chrome137', 'firefox129', 'safari17'],
})
const [script] = outputFiles
// No text of the script may end its element.
const text = script.text.replaceAll('</', '<\\/')
const page = readFileSync(join(folder, 'page.html'), 'utf8')
writeFileSync(
  join(root, 'dist', 'verify.html'),
  page.replace('/* bundle */', () => text),
)
