/**
 * Traders who swap as users do, with tokens of their own: by SwapRouter02, the Universal Router and our Router in turn,
 * in baskets at the contract of the pool. Each leaves its pool as the trading desk would.
 */
import {
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { latestDeadline } from '../../domain/deadline.js'
import type { SwapHop } from '../../domain/order.js'
import {
  type Address,
  type Hex,
  maxUint256,
  nativeToken,
  zeroAddress,
} from '../../domain/primitives.js'
import { contractAddress } from '../../executor/deployments.js'
import { buildSwap } from '../../executor/swap-transaction.js'
import { pairInitCodeHash } from '../../protocols/uniswap-v2/index.js'
import { poolInitCodeHash } from '../../protocols/uniswap-v3/index.js'
import { sandboxAccounts } from '../accounts.js'
import { contractAddresses as at } from '../addresses.js'
import type { ChainWriter, ScriptedTransaction } from '../chain/chain-writer.js'
import { type Placement, placeStateless } from '../chain/placement.js'
import type { SandboxToken, TokenBehaviour } from '../tokens.js'
import { rawWorth } from './amounts.js'
import { v4Pool } from './catalog.js'
import { tokenAbi } from './market-abi.js'
import type { Market, PairSpec } from './market-pools.js'
import { basketCall, curvePoolOf, type Swap } from './trades.js'

export const traders = sandboxAccounts.slice(4, 9)

/** What each trader gets of each token, dollars. */
const traderFundsUsd = 5_000_000
/** Tokens that nobody can sell. */
const unsellable: readonly TokenBehaviour[] = ['frozen', 'honeypot']
/** Tokens of which less may arrive than was sent. */
const inexact: readonly TokenBehaviour[] = ['fee-on-transfer', 'rebasing']

const permit2Abi = parseAbi(['function approve(address, address, uint160, uint48)'])
const swapRouterAbi = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 minimum; uint160 limit; }',
  'function exactInputSingle(Single) payable returns (uint256)',
  'function swapExactTokensForTokens(uint256, uint256, address[], address) payable returns (uint256)',
])
const universalRouterAbi = parseAbi(['function execute(bytes, bytes[]) payable'])
/** @see Uniswap/universal-router 2.1.0, contracts/libraries/Commands.sol */
const commands = { v3: '0x00', v2: '0x08', v4: '0x10' } as const
/** SWAP_EXACT_IN_SINGLE, SETTLE_ALL, TAKE_ALL. @see Uniswap/v4-periphery, src/libraries/Actions.sol */
const v4Actions = '0x060c0f'
const v4Parameters = parseAbiParameters([
  'Single single',
  'struct Single { Key key; bool zeroForOne; uint128 amountIn; uint128 minimum; bytes hookData; }',
  'struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
])

/** Places the routers, and queues what the traders get and what they approve; the caller mines. */
export async function equipTraders(args: {
  readonly chain: ChainWriter
  readonly deployer: Address
  readonly market: Market
  readonly code: (key: string) => Hex
}): Promise<void> {
  const { chain, deployer, market, code } = args
  await placeStateless(chain, deployer, routerPlacements(market, code))
  const send = (from: Address, to: Address, data: Hex) => chain.send({ from, to, data })
  const { swapRouter02, universalRouter } = market.routers
  for (const token of market.tokens.filter(({ behaviour }) => !unsellable.includes(behaviour))) {
    const funds = rawWorth(token, traderFundsUsd, market.startPrices)
    const spenders = [
      swapRouter02,
      at.permit2,
      contractAddress('Router'),
      ...basketsOf(market, token),
    ]
    const limits = [token.address, universalRouter, 2n ** 160n - 1n, 2 ** 48 - 1] as const
    const permitted = encodeFunctionData({ abi: permit2Abi, args: limits })
    for (const { address } of traders) {
      const args = [address, funds] as const
      const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args })
      send(deployer, token.address, data)
      for (const spender of spenders) {
        const args = [spender, maxUint256] as const
        const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args })
        send(address, token.address, data)
      }
      send(address, at.permit2, permitted)
    }
  }
}

