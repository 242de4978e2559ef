/**
 * One Anvil process that forks one block, as an instance of prool: how it becomes ready, and what it means when it does
 * not. Used by `process.ts` only.
 */
import './promise-with-resolvers.js'
import { setTimeout as sleep } from 'node:timers/promises'
import { Instance } from 'prool'
import { blockFacts } from '../domain/common-errors.js'
import { ForkrouteError } from '../domain/errors.js'
import type { HardFork } from '../domain/hard-forks.js'
import type { BlockPin } from '../domain/primitives.js'
import { lowerProcess } from '../platform/priority.js'
import type { Spawned } from '../platform/spawner.js'
import { createRpcClient } from '../rpc/node/json-rpc.js'
import { type AnvilLauncher, kill, type Launched } from './anvil.js'
import type { ListenAddress } from './listen-address.js'

/** Pause between checks whether a starting process answers, milliseconds. A start takes 60 to 110. */
const readyPollMs = 10

/** Anvil's error texts when it cannot read the block to fork. */
const upstreamFault = /failed to (fetch|get)|error sending request|error response|rpc/i

export interface AnvilInstanceArgs {
  readonly archiveUrl: string
  readonly pin: BlockPin
  readonly hardFork: HardFork
  readonly launcher: AnvilLauncher
  readonly startTimeoutMs: number
  readonly listen: ListenAddress
  /** Already launched there, it only has to become ready. */
  readonly launched?: Launched | undefined
}

/**
 * prool instance of one fork. `start` resolves when the fork answers and stands at the pinned block's hash.
 * Emits `exit` when the process ends, whoever ended it.
 *
 * @throws ForkrouteError from start: UPSTREAM_UNAVAILABLE when the block cannot be read or has another
 * hash, FORK_UNAVAILABLE when Anvil does not come up for another reason.
 */
export const anvilInstance = Instance.define((args: AnvilInstanceArgs) => {
  let program: Spawned | undefined
  const { host } = args.listen
  return {
    _internal: {
      get pid(): number | null {
        return program?.pid ?? null
      },
      get isRunning(): boolean {
        return program?.isAlive() ?? false
      },
    },
    name: 'anvil-fork',
    host,
    port: 0,
    async start({ port = 0 }, { emitter }) {
      const listen = { host, port }
      const { pin, archiveUrl, hardFork } = args
      const target = { chainId: pin.chainId, archiveUrl, number: pin.number, hardFork }
      const started = args.launched ?? args.launcher.launch(target, listen)
      program = started.program
      program.onceEnded((code, signal) => emitter.emit('exit', code, signal))
      try {
        await untilReady(args, listen, started)
      } catch (error) {
        await kill(started.program)
        throw error
      }
    },
    async stop() {
      if (program) await kill(program)
    },
  }
})

async function untilReady(
  args: AnvilInstanceArgs,
  { host, port }: ListenAddress,
  started: Launched,
): Promise<void> {
  const client = createRpcClient(`http://${host}:${port}`, { timeoutMs: args.startTimeoutMs })
  const signal = AbortSignal.timeout(args.startTimeoutMs)
  started.program.onceEnded(() => void client.close())
  try {
    for (;;) {
      if (!started.program.isAlive() || started.failure()) throw startError(args.pin, started)
      const info = await client
        .request<{ currentBlockHash: string }>('anvil_nodeInfo', [], signal)
        .catch(() => null)
      if (info && started.program.isAlive()) {
        // Lowers it again: threads that ran before the first time may have started others at the old priority.
        if (started.program.pid) lowerProcess(started.program.pid)
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
