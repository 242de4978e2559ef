/** The cache of the built sandbox chain: built once, then started from; safe to use from several processes at once. */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildSandbox, historyFile, type OnProgress, stateFile } from './build.js'

/** How often a process that waits for another one's build looks again, milliseconds. */
const lockPollMs = 100
/** A lock whose owner has not touched it for so long is taken over, milliseconds. */
const lockStaleMs = 120_000

export interface SandboxState {
  readonly statePath: string
  readonly historyPath: string
  readonly blockNumber: bigint
}
