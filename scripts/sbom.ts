/**
 * What the package and the image consist of, and under which licences, into dist/sbom: forkroute.cdx.json (CycloneDX) and
 * licences.md. Ends with 1 where a licence is not allowed.
 *   npm run sbom
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { shippedPackages as packagesOfSite } from '../site/shipped-packages.js'
import { serviceVersion } from '../src/api/version.js'
import { contracts, templates } from '../src/executor/generated/contracts.js'
import { artifactPackages } from '../src/sandbox/contracts/manifest.js'
import { sandboxBytecode } from '../src/sandbox/generated/contracts.js'

interface Component {
  'bom-ref': string
  type: string
  name: string
  version: string
  scope?: 'required' | 'optional' | 'excluded'
  description?: string
  purl?: string
  hashes?: { alg: string; content: string }[]
  licenses?: { license?: { id: string }; expression?: string }[]
}

interface Bom {
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

/** What may be shipped, and why. Of a choice (`A OR B`) one has to be here. */
const allowed: Readonly<Record<string, string>> = {
  MIT: 'asks for its notice, which lies in the package',
  ISC: 'as MIT',
  '0BSD': 'asks for nothing',
  'BSD-2-Clause': 'as MIT',
  'BSD-3-Clause': 'as MIT; names may not be used to advertise',
  'BlueOak-1.0.0': 'as MIT, with a grant of patents',
  'Apache-2.0': 'as MIT, with a grant of patents; changes are to be named, and none are made',
}

/** Packages under other licences, and why they may be shipped all the same. */
const exceptions: readonly { licence: string; packages: RegExp; reason: string }[] = [
  {
    licence: 'MPL-2.0',
    packages: /^@ethereumjs\//,
    reason: 'binds its own files alone; they are not changed, and their source is in the package',
  },
  {
    licence: 'GPL-3.0-or-later',
    packages: /^@uniswap\/default-token-list$/,
    reason:
      'a list of tokens, read as data, a package of its own beside the service, named in NOTICE; TOKEN_LISTS takes its place',
  },
]

/** Compiled into the bytecode that the service carries. */
const compiledIn = '@openzeppelin/contracts'
/** Written by the build: the packages that it joined into its files, those of the console and of traces among them. */
const joinedFile = join('dist', 'joined-packages.json')

const target = join('dist', 'sbom')

function main(): void {
  const bom = shippedPackages()
  bom.components.push(
    ...sitePackages(),
    ...anvilBinaries(),
    ...ownContracts(),
    ...fetchedPackages(),
  )
  const refs = bom.components.map((component) => component['bom-ref'])
  const dependsOn = refs.filter((ref) => ref.startsWith(`${compiledIn}@`))
  for (const ref of refs) if (ref.startsWith('contract:')) bom.dependencies.push({ ref, dependsOn })
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, 'forkroute.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`)
  const { page, refused } = licencesPage(bom.components)
  writeFileSync(join(target, 'licences.md'), page)
  console.log(`${bom.components.length} components: ${target}`)
  for (const each of refused) console.error(`Not allowed: ${each}`)
  if (refused.length > 0) process.exitCode = 1
}

/**
 * npm's own document of all packages, without those that stay with the development. `npm sbom --omit dev` leaves out what
 * both need, such as zod.
 */
function shippedPackages(): Bom {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx']
  const text = execFileSync('npm', [...args, '--sbom-type', 'application'], { maxBuffer: 2 ** 28 })
  const bom = JSON.parse(text.toString()) as Bom
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { name?: string; version: string; dev?: boolean }>
  }
  if (!existsSync(joinedFile)) throw new Error(`${joinedFile} is missing: npm run build`)
  const joined = new Set(JSON.parse(readFileSync(joinedFile, 'utf8')) as string[])
  const shipped = new Set(
    Object.entries(packages)
      .map(([path, entry]) => ({
        ...entry,
        name: entry.name ?? path.split('node_modules/').at(-1),
        isJoined: joined.has(path),
      }))
      .filter(({ name, dev, isJoined }) => !dev || isJoined || name === compiledIn)
      .map(({ name, version }) => purlOf(name ?? '', version)),
  )
  bom.metadata.component.name = 'forkroute'
  bom.components = bom.components.filter(({ purl }) => shipped.has(purl ?? ''))
  for (const component of bom.components) {
    // npm calls one by the folder that an alias gives it.
    component.name = decodeURIComponent(
      component.purl?.slice('pkg:npm/'.length).replace(/@[^@]*$/, '') ?? '',
    )
    component.licenses ??= licenceOfRelease(bom, component)
  }
  const refs = new Set(bom.components.map((component) => component['bom-ref']))
  refs.add(bom.metadata.component['bom-ref'])
  // npm 10 names some twice.
  bom.dependencies = [...new Map(bom.dependencies.map((each) => [each.ref, each])).values()]
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((on) => refs.has(on)) }))
  return bom
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** The lock file has no licence of packages for other platforms: that of the package of the same release. */
function licenceOfRelease({ components }: Bom, { name, version }: Component) {
  const [scope] = name.split('/')
  const same = components.find(
    (each) => each.licenses && each.version === version && each.name.startsWith(`${scope}/`),
  )
  return same?.licenses ?? []
}

