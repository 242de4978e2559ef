/**
 * A swap by the UniversalRouter of PancakeSwap: it pays what it was sent to the Vault, swaps its whole credit, and has the Vault
 * pay the recipient. No amount stands in the call, so it is the same whatever the transaction has by then.
 */
import { encodeAbiParameters, parseAbiItem, parseAbiParameters } from 'viem'
import type { ExecutorStep } from '../../domain/order.js'
import { type Hex, isNative } from '../../domain/primitives.js'
import type { EncodeSwapArgs } from '../protocol.js'
import { toCurrency } from '../shared/keyed/currencies.js'
import { namedAddresses } from '../shared/parameters.js'
import { toWord } from '../shared/storage-slots.js'
import type { PoolKey } from './pool-key.js'

/** @see pancakeswap/infinity-universal-router 8b03511, src/libraries/Commands.sol */
const infinitySwap = '0x10'
/** @see pancakeswap/infinity-periphery 39976ac, src/libraries/Actions.sol */
const [settle, take] = ['0b', '0e'] as const
export const swapActions = { cl: '06', bin: '1c' } as const
/** In place of amounts: all that the router has, and all that it is owed. @see src/libraries/ActionConstants.sol */
const [wholeBalance, openDelta] = [1n << 255n, 0n] as const

const executeAbi = parseAbiItem('function execute(bytes commands, bytes[] inputs) payable')
const planParameters = parseAbiParameters('bytes, bytes[]')
const settleParameters = parseAbiParameters('address, uint256, bool')
const takeParameters = parseAbiParameters('address, address, uint256')
const swapParameters = parseAbiParameters([
  'Swap swap',
  'struct Swap { Key key; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; bytes hookData; }',
  'struct Key { address currency0; address currency1; address hooks; address poolManager; uint24 fee; bytes32 parameters; }',
])

export function routerSwap(
  action: (typeof swapActions)[keyof typeof swapActions],
  key: PoolKey,
  { venue, pool, tokenIn, tokenOut, amountIn, recipient }: EncodeSwapArgs<unknown>,
): ExecutorStep[] {
  const { router } = namedAddresses(venue, ['router'])
  const swap = {
    key: { ...key, parameters: toWord(key.parameters) },
    zeroForOne: tokenIn === pool.tokens[0],
    amountIn: openDelta,
    amountOutMinimum: 0n,
    hookData: '0x' as Hex,
  }
  const plan = encodeAbiParameters(planParameters, [
    `0x${settle}${action}${take}`,
    [
      encodeAbiParameters(settleParameters, [toCurrency(tokenIn), wholeBalance, false]),
      encodeAbiParameters(swapParameters, [swap]),
      encodeAbiParameters(takeParameters, [toCurrency(tokenOut), recipient, openDelta]),
    ],
  ])
  const call = {
    kind: 'call',
    target: router,
    abi: executeAbi,
    args: [infinitySwap, [plan]],
  } as const
  if (isNative(tokenIn)) return [{ ...call, value: amountIn }]
  return [{ kind: 'transfer', token: tokenIn, to: router, amount: amountIn }, call]
}
