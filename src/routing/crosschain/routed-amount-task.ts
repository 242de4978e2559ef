/**
 * The amount that a bundle's route to another chain begins with, where an action before it gives that: lanes are compared
 * by it.
 */
import type { Reference, TypedBundle } from '../../domain/bundle.js'
import type { Hex } from '../../domain/primitives.js'
import type { Task } from '../block/task.js'
import { BundleBuilder } from '../bundle/builder.js'
import { defineServiceAction, required } from '../bundle/service-action.js'

const serviceName = 'svc'

export interface RoutedAmountArgs {
  /** The actions before the route. */
  readonly request: TypedBundle
  readonly accountId: Hex
  readonly amount: Reference
}

/** @returns raw units. @throws ForkrouteError as a bundle. */
export async function runRoutedAmount(
  task: Task,
  { request, accountId, amount }: RoutedAmountArgs,
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
  const args = { request, accountId, estimateOnly: true }
  const builder = new BundleBuilder(task, args, request.actions, { own: { last } })
  await task.clock.stage('plan', () => builder.build())
  return found
}