/** Only what is in the pages of dist/site: the rest of the site's lock file builds them and is not shipped. */
function sitePackages(): Component[] {
  const { packages } = JSON.parse(readFileSync(join('site', 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; license: string; integrity: string }>
  }
  return packagesOfSite.map((name) => {
    const entry = packages[`node_modules/${name}`]
    if (!entry) throw new Error(`site/package-lock.json has no ${name}.`)
    const { version, license, integrity } = entry
    return {
      'bom-ref': `site:${name}@${version}`,
      type: 'library',
      name,
      version,
      scope: 'required',
      description: 'Joined into the pages of dist/site; by site/package-lock.json',
      purl: purlOf(name, version),
      hashes: [sha512Of(integrity)],
      licenses: [{ license: { id: license } }],
    }
  })
}

/** The file itself, of the platform that this runs on. */
function anvilBinaries(): Component[] {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  const folder = join('node_modules', '@foundry-rs', `anvil-${platform}`)
  const file = join(folder, 'bin', 'anvil')
  if (!existsSync(file)) throw new Error(`${file} is missing.`)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return [
    {
      'bom-ref': `binary:anvil@${version}`,
      type: 'application',
      name: 'anvil',
      version,
      scope: 'required',
      description: `bin/anvil of @foundry-rs/anvil-${platform}; the crates in it are not listed`,
      hashes: [{ alg: 'SHA-256', content: sha256(readFileSync(file)) }],
      licenses: [{ expression: 'MIT OR Apache-2.0' }],
    },
  ]
}

/** Bytecode in the package: what is deployed on chains, and what the sandbox adds to its own. */
function ownContracts(): Component[] {
  const executor = Object.entries({ ...contracts, ...templates }).map(([name, contract]) => ({
    name,
    code: contract.runtimeCode,
    description: 'of contracts/src, in src/executor/generated/contracts.ts',
  }))
  const sandbox = Object.entries(sandboxBytecode).map(([name, code]) => ({
    name: `sandbox/${name}`,
    code,
    description: 'of fixtures/sandbox-contracts, in src/sandbox/generated/contracts.ts',
  }))
  return [...executor, ...sandbox].map(({ name, code, description }) => ({
    'bom-ref': `contract:${name}`,
    type: 'library',
    name,
    version: serviceVersion,
    scope: 'required',
    description: `Bytecode ${description}`,
    hashes: [{ alg: 'SHA-256', content: sha256(Buffer.from(code.slice(2), 'hex')) }],
    licenses: [{ license: { id: 'MIT' } }],
  }))
}

/** Not shipped: what the user's npm fetches for the sandbox. Their licences are for the user to look at. */
function fetchedPackages(): Component[] {
  return artifactPackages.map(({ name, version, integrity }) => ({
    'bom-ref': `fetched:${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'excluded',
    description: 'Contracts that the first start of the sandbox fetches; not in package or image',
    purl: purlOf(name, version),
    hashes: [sha512Of(integrity)],
  }))
}

/** @param integrity - as in lock files. */
function sha512Of(integrity: string) {
  const digest = Buffer.from(integrity.replace('sha512-', ''), 'base64')
  return { alg: 'SHA-512', content: digest.toString('hex') }
}

function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

function licenceOf({ licenses = [] }: Component): string {
  return licenses.map(({ license, expression }) => license?.id ?? expression).join(' AND ')
}

/** @returns why it may be shipped; null where it may not. */
function reasonFor(name: string, licence: string): string | null {
  const choices = licence.replaceAll(/[()]/g, '').split(' OR ')
  const choice = choices.find((each) => each in allowed)
  if (choice) return choices.length > 1 ? `taken as ${choice}` : (allowed[choice] ?? null)
  const exception = exceptions.find((each) => each.licence === licence && each.packages.test(name))
  return exception?.reason ?? null
}

function licencesPage(components: readonly Component[]): { page: string; refused: string[] } {
  const shipped = components.filter(({ scope }) => scope !== 'excluded')
  const refused: string[] = []
  const sections = [...new Set(shipped.map(licenceOf))].sort().map((licence) => {
    const members = shipped.filter((component) => licenceOf(component) === licence)
    const reasons = new Set<string>()
    for (const { name, version } of members) {
      const reason = reasonFor(name, licence)
      if (reason === null) refused.push(`${name} ${version}: ${licence || 'no licence'}`)
      else reasons.add(reason)
    }
    const list = members.map(({ name, version }) => `- ${name} ${version}`)
    return `## ${licence}\n\n${[...reasons].join('; ')}\n\n${list.join('\n')}\n`
  })
  return { page: `# Licences of what is shipped\n\n${sections.join('\n')}`, refused }
}

main()
