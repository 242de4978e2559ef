/**
 * One Anvil process that forks one block: its binary, its flags, how it starts and stops.
 * Used by the fork pool only, through prool's instance type.
 */
import './promise-with-resolvers.js'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import { Instance } from 'prool'
import { blockFacts } from '../domain/common-errors.js'
import { ForkrouteError } from '../domain/errors.js'
import type { HardFork } from '../domain/hard-forks.js'
import type { BlockPin } from '../domain/primitives.js'
import { lowerProcess } from '../platform/priority.js'
import { createRpcClient } from '../rpc/node/json-rpc.js'
import type { Place } from './place.js'
import type { Reaper } from './reaper.js'

/** Pause between checks whether a starting process answers, milliseconds. A start takes 60 to 110. */
const readyPollMs = 10

/** Another process took the port after it was chosen; a new start gets another port. */
export const portTaken = /address already in use/i

/** Anvil's error texts when it cannot read the block to fork. */
const upstreamFault = /failed to (fetch|get)|error sending request|error response|rpc/i

let binary: string | undefined

/**
 * Path of the Anvil executable inside the platform's package. The `anvil` in node_modules/.bin is a
 * Node wrapper: killing it leaves the real process alive.
 *
 * @throws ForkrouteError FORK_UNAVAILABLE when there is no package for this platform.
 */
