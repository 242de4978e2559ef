/** Runs the transaction of an evidence file on Anvil, which forks a server of this process that knows the proven state alone. */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { bytesToHex, type Hex, numberToHex } from 'viem'
import { printedHeader } from './header.js'
import type { Evidence, Execution, ProvenState, Results } from './verify.js'

/** Reads of state; null: it is not known. */
export interface StateReads {
  account(address: string): Awaitable<{ nonce: bigint; balance: bigint; code: Hex } | null>
  slot(address: string, slot: Hex): Awaitable<bigint | null>
}
type Awaitable<T> = T | Promise<T>

const startMs = 20_000

/** @throws Error that names what is read and was not proven. */
export function runOnAnvil(execution: Execution, state: ProvenState): Promise<Results> {
  return runOver(execution, {
    account(address) {
      const account = state.accounts.get(address)
      const code = account && (state.codes.get(bytesToHex(account.codeHash)) ?? '0x')
      return account && code ? { nonce: account.nonce, balance: account.balance, code } : null
    },
    slot: (address, slot) => state.slots.get(`${address}${slot}`) ?? null,
  })
}

/** @throws Error that names a read whose value is not known. */
export async function runOver(
  { evidence, payloads }: Pick<Execution, 'evidence' | 'payloads'>,
  reads: StateReads,
): Promise<Results> {
  const { execution } = evidence
  const header = printedHeader(evidence.block.header)
  const block = { ...evidence.block, header }
  const unknown = new Set<string>()
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const asked = JSON.parse(Buffer.concat(parts).toString()) as Call | Call[]
    const answers = await Promise.all(
      [asked].flat().map((call) => answer(call, block, reads, unknown)),
    )
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const flags = `--fork-url ${upstream} --fork-block-number ${BigInt(header.number ?? 0)} --chain-id ${block.chainId} --hardfork ${execution.hardFork} --port 0 --accounts 0 --no-mining --no-cors --no-storage-caching --disable-default-create2-deployer --no-rate-limit --retries 0`
  const anvil = spawn(anvilBinary(), flags.split(' '), { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const url = await listening(anvil.stdout)
    const body = payloads.map((payload, id) => {
      const params = [payload, header.number]
      return { jsonrpc: '2.0', id, method: 'eth_simulateV1', params }
    })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    type Reply = { result: [{ calls: Results[number] }]; error?: { message: string } }
    const replies = (await reply.json()) as Reply[]
    const [first] = unknown
    if (first !== undefined) throw new Error(`it reads ${first}, which is not proven`)
    return replies.map(({ result, error }) => {
      if (error) throw new Error(error.message)
      return result[0].calls
    })
  } finally {
    anvil.kill('SIGKILL')
    server.close()
    server.closeAllConnections()
  }
}

function listening(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Anvil does not start')), startMs)
    let text = ''
    output.on('data', (part: Buffer) => {
      text += part.toString()
      const [, address] = /Listening on (\S+)/.exec(text) ?? []
      if (address) resolve(`http://${address}`)
    })
    output.on('end', () => reject(new Error('Anvil has ended')))
    output.on('close', () => clearTimeout(timer))
  })
}

type PrintedBlock = Pick<Evidence['block'], 'chainId' | 'hash'> & {
  readonly header: Readonly<Record<string, Hex>>
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

async function answer(
  { id, method, params = [] }: Call,
  { chainId, hash, header }: PrintedBlock,
  reads: StateReads,
  unknown: Set<string>,
): Promise<object> {
  const [place, second] = params.map((param) => String(param).toLowerCase())
  const known = async (what: string): Promise<unknown> => {
    const account = method === 'eth_getStorageAt' ? null : await reads.account(place ?? '')
    const word = numberToHex(BigInt(second ?? 0), { size: 32 })
    const value = method === 'eth_getStorageAt' ? await reads.slot(place ?? '', word) : account
    if (value === null) {
      unknown.add(what)
      return undefined
    }
    if (typeof value === 'bigint') return numberToHex(value, { size: 32 })
    const [balance, nonce] = [numberToHex(value.balance), numberToHex(value.nonce)]
    if (method === 'eth_getAccountInfo') return { balance, nonce, code: value.code }
    return { eth_getBalance: balance, eth_getTransactionCount: nonce, eth_getCode: value.code }[
      method
    ]
  }
  const block = { ...header, hash, transactions: [], uncles: [], withdrawals: [], size: '0x0' }
  const isState = /^eth_get(StorageAt|Balance|TransactionCount|Code|AccountInfo)$/.test(method)
  const isThis = place === header.number || place === hash || place === 'latest'
  const others: Record<string, unknown> = {
    eth_chainId: numberToHex(chainId),
    net_version: String(chainId),
    eth_blockNumber: header.number,
    eth_gasPrice: '0x0',
    eth_getBlockByNumber: isThis ? block : undefined,
    eth_getBlockByHash: isThis ? block : undefined,
  }
  const result = isState
    ? await known(method === 'eth_getStorageAt' ? `slot ${second} of ${place}` : `account ${place}`)
    : others[method]
  if (result === undefined && /^eth_getBlock/.test(method)) unknown.add(`block ${place}`)
  if (result !== undefined) return { jsonrpc: '2.0', id, result }
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'not proven' } }
}

function anvilBinary(): string {
  const fromHere = createRequire(import.meta.url)
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  const fromAnvil = createRequire(fromHere.resolve('@foundry-rs/anvil/package.json'))
  return join(dirname(fromAnvil.resolve(`${name}/package.json`)), 'bin', 'anvil')
}
