#!/usr/bin/env node
/** The command line. One file per command; this one only joins them and prints what goes wrong. */
import { Command } from 'commander'
import { serviceVersion } from '../api/version.js'
import { ConnectionError, ForkrouteApiError } from '../client/errors.js'
import { ForkrouteError } from '../domain/errors.js'
import { withoutSecrets } from '../telemetry/log.js'
import { addBacktest } from './backtest.js'
import { addCassette } from './cassette.js'
import { addCheck } from './check.js'
import { describeRefusal } from './client.js'
import { addContracts } from './contracts.js'
import { addDoctor } from './doctor.js'
import { addHindsight } from './hindsight.js'
import { addKeys } from './keys.js'
import { addMcp } from './mcp.js'
import { addOrders } from './orders.js'
import { printJson } from './output.js'
import { addPools } from './pools.js'
import { addPrices } from './prices.js'
import { addRecord } from './record.js'
import { addReplay } from './replay.js'
import { addReplayTx } from './replay-tx.js'
import { addBundle } from './routes/bundle.js'
import { addRoute } from './routes/route.js'
import { addTrack } from './routes/track.js'
import { addSandbox } from './sandbox.js'
import { addServe } from './serve.js'
import { addBackup } from './storage/backup.js'
import { addTokens } from './tokens.js'
import { addVenues } from './venues.js'
import { addApprove } from './wallet/approve.js'
import { addWallet } from './wallet/revoke.js'
import { addWorker } from './worker.js'

const program = new Command('forkroute')
  .description(
    'The best route at a pinned block, proven on Anvil forks, as one unsigned transaction.',
  )
  .version(serviceVersion)
  .option('--json', 'print JSON')
  .option('--url <url>', 'ask a running service instead of starting one')
  .option('--key <key>', 'API key for --url; default: the variable FORKROUTE_KEY')
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError('(--help lists what there is)')

addServe(program)
addWorker(program)
addSandbox(program)
addRoute(program)
addBundle(program)
addApprove(program)
addTrack(program)
addRecord(program)
addReplay(program)
addReplayTx(program)
addHindsight(program)
addCassette(program)
addPrices(program)
addBacktest(program)
addBackup(program)
addTokens(program)
addPools(program)
addOrders(program)
addVenues(program)
addCheck(program)
addKeys(program)
addContracts(program)
addWallet(program)
addDoctor(program)
addMcp(program)

// A reader that stops early, such as head, is not an error, and must not end a running service.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

try {
  await program.parseAsync()
} catch (error) {
  if (program.opts<{ json?: boolean }>().json) printJson(toBody(error))
  console.error(withoutSecrets(toText(error)))
  process.exitCode = 1
}

/** The body of the service's own errors, or its beginning. */
function toBody(error: unknown): object {
  if (error instanceof ForkrouteApiError) return describeRefusal(error).body
  const message = withoutSecrets(error instanceof Error ? messageOf(error) : String(error))
  if (!(error instanceof ForkrouteError)) return { message }
  return { message, code: error.code, ...(error.details && { details: error.details }) }
}

/** A bug is printed with its stack; an error that the user can fix is one sentence. */
function toText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ForkrouteApiError) return describeRefusal(error).text
  const isBug = error instanceof TypeError || error instanceof ReferenceError
  return isBug ? (error.stack ?? error.message) : messageOf(error)
}

/** With the way out where the service that the user names cannot be reached. */
function messageOf(error: Error): string {
  const isUnreached = error instanceof ConnectionError && program.opts<{ url?: string }>().url
  return isUnreached
    ? `${error.message} Without --url a service is started for the command.`
    : error.message
}
