/** Routes into positions that have no token: docs/reference/api.md#routes-and-quotes. */
import { z } from 'zod'
import { defined } from '../../domain/defined.js'
import { defaultCentiBps } from '../../domain/primitives.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { shortcutInputs } from '../inputs/route-fields.js'
import { toInputs, toSearch } from '../inputs/route-request.js'
import { crosschainRules, routeRules } from '../inputs/route-rules.js'
import type { Dialect } from '../records/dialect.js'
import { NontokenizedTransaction, toNontokenized } from '../records/transactions.js'
import { Address, described, oneOf, Slippage, strategyToWire } from '../schemas.js'
import { calculationErrors } from './shortcuts.js'

/** `checkout` is the router with an output that belongs to the receiver from the start, as it does here anyway. */
const checkout = 'checkout'

function getNontokenized(dialect: Dialect) {
  const { route } = shortcutInputs(dialect)
  const {
    tokenOut: _tokenOut,
    minAmountOut: _minAmountOut,
    toEoa: _toEoa,
    tokenInAmountToApprove: _toApprove,
    tokenInAmountToTransfer: _toTransfer,
    routingStrategy: _routingStrategy,
    includeTransactionCost: _includeTransactionCost,
    priceImpact: _priceImpact,
    once: _once,
    permit: _permit,
    trace: _trace,
    explain: _explain,
    alternatives: _alternatives,
    maxSlippage: _maxSlippage,
    ...common
  } = route.shape
  const wallet = strategyToWire('wallet-v2', dialect.serviceName)
  return defineRoute({
    method: 'get',
    path: '/api/v1/shortcuts/route/nontokenized',
    tag: 'Shortcuts',
    operationId: 'getNontokenizedRoute',
    summary: 'Finds a route into a position that has no token, as one unsigned transaction.',
    description:
      'What is given is routed to the tokens that the position is made of, and deposited in the name of the receiver. ' +
      'Positions are listed by /api/v1/nontokenized. With a destinationChainId the position is there: an order deposits ' +
      'what the bridge delivers, and where it fails the receiver is given that.',
    input: z.object({
      ...common,
      slippage: Slippage.optional(),
      routingStrategy: described(
        oneOf(['router', 'delegate', 'delegate-legacy', wallet, checkout]).default('router'),
        'What executes; checkout is router.',
      ),
      positionOut: described(
        z
          .string('must be the id of a position')
          .regex(
            /^(\d+:0x[0-9a-fA-F]{40}:[\w-]{1,256}|0x[0-9a-fA-F]{40})$/,
            'must be the id of a position (chainId:primaryAddress:key), or the address under which it is listed',
          )
          .transform((text) => text.toLowerCase()),
        'Id of the position, as /api/v1/nontokenized lists it, or its address where it is the only one there.',
        '1:0xc36442b4a4522e871399cd717abdd847ab11fe88:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640--887270-887270',
      ),
      receiver: described(
        Address,
        'Owner of the position afterwards.',
        '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      ),
    }),
    rules: ({ tokenOut: _, ...given }) => [...routeRules(given), ...crosschainRules(given)],
    response: NontokenizedTransaction,
    isCalculation: true,
    errors: [...calculationErrors, 'NOT_FOUND', 'INSUFFICIENT_BALANCE', 'INSUFFICIENT_ALLOWANCE'],
  })
}

export function nontokenizedEndpoints(dialect: Dialect): Endpoint[] {
  const wallet = strategyToWire('wallet-v2', dialect.serviceName)
  return [
    endpoint(getNontokenized(dialect), async ({ engine, input, context }) => {
      const named = input.routingStrategy
      const strategy =
        named === 'delegate' || named === 'delegate-legacy'
          ? named
          : named === wallet
            ? 'wallet-v2'
            : 'router'
      const answer = await engine.nontokenized(
        {
          ...toSearch(input, toInputs(input, input.fee)),
          fromAddress: input.fromAddress,
          strategy,
          executionMode: input.executionMode,
          positionOut: input.positionOut,
          receiver: input.receiver,
          centiBps: input.slippage ?? defaultCentiBps,
          ...defined({
            spender: input.spender,
            refundReceiver: input.refundReceiver,
            referralCode: input.referralCode,
            deadline: input.deadline,
          }),
        },
        context,
      )
      return toNontokenized(answer)
    }),
  ]
}
