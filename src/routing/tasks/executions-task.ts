/**
 * Runs transactions that were found at other blocks on this one, unchanged: what would have happened to each.
 */
import type { ExecutionAnswer, ExecutionRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { SimulationRequest, SimulationResult } from '../../domain/state.js'
import { partOf, type Task } from '../block/task.js'
import { receiverOf, toSimulation } from '../route/built.js'
import { lendersFor } from '../route/lenders.js'
import { fundSender, senderState } from '../route/sender-state.js'
import { gasWarnings } from '../route/warnings.js'

/**
 * Each by itself, in the order asked, simulated together. Funds are overridden, and outputs measured, as in the proof
 * of a quote: at the block of the quote the figures are the quote's own.
 */
export async function runExecutions(
  task: Task,
  { requests }: { readonly requests: readonly ExecutionRequest[] },
): Promise<readonly ExecutionAnswer[]> {
  task.simulator.share(requests.length)
  const prepared = await task.clock.stage('state', () =>
    Promise.all(
      requests.map((request) =>
        prepare(partOf(task, { deadline: null }), request).catch(
          (error: unknown): ExecutionAnswer => {
            if (!(error instanceof ForkrouteError) || !isUnmeasurable(error)) throw error
            return { status: 'unreadable', message: error.message }
          },
        ),
      ),
    ),
  )
  const ready = prepared.flatMap((one) => ('status' in one ? [] : [one]))
  // These touch few pools, so the block does not count as warm: later tasks still have to read most of their state.
  const results = await task.clock.stage('simulate', () =>
    task.simulator.simulate(ready, { warms: false }),
  )
  const answers = results.values()
  const warnings = gasWarnings(task)
  return prepared.map((one) => ('status' in one ? one : toAnswer(answers.next().value, warnings)))
}

function isUnmeasurable({ code }: ForkrouteError): boolean {
  return code === 'STATE_UNAVAILABLE' || code === 'NOT_FUNDABLE'
}

async function prepare(task: Task, { request, tx }: ExecutionRequest): Promise<SimulationRequest> {
  const { strategy, fromAddress, inputs } = request
  const funded = await fundSender(task, { strategy, fromAddress, isChecked: false }, inputs)
  const simulationState = await senderState(task, funded, () => lendersFor(task, request, tx.data))
  const owner = receiverOf(request)
  const measure = request.tokensOut.map((token) => ({ token, owner }))
  return { ...toSimulation({ tx, simulationState }, request), measure }
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
