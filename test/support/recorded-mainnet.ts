/**
 * Recorded Ethereum mainnet as an outside check: its node is started as a program of its own, its pools
 * and swaps are read as facts. Lies beside the project, or where RECORDED_MAINNET_DIR says; may be absent.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Address, type Hex, nativeToken, zeroAddress } from '../../src/domain/primitives.js'
import type { Pool } from '../../src/protocols/pool.js'

/** Where the recording lies, if it does. */
export const recordingFolder = resolve(
  process.env.RECORDED_MAINNET_DIR ?? join(import.meta.dirname, '../../../shared/mainnet'),
)

export const isRecorded = existsSync(join(recordingFolder, 'serve.mjs'))

export interface RecordedNode {
  readonly url: string
  /** Requests since the last reset; `notRecorded` is how often by what was asked for and is not there. */
  stats(): Promise<{ httpRequests: number; calls: number; notRecorded: Record<string, number> }>
  resetStats(): Promise<void>
  stop(): Promise<void>
}

/** @param options.states - files of the blocks that it holds; default: both recorded ones. */
export async function startRecordedNode(
  options: { readonly states?: readonly string[] } = {},
): Promise<RecordedNode> {
  const states = (options.states ?? []).flatMap((file) => ['--state', file])
  const child = spawn(
    process.execPath,
    // The node runs only under its real path.
    [realpathSync(join(recordingFolder, 'serve.mjs')), '--port', '0', ...states],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exited = once(child, 'exit')
  let output = ''
  for await (const data of child.stdout) {
    output += String(data)
    if (/http:\/\/\S+/.test(output)) break
  }
  const url = /http:\/\/\S+/.exec(output)?.[0]
  if (!url) throw new Error('the recorded node did not start')
  return {
    url,
    stats: async () => (await fetch(`${url}/stats`)).json() as never,
    resetStats: async () => {
      await fetch(`${url}/stats/reset`, { method: 'POST' })
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/**
 * The state that the recorded swaps found, with more contracts in it.
 * @param codes - by address; they have no storage.
 * @returns the file, for `startRecordedNode`.
 */
export function writeStateWith(codes: Readonly<Record<Address, Hex>>, folder: string): string {
  const name = `${recordedSwaps().stateBlock}.json`
  const state = JSON.parse(String(gunzipSync(readFileSync(join(recordingFolder, `${name}.gz`)))))
  for (const [address, code] of Object.entries(codes)) {
    state.accounts[address] = {
      nonce: '0x1',
      balance: '0x0',
      code,
      storage: {},
      emptyStorage: true,
    }
  }
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(state))
  return file
}

interface PoolRow {
  readonly venue: string
  readonly address: Address
  readonly poolId?: string
  readonly token0?: Address
  readonly token1?: Address
  readonly currency0?: Address
  readonly currency1?: Address
  readonly coins?: readonly Address[]
  readonly fee?: number
  readonly feeBps?: number
  readonly tickSpacing?: number
  readonly hooks?: string
  readonly limits: readonly {
    readonly tokenIn: Address
    readonly tokenOut: Address
    /** Raw units that the recorded state supports, or `any`. */
    readonly maxAmountIn: string
  }[]
}

interface TokenRow {
  readonly address: Address
  readonly symbol: string
  readonly decimals: number
}

export interface SwapRow {
  readonly venue: string
  readonly pool: string
  readonly tx: string
  readonly logIndex: number
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: string
  readonly amountOut: string
  readonly firstTouch: boolean
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(recordingFolder, name), 'utf8')) as T
}

/** Forks of a protocol run its code, so any of its adapters serves them. */
const protocolOf: Readonly<Record<string, string>> = {
  'uniswap-v2': 'uniswap-v2',
  'uniswap-v2-fork': 'uniswap-v2',
  'uniswap-v3': 'uniswap-v3',
  'uniswap-v3-fork': 'uniswap-v3',
  'uniswap-v4': 'uniswap-v4',
  'pancakeswap-v3': 'pancakeswap-v3',
  curve: 'curve',
}

const cryptoDecimals: Readonly<Record<string, readonly string[]>> = {
  '0xd51a44d3fae010294c616388b506acda1bfaae46': ['6', '8', '18'],
  '0x7f86bf177dd4f3494b841a37e810a34dd56c829b': ['6', '8', '18'],
}

export function toToken(currency: Address): Address {
  return currency === zeroAddress ? nativeToken : currency
}

/** Every recorded pool as `pools import` takes it. */
export function recordedPools(): Pool[] {
  return read<PoolRow[]>('pools.json').map((row) => ({
    protocol: protocolOf[row.venue] ?? row.venue,
    id: row.poolId ?? row.address,
    address: row.address,
    tokens:
      row.coins ??
      [row.token0 ?? row.currency0, row.token1 ?? row.currency1].flatMap((token) =>
        token ? [toToken(token)] : [],
      ),
    parameters: parametersOf(row),
  }))
}

function parametersOf(row: PoolRow): Pool['parameters'] {
  if (row.coins) return { kind: 'crypto', decimals: cryptoDecimals[row.address] ?? [] }
  if (row.feeBps !== undefined) return { feeBps: row.feeBps }
  return {
    fee: row.fee ?? 0,
    tickSpacing: row.tickSpacing ?? 0,
    ...(row.hooks !== undefined && { hooks: row.hooks }),
  }
}

/** Every direction of every pool that the recorded state supports for some amount. */
export function recordedDirections(): {
  readonly tokenIn: Address
  readonly tokenOut: Address
}[] {
  return read<PoolRow[]>('pools.json')
    .flatMap(({ limits }) => limits)
    .filter(({ maxAmountIn }) => maxAmountIn !== '0')
    .map(({ tokenIn, tokenOut }) => ({ tokenIn: toToken(tokenIn), tokenOut: toToken(tokenOut) }))
}

/** The tokens whose names are known. */
export function recordedTokens(): TokenRow[] {
  return read<TokenRow[]>('tokens.json').map(({ address, symbol, decimals }) => ({
    address,
    symbol,
    decimals,
  }))
}

export function recordedSwaps(): {
  readonly stateBlock: number
  readonly swaps: readonly SwapRow[]
} {
  return read('swaps-24628608.json')
}
