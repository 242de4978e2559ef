/** The tasks that the main thread gives to routing threads, by kind: what each takes, does and gives. */
import type { TypedBundle } from '../domain/bundle.js'
import type { Address, Hex } from '../domain/primitives.js'
import type { Task } from './block/task.js'
import { resultOf, runBundle } from './bundle/bundle-task.js'
import { runNontokenized } from './bundle/nontokenized-task.js'
import { runDeliveryStatus } from './crosschain/delivery-status-task.js'
import { runDelivery } from './crosschain/delivery-task.js'
import { runDestinationLeg } from './crosschain/destination-task.js'
import { runEstimates } from './crosschain/estimates-task.js'
import { runOffers } from './crosschain/offers-task.js'
import { runRoutedAmount } from './crosschain/routed-amount-task.js'
import { runSourceLeg } from './crosschain/source-task.js'
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
  bundle: async (task: Task, args: { readonly request: TypedBundle; readonly accountId: Hex }) =>
    resultOf(await runBundle(task, args)),
  nontokenized: runNontokenized,
  prices: readPrices,
  balances: readBalances,
  approval: buildApproval,
  positions: readPositions,
  sharePrices: readSharePrices,
  isDeployed: (task: Task, { address }: { readonly address: Address }) =>
    task.archive.hasCode(address),
  survey: runSurvey,
  routedAmount: runRoutedAmount,
  offers: runOffers,
  sourceLeg: runSourceLeg,
  destinationLeg: runDestinationLeg,
  estimates: runEstimates,
  delivery: runDelivery,
  deliveryStatus: runDeliveryStatus,
}
