/** Wallet details, approvals and balances: docs/reference/api.md#wallet. */
import { z } from 'zod'
import { defined } from '../../domain/defined.js'
import type { ErrorCode } from '../../domain/errors.js'
import { type RoutingStrategy, routingStrategies } from '../../domain/order.js'
import { isNative } from '../../domain/primitives.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { Approval, Wallet, WalletBalance } from '../records/records.js'
import {
  Address,
  AmountOrZero,
  BlockNumber,
  ChainId,
  described,
  examples,
  Flag,
  routingStrategy,
  strategyToWire,
  TokenAddress,
  withDefault,
} from '../schemas.js'

const walletErrors: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'UNKNOWN_CHAIN',
  'UNKNOWN_BLOCK',
  'CHAIN_NOT_READY',
  'UPSTREAM_UNAVAILABLE',
  'STATE_UNAVAILABLE',
  'FORK_UNAVAILABLE',
  'THREAD_LOST',
  'OVERLOADED',
  'DEADLINE_EXCEEDED',
]

const Owner = described(Address, 'The externally owned account.', examples.sender)

const getWallet = defineRoute({
  method: 'get',
  path: '/api/v1/wallet',
  tag: 'Wallet',
  operationId: 'getWallet',
  summary: 'The smart wallet of an address, deployed or not yet.',
  description:
    'Its address is known before it is deployed. strategies lists the contract of each routing strategy: what its ' +
    'transactions call, and what an approval is for.',
  input: z.object({
    chainId: withDefault(ChainId, 1, 1),
    fromAddress: Owner,
    blockNumber: BlockNumber.optional(),
  }),
  response: Wallet,
  errors: walletErrors,
})

const getBalances = defineRoute({
  method: 'get',
  path: '/api/v1/wallet/balances',
  tag: 'Wallet',
  operationId: 'getBalances',
  summary: 'Balances of an address, or of its smart wallet.',
  description:
    'Listed tokens and the native token; tokens without balance are left out. A block number needs one chainId.',
  input: z.object({
    chainId: described(
      withDefault(z.union([z.literal('all'), ChainId], 'must be a chain id, or all'), 1, 1),
      'EIP-155 chain id, or all.',
    ),
    eoaAddress: Owner,
    useEoa: described(
      Flag,
      'true: the balances of eoaAddress; false: those of its smart wallet.',
      true,
    ),
    blockNumber: BlockNumber.optional(),
  }),
  rules: ({ chainId, blockNumber }) =>
    chainId === 'all' && blockNumber !== undefined
      ? ['blockNumber must not be given with chainId=all: each chain has its own blocks']
      : [],
  response: z.array(WalletBalance),
  isCalculation: true,
  readsListings: true,
  errors: walletErrors,
})

function approveContract(serviceName: string) {
  return defineRoute({
    method: 'get',
    path: '/api/v1/wallet/approve',
    tag: 'Wallet',
    operationId: 'getApproval',
    summary: 'A transaction that lets the contract of the strategy spend a token.',
    description:
      'Unsigned; send it from fromAddress before a route whose tokenIn is not the native token. Delegate strategies need ' +
      'none, and the answer says so in warnings.',
    input: z.object({
      chainId: withDefault(ChainId, 1, 1),
      fromAddress: Owner,
      routingStrategy: withDefault(routingStrategy(serviceName), 'router', 'router'),
      tokenAddress: described(
        TokenAddress.refine(
          (token) => !isNative(token),
          'must be an ERC-20 token: the native token needs no approval',
        ),
        'ERC-20 token that may be spent.',
        examples.usdc,
      ),
      amount: described(
        AmountOrZero,
        'Smallest unit of the token; 0 takes the allowance back.',
        '1000000',
      ),
      blockNumber: BlockNumber.optional(),
    }),
    response: Approval,
    isCalculation: true,
    errors: [...walletErrors, 'SIMULATION_REVERTED', 'SIMULATION_TOO_LARGE'],
  })
}

export function walletEndpoints(serviceName: string): Endpoint[] {
  return [
    endpoint(getWallet, async ({ engine, input, context }) => {
      const wallet = await engine.wallet(input, context)
      const strategies = routingStrategies.map((name: RoutingStrategy) => [
        strategyToWire(name, serviceName),
        wallet.strategies[name],
      ])
      return { ...wallet, strategies: Object.fromEntries(strategies) }
    }),
    endpoint(approveContract(serviceName), async ({ engine, input, context }) => {
      const { tx, gas, spender, warnings } = await engine.approval(
        {
          chainId: input.chainId,
          fromAddress: input.fromAddress,
          strategy: input.routingStrategy,
          token: input.tokenAddress,
          amount: input.amount,
          blockNumber: input.blockNumber,
        },
        context,
      )
      return {
        tx: { to: tx.to, from: tx.from, data: tx.data, value: tx.value.toString() },
        gas: gas.toString(),
        token: input.tokenAddress,
        amount: input.amount.toString(),
        spender,
        ...defined({ warnings: warnings && [...warnings] }),
      }
    }),
    endpoint(getBalances, async ({ engine, input, context }) => {
      const balances = await engine.balances(input, context)
      return balances.map((balance) => ({ ...balance, amount: balance.amount.toString() }))
    }),
  ]
}
