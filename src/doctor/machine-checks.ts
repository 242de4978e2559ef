/** Whether a machine, a configuration and its nodes are fit for the service: `forkroute doctor`, and the same of a running one. */
import { execFile } from 'node:child_process'
import { accessSync, constants, mkdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { numberToHex } from 'viem'
import type { Config } from '../config/config.js'
import { storageReason } from '../domain/common-errors.js'
import type { DoctorCheck } from '../domain/operations/system.js'
import type { BlockPin } from '../domain/primitives.js'
import { anvilBinary } from '../forks/anvil.js'
import { openSqlite } from '../platform/sqlite.js'
import { createUpstream, type Upstream } from '../rpc/node/upstream.js'
import { withoutSecrets } from '../telemetry/log.js'
import { checkBridges, checkContracts } from './chain-checks.js'

const leastNode = [20, 19] as const

function checkNode(): DoctorCheck {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])
  const found = `${process.versions.node}${ok ? '' : `; ${leastNode.join('.')} or later is needed`}`
  return { check: 'Node.js', ok, found }
}

async function attempt(check: string, work: () => string | Promise<string>): Promise<DoctorCheck> {
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

/** @param configured - reads the configuration; what it throws is what is wrong with it. */
export async function examine(configured: () => Config): Promise<DoctorCheck[]> {
  const checks = [
    checkNode(),
    await attempt('Anvil', anvilVersion),
    await attempt('SQLite', sqliteVersion),
  ]
  let config: Config
  try {
    config = configured()
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    return [...checks, { check: 'configuration', ok: false, found }]
  }
  checks.push({ check: 'configuration', ok: true, found: 'valid' })
  checks.push(await attempt('DATA_DIR', () => checkDataDir(config)))
  const chains = Object.entries(config.rpcUrls)
  if (chains.length === 0) {
    checks.push({ check: 'nodes', ok: true, found: 'none: the sandbox is used as chain 1' })
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
