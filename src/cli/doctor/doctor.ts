/** `forkroute doctor`: whether this machine and the configured nodes are fit for the service. */
import { execFile } from 'node:child_process'
import { accessSync, constants, mkdirSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { numberToHex } from 'viem'
import { loadTokenLists } from '../../catalog/token-lists.js'
import type { ChainDefinition } from '../../chains/chain.js'
import { chainById, chains } from '../../chains/registry.js'
import { type Config, ConfigError, loadConfig } from '../../config.js'
import { storageReason } from '../../domain/common-errors.js'
import type { BlockPin } from '../../domain/primitives.js'
import { anvilBinary } from '../../forks/anvil.js'
import { withoutSecrets } from '../../log.js'
import { createRpcClient } from '../../rpc/node/json-rpc.js'
import { createUpstream, type Upstream } from '../../rpc/node/upstream.js'
import { openSqlite } from '../../sqlite.js'
import { type OutputOptions, printJson, printTable, withProgress } from '../output.js'
import { checkBridges, checkContracts } from './chain-checks.js'
import { examinePlaces, type Finding } from './chain-places.js'

interface Check {
  readonly check: string
  readonly ok: boolean
  /** What was found, or what is wrong. */
  readonly found: string
}

const leastNode = [20, 19] as const

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])
  const found = `${process.versions.node}${ok ? '' : `; ${leastNode.join('.')} or later is needed`}`
  return { check: 'Node.js', ok, found }
}

async function attempt(check: string, work: () => string | Promise<string>): Promise<Check> {
  try {
    return { check, ok: true, found: await work() }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { check, ok: false, found: withoutSecrets(message.split('\n')[0] ?? '') }
  }
}

async function anvilVersion(): Promise<string> {
  const { stdout } = await promisify(execFile)(anvilBinary(), ['--version'], { timeout: 10_000 })
  return stdout.split('\n')[0] ?? ''
}

function sqliteVersion(): string {
  try {
    const db = openSqlite(':memory:')
    const version = String(db.prepare('SELECT sqlite_version()').pluck().get())
    db.close()
    return version
  } catch (cause) {
    throw new Error(storageReason(cause), { cause })
  }
}

function checkDataDir(config: Config): string {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  accessSync(config.dataDir, constants.W_OK)
  return config.dataDir
}

async function checkUpstream(chainId: number, url: string): Promise<string> {
  const upstream = createUpstream({ chainId, urls: [url] })
  try {
    const start = performance.now()
    const head = await upstream.latestOf(0)
    const ms = Math.round(performance.now() - start)
    const [status] = upstream.nodes()
    if (!head || !status?.abilities) throw new Error(status?.problem ?? 'it gives no newest block')
    const { abilities } = status
    const age = Math.round(Date.now() / 1_000 - Number(head.pin.timestamp))
    const able = (['ethCall', 'overrides', 'logs', 'proofs', 'batch', 'blockHash'] as const)
      .map((name) => `${name} ${abilities[name] ? 'yes' : 'no'}`)
      .join(', ')
    const depth = abilities.archive
      ? `archive, ${abilities.archiveDepth} blocks deep at least`
      : `state up to ${abilities.archiveDepth} blocks back`
    return (
      `block ${head.pin.number}, ${age} s old; ${depth}\n${able}\n` +
      `latency ${Math.round(status.latencyMs ?? ms)} ms; ${await tryLimits(upstream, head.pin)}`
    )
  } finally {
    await upstream.close()
  }
}

/** The identity precompile, which returns what it is given. */
const identity = '0x0000000000000000000000000000000000000004'
/** Calls at once: as many as the service sends in one request. */
const trialCalls = 300

/** Sends what the service sends at a new block, and says what the node made of it. */
async function tryLimits(upstream: Upstream, head: BlockPin): Promise<string> {
  const trials = Array.from({ length: trialCalls }, (_, index) =>
    upstream.call(identity, numberToHex(index, { size: 32 }), head),
  )
  const answers = await Promise.allSettled(trials)
  const count = answers.filter((one) => one.status === 'fulfilled' && one.value.ok).length
  const { batch = null, requests = null } = upstream.nodes()[0]?.limits ?? {}
  return [
    `${count} of ${trialCalls} calls at once answered`,
    batch === null ? 'batches of any size' : `batches of at most ${batch}`,
    ...(requests === null ? [] : [`refuses more than ${requests} requests at the same time`]),
  ].join(', ')
}