export function anvilBinary(): string {
  if (binary) return binary
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}`
  // The platform's package is a dependency of @foundry-rs/anvil, so it is looked up from there.
  const fromHere = createRequire(import.meta.url)
  try {
    const fromAnvil = createRequire(fromHere.resolve('@foundry-rs/anvil/package.json'))
    binary = join(dirname(fromAnvil.resolve(`${name}/package.json`)), 'bin', 'anvil')
  } catch (cause) {
    throw new ForkrouteError('FORK_UNAVAILABLE', `No Anvil is installed: ${name}.`, undefined, {
      cause,
    })
  }
  return binary
}

/** A fork without a block waits this long for one, milliseconds. The archive answers everything else in seconds. */
const standbyTimeoutMs = 3_600_000

/** What a process forks from. */
interface Target {
  readonly chainId: number
  readonly archiveUrl: string
  /** Null: decided later; Anvil then gets the number from its node. */
  readonly number: bigint | null
  /** Whose rules simulations follow; by itself Anvil would take those of the block's time, by its own calendar. */
  readonly hardFork: HardFork
}

/** Flags of a fork that is shared, stays at its block and keeps nothing on disk. */
function forkFlags(target: Target, { host, port }: Place): string[] {
  const { chainId, archiveUrl, number, hardFork } = target
  return [
    ...['--fork-url', archiveUrl],
    ...(number === null
      ? ['--timeout', standbyTimeoutMs.toString()]
      : ['--fork-block-number', number.toString()]),
    ...['--chain-id', chainId.toString()],
    ...['--hardfork', hardFork],
    ...['--host', host],
    ...['--port', port.toString()],
    // Its dev accounts and its deployment proxy would change the forked state.
    ...['--accounts', '0'],
    '--disable-default-create2-deployer',
    // Web pages in a browser on this machine must not read from it.
    '--no-cors',
    '--no-mining',
    // Transactions of a mined block are replayed in their order, not by what they pay.
    ...['--order', 'fifo'],
    '--no-storage-caching',
    ...['--max-persisted-states', '0'],
    '--no-rate-limit',
    '-q',
  ]
}

export interface ForkProcessArgs {
  readonly archiveUrl: string
  readonly pin: BlockPin
  readonly hardFork: HardFork
  readonly reaper: Reaper
  readonly startTimeoutMs: number
  readonly place: Place
  /** Already launched there, it only has to become ready. */
  readonly launched?: Launched
}

/**
 * prool instance of one fork. `start` resolves when the fork answers and stands at the pinned block's hash.
 * Emits `exit` when the process ends, whoever ended it.
 *
 * @throws ForkrouteError from start: UPSTREAM_UNAVAILABLE when the block cannot be read or has another
 * hash, FORK_UNAVAILABLE when Anvil does not come up for another reason.
 */
export const forkProcess = Instance.define((args: ForkProcessArgs) => {
  let child: ChildProcess | undefined
  const { host } = args.place
  return {
    _internal: {
      get pid(): number | null {
        return child?.pid ?? null
      },
      get isRunning(): boolean {
        return child !== undefined && isAlive(child)
      },
    },
    name: 'anvil-fork',
    host,
    port: 0,
    async start({ port = 0 }, { emitter }) {
      const place = { host, port }
      const { pin, archiveUrl, hardFork } = args
      const target = { chainId: pin.chainId, archiveUrl, number: pin.number, hardFork }
      const started = args.launched ?? launch(target, place, args.reaper)
      child = started.child
      started.child.once('exit', (code, signal) => emitter.emit('exit', code, signal))
      try {
        await untilReady(args, place, started)
      } catch (error) {
        await kill(started.child)
        throw error
      }
    },
    async stop() {
      if (child) await kill(child)
    },
  }
})

let rootFile: string | undefined

/**
 * Anvil reads all certificates of the system for each connection to a node, which takes a quarter of its start. A fork
 * needs none, since the archive speaks plain HTTP on this machine, but Anvil refuses to run without any: it gets one.
 */
function certificates(): { readonly SSL_CERT_FILE?: string } {
  // The system may have cleaned up its folder of temporary files.
  if (rootFile && existsSync(rootFile)) return { SSL_CERT_FILE: rootFile }
  try {
    const folder = mkdtempSync(join(tmpdir(), 'forkroute-root-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    rootFile = join(folder, 'root.pem')
    writeFileSync(rootFile, rootCertificates[0] ?? '')
    return { SSL_CERT_FILE: rootFile }
  } catch {
    return {}
  }
}

export interface Launched {
  readonly child: ChildProcess
  readonly output: () => string
  readonly failure: () => Error | null
}

/**
 * Starts the process in the session of the service. Linux divides the processor between sessions first and applies
 * priorities only within one, so forks in sessions of their own would compete with the threads that answer requests.
 * A signal to the whole group (Ctrl-C, a supervisor) therefore ends forks too; requests in flight then get new ones.
 */
export function launch(target: Target, place: Place, reaper: Reaper): Launched {
  const child = spawn(anvilBinary(), forkFlags(target, place), {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Passes on neither the operator's secrets nor a proxy, which would catch requests to the loopback address.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...certificates() },
  })
  let output = ''
  let failure: Error | null = null
  child.once('error', (error) => {
    failure = error
  })
  child.stderr?.on('data', (data: Buffer) => {
    output = (output + data.toString()).slice(-2_000)
  })
  const { pid } = child
  if (pid) {
    lowerProcess(pid)
    reaper.add(pid)
    child.once('exit', () => reaper.remove(pid))
  }
  return { child, output: () => output, failure: () => failure }
}

async function untilReady(
  args: ForkProcessArgs,
  { host, port }: Place,
  started: Launched,
): Promise<void> {
  const client = createRpcClient(`http://${host}:${port}`, { timeoutMs: args.startTimeoutMs })
  const signal = AbortSignal.timeout(args.startTimeoutMs)
  started.child.once('exit', () => client.close())
  try {
    for (;;) {
      if (!isAlive(started.child) || started.failure()) throw startError(args.pin, started)
      const info = await client
        .request<{ currentBlockHash: string }>('anvil_nodeInfo', [], signal)
        .catch(() => null)
      if (info && isAlive(started.child)) {
        // Lowers it again: threads that ran before the first time may have started others at the old priority.
        if (started.child.pid) lowerProcess(started.child.pid)
        return checkHash(args.pin, info.currentBlockHash)
      }
      if (signal.aborted) {
        const details = blockFacts(args.pin)
        throw new ForkrouteError('FORK_UNAVAILABLE', 'A fork did not start in time.', details)
      }
      await sleep(readyPollMs)
    }
  } finally {
    await client.close()
  }
}

function checkHash(pin: BlockPin, found: string): void {
  if (found.toLowerCase() === pin.hash) return
  throw new ForkrouteError(
    'UPSTREAM_UNAVAILABLE',
    `The node gives block ${pin.number} with hash ${found} in place of ${pin.hash}.`,
    blockFacts(pin),
  )
}

function startError(pin: BlockPin, started: Launched): ForkrouteError {
  const details = blockFacts(pin)
  const cause = started.failure() ?? new Error(started.output())
  return upstreamFault.test(started.output())
    ? new ForkrouteError(
        'UPSTREAM_UNAVAILABLE',
        `No fork of block ${pin.number}: its node does not give the block.`,
        details,
        { cause },
      )
    : new ForkrouteError('FORK_UNAVAILABLE', `Anvil did not start.`, details, { cause })
}

export function isAlive(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null
}

/** SIGKILL, which also ends a stopped process; there is nothing to save. */
export async function kill(child: ChildProcess): Promise<void> {
  if (!isAlive(child)) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGKILL')
  await ended
}