/** Contracts that take the token for a swap in a basket. */
function basketsOf({ baskets }: Market, { symbol }: SandboxToken): Address[] {
  const contracts = baskets
    .filter(({ symbols }) => symbols.some((one) => one === symbol))
    .map((spec) => (spec.protocol === 'curve' ? curvePoolOf(spec) : at.balancerVault))
  return [...new Set(contracts)]
}

function routerPlacements(market: Market, code: (key: string) => Hex): Placement[] {
  const { chain, factories, routers } = market
  const { 'uniswap-v2': v2, 'uniswap-v3': v3 } = factories
  const weth = chain.wrappedNative
  return [
    {
      address: routers.swapRouter02,
      creationCode: code('swapRouter02'),
      types: parseAbiParameters('address v2, address v3, address positions, address weth'),
      args: [v2, v3, zeroAddress, weth],
    },
    {
      address: routers.universalRouter,
      creationCode: code('universalRouter'),
      types: parseAbiParameters(
        'address permit2, address weth, address v2, address v3, bytes32 pairCode, bytes32 poolCode, address v4, address v3Positions, address v4Positions, address acrossPool',
      ),
      // What no swap asks is left out.
      args: [
        ...[at.permit2, weth, v2, v3, pairInitCodeHash, poolInitCodeHash, at.v4PoolManager],
        ...[zeroAddress, zeroAddress, zeroAddress],
      ],
    },
  ]
}

type Call = Pick<ScriptedTransaction, 'to' | 'data' | 'value'>

/** @param turn - number of the swap, which decides by which of the routers that know the pool it is made. */
export function traderSwap(market: Market, swap: Swap, trader: Address, turn: number): Call {
  if (swap.kind === 'basket') return basketCall(swap.spec, swap, trader)
  const { spec, zeroForOne, amount } = swap
  const pair = pairOf(market, spec, zeroForOne)
  const ways = waysOf({ market, spec, pair, amount, trader })
  const way = ways[turn % ways.length]
  if (!way) throw new RangeError(`No router knows ${spec.symbols.join('/')}.`)
  return way()
}

interface Pair {
  /** The zero address is native ether. */
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly zeroForOne: boolean
  readonly isInexact: boolean
}

function pairOf(market: Market, spec: PairSpec, zeroForOne: boolean): Pair {
  const priced = market.pricedTokens(spec)
  const tokens =
    spec.protocol === 'uniswap-v4'
      ? [v4Pool(spec).key.currency0, v4Pool(spec).key.currency1]
      : priced.map(({ address }) => address)
  const [tokenIn = zeroAddress, tokenOut = zeroAddress] = zeroForOne ? tokens : tokens.toReversed()
  const isInexact = priced.some(({ behaviour }) => inexact.includes(behaviour))
  return { tokenIn, tokenOut, zeroForOne, isInexact }
}

interface Wanted {
  readonly market: Market
  readonly spec: PairSpec
  readonly pair: Pair
  readonly amount: bigint
  readonly trader: Address
}

/** Uniswap's routers know the pools of Uniswap alone, and SwapRouter02 none of V4. */
function waysOf(wanted: Wanted): (() => Call)[] {
  const own = () => byOurRouter(wanted)
  const universal = () => byUniversalRouter(wanted)
  switch (wanted.spec.protocol) {
    case 'sushiswap-v2':
      return [own]
    case 'uniswap-v4':
      return [universal, own]
    default:
      return [() => bySwapRouter(wanted), universal, own]
  }
}

