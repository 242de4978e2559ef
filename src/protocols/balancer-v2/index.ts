/**
 * Balancer V2: weighted and stable pools of one Vault, by native maths.
 * Owns everything that is particular to Balancer; called by routing through the adapter type only.
 */
import { maxUint256, parseAbiItem } from 'viem'
import type { Step } from '../../domain/plan.js'
import type { Hex } from '../../domain/primitives.js'
import { defineProtocol, type EncodeSwapArgs } from '../protocol.js'
import { loadBalancer, vaultOf } from './load.js'
import { type BalancerState, swapOutput, swapState } from './state.js'

const swapAbi = parseAbiItem([
  'function swap(SingleSwap singleSwap, FundManagement funds, uint256 limit, uint256 deadline) payable returns (uint256)',
  'struct SingleSwap { bytes32 poolId; uint8 kind; address assetIn; address assetOut; uint256 amount; bytes userData; }',
  'struct FundManagement { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }',
])
/** SwapKind.GIVEN_IN. */
const givenIn = 0

export const balancerV2 = defineProtocol<BalancerState>({
  slug: 'balancer-v2',
  name: 'Balancer V2',
  project: 'balancer',
  category: 'dex',
  url: 'https://balancer.fi',
  description: 'Weighted and stable pools of the Balancer V2 Vault.',
  paysRecipient: true,

  // The Vault keeps no index of pools by token, and finding them by logs needs an indexer.
  discover: async () => ({ pools: [], unreadable: [] }),
  load: loadBalancer,

  amountOut: (pool, state, tokenIn, tokenOut, amountIn) => ({
    amountOut: swapOutput(pool, state, tokenIn, tokenOut, amountIn),
    exact: state.exact,
  }),
  applySwap: swapState,

  gasEstimate: (_pool, state) => (state.kind === 'weighted' ? 65_000n : 95_000n),

  encodeSwap: encodeVaultSwap,
})

/** The Vault pulls the input from the Executor and pays the recipient. */
function encodeVaultSwap(args: EncodeSwapArgs<BalancerState>): Step[] {
  const vault = vaultOf(args.venue)
  const { tokenIn: assetIn, tokenOut: assetOut, amountIn: amount } = args
  return [
    { kind: 'approve', token: assetIn, spender: vault, amount },
    {
      kind: 'call',
      target: vault,
      abi: swapAbi,
      args: [
        { poolId: args.pool.id as Hex, kind: givenIn, assetIn, assetOut, amount, userData: '0x' },
        {
          sender: args.executor,
          fromInternalBalance: false,
          recipient: args.recipient,
          toInternalBalance: false,
        },
        0n,
        maxUint256,
      ],
    },
  ]
}
