/** The cross-chain route in the family's own form: docs/reference/api.md#bridges. */
import { z } from 'zod'
import type { ErrorCode } from '../../domain/errors.js'
import { defaultCentiBps } from '../../domain/primitives.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { textOf, textsOf } from '../input.js'
import { MultichainRoute } from '../records/transactions.js'
import {
  Address,
  Amount,
  ChainId,
  described,
  examples,
  Slippage,
  TokenAddress,
} from '../schemas.js'
import { calculationErrors } from './shortcuts.js'

const source = z.object({
  sourceChainId: described(ChainId, 'EIP-155 id of the chain that the transaction is for.', 1),
  token: described(TokenAddress, 'What is given there; native as its constant.', examples.usdc),
})
const destination = z.object({
  destinationChainId: described(
    ChainId,
    'EIP-155 id of the chain of the token to get; the same chain is a plain route.',
    1,
  ),
  token: described(TokenAddress, 'What is got there; native as its constant.', examples.weth),
})

const fields = {
  amountIn: described(Amount, 'In the smallest unit of in.token.', '1000000'),
  slippage: Slippage.optional(),
  fromAddress: described(
    Address,
    'Sender, who must hold amountIn and allow it, and receives.',
    examples.sender,
  ),
}

const postMultichainRoute = defineRoute({
  method: 'post',
  path: '/api/experimental/multichain/shortcut/route',
  tag: 'Bridges',
  operationId: 'postMultichainRoute',
  summary: 'Finds the best route between two chains and returns its source transaction.',
  description:
    'As /api/v1/shortcuts/route with destinationChainId and crosschainRouteMode full; tx.value is hexadecimal here.',
  input: z.object({
    ...fields,
    in: z.preprocess(textsOf, source),
    out: z.preprocess(textsOf, destination),
  }),
  documentedInput: z.object({
    amountIn: fields.amountIn,
    slippage: fields.slippage,
    in: described(source, 'What is given.', { sourceChainId: 1, token: examples.usdc }),
    out: described(destination, 'What is got.', { destinationChainId: 1, token: examples.weth }),
    fromAddress: fields.fromAddress,
  }),
  response: MultichainRoute,
  rules({ in: given, out: got }) {
    const [here, there] = [textsOf(given), textsOf(got)] as Record<string, unknown>[]
    const isSameChain = here?.sourceChainId === there?.destinationChainId
    const token = textOf(here?.token).toLowerCase()
    return isSameChain && here?.token && token === textOf(there?.token).toLowerCase()
      ? ['out.token must differ from in.token on the same chain']
      : []
  },
  isCalculation: true,
  // Cassettes keep what is below /api/v1: the same route is there.
  readsListings: true,
  errors: [
    ...calculationErrors,
    'INSUFFICIENT_BALANCE',
    'INSUFFICIENT_ALLOWANCE',
  ] satisfies ErrorCode[],
})

export const multichainEndpoints: readonly Endpoint[] = [
  endpoint(postMultichainRoute, async ({ engine, input, context }) => {
    const { amountIn, slippage, fromAddress } = input
    const { sourceChainId: chainId } = input.in
    const { destinationChainId } = input.out
    const { tx, block } = await engine.route(
      {
        chainId,
        fromAddress,
        strategy: 'router',
        executionMode: 'user',
        inputs: [{ token: input.in.token, amount: amountIn }],
        tokensOut: [input.out.token],
        limit: { kind: 'slippage', centiBps: slippage ?? defaultCentiBps },
        ignoreAggregators: [],
        ignoreStandards: [],
        includeTransactionCost: false,
        includePriceImpact: false,
        ...(destinationChainId !== chainId && {
          crosschain: { destinationChainId, mode: 'full', ignoreBridges: [] },
        }),
      },
      context,
    )
    const { from, to, data, value } = tx
    return {
      createdAt: Number(block.number),
      tx: { from, chainId, value: `0x${value.toString(16)}`, to, data },
    }
  }),
]
