/**
 * Runs transactions that were found at other blocks on this one, unchanged: what would have happened to each.
 */
import type { ExecutionAnswer, ExecutionRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import {
  mergeOverrides,
  type SimulationRequest,
  type SimulationResult,
} from '../../domain/state.js'
import type { TaskRun } from '../context/task-context.js'
import type { MarketPool } from '../market/market.js'
import { receiverOf, toSimulation } from '../proof/built.js'
import { notFundable } from '../proof/failures.js'
import { callsThatFund, overrideFunds } from '../proof/funds.js'
import { isMentioned } from '../proof/lenders.js'
import { gasWarnings } from '../proof/warnings.js'
import { routerFor } from './open-search.js'

/**
 * Each by itself, in the order asked, simulated together. Funds are overridden, and outputs measured, as in the proof
 * of a quote: at the block of the quote the figures are the quote's own.
 */
export async function runExecutions(
  run: TaskRun,
  { requests }: { readonly requests: readonly ExecutionRequest[] },
): Promise<readonly ExecutionAnswer[]> {
  run.share(requests.length)
  const prepared = await run.stage('state', () =>
    Promise.all(
      requests.map((request) =>
        prepare(run.part(null, null), request).catch((error: unknown): ExecutionAnswer => {
          if (!(error instanceof ForkrouteError) || !isUnmeasurable(error)) throw error
          return { status: 'unreadable', message: error.message }
        }),
      ),
    ),
  )
  const ready = prepared.flatMap((one) => ('status' in one ? [] : [one]))
  // These touch few pools, so the block does not count as warm: later tasks still have to read most of their state.
  const results = await run.stage('simulate', () => run.simulate(ready, { warms: false }))
  const answers = results.values()
  const warnings = gasWarnings(run)
  return prepared.map((one) => ('status' in one ? one : toAnswer(answers.next().value, warnings)))
}

function isUnmeasurable({ code }: ForkrouteError): boolean {
  return code === 'STATE_UNAVAILABLE' || code === 'NOT_FUNDABLE'
}

async function prepare(
  run: TaskRun,
  { request, tx }: ExecutionRequest,
): Promise<SimulationRequest> {
  const funds = await overrideFunds(run, request)
  const lent = funds.unfunded.length ? await lenders(run, request) : []
  const onPath = new Set(
    lent.filter((market) => isMentioned(market, tx.data)).map(({ loaded }) => loaded.pool.address),
  )
  const pools = lent.map(({ loaded }) => loaded.pool)
  const before = await callsThatFund(run, request, funds, pools, onPath)
  if (!before) throw notFundable(funds)
  const code = run.codeOverrides(request.strategy, request.fromAddress)
  const simulationState = { before, overrides: mergeOverrides(code, funds.overrides) }
  const owner = receiverOf(request)
  const measure = request.tokensOut.map((token) => ({ token, owner }))
  return { ...toSimulation({ tx, simulationState }, request), measure }
}

/** Pools that can lend tokens that no override can give. */
async function lenders(
  run: TaskRun,
  request: ExecutionRequest['request'],
): Promise<readonly MarketPool[]> {
  const { tokensOut } = request
  const tokensIn = request.inputs.map(({ token }) => token)
  const { maxHops } = routerFor(run.settings, request)
  return (await run.block.routeView(run.reader, tokensIn, tokensOut, maxHops)).pools
}

function toAnswer(
  result: SimulationResult | undefined,
  warnings: readonly string[],
): ExecutionAnswer {
  const gasFacts = (gas: bigint) => ({ gas, ...(warnings.length > 0 && { warnings }) })
  if (result?.status === 'success') {
    const outputs = result.deltas.map(({ token, amount }) => ({ token, amount }))
    return { status: 'filled', outputs, ...gasFacts(result.gasUsed) }
  }
  if (result?.status === 'reverted') {
    return { status: 'reverted', reason: result.reason, ...gasFacts(result.gasUsed) }
  }
  return { status: 'unreadable', message: result?.message ?? 'It was not simulated.' }
}
