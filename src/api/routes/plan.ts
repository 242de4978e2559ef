/** Inputs on several chains towards one token on one of them: a route for each source chain, as one plan. */
import { z } from 'zod'
import { bridgeNames } from '../../domain/bridges/names.js'
import { invalidRequest } from '../../domain/common-errors.js'
import { defined } from '../../domain/defined.js'
import type { CallContext, Engine, RouteAnswer, RouteRequest } from '../../domain/engine.js'
import { type ErrorCode, ForkrouteError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import { type BlockPin, defaultCentiBps, type TokenAmount } from '../../domain/primitives.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { textsOf } from '../input.js'
import {
  Address as AddressRecord,
  BlockNumber,
  ChainId as ChainIdRecord,
  Wei,
} from '../records/record-parts.js'
import { RouteTransaction, toRouteTransaction } from '../records/transactions.js'
import {
  Address,
  Amount,
  anyCase,
  ChainId,
  described,
  examples,
  listOf,
  oneOf,
  Slippage,
  TokenAddress,
  withDefault,
} from '../schemas.js'
import { calculationErrors } from './shortcuts.js'

const maxInputs = 8

const planInput = z.object({
  chainId: described(ChainId, 'EIP-155 id of the chain that the input is on.', 1),
  token: described(TokenAddress, 'What is given there; native as its constant.', examples.weth),
  amount: described(Amount, 'In the smallest unit of token.', examples.oneEther),
})

const PlanAnswer = z
  .object({
    destinationChainId: ChainIdRecord.meta({ description: 'Chain of tokenOut.' }),
    destinationBlockNumber: BlockNumber.meta({
      description: 'Block at whose end its state was read, for all transactions.',
    }),
    tokenOut: AddressRecord.meta({ description: 'What the receiver gains.' }),
    receiver: AddressRecord.meta({ description: 'Who gains it.' }),
    transactions: z.array(RouteTransaction).meta({
      description:
        'One for each source chain, in the order in which their chains were first named: each as GET /shortcuts/route answers ' +
        'it, with a bridge, a minimum and an estimate of its own.',
    }),
    amountOut: Wei.nullable().meta({
      description:
        'The sum of what the transactions give; null where several of them swap on the destination, since each was simulated ' +
        'without the others.',
    }),
    minAmountOut: Wei.meta({
      description:
        'The sum of the minimums, if all are carried out. Each transaction enforces its own.',
    }),
    unenforced: z
      .array(z.string())
      .meta({ description: 'What no transaction enforces; English sentences.' }),
  })
  .meta({ id: 'Plan', description: 'Transactions on several chains towards one token.' })

const fields = {
  tokenOut: described(TokenAddress, 'What is got; native as its constant.', examples.usdc),
  destinationChainId: described(ChainId, 'EIP-155 id of the chain of tokenOut.', 1),
  fromAddress: described(
    Address,
    'Sender on all chains, who must hold the inputs and allow them.',
    examples.sender,
  ),
  receiver: described(Address.optional(), 'Who gets tokenOut; fromAddress without it.'),
  slippage: Slippage.optional(),
  ignoreBridges: described(
    withDefault(listOf(anyCase(oneOf(bridgeNames)), 0, bridgeNames.length), [], []),
    'Bridges to leave out, as in a route.',
  ),
}

const postPlan = defineRoute({
  method: 'post',
  path: '/api/v1/shortcuts/plan',
  tag: 'Bridges',
  operationId: 'postPlan',
  summary: 'Plans inputs on several chains towards one token as one transaction for each chain.',
  description:
    'Inputs of one chain go into one transaction; inputs of the destination are swapped there. All transactions are found at ' +
    'the same block of the destination. They are independent: each enforces its own minimum, and nothing enforces the sum or ' +
    'that all are carried out. Counts as one request for each source chain.',
  input: z.object({
    ...fields,
    inputs: listOf(z.preprocess(textsOf, planInput), 1, maxInputs),
  }),
  documentedInput: z.object({
    inputs: described(listOf(planInput, 1, maxInputs), `What is given, ${maxInputs} at most.`, [
      { chainId: 1, token: examples.weth, amount: examples.oneEther },
    ]),
    ...fields,
  }),
  response: PlanAnswer,
  isCalculation: true,
  // Of several chains: cassettes keep the routes, each by itself.
  readsListings: true,
  cost: ({ inputs }) => new Set(inputs.map(({ chainId }) => chainId)).size,
  errors: [
    ...calculationErrors,
    'INSUFFICIENT_BALANCE',
    'INSUFFICIENT_ALLOWANCE',
  ] satisfies ErrorCode[],
})

type Input = z.output<(typeof postPlan)['input']>

const independent =
  'The transactions are independent: each enforces its own minAmountOut. Nothing enforces the sum, nor that all are carried out.'

async function planned(
  engine: Engine,
  input: Input,
  context: CallContext,
): Promise<z.output<typeof PlanAnswer>> {
  refuseWhatIsThere(input)
  const { destinationChainId, tokenOut, fromAddress, receiver = fromAddress } = input
  const block = await engine.block(destinationChainId, 'latest', context)
  const chainIds = [...new Set(input.inputs.map(({ chainId }) => chainId))]
  const answers = await Promise.all(
    chainIds.map((chainId) => routeFrom(engine, { chainId, input, block }, context)),
  )
  const outputs = answers.map((answer) => at(answer.outputs, 0))
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, one) => total + one, 0n)
  const swapping = answers.filter((answer) => swapsOn(destinationChainId, answer)).length
  const alone = `${swapping} of the transactions swap on chain ${destinationChainId}, and each was simulated without the others: a later one may give less than its amountOut, never less than its minAmountOut.`
  return {
    destinationChainId,
    destinationBlockNumber: Number(block.number),
    tokenOut,
    receiver,
    transactions: answers.map((answer) => toRouteTransaction(answer, true)),
    amountOut: swapping > 1 ? null : `${sum(outputs.map(({ amountOut }) => amountOut))}`,
    minAmountOut: `${sum(outputs.map(({ minAmountOut }) => minAmountOut))}`,
    unenforced: [...(answers.length > 1 ? [independent] : []), ...(swapping > 1 ? [alone] : [])],
  }
}

