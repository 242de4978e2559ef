/** Finds addresses in the text of scripts: tables of constants, by name. */
import { chainById } from '../../../src/chains/registry.js'
import type { FilesOfPackage } from '../../../src/sandbox/contracts/package-files.js'

export const hex = '0x[0-9a-fA-F]{40}'

const idsByName: Readonly<Record<string, number>> = {
  ETHEREUM: 1,
  MAINNET: 1,
  EthMainnet: 1,
  OPTIMISM: 10,
  OptimismMainnet: 10,
  BSC: 56,
  BNB: 56,
  BscMainnet: 56,
  GNOSIS: 100,
  UNICHAIN: 130,
  Unichain: 130,
  POLYGON: 137,
  PolygonMainnet: 137,
  SONIC: 146,
  SonicMainnet: 146,
  BASE: 8453,
  BaseMainnet: 8453,
  ARBITRUM: 42161,
  ARBITRUM_ONE: 42161,
  ArbitrumMainnet: 42161,
  AVALANCHE: 43114,
  LINEA: 59144,
  LineaMainnet: 59144,
}

/** Null: a chain that the service does not know. */
export function chainIdOf(key: string): number | null {
  return idsByName[key] ?? null
}

export function wanted(chainId: number): boolean {
  return chainById(chainId) !== undefined
}

/** @throws Error where no file's path ends so, or several do. */
export function textOf(files: FilesOfPackage, end: string): string {
  const found = [...files].filter(([path]) => path.endsWith(end))
  if (found.length !== 1) throw new Error(`${found.length} files end in ${end}`)
  return found[0]?.[1] ?? ''
}

export function jsonIn<T>(files: FilesOfPackage, end: string): T {
  return JSON.parse(textOf(files, end)) as T
}

/** The first address in the text. */
export function addressOf(text: unknown): string | undefined {
  return typeof text === 'string' ? new RegExp(hex).exec(text)?.[0] : undefined
}

/** What stands between the braces of a constant. */
export function body(text: string, table: string): string {
  return new RegExp(`\\b${table} = \\{([\\s\\S]*?)\\n\\}`).exec(text)?.[1] ?? ''
}

/** Lines such as `[ChainId.BSC]: '0x…'` or `factory: ADDRESS`, where the name is a constant of the same text. */
export function entries(text: string, table: string): { key: string; address: string }[] {
  const lines = body(text, table).matchAll(
    new RegExp(`\\[?(?:\\w+\\.)?(\\w+)\\]?: (?:["'](${hex})["']|(\\w+)),?`, 'g'),
  )
  return [...lines].flatMap(([, key = '', stated, name]) => {
    const constant = name && new RegExp(`\\b${name} = ["'](${hex})["']`).exec(text)?.[1]
    const address = stated ?? constant
    return address ? [{ key, address }] : []
  })
}
