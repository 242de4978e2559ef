/** The tasks that the main thread gives to routing threads, by kind: what each takes, does and gives. */
import type { TypedBundle } from '../domain/bundle.js'
import type { Address, Hex } from '../domain/primitives.js'
import type { Task } from './block/task.js'
import { runBundle } from './bundle/bundle-task.js'
import { runNontokenized } from './bundle/nontokenized-task.js'
import { runArrival, runCallback } from './crosschain/arrival-task.js'
import { runDelivery } from './crosschain/delivery-task.js'
import { runCrossing, runDeparture } from './crosschain/departure-task.js'
import { runLanding } from './crosschain/landing-task.js'
import { runOffers } from './crosschain/offers-task.js'
import { runProspects } from './crosschain/prospects-task.js'
import { runSurvey } from './crosschain/survey-task.js'
import type { RouteArgs } from './route/prepare.js'
import { runRoute } from './route/route.js'
import { runExecutions } from './tasks/executions-task.js'
import { readPositions, readSharePrices } from './tasks/positions-task.js'
import { readPrices } from './tasks/prices-task.js'
import { runQuotes } from './tasks/quotes-task.js'
import { buildApproval, readBalances } from './tasks/wallet-task.js'

/** Arguments and results cross a thread: structured-clonable values only. */
export const handlers = {
  route: (task: Task, args: Pick<RouteArgs, 'mode' | 'request' | 'accountId'>) =>
    runRoute(task, args),
  quotes: runQuotes,
  executions: runExecutions,
  bundle: async (task: Task, args: { readonly request: TypedBundle; readonly accountId: Hex }) => {
    const {
      reported: _,
      deposited: _deposited,
      logs: _logs,
      knownRoutes: _knownRoutes,
      ...result
    } = await runBundle(task, args)
    return result
  },
  nontokenized: runNontokenized,
  prices: readPrices,
  balances: readBalances,
  approval: buildApproval,
  positions: readPositions,
  sharePrices: readSharePrices,
  isDeployed: (task: Task, { address }: { readonly address: Address }) =>
    task.archive.hasCode(address),
  survey: runSurvey,
  offers: runOffers,
  departure: runDeparture,
  arrival: runArrival,
  prospects: runProspects,
  landing: runLanding,
  crossing: runCrossing,
  callback: runCallback,
  delivery: runDelivery,
}
