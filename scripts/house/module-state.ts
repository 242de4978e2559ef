/** Collections and variables of modules that functions change, and that may stay: by `path: name`, with the reason. */

const pure = 'It remembers a pure function of its arguments, so nobody can tell who filled it.'

export const allowedModuleState: Readonly<Record<string, string>> = {
  'src/api/openapi.ts: eventSchemas':
    "It mirrors zod's registry of ids, which is one for the process and refuses an id twice.",
  'src/backtest/job-id.ts: last':
    'Ids of a process sort by creation, whichever of its stores makes them.',
  'src/backtest/lease-holder.ts: living':
    'A process may run several services, and each must know which of the others live.',
  'src/console/app/tokens.ts: asked':
    'The console is one page, whose state are the signals of its modules; this goes with them.',
  'src/console/bundle/catalog.ts: actionsBySlug':
    'The console is one page, whose state are the signals of its modules; this goes with them.',
  'src/executor/call-data.ts: functions': pure,
  'src/executor/deployments.ts: executors': pure,
  'src/protocols/shared/storage-slots.ts: slots': pure,
  'src/protocols/uniswap-v4/pool-key.ts: ids': pure,
  'src/sandbox/chain/anvil-process.ts: reaper':
    'One reaper watches all chains of the process, and ends with it.',
  'src/sandbox/contracts/artifacts.ts: loading':
    'Chains that are built at once in one process fetch each file once.',
  'src/telemetry/tracing.ts: tracer':
    'A place that could make a span compares it with null, so that no tracing costs nothing.',
}

/** @param found - `path: name` of each. @returns those that no reason allows. */
export function withoutReason(found: readonly string[]): string[] {
  return found.filter((name) => !Object.hasOwn(allowedModuleState, name))
}

/** @returns a sentence for each allowed one that is not found any more. */
export function outdatedReasons(found: readonly string[]): string[] {
  return Object.keys(allowedModuleState)
    .filter((name) => !found.includes(name))
    .map((name) => `scripts/house/module-state.ts allows ${name}, which is not there.`)
}
