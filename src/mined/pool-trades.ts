/** Finds the swaps that pools tell of in the events of a transaction: which pool, and in which direction. Pure. */
import { type Abi, decodeEventLog, parseAbi, toEventSelector } from 'viem'
import { type Address, type Hex, toAddress } from '../domain/primitives.js'

export interface PoolTrade {
  /** Contract that emitted the event. */
  readonly address: Address
  /** The id of the pool where the contract holds many; else null. */
  readonly id: Hex | null
  /** `factory`: it names its maker; `singleton`: the contract is the venue itself; `curve`: a pool of Curve. */
  readonly family: 'factory' | 'singleton' | 'curve'
  /** Names of the tokens inside the pool: their place, or their address. */
  readonly tokenIn: string
  readonly tokenOut: string
}

export interface TradeLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

type Fields = Readonly<Record<string, unknown>>
type Reading = Pick<PoolTrade, 'family' | 'tokenIn' | 'tokenOut'> & { readonly id?: Hex }

const places = (isZeroForOne: boolean) =>
  isZeroForOne ? { tokenIn: '0', tokenOut: '1' } : { tokenIn: '1', tokenOut: '0' }
const isPositive = (value: unknown) => (value as bigint) > 0n

/** Pools whose event says what comes in and what goes out of each token. */
const byOutput = ({ amount1Out }: Fields): Reading => {
  return { family: 'factory', ...places(isPositive(amount1Out)) }
}
/** Pools whose event says what they gain of each token, and lose as a negative amount. */
const byGain = ({ amount0 }: Fields): Reading => {
  return { family: 'factory', ...places(isPositive(amount0)) }
}
const byPlace = ({ sold_id, bought_id }: Fields): Reading => {
  return { family: 'curve', tokenIn: String(sold_id), tokenOut: String(bought_id) }
}
const byToken = (pool: unknown, tokenIn: unknown, tokenOut: unknown): Reading => ({
  family: 'singleton',
  id: toAddress(String(pool)),
  tokenIn: toAddress(String(tokenIn)),
  tokenOut: toAddress(String(tokenOut)),
})

/** Each event with how it is read. */
const events: readonly (readonly [text: string, read: (fields: Fields) => Reading])[] = [
  // Uniswap V2 and its forks.
  [
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    byOutput,
  ],
  // Velodrome V2.
  [
    'event Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)',
    byOutput,
  ],
  // Uniswap V3, Slipstream, Algebra before its Integral.
  [
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
    byGain,
  ],
  // PancakeSwap V3.
  [
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 fee0, uint128 fee1)',
    byGain,
  ],
  // Algebra Integral.
  [
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick, uint24 overrideFee, uint24 pluginFee)',
    byGain,
  ],
  // Fluid.
  [
    'event Swap(bool swap0to1, uint256 amountIn, uint256 amountOut, address to)',
    ({ swap0to1 }) => ({ family: 'factory', ...places(swap0to1 === true) }),
  ],
  // Uniswap V4 tells what the swapper gains, and gives as a negative amount.
  [
    'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
    ({ id, amount0 }) => ({
      family: 'singleton',
      id: id as Hex,
      ...places(!isPositive(amount0)),
    }),
  ],
  // Balancer V2 and V3.
  [
    'event Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
    ({ poolId, tokenIn, tokenOut }) => byToken(poolId, tokenIn, tokenOut),
  ],
  [
    'event Swap(address indexed pool, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, uint256 swapFeePercentage, uint256 swapFeeAmount)',
    ({ pool, tokenIn, tokenOut }) => byToken(pool, tokenIn, tokenOut),
  ],
  // Curve, in the forms of its generations.
  [
    'event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
    byPlace,
  ],
  [
    'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought)',
    byPlace,
  ],
  [
    'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought, uint256 fee, uint256 packed_price_scale)',
    byPlace,
  ],
]

const readers = new Map(
  events.map(([text, read]) => {
    const abi: Abi = parseAbi([text])
    return [toEventSelector(text), { abi, read }]
  }),
)

/** In the order of their events. Events of no known form are left out. */
export function poolTradesOf(logs: readonly TradeLog[]): PoolTrade[] {
  return logs.flatMap((log) => {
    const [topic] = log.topics
    const reader = topic && readers.get(topic)
    if (!reader) return []
    try {
      const topics = [...log.topics] as [Hex, ...Hex[]]
      const event: { args?: unknown } = decodeEventLog({ abi: reader.abi, data: log.data, topics })
      const { id = null, ...reading } = reader.read(event.args as Fields)
      return [{ address: toAddress(log.address), id, ...reading }]
    } catch {
      // Another event of the same name: what it says cannot be read.
      return []
    }
  })
}

/** Equal for two trades if and only if they are in the same pool. */
export function poolOf({ address, id }: Pick<PoolTrade, 'address' | 'id'>): string {
  return id === null ? address : `${address} ${id}`
}
