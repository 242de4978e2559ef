/** A list of actions as one transaction: docs/reference/api.md#bundles. */
import { z } from 'zod'
import type { BundleAction } from '../../domain/bundle.js'
import { defined } from '../../domain/defined.js'
import { maxActions } from '../../domain/grammar.js'
import { onlyOne } from '../../domain/lists.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { Explain, toExplain } from '../inputs/explanation.js'
import { names, poolChoiceInputs, Trace } from '../inputs/route-fields.js'
import { toPoolChoice } from '../inputs/route-request.js'
import { spenderRules } from '../inputs/route-rules.js'
import { toWhatIf, whatIfInputs } from '../inputs/what-if.js'
import { Bundle, toBundle } from '../records/bundle-records.js'
import { overridesOf } from '../records/transactions.js'
import {
  Address,
  BlockNumber,
  ChainId,
  DeadlineMs,
  described,
  examples,
  Flag,
  oneOf,
  ReferralCode,
  routingStrategy,
  TransactionDeadline,
  withDefault,
} from '../schemas.js'
import { calculationErrors } from './shortcuts.js'

const word = z
  .string('must be a text')
  .min(1, 'must not be empty')
  .max(64, 'must be at most 64 characters')

const Action = z
  .object(
    {
      protocol: z
        .preprocess(onlyOne, word)
        .transform((text) => text.toLowerCase())
        .meta({ type: 'string' }),
      action: word.transform((text) => text.toLowerCase()).meta({ type: 'string' }),
      args: z.record(z.string(), z.unknown(), 'must be an object').default({}),
    },
    'must be an object {protocol, action, args}',
  )
  .meta({
    override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      jsonSchema.$ref = '#/components/schemas/BundleAction'
    },
  })

function actionsOf(serviceName: string) {
  return z
    .array(Action, 'must be a list of actions')
    .min(1, 'must hold at least 1 action')
    .max(maxActions, `must hold at most ${maxActions} actions`)
    .meta({
      description: `The actions in order, ${maxActions} at most.`,
      example: [
        {
          protocol: serviceName,
          action: 'route',
          args: {
            tokenIn: examples.weth,
            tokenOut: examples.usdc,
            amountIn: examples.oneEther,
            slippage: '50',
          },
        },
      ],
    })
}

function queryOf(serviceName: string) {
  return z.object({
    chainId: withDefault(ChainId, 1, 1),
    fromAddress: described(Address, 'Sender of the transaction.', examples.sender),
    routingStrategy: withDefault(routingStrategy(serviceName), 'router', 'router'),
    executionMode: described(
      oneOf(['user', 'backend']).default('backend'),
      'backend: funds, allowances and prerequisites are put there for the simulation; user: they must be there.',
    ),
    receiver: described(Address.optional(), 'Gets what remains; default fromAddress.'),
    refundReceiver: described(
      Address.optional(),
      'Gets what actions leave over; default receiver.',
    ),
    spender: described(
      Address.optional(),
      'Whose tokens are spent: fromAddress; with the wallet strategy also the owner of the wallet that fromAddress is.',
    ),
    ignoreAggregators: names('Swap protocols to leave out; values of /api/v1/aggregators.'),
    ignoreStandards: names('Protocols to leave out, by slug.'),
    ...poolChoiceInputs,
    referralCode: ReferralCode.optional(),
    skipQuote: described(
      withDefault(Flag, false, false),
      'Neither gas nor amounts; only the minimums of swaps are enforced.',
    ),
    explain: Explain,
    trace: Trace,
    blockNumber: BlockNumber.optional(),
    destinationBlockNumber: described(
      BlockNumber.optional(),
      'With a bridge action: block of the destination; default its newest not after blockNumber.',
    ),
    deadlineMs: DeadlineMs.optional(),
    deadline: TransactionDeadline.optional(),
  })
}

function postBundle(serviceName: string) {
  const query = queryOf(serviceName)
  return defineRoute({
    method: 'post',
    path: '/api/v1/shortcuts/bundle',
    tag: 'Shortcuts',
    operationId: 'postBundle',
    summary: 'Makes one transaction of a list of actions.',
    description:
      'Wherever an action expects a number, {"useOutputOfCallAt": n} stands for what action n yields (index picks one ' +
      'of several outputs). Amounts given as numbers are taken from the sender; what no action uses goes to the ' +
      'receiver. The whole runs on a fork of one block; on failure the answer names the action, its call and the reason. ' +
      'The body is the list, or an object with the list as actions and any of the fields of the query: one that stands in ' +
      'both must be the same.',
    list: actionsOf(serviceName),
    input: query.extend(whatIfInputs),
    documentedInput: query.extend({
      fromAddress: described(
        Address.optional(),
        'Sender of the transaction; here or in the body.',
        examples.sender,
      ),
    }),
    besideList: z.object(whatIfInputs),
    rules: spenderRules,
    response: Bundle,
    isCalculation: true,
    errors: [...calculationErrors, 'INSUFFICIENT_BALANCE', 'INSUFFICIENT_ALLOWANCE'],
  })
}

export function bundleEndpoints(serviceName: string): Endpoint[] {
  return [
    endpoint(postBundle(serviceName), async ({ engine, input, items, context }) => {
      const changes = toWhatIf(input)
      const answer = await engine.bundle(
        {
          chainId: input.chainId,
          fromAddress: input.fromAddress,
          strategy: input.routingStrategy,
          executionMode: input.executionMode,
          actions: items as readonly BundleAction[],
          serviceName,
          ignoreAggregators: input.ignoreAggregators,
          ignoreStandards: input.ignoreStandards,
          skipQuote: input.skipQuote,
          ...defined({ includeTrace: input.trace || undefined }),
          ...defined({
            receiver: input.receiver,
            spender: input.spender,
            refundReceiver: input.refundReceiver,
            referralCode: input.referralCode,
            poolChoice: toPoolChoice(input),
            explain: toExplain(input.explain),
            blockNumber: input.blockNumber,
            destinationBlockNumber: input.destinationBlockNumber,
            deadlineMs: input.deadlineMs,
            deadline: input.deadline,
          }),
        },
        { ...context, ...changes },
      )
      return { ...toBundle(answer), ...overridesOf(changes) }
    }),
  ]
}
