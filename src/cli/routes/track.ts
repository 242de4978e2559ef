/** `forkroute track`: follows what a transaction sends over a bridge until it is there. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { ForkrouteClient } from '../../client/client.js'
import { ForkrouteApiError, NotFoundError } from '../../client/errors.js'
import type { BridgeState } from '../../client/track.js'
import { ConfigError } from '../../config/config.js'
import { type BridgeName, bridgeNames } from '../../domain/bridges/names.js'
import { chainOrEthereum, chainText } from '../chains.js'
import { type ConnectionOptions, withApi } from '../client.js'
import { type OutputOptions, printJson, printTable } from '../output.js'

interface Options extends ConnectionOptions, OutputOptions {
  readonly chain: number
  readonly timeout: string
}

const pauseMs = 1_000
/** A transaction that was just sent may not have reached the node. */
const arrivalMs = 10_000
/** Exit codes; 0: delivered. */
const failed = 1
const stillUnderWay = 2

/** Asks of one bridge after the other until one knows the transaction, and of that one from then on. */
function asker(
  client: ForkrouteClient,
  txHash: string,
  chainId: number,
): () => Promise<BridgeState> {
  let candidates: readonly BridgeName[] = bridgeNames
  return async () => {
    let last: BridgeState | undefined
    for (const bridge of candidates) {
      const check = await client
        .bridgeCheck({ bridge, chainId, txHash })
        .catch((error: unknown) => {
          if (isNotInstalled(error)) return null
          throw error
        })
      if (check && !isOfAnother(check)) {
        if (check.status !== 'pending' && check.status !== 'failed') candidates = [bridge]
        return check
      }
      last = check ?? last
    }
    if (last) return last
    throw new Error('No bridge is installed there.')
  }
}

function isOfAnother({ status, sourceEvent, hops }: BridgeState): boolean {
  return status === 'unknown' && !sourceEvent && !hops
}

function isNotInstalled(error: unknown): boolean {
  return error instanceof NotFoundError && 'bridge' in error.details
}

/** The newest answer when it is settled, or the time is over. */
async function follow(
  ask: () => Promise<BridgeState>,
  timeoutMs: number,
  report: {
    onStatus(check: BridgeState): void
    /** The node does not know the transaction yet. */
    onAbsent(): void
  },
): Promise<BridgeState | null> {
  const begunAt = Date.now()
  let newest: BridgeState | null = null
  let isAbsent = false
  for (;;) {
    let waitMs = pauseMs
    try {
      const check = await ask()
      if (check.status !== newest?.status) report.onStatus(check)
      newest = check
      if (check.status !== 'pending' && check.status !== 'inflight') return check
    } catch (error) {
      if (!(error instanceof ForkrouteApiError)) throw error
      const isLate = error instanceof NotFoundError && Date.now() - begunAt < arrivalMs
      if (error.retryAfterSeconds === null && !isLate) throw error
      if (isLate && !isAbsent) report.onAbsent()
      isAbsent = isLate
      waitMs = Math.max(pauseMs, (error.retryAfterSeconds ?? 0) * 1_000)
    }
    if (Date.now() + waitMs - begunAt > timeoutMs) return newest
    await sleep(waitMs)
  }
}

function describe(check: BridgeState): string {
  const to = check.destinationChainId ? ` to chain ${check.destinationChainId}` : ''
  return `${check.status}${to}${check.error ? `: ${check.error}` : ''}`
}

/** Null where it is not known: the clocks of two chains need not be one, as those of the sandbox are not. */
export function secondsBetween(
  sent: { readonly timestamp: number } | undefined,
  arrived: { readonly timestamp: number } | undefined,
): number | null {
  if (!sent || !arrived || arrived.timestamp < sent.timestamp) return null
  return arrived.timestamp - sent.timestamp
}

function callText({ to, data, value, gas }: NonNullable<BridgeState['retry']>): string {
  const parts = [
    `${data}`,
    ...(value === 0n ? [] : [`${value} wei`]),
    ...(gas ? [`${gas} gas`] : []),
  ]
  return `to ${to} with ${parts.join(', ')}`
}

function fillText({ token, amount, ...call }: NonNullable<BridgeState['fill']>): string {
  const { to, repaidTo, repaidOnChainId } = call
  return `a transaction ${callText(call)}, of whoever has ${amount} of ${token} and allows ${to} to take it; ${repaidTo} is paid back on ${chainText(repaidOnChainId)}`
}

function printCheck(check: BridgeState): void {
  const deliveries = check.hops ?? [check]
  for (const one of deliveries) {
    const { sourceEvent: sent, destinationEvent: arrived } = one
    const seconds = secondsBetween(sent, arrived)
    printTable(
      [],
      [
        ['status', one.status],
        ['source', `${check.sourceTxHash} on chain ${check.sourceChainId}`],
        ...(sent
          ? [
              ['bridge', sent.bridge],
              ['amount (smallest unit)', `${sent.amount} of ${sent.token}`],
              ['receiver', sent.receiver],
            ]
          : []),
        ...(one.destinationChainId ? [['destination chain', one.destinationChainId]] : []),
        ...(one.destinationTxHash ? [['delivered by', one.destinationTxHash]] : []),
        ...(seconds === null ? [] : [['seconds', seconds]]),
        ...(one.error ? [['why', one.error]] : []),
        ...(one.retry ? [['retry with', `a transaction of anybody ${callText(one.retry)}`]] : []),
        ...(one.fill ? [['fill with', fillText(one.fill)]] : []),
      ],
    )
  }
}

async function run(hash: string, options: Options): Promise<void> {
  const seconds = Number(options.timeout)
  if (!/^\d{1,6}$/.test(options.timeout) || seconds < 1) {
    throw new ConfigError(['--timeout: must be seconds, such as 900.'], 'command line')
  }
  const { chain: chainId } = options
  await withApi(options, async (client) => {
    const ask = asker(client, hash, chainId)
    const check = await follow(ask, seconds * 1_000, {
      onStatus: (one) => console.error(describe(one)),
      onAbsent: () =>
        console.error(
          `${hash} is not known on ${chainText(chainId)} yet; asking again for up to ${arrivalMs / 1_000} s, since it may just have been sent.`,
        ),
    })
    if (!check) throw new Error(`Nothing is known of ${hash} after ${seconds} s.`)
    if (options.json) printJson(check)
    else printCheck(check)
    if (check.status === 'delivered') return
    const isOpen = check.status === 'pending' || check.status === 'inflight'
    process.exitCode = isOpen ? stillUnderWay : failed
  })
}

export function addTrack(program: Command): void {
  program
    .command('track')
    .description(
      'follow what a transaction sends over a bridge; exit code 0: delivered, 1: failed or not known, 2: still under way',
    )
    .argument('<hash>', 'of the source transaction')
    .addOption(chainOrEthereum('name or id of the source chain'))
    .option('--timeout <seconds>', 'stop after so long', '900')
    .action((hash: string, _local, command: Command) =>
      run(hash, command.optsWithGlobals<Options>()),
    )
}