function refuseWhatIsThere({ inputs, tokenOut, destinationChainId }: Input): void {
  const problems = inputs.flatMap(({ chainId, token }, index) => {
    const isThere = chainId === destinationChainId && token === tokenOut
    const isTwice =
      inputs.findIndex((one) => one.chainId === chainId && one.token === token) < index
    return [
      ...(isThere ? [`inputs[${index}].token is tokenOut on the destination already`] : []),
      ...(isTwice ? [`inputs[${index}].token must be given once for a chain`] : []),
    ]
  })
  if (problems.length > 0) throw invalidRequest(problems)
}

/** @throws ForkrouteError as `Engine.route`, with the chain. */
async function routeFrom(
  engine: Engine,
  {
    chainId,
    input,
    block,
  }: { readonly chainId: number; readonly input: Input; readonly block: BlockPin },
  context: CallContext,
): Promise<RouteAnswer> {
  const { fromAddress, receiver, slippage, tokenOut, destinationChainId, ignoreBridges } = input
  const inputs = input.inputs.flatMap((one): TokenAmount[] =>
    one.chainId === chainId ? [{ token: one.token, amount: one.amount }] : [],
  )
  const isThere = chainId === destinationChainId
  const request: RouteRequest = {
    chainId,
    fromAddress,
    strategy: 'router',
    executionMode: 'user',
    inputs,
    tokensOut: [tokenOut],
    limit: { kind: 'slippage', centiBps: slippage ?? defaultCentiBps },
    ignoreAggregators: [],
    ignoreStandards: [],
    includeTransactionCost: false,
    includePriceImpact: true,
    ...defined({
      receiver,
      blockNumber: isThere ? block.number : undefined,
      crosschain: isThere
        ? undefined
        : {
            destinationChainId,
            destinationBlockNumber: block.number,
            mode: 'full' as const,
            ignoreBridges,
          },
    }),
  }
  try {
    return await engine.route(request, context)
  } catch (error) {
    if (!(error instanceof ForkrouteError)) throw error
    const { code, message, details } = error
    throw new ForkrouteError(code, `Inputs of chain ${chainId}: ${message}`, {
      ...details,
      chainId,
    })
  }
}

/** Whether it may move pools there, so that what others give changes. */
function swapsOn(chainId: number, { route }: RouteAnswer): boolean {
  return route.some((step) => step.chainId === chainId && step.action !== 'bridge')
}

export const planEndpoints: readonly Endpoint[] = [
  endpoint(postPlan, ({ engine, input, context }) => planned(engine, input, context)),
]
