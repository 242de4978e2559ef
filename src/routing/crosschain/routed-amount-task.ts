/**
 * The amount that a bundle's route to another chain begins with, where an action before it gives that: lanes are compared
 * by it.
 */
import type { Reference, TypedBundle } from '../../domain/bundle.js'
import type { Hex } from '../../domain/primitives.js'
import type { Task } from '../block/task.js'
import { BundleBuilder } from '../bundle/builder.js'
import { defineServiceAction, required } from '../bundle/service-action.js'
import { type LaneSend, sending } from './source-task.js'

const serviceName = 'svc'

export interface RoutedAmountArgs {
  /** The actions before the route. */
  readonly request: TypedBundle
  /** One for each bridge action among them, in their order. */
  readonly sends: readonly LaneSend[]
  readonly accountId: Hex
  readonly amount: Reference
}

/** @returns raw units. @throws ForkrouteError as a bundle. */
export async function runRoutedAmount(
  task: Task,
  { sends, accountId, amount, ...args }: RoutedAmountArgs,
): Promise<bigint> {
  let found = 0n
  const definition = defineServiceAction({
    name: 'amount',
    description: 'Looks at an amount.',
    inputs: { amountIn: required('amount', 'Raw units.') },
    isPriced: false,
    outputs: () => 0,
    async perform({ amountIn }, { builder, index }) {
      found = await builder.searchAmount(amountIn, index)
      return { spends: [], outputs: [], leftovers: [] }
    },
  })
  const last = { definition, action: definition.typed(serviceName, { amountIn: amount }) }
  const { request, bridgeCalls } = sending(task, args.request, sends)
  const estimated = { request, bridgeCalls, accountId, estimateOnly: true }
  const builder = new BundleBuilder(task, estimated, request.actions, { own: { last } })
  await task.clock.stage('plan', () => builder.build())
  return found
}
