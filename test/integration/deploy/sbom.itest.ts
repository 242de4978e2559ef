/** The list of what is shipped, by CycloneDX's own schema and against what is really there. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { beforeAll, expect, test } from 'vitest'
import { shippedPackages } from '../../../site/shipped-packages.js'
import { contracts } from '../../../src/executor/generated/contracts.js'
import { artifactPackages } from '../../../src/sandbox/contracts/manifest.js'

const file = 'dist/sbom/forkroute.cdx.json'

interface Component {
  readonly name: string
  readonly version: string
  readonly scope: string
  readonly description?: string
  readonly purl?: string
  readonly hashes: readonly { readonly content: string }[]
  readonly licenses?: readonly object[]
}

let text: string
let components: readonly Component[]
beforeAll(() => {
  // Without the build of the command, which other tests are using.
  execFileSync('npx', ['tsx', 'scripts/sbom.ts'])
  text = readFileSync(file, 'utf8')
  components = JSON.parse(text).components
})

/** Folder in node_modules → name and version that are installed there. */
function installed(path: string): string {
  const { name, version } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'))
  return `${name}@${version}`
}

const listed = () =>
  new Set(
    components
      .filter(({ scope }) => scope !== 'excluded')
      .map(({ name, version }) => `${name}@${version}`),
  )

test('is a document of CycloneDX', async () => {
  const mistakes = await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(text)
  expect(mistakes).toBeNull()
})

test('has every package that is installed without those of the development', () => {
  const paths = execFileSync('npm', ['ls', '--all', '--parseable', '--omit=dev'], {
    encoding: 'utf8',
  })
  const [, ...folders] = paths.trim().split('\n')
  expect(folders.length).toBeGreaterThan(200)
  const peers = /\/node_modules\/(vitest|@vitest|vite)\b/
  // npm 10 leaves packages of the development that nothing asks for any more, and lists them.
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const missing = folders
    .filter((folder) => !peers.test(folder) && !packages[relative('.', folder)]?.dev)
    .map(installed)
  expect(missing.filter((name) => !listed().has(name))).toEqual([])
})

test('has every package whose code lies in the files that are built', () => {
  const folders = new Set<string>()
  for (const name of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js.map')) continue
    const { sources } = JSON.parse(readFileSync(`dist/${name}`, 'utf8')) as { sources: string[] }
    for (const source of sources) {
      const [folder = ''] = /.*node_modules\/(@[^/]+\/)?[^/]+/.exec(source) ?? []
      const path = join('dist', dirname(name), folder)
      // Some packages were built of others that are not packages here, and say so in maps of their own.
      if (folder && existsSync(join(path, 'package.json'))) folders.add(path)
    }
  }
  expect(folders).toContain('node_modules/express')
  expect([...folders].map(installed).filter((name) => !listed().has(name))).toEqual([])
  // Its licence allows data beside the service, not a part of it.
  expect(folders).not.toContain('node_modules/@uniswap/default-token-list')
})

test('has what is joined into the console and into the file for traces, though packages of the development', () => {
  const names = components.filter(({ scope }) => scope !== 'excluded').map(({ name }) => name)
  for (const name of ['preact', '@preact/signals', 'uplot', 'd3-sankey', 'internmap']) {
    expect(names).toContain(name)
  }
  expect(names).toContain('@opentelemetry/sdk-trace-base')
  for (const name of ['vitest', 'knip', 'axe-core']) expect(names).not.toContain(name)
})

test('has what is joined into the pages of the site, by its lock file, and not what builds them', () => {
  const ofSite = components.filter(({ description }) => description?.includes('dist/site'))
  expect(ofSite.map(({ name }) => name)).toEqual(shippedPackages)
  const { packages } = JSON.parse(readFileSync('site/package-lock.json', 'utf8'))
  for (const { name, version } of ofSite) {
    expect(packages[`node_modules/${name}`].version, name).toBe(version)
  }
  expect([...listed()].filter((name) => /^(shiki|rollup|markdown-it)@/.test(name))).toEqual([])
})

test('has the Anvil of every platform, the binary here, and all bytecode with its hash', () => {
  for (const platform of ['linux-amd64', 'linux-arm64', 'darwin-arm64', 'darwin-amd64']) {
    expect(listed()).toContain(`@foundry-rs/anvil-${platform}@1.7.1`)
  }
  expect(listed()).toContain('anvil@1.7.1')
  expect([...listed()].some((name) => name.startsWith('@openzeppelin/contracts@'))).toBe(true)
  for (const [name, { runtimeCode }] of Object.entries(contracts)) {
    const hash = createHash('sha256').update(Buffer.from(runtimeCode.slice(2), 'hex'))
    const component = components.find((each) => each.name === name)
    expect(component?.hashes[0]?.content, name).toBe(hash.digest('hex'))
  }
})

test('names what the sandbox fetches as not shipped', () => {
  const excluded = components.filter(({ scope }) => scope === 'excluded')
  expect(excluded.map(({ name, version }) => `${name}@${version}`)).toEqual(
    artifactPackages.map(({ name, version }) => `${name}@${version}`),
  )
})

test('everything that is shipped has a licence, which the list of allowed ones has with a reason', () => {
  const without = components.filter(
    ({ scope, licenses }) => scope !== 'excluded' && !licenses?.length,
  )
  expect(without).toEqual([])
  // The script ends with 1 where one is not allowed, which `beforeAll` would not survive.
  const page = readFileSync('dist/sbom/licences.md', 'utf8')
  for (const name of listed()) expect(page).toContain(`- ${name.replace(/@(?=[^@]*$)/, ' ')}\n`)
  for (const [, reason] of page.matchAll(/^## .+\n\n(.+)$/gm))
    expect(reason?.length).toBeGreaterThan(3)
})

test('NOTICE names every package under a licence that asks for more than a notice, and no other', () => {
  const page = readFileSync('dist/sbom/licences.md', 'utf8')
  const sections = page.split('\n## ').slice(1)
  const demanding = sections.filter((section) => /^(\(?L?GPL|MPL|EPL|AGPL)/.test(section))
  const names = demanding.flatMap((section) =>
    [...section.matchAll(/^- (\S+) /gm)].map(([, name]) => name),
  )
  expect(names).toContain('@uniswap/default-token-list')
  const notice = readFileSync('NOTICE', 'utf8')
  const noticed = [...notice.matchAll(/^(@.+?) {4}/gm)].flatMap(([, list = '']) => list.split(', '))
  expect([...new Set(names)].toSorted()).toEqual(noticed.toSorted())
})