async function examine(): Promise<Check[]> {
  const checks = [
    checkNode(),
    await attempt('Anvil', anvilVersion),
    await attempt('SQLite', sqliteVersion),
  ]
  let config: Config
  try {
    config = loadConfig(process.env)
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    return [...checks, { check: 'configuration', ok: false, found }]
  }
  checks.push({ check: 'configuration', ok: true, found: 'valid' })
  checks.push(await attempt('DATA_DIR', () => checkDataDir(config)))
  const chains = Object.entries(config.rpcUrls)
  if (chains.length === 0) {
    checks.push({ check: 'nodes', ok: true, found: 'none: the sandbox plays chain 1' })
  }
  const nodes = chains.flatMap(([chainId, urls]) =>
    urls.map((url, index) => {
      const name = `RPC_URL_${chainId} (${index + 1} of ${urls.length})`
      return attempt(name, () => checkUpstream(Number(chainId), url))
    }),
  )
  const states = chains.flatMap(([chainId, [url]]) => {
    if (url === undefined) return []
    const onChain = (what: string, work: () => string | null | Promise<string | null>) =>
      attempt(`${what} on chain ${chainId}`, async () => (await work()) ?? 'none')
    return [
      onChain('contracts', () => checkContracts(url)),
      onChain('bridges', () => checkBridges(Number(chainId), url)),
    ]
  })
  return [...checks, ...(await Promise.all([...nodes, ...states]))]
}

interface ChainReport {
  readonly chainId: number
  readonly name: string
  /** Of the chain's definition. */
  readonly addresses: number
  readonly findings: readonly Finding[]
}

/**
 * @throws ConfigError for a chain that is not known or has no node; Error where a node is of another chain, or gives no
 * answer.
 */
async function examineChain(text: string): Promise<ChainReport> {
  const chain = /^[1-9]\d{0,14}$/.test(text) ? chainById(Number(text)) : undefined
  if (!chain) {
    const known = chains.map(({ id, name }) => `${id} (${name})`).join(', ')
    throw new ConfigError([`--chain: ${text} is not known here; ${known} are.`], 'command line')
  }
  const { rpcUrls, tokenLists } = loadConfig(process.env)
  const [first, ...others] = rpcUrls[chain.id] ?? []
  if (first === undefined) {
    const problem = `RPC_URL_${chain.id} is not set: it names the node of ${chain.name} to ask.`
    throw new ConfigError([problem])
  }
  const client = createRpcClient(first)
  try {
    for (const [index, url] of [first, ...others].entries()) await checkChainId(chain, url, index)
    const findings = await examinePlaces(chain, client, await loadTokenLists(tokenLists))
    const addresses = new Set(findings.map(({ address }) => address)).size
    return { chainId: chain.id, name: chain.name, addresses, findings }
  } finally {
    await client.close()
  }
}

async function checkChainId(chain: ChainDefinition, url: string, index: number): Promise<void> {
  const client = createRpcClient(url)
  try {
    const id = Number(await client.request<string>('eth_chainId', []))
    if (id === chain.id) return
    const which = `node ${index + 1} of RPC_URL_${chain.id}`
    throw new Error(`The ${which} is of chain ${id}, not of ${chain.id} (${chain.name}).`)
  } finally {
    await client.close()
  }
}

function printReport({ chainId, name, addresses, findings }: ChainReport): void {
  const problems = findings.filter(({ state }) => state !== 'ok')
  if (problems.length > 0) {
    printTable(
      ['', 'check', 'address', 'found'],
      problems.map(({ state, check, address, found }) => [state, check, address, found]),
    )
  }
  const wrong = new Set(problems.map(({ address }) => address)).size
  console.log(
    wrong === 0
      ? `All ${addresses} addresses of ${name} (${chainId}) are what they are taken for: ${findings.length} calls.`
      : `${wrong} of ${addresses} addresses of ${name} (${chainId}) are not what they are taken for.`,
  )
}

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'check Node.js, Anvil, the configuration, the nodes, and our contracts and bridges on each chain',
    )
    .option('--chain <id>', 'ask the node of a chain about every address that the chain’s file has')
    .action(async ({ chain }: { chain?: string }, command: Command) => {
      const { json } = command.optsWithGlobals<OutputOptions>()
      if (chain !== undefined) {
        const report = await withProgress('Asking the node', () => examineChain(chain))
        if (json) printJson(report)
        else printReport(report)
        if (report.findings.some(({ state }) => state !== 'ok')) process.exitCode = 1
        return
      }
      const checks = await withProgress('Checking', examine)
      if (json) printJson(checks)
      else {
        printTable(
          ['', 'check', 'found'],
          checks.map(({ ok, check, found }) => [ok ? 'ok' : 'FAIL', check, found]),
        )
      }
      if (checks.some(({ ok }) => !ok)) process.exitCode = 1
    })
}
