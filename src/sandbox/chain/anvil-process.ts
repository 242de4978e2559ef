/** An Anvil that is a chain of its own, run through @viem/anvil; it dies with this process. */

import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createAnvil } from '@viem/anvil'
import { ForkrouteError } from '../../domain/errors.js'
import { anvilBinary } from '../../forks/anvil.js'
import { freeListenAddress } from '../../forks/listen-address.js'
import { createReaper, type Reaper } from '../../forks/reaper.js'

export interface AnvilProcess {
  readonly url: string
  readonly port: number
  readonly pid: number
  hasEnded(): boolean
  /** Ends the process and waits for its end, and so for its dump. */
  stop(): Promise<void>
}

/** Longest start and stop, milliseconds; loading and dumping take most of it on a busy machine. */
const patienceMs = 60_000

/**
 * What @viem/anvil has no options for: no web page of a browser on this machine may talk to it, and the state
 * of an older block is handed over in one request of some megabytes.
 */
const furtherFlags = ['--no-cors', '--no-request-size-limit']

/** Kills what is left when this process dies by whatever cause; it ends by itself then, so nobody closes it. */
let reaper: Reaper | undefined

/** @throws ForkrouteError FORK_UNAVAILABLE when it does not come up. */
export async function startAnvil(options: {
  readonly chainId: number
  readonly timestamp?: number
  readonly noMining?: boolean
  readonly loadState?: string
}): Promise<AnvilProcess> {
  const { host, port } = await freeListenAddress()
  const anvil = createAnvil({
    ...options,
    anvilBinary: anvilBinary(),
    host,
    port,
    startTimeout: patienceMs,
    execArgs: ([file, args, settings]) => [
      file,
      [...args, ...furtherFlags],
      // A group of its own: Ctrl-C ends the service, which then ends its chain in order.
      { ...settings, detached: true, env: { PATH: process.env.PATH }, extendEnv: false },
    ],
  })
  reaper ??= createReaper()
  const { add, remove } = reaper
  try {
    const { child, pid } = await childOf(port, () => anvil.start())
    add(pid)
    return {
      url: `http://${host}:${port}`,
      port,
      pid,
      hasEnded: () => hasEnded(child),
      async stop() {
        // Not anvil.stop(): it leaves a timer that holds the process for the whole stopTimeout.
        await interrupt(child)
        remove(pid)
      },
    }
  } catch (cause) {
    throw new ForkrouteError('FORK_UNAVAILABLE', 'The sandbox chain did not start.', undefined, {
      cause,
    })
  }
}

interface RunningChild {
  /** Wrapped, since execa makes its processes thenable: a promise of one would wait for its end. */
  readonly child: ChildProcess
  readonly pid: number
}

/** The process that `start` spawns for the port: @viem/anvil does not expose it, Node's diagnostics do. */
async function childOf(port: number, start: () => Promise<void>): Promise<RunningChild> {
  const seen: ChildProcess[] = []
  // A message comes before its process is spawned: it has no arguments yet.
  const onSpawn = (message: unknown) => {
    seen.push((message as { readonly process: ChildProcess }).process)
  }
  subscribe('child_process', onSpawn)
  try {
    await start()
  } finally {
    unsubscribe('child_process', onSpawn)
  }
  const child = seen.find(
    ({ spawnfile, spawnargs }) => spawnfile === anvilBinary() && spawnargs.includes(`${port}`),
  )
  if (child?.pid === undefined) throw new Error('The process of Anvil was not seen.')
  return { child, pid: child.pid }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function interrupt(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGINT')
  await ended
}