function bySwapRouter({ market, spec, pair, amount, trader }: Wanted): Call {
  const { tokenIn, tokenOut } = pair
  const abi = swapRouterAbi
  if (spec.protocol !== 'uniswap-v3') {
    const args = [amount, 0n, [tokenIn, tokenOut], trader] as const
    const data = encodeFunctionData({ abi, functionName: 'swapExactTokensForTokens', args })
    return { to: market.routers.swapRouter02, data }
  }
  const { fee } = spec
  const single = { tokenIn, tokenOut, fee, recipient: trader, amountIn: amount, minimum: 0n }
  const args = [{ ...single, limit: 0n }] as const
  const data = encodeFunctionData({ abi, functionName: 'exactInputSingle', args })
  return { to: market.routers.swapRouter02, data }
}

function byUniversalRouter({ market, spec, pair, amount, trader }: Wanted): Call {
  const { command, input } = universalCommand(spec, pair, amount, trader)
  const data = encodeFunctionData({ abi: universalRouterAbi, args: [command, [input]] })
  const value = pair.tokenIn === zeroAddress ? amount : 0n
  return { to: market.routers.universalRouter, data, value }
}

function universalCommand(
  spec: PairSpec,
  { tokenIn, tokenOut, zeroForOne }: Pair,
  amount: bigint,
  trader: Address,
): { readonly command: Hex; readonly input: Hex } {
  switch (spec.protocol) {
    case 'uniswap-v4': {
      const { key } = v4Pool(spec)
      const single = { key, zeroForOne, amountIn: amount, minimum: 0n, hookData: '0x' } as const
      const limit = parseAbiParameters('address currency, uint256 amount')
      const parameters = [
        encodeAbiParameters(v4Parameters, [single]),
        encodeAbiParameters(limit, [tokenIn, amount]),
        encodeAbiParameters(limit, [tokenOut, 0n]),
      ]
      const actions = parseAbiParameters('bytes actions, bytes[] parameters')
      return {
        command: commands.v4,
        input: encodeAbiParameters(actions, [v4Actions, parameters]),
      }
    }
    case 'uniswap-v3': {
      const path = encodePacked(['address', 'uint24', 'address'], [tokenIn, spec.fee, tokenOut])
      const types = parseAbiParameters('address, uint256, uint256, bytes, bool')
      return {
        command: commands.v3,
        input: encodeAbiParameters(types, [trader, amount, 0n, path, true]),
      }
    }
    default: {
      const types = parseAbiParameters('address, uint256, uint256, address[], bool')
      const path = [tokenIn, tokenOut]
      return {
        command: commands.v2,
        input: encodeAbiParameters(types, [trader, amount, 0n, path, true]),
      }
    }
  }
}

function byOurRouter({ market, spec, pair, amount, trader }: Wanted): Call {
  const toToken = (currency: Address) => (currency === zeroAddress ? nativeToken : currency)
  const [tokenIn, tokenOut] = [toToken(pair.tokenIn), toToken(pair.tokenOut)]
  const hop = { ...hopOf(market, spec, pair.zeroForOne), tokenIn, tokenOut }
  const { to, data, value } = buildSwap({
    from: trader,
    order: {
      inputs: [{ token: tokenIn, amount }],
      feeReceiver: zeroAddress,
      steps: [],
      outputs: [{ token: tokenOut, minAmountOut: 1n }],
      receiver: trader,
      refundReceiver: trader,
      sweep: [],
      deadline: latestDeadline,
      accountId: `0x${'0'.repeat(64)}`,
      referralCode: `0x${'0'.repeat(32)}`,
    },
    legs: { wraps: false, unwraps: false, legs: [{ share: null, hops: [hop] }] },
    measuresPairs: pair.isInexact,
  })
  return { to, data, value }
}

function hopOf(market: Market, spec: PairSpec, zeroForOne: boolean): SwapHop {
  switch (spec.protocol) {
    case 'uniswap-v4': {
      const { fee, tickSpacing } = v4Pool(spec).key
      return { family: 'v4', manager: at.v4PoolManager, fee, tickSpacing }
    }
    case 'uniswap-v3':
      return { family: 'v3', pool: market.addressOf(spec), zeroForOne }
    default:
      return { family: 'v2', pair: market.addressOf(spec), feeBps: 30, zeroForOne }
  }
}
