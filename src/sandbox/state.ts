/** The cache of the built sandbox chain, which is built once and loaded from then on. Safe for concurrent processes. */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ForkrouteError } from '../domain/errors.js'
import { bigintToString } from '../domain/primitives.js'
import { executorContracts } from '../executor/deployments.js'
import { cacheFolder } from '../platform/package-folder.js'
import { buildSandbox, historyFile, type OnProgress, stateFile } from './build.js'
import { historyForm } from './chain/history.js'
import { artifactPackages } from './contracts/manifest.js'
import { sandboxBytecode } from './generated/contracts.js'
import type { SandboxPlan } from './plans/plan.js'

/** How often a process that waits for another one's build looks again, milliseconds. */
const lockPollMs = 100
/** A lock older than this is stale, milliseconds: no build takes so long, and its process id may have been reused. */
const lockStaleMs = 300_000

export interface SandboxState {
  /** Dump of the head, for `anvil --load-state`. */
  readonly statePath: string
  readonly historyPath: string
  /** Number of the newest block. */
  readonly blockNumber: bigint
}

export interface SandboxStateOptions {
  /** Default: `sandbox` in the folder for what can be made again. */
  readonly cacheDir?: string
  readonly onProgress?: OnProgress
}

/**
 * Builds the chain on first use, and again when anything that determines it has changed.
 *
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE when its contracts cannot be downloaded; STORAGE_UNAVAILABLE when the chain
 *   cannot be kept.
 */
export async function ensureSandboxState(
  plan: SandboxPlan,
  options: SandboxStateOptions = {},
): Promise<SandboxState> {
  const { cacheDir = join(cacheFolder(), 'sandbox'), onProgress = () => undefined } = options
  const directory = join(cacheDir, `${prefixOf(plan)}${cacheKey(plan)}`)
  if (!existsSync(directory)) {
    await mkdir(cacheDir, { recursive: true }).catch(refuse)
    await underLock(`${directory}.lock`, onProgress, async () => {
      if (!existsSync(directory)) await build(plan, cacheDir, directory, onProgress)
    })
  }
  const { blockNumber } = JSON.parse(await readFile(join(directory, summaryFile), 'utf8'))
  return {
    statePath: join(directory, stateFile),
    historyPath: join(directory, historyFile),
    blockNumber: BigInt(blockNumber),
  }
}

function refuse(error: NodeJS.ErrnoException): never {
  throw new ForkrouteError(
    'STORAGE_UNAVAILABLE',
    `The chain of the sandbox cannot be kept (${error.code}): name a folder that can be written in XDG_CACHE_HOME.`,
    undefined,
    { cause: error },
  )
}

const summaryFile = 'summary.json'

/** The names of one chain's folders begin with it. */
const prefixOf = ({ market }: SandboxPlan) => `chain-${market.chain.id}-`

async function build(
  plan: SandboxPlan,
  cacheDir: string,
  directory: string,
  onProgress: OnProgress,
): Promise<void> {
  const temporary = `${directory}.${randomUUID()}`
  await mkdir(temporary)
  try {
    const summary = await buildSandbox({ plan, cacheDir, directory: temporary, onProgress })
    const file = await open(join(temporary, summaryFile), 'w')
    await file.writeFile(JSON.stringify(summary))
    await file.close()
    await rename(temporary, directory)
    await removeOthers(plan, cacheDir, directory)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Runs `work` while no other process of this machine does; a lock whose owner is dead is taken over. */
async function underLock(
  path: string,
  onProgress: OnProgress,
  work: () => Promise<void>,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const lock = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return null
      throw error
    })
    if (lock) {
      try {
        await lock.writeFile(String(process.pid))
        await work()
      } finally {
        await lock.close()
        await rm(path, { force: true })
      }
      return
    }
    if (attempt === 0) onProgress('waiting for another process that builds the chain', 0)
    await sleep(lockPollMs)
    if (await isAbandoned(path)) await rm(path, { force: true })
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const [owner, lock] = await Promise.all([
    readFile(path, 'utf8').catch(() => ''),
    stat(path).catch(() => null),
  ])
  if (lock && Date.now() - lock.mtimeMs > lockStaleMs) return true
  return Number(owner) > 0 && !isAlive(Number(owner))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Hash of everything that determines the chain; the same for sources and compiled code. */
function cacheKey({ headHash, market, others }: SandboxPlan): string {
  const hash = createHash('sha256')
  const content = [
    headHash,
    historyForm,
    artifactPackages,
    sandboxBytecode,
    market.chain,
    others,
    executorContracts,
  ]
  hash.update(JSON.stringify(content, bigintToString))
  const require = createRequire(import.meta.url)
  hash.update(readFileSync(require.resolve('@foundry-rs/anvil/package.json')))
  return hash.digest('hex').slice(0, 16)
}

/** Other versions of the chain, and what a build left that was killed. What another process builds now stays. */
async function removeOthers(plan: SandboxPlan, cacheDir: string, directory: string): Promise<void> {
  const prefix = prefixOf(plan)
  for (const name of await readdir(cacheDir)) {
    const path = join(cacheDir, name)
    if (!name.startsWith(prefix) || path === directory) continue
    const found = await stat(path).catch(() => null)
    const isComplete = /^[0-9a-f]{16}$/.test(name.slice(prefix.length))
    if (found && (isComplete || Date.now() - found.mtimeMs > lockStaleMs)) {
      await rm(path, { recursive: true, force: true })
    }
  }
}
