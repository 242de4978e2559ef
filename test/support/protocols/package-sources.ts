/**
 * Contracts of npm packages that ship sources only, compiled by the compiler of their authors, which comes from npm, too.
 * Packages are pinned; nothing of them is committed.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { list } from 'tar'
import type { Abi } from 'viem'
import type { Hex } from '../../../src/domain/primitives.js'

const run = promisify(execFile)
const cacheFolder = '.cache/sandbox'

interface Pinned {
  readonly name: string
  readonly version: string
  /** As the registry states it: sha512 of the tarball. */
  readonly integrity: string
}

interface SourceSet {
  readonly compiler: Pinned
  /** Files of a folder of a package, under the prefix by which sources import them. */
  readonly folders: readonly (Pinned & { readonly folder: string; readonly prefix: string })[]
  /** Path to the contract's source, with the prefix, by name of contract. */
  readonly contracts: Readonly<Record<string, string>>
  /** A file of fixtures/test-contracts that takes parts of the packages. */
  readonly own?: { readonly path: string; readonly content: string }
  /** Text and what to put in its place, in files whose path begins so; each has to be found somewhere. */
  readonly edits: readonly (readonly [prefix: string, from: string, to: string])[]
  readonly settings: Readonly<Record<string, unknown>>
}

export interface Compiled {
  readonly abi: Abi
  readonly bytecode: Hex
  /** Slot by name of the variable, as the compiler lays them out. */
  readonly slots: Readonly<Record<string, bigint>>
}

interface Output {
  readonly errors?: { severity: string; formattedMessage: string }[]
  readonly contracts: Record<
    string,
    Record<
      string,
      {
        abi: Abi
        evm: { bytecode: { object: string } }
        storageLayout?: { storage: { label: string; slot: string }[] }
      }
    >
  >
}

/** Runs in a process of its own: an old compiler takes over the handlers of the process that loads it. */
const compileScript = `
const [soljson, solc] = process.argv.slice(1)
const compiler = require(solc + '/wrapper')(require(soljson))
let text = ''
process.stdin.on('data', (data) => { text += data })
process.stdin.on('end', () => {
  const { input, files } = JSON.parse(text)
  const load = (path) => path in files ? { contents: files[path] } : { error: 'no file ' + path }
  process.stdout.write(compiler.compile(JSON.stringify(input), { import: load }))
})
`

/** @throws where a package is not the pinned one, an edit finds nothing, or a source does not compile. */
export async function compilePackage(set: SourceSet): Promise<(name: string) => Compiled> {
  const key = createHash('sha256').update(JSON.stringify(set)).digest('hex').slice(0, 16)
  const file = join(cacheFolder, `sources-${key}.json`)
  if (!existsSync(file)) {
    await mkdir(cacheFolder, { recursive: true })
    const temporary = `${file}.${process.pid}`
    await writeFile(temporary, await compile(set))
    await rename(temporary, file)
  }
  const output = JSON.parse(await readFile(file, 'utf8')) as Output
  return (name) => {
    const found = output.contracts[set.contracts[name] ?? '']?.[name]
    if (!found) throw new Error(`no contract ${name}`)
    const storage = found.storageLayout?.storage ?? []
    return {
      abi: found.abi,
      bytecode: `0x${found.evm.bytecode.object}`,
      slots: Object.fromEntries(storage.map(({ label, slot }) => [label, BigInt(slot)])),
    }
  }
}

async function compile(set: SourceSet): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'forkroute-sources-'))
  try {
    const files: Record<string, string> = set.own ? { [set.own.path]: set.own.content } : {}
    for (const { folder, prefix, ...pinned } of set.folders) {
      const found = await filesOf(directory, pinned, (path) => path.startsWith(folder))
      for (const [path, text] of found) files[prefix + path.slice(folder.length)] = text
    }
    for (const [prefix, from, to] of set.edits) {
      const edited = Object.keys(files).filter(
        (path) => path.startsWith(prefix) && files[path]?.includes(from),
      )
      if (edited.length === 0) throw new Error(`no source below ${prefix} has: ${from}`)
      for (const path of edited) files[path] = (files[path] ?? '').replaceAll(from, to)
    }
    const isSoljson = (path: string) => path === 'package/soljson.js'
    const [soljson] = await filesOf(directory, set.compiler, isSoljson)
    const compiler = join(directory, 'soljson.cjs')
    await writeFile(compiler, soljson?.[1] ?? '')
    const paths = [...new Set(Object.values(set.contracts))]
    const outputSelection: Record<string, Record<string, string[]>> = {}
    for (const [name, path] of Object.entries(set.contracts)) {
      const wanted = ['abi', 'evm.bytecode.object', 'storageLayout']
      outputSelection[path] = { ...outputSelection[path], [name]: wanted }
    }
    const input = {
      language: 'Solidity',
      sources: Object.fromEntries(paths.map((path) => [path, { content: files[path] ?? '' }])),
      settings: {
        ...set.settings,
        outputSelection,
      },
    }
    const solc = join(process.cwd(), 'node_modules/solc')
    const child = run(process.execPath, ['-e', compileScript, compiler, solc], {
      maxBuffer: 2 ** 28,
    })
    child.child.stdin?.end(JSON.stringify({ input, files }))
    const text = (await child).stdout
    const failed = (JSON.parse(text) as Output).errors?.find(({ severity }) => severity === 'error')
    if (failed) throw new Error(failed.formattedMessage)
    return text
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function filesOf(
  directory: string,
  { name, version, integrity }: Pinned,
  isWanted: (path: string) => boolean,
): Promise<[string, string][]> {
  const tarball = join(directory, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  if (!existsSync(tarball)) {
    const options = ['--ignore-scripts', '--pack-destination', directory]
    await run('npm', ['pack', ...options, `${name}@${version}`], { cwd: directory })
    const digest = createHash('sha512')
      .update(await readFile(tarball))
      .digest('base64')
    if (`sha512-${digest}` !== integrity)
      throw new Error(`${name}@${version} is not the pinned one`)
  }
  const texts: Promise<[string, string]>[] = []
  await list({
    file: tarball,
    filter: (path) => isWanted(path),
    onReadEntry: (entry) => {
      texts.push(entry.concat().then((data) => [entry.path, data.toString()]))
    },
  })
  return Promise.all(texts)
}
