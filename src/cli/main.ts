#!/usr/bin/env node
/** The command line. One file per command; this one only joins them and prints what goes wrong. */
import { Command } from 'commander'
import { serviceVersion } from '../api/version.js'
import { ConfigError } from '../config.js'
import { ForkrouteError } from '../domain/errors.js'
import { withoutSecrets } from '../log.js'
import { ApiFailure } from './client.js'
import { addContracts } from './contracts.js'
import { addDoctor } from './doctor.js'
import { addKeys } from './keys.js'
import { addPools } from './pools.js'
import { addPrices } from './prices.js'
import { addRoute } from './route.js'
import { addSandbox } from './sandbox.js'
import { addServe } from './serve.js'
import { addTokens } from './tokens.js'

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
addSandbox(program)
addRoute(program)
addPrices(program)
addTokens(program)
addPools(program)
addKeys(program)
addContracts(program)
addDoctor(program)

try {
  await program.parseAsync()
} catch (error) {
  const isExpected =
    error instanceof ConfigError || error instanceof ForkrouteError || error instanceof ApiFailure
  const isBug = error instanceof TypeError || error instanceof ReferenceError
  if (program.opts<{ json?: boolean }>().json && error instanceof ApiFailure) {
    console.log(JSON.stringify(error.body, null, 2))
  } else if (error instanceof Error) {
    console.error(withoutSecrets(!isExpected && isBug ? (error.stack ?? '') : error.message))
  } else {
    console.error(error)
  }
  process.exitCode = 1
}
