/**
 * Anvil's program: where it is, with which flags it forks a block, and how a process is launched and ended. The fork
 * pool, the sandbox and the doctor use it; errors are ForkrouteError FORK_UNAVAILABLE.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { ForkrouteError } from '../domain/errors.js'
import type { HardFork } from '../domain/hard-forks.js'
import { type Spawned, spawner } from '../platform/spawner.js'
import type { ListenAddress } from './listen-address.js'
import { createReaper } from './reaper.js'

/**
 * Path of the Anvil executable inside the platform's package. The `anvil` in node_modules/.bin is a
 * Node wrapper: killing it leaves the real process alive.
 *
 * @throws ForkrouteError FORK_UNAVAILABLE when there is no package for this platform.
 */
export function anvilBinary(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}`
  // The platform's package is a dependency of @foundry-rs/anvil, so it is looked up from there.
  const fromHere = createRequire(import.meta.url)
  try {
    const fromAnvil = createRequire(fromHere.resolve('@foundry-rs/anvil/package.json'))
    return join(dirname(fromAnvil.resolve(`${name}/package.json`)), 'bin', 'anvil')
  } catch (cause) {
    const message = `Anvil is not installed: the package ${name} is missing. Run npm ci again.`
    throw new ForkrouteError('FORK_UNAVAILABLE', message, undefined, { cause })
  }
}

/** What a process forks from. */
export interface AnvilTarget {
  readonly chainId: number
  readonly archiveUrl: string
  /** Null: decided later; Anvil then gets the number from its node, and waits for it without end over WebSocket. */
  readonly number: bigint | null
  /** Whose rules simulations follow; by itself Anvil would take those of the block's time, by its own calendar. */
  readonly hardFork: HardFork
}

/** Flags of a fork that is shared, stays at its block and keeps nothing on disk. */
function forkFlags(target: AnvilTarget, { host, port }: ListenAddress): string[] {
  const { chainId, archiveUrl, number, hardFork } = target
  return [
    ...['--fork-url', archiveUrl],
    ...(number === null ? [] : ['--fork-block-number', number.toString()]),
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
    // Transactions of a mined block are replayed in their order, not by what they pay. All are sent before the first one
    // runs, and a sender may get its ether from one before it.
    ...['--order', 'fifo'],
    '--disable-pool-balance-checks',
    '--no-storage-caching',
    ...['--max-persisted-states', '0'],
    '--no-rate-limit',
    '-q',
  ]
}

export interface Launched {
  readonly program: Spawned
  readonly output: () => string
  readonly failure: () => Error | null
}

/** Starts Anvil processes, which end with the service whatever becomes of it. */
export class AnvilLauncher {
  readonly #reaper = createReaper()
  readonly #removeFolder = () => this.#removeCertificate()
  #certificateFile: string | null = null

  constructor() {
    spawner.prepare()
  }

  /**
   * Starts the process in the session of the service. Linux divides the processor between sessions first and applies
   * priorities only within one, so forks in sessions of their own would compete with the threads that answer requests.
   * A signal to the whole group (Ctrl-C, a supervisor) therefore ends forks too; requests in flight then get new ones.
   */
  launch(target: AnvilTarget, listen: ListenAddress): Launched {
    let output = ''
    let failure: Error | null = null
    const program = spawner.spawn({
      file: anvilBinary(),
      args: forkFlags(target, listen),
      // Passes on neither the operator's secrets nor a proxy, which would catch requests to the loopback address.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...this.#certificates() },
      onPid: (pid) => this.#reaper.add(pid),
      onText(text) {
        output = (output + text).slice(-2_000)
      },
      onFailure(message) {
        failure = new Error(message)
      },
    })
    program.onceEnded(() => {
      if (program.pid !== null) this.#reaper.remove(program.pid)
    })
    return { program, output: () => output, failure: () => failure }
  }

  /** Whatever still runs is killed. */
  async close(): Promise<void> {
    await this.#reaper.close()
    process.off('exit', this.#removeFolder)
    this.#removeCertificate()
  }

  /**
   * Anvil reads all certificates of the system for each connection to a node, which takes a quarter of its start. A fork
   * needs none, since the archive speaks without encryption on this machine, but Anvil refuses to run without any: it gets one.
   */
  #certificates(): { readonly SSL_CERT_FILE?: string } {
    const known = this.#certificateFile
    // The system may have cleaned up its folder of temporary files.
    if (known && existsSync(known)) return { SSL_CERT_FILE: known }
    try {
      const file = join(mkdtempSync(join(tmpdir(), 'forkroute-root-')), 'root.pem')
      writeFileSync(file, rootCertificates[0] ?? '')
      if (!known) process.once('exit', this.#removeFolder)
      this.#certificateFile = file
      return { SSL_CERT_FILE: file }
    } catch {
      return {}
    }
  }

  #removeCertificate(): void {
    if (this.#certificateFile)
      rmSync(dirname(this.#certificateFile), { recursive: true, force: true })
    this.#certificateFile = null
  }
}

/** SIGKILL, which also ends a stopped process; there is nothing to save. */
export async function kill(program: Spawned): Promise<void> {
  if (!program.isAlive()) return
  const ended = new Promise<void>((resolve) => program.onceEnded(() => resolve()))
  program.kill('SIGKILL')
  await ended
}
