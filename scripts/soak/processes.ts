/** The processes of a soak: a chain, and the service. Memory is read from /proc. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ethereum } from '../../src/chains/ethereum.js'
import type { Hex } from '../../src/domain/primitives.js'
import { ethereumPlan } from '../../src/sandbox/plans/ethereum.js'
import { ensureSandboxState } from '../../src/sandbox/state.js'
import { startAnvil, type TestAnvil } from '../../test/support/anvil.js'
import { cliEntry } from '../../test/support/cli.js'

const pageBytes = 4_096

export interface Running {
  readonly pid: number
  readonly url: string
  stop(): Promise<void>
}

/** The first match in what the process prints, or its first group. */
export async function printed(child: ChildProcess, wanted: RegExp): Promise<string> {
  if (!child.stdout) throw new Error('Nothing is read of this process.')
  for await (const line of createInterface({ input: child.stdout })) {
    const [match, found = match] = wanted.exec(line) ?? []
    if (!found) continue
    child.stdout.resume()
    return found
  }
  throw new Error(`A process ended without ${wanted}.`)
}

/** Older states that the chain keeps: thousands of blocks would take gigabytes. */
const keptStates = 64

/** The chain of the sandbox, as an Anvil alone that forgets old states. */
export async function startChain(): Promise<TestAnvil> {
  const { statePath } = await ensureSandboxState(ethereumPlan)
  const anvil = await startAnvil([
    ...['--load-state', statePath, '--chain-id', String(ethereum.id)],
    ...['--prune-history', String(keptStates)],
  ])
  const head = await anvil.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  await anvil.rpc('evm_setTime', [Number(head.timestamp)])
  await anvil.rpc('anvil_setBlockTimestampInterval', [ethereum.blockTimeSeconds])
  return anvil
}

/** The service as users start it, without keys and rate limits, in a data folder of its own. */
export async function runService(nodeUrl: string, env: Record<string, string>): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'forkroute-soak-'))
  const child = spawn(process.execPath, [cliEntry, 'serve'], {
    env: {
      PATH: process.env.PATH,
      LOG_LEVEL: 'error',
      PORT: '0',
      DATA_DIR: folder,
      AUTH_MODE: 'open',
      RATE_LIMIT_PER_MINUTE: '10000000',
      RPC_URL_1: nodeUrl,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await printed(child, /(http:\/\/[\d.:]+)\/api\/v1/)
  if (child.pid === undefined) throw new Error('The service has no process id.')
  return {
    pid: child.pid,
    url,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface Memory {
  readonly serviceMb: number
  /** Anvil processes of the service, spares included. */
  readonly forks: number
  readonly forksMb: number
  /** Its other processes, such as the one that reads what strangers have written. */
  readonly othersMb: number
}

/** Resident memory of the service and of the Anvils that it started. Linux only. */
export function memoryOf(service: number): Memory {
  const children = childrenOf(service)
  const forks = children.filter((pid) => textOf(pid, 'comm').trim() === 'anvil')
  const others = children.filter((pid) => !forks.includes(pid))
  const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + residentMb(pid), 0)
  return {
    serviceMb: residentMb(service),
    forks: forks.length,
    forksMb: sum(forks),
    othersMb: sum(others),
  }
}

function residentMb(pid: number): number {
  return Math.round((Number(textOf(pid, 'statm').split(' ')[1] ?? 0) * pageBytes) / 2 ** 20)
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  // The name, in brackets, may hold spaces; the state and the parent follow it.
  const parentOf = (pid: number) => Number(textOf(pid, 'stat').split(') ')[1]?.split(' ')[1])
  return pids.map(Number).filter((pid) => parentOf(pid) === parent)
}

/** Empty for a process that has ended meanwhile. */
function textOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}
