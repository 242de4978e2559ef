/** The pools of a chain as a test reads them from its events, without the code that it checks. */
import { decodeEventLog, type Hex, parseAbi } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { nativeToken } from '../../../src/domain/primitives.js'
import type { RpcClient } from '../../../src/rpc/node/json-rpc.js'

const abi = parseAbi([
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256)',
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  'event TokensRegistered(bytes32 indexed poolId, address[] tokens, address[] assetManagers)',
])

/**
 * One row per pool: protocol, id, block, tokens, and what else its event tells; from every event of the chain, whoever
 * left it.
 */
export async function poolsByEvents(node: RpcClient): Promise<string[][]> {
  const logs = await node.request<
    { address: Hex; topics: [Hex, ...Hex[]]; data: Hex; blockNumber: Hex }[]
  >('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])
  const venueOf = (key: string, address: Hex) =>
    Object.keys(ethereum.venues).find(
      (slug) => ethereum.venues[slug]?.[key] === address.toLowerCase(),
    )
  const low = (value: string) => value.toLowerCase()
  const toToken = (currency: string) => (BigInt(currency) === 0n ? nativeToken : low(currency))
  return logs.flatMap(({ address, topics, data, blockNumber }) => {
    const block = String(BigInt(blockNumber))
    let event: ReturnType<typeof decodeEventLog<typeof abi>>
    try {
      event = decodeEventLog({ abi, topics, data })
    } catch {
      return []
    }
    const { eventName, args } = event
    if (eventName === 'PairCreated') {
      const protocol = venueOf('factory', address)
      const [token0, token1, made] = args
      return protocol ? [[protocol, low(made), block, low(token0), low(token1)]] : []
    }
    if (eventName === 'PoolCreated') {
      const protocol = venueOf('factory', address)
      const more = [args.fee, args.tickSpacing].map(String)
      return protocol
        ? [[protocol, low(args.pool), block, low(args.token0), low(args.token1), ...more]]
        : []
    }
    if (eventName === 'Initialize') {
      const protocol = venueOf('poolManager', address)
      const more = [args.fee, args.tickSpacing, low(args.hooks)].map(String)
      const own = [toToken(args.currency0), toToken(args.currency1), ...more]
      return protocol ? [[protocol, args.id, block, ...own]] : []
    }
    if (eventName === 'TokensRegistered') {
      const protocol = venueOf('vault', address)
      return protocol ? [[protocol, args.poolId, block, ...args.tokens.map(low)]] : []
    }
    return []
  })
}
