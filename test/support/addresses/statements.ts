/** What the packages state: an address, what it is on which chain, and who says so. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keccak256, stringToHex } from 'viem'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import {
  type FilesOfPackage,
  readPackageFiles,
} from '../../../src/sandbox/contracts/package-files.js'
import { type AddressPackage, addressPackages } from './packages.js'
import { readers } from './readers.js'

export interface Statement {
  readonly chainId: number
  readonly address: Address
  /** What it is: `token USDC`, `feed ETH`, or the venue's or bridge's slug and the key in its parameters. */
  readonly role: string
  /** Name and version of the package. */
  readonly source: string
}

/** Of all packages, whose files come from the cache, else from the registry. */
export async function loadStatements(): Promise<Statement[]> {
  const files = await loadFiles()
  return Object.keys(addressPackages).flatMap((key) =>
    read(key as AddressPackage, new Map(Object.entries(files[key] ?? {}))),
  )
}

/** Text by key of the package and path. */
async function loadFiles(): Promise<Record<string, Record<string, string>>> {
  const key = keccak256(stringToHex(JSON.stringify(addressPackages))).slice(2, 18)
  const file = join('.cache/addresses', `packages-${key}.json`)
  if (existsSync(file)) return JSON.parse(await readFile(file, 'utf8'))
  const files = await readPackageFiles(Object.values(addressPackages), () => {})
  const texts = Object.keys(addressPackages).map((one, index) => {
    return [one, Object.fromEntries(files[index] ?? [])] as const
  })
  await mkdir('.cache/addresses', { recursive: true })
  await writeFile(`${file}.${process.pid}`, JSON.stringify(Object.fromEntries(texts)))
  await rename(`${file}.${process.pid}`, file)
  return Object.fromEntries(texts)
}

function read(key: AddressPackage, files: FilesOfPackage): Statement[] {
  const { name, version, paths } = addressPackages[key]
  // Few chains have all of Stargate's pools.
  const lacking = key === 'stargate' ? [] : paths.filter((path) => !files.has(path))
  if (lacking.length > 0) throw new Error(`${name} has no ${lacking.join(', ')}`)
  const found = readers[key](files)
  if (found.length === 0) throw new Error(`nothing was found in ${name}`)
  return found.map(({ address, ...one }) => ({
    ...one,
    address: toAddress(address),
    source: `${name} ${version}`,
  }))
}
