/**
 * A sandbox on which traders swap by public routers: Uniswap's V2 router, SwapRouter02, the Universal
 * Router. Blocks hold what is sent, in that order.
 */
import {
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  numberToHex,
  parseAbi,
  toHex,
} from 'viem'
import { v2RouterAbi } from '../../bench/alternatives/venues.js'
import { type Address, type Hex, maxUint256 } from '../../src/domain/primitives.js'
import { contractAddress } from '../../src/executor/deployments.js'
import { createRpcClient, type RpcClient } from '../../src/rpc/node/json-rpc.js'
import { contractAddresses } from '../../src/sandbox/addresses.js'
import { startSandbox } from '../../src/sandbox/sandbox.js'

export interface Trade {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  /** Wei; default none. */
  readonly value?: bigint
}

export interface Traders {
  readonly url: string
  readonly node: RpcClient
  /** Number of the newest block. */
  head(): Promise<number>
  /** Gives the account ether and the tokens, and allows the routers to take them. */
  equip(account: Address, tokens: readonly Address[]): Promise<void>
  /** In one block, in this order. @returns their hashes. */
  mine(trades: readonly Trade[]): Promise<Hex[]>
  stop(): Promise<void>
}

const ether = 10n ** 18n
const gwei = 10n ** 9n
/** Each account has so much of each token, raw units. */
const fortune = 10n ** 27n
const permit2Abi = parseAbi(['function approve(address, address, uint160, uint48)'])
const erc20 = parseAbi(['function approve(address, uint256)'])
const { v2Router, swapRouter02, universalRouter, permit2 } = contractAddresses

export async function startTraders(): Promise<Traders> {
  const sandbox = await startSandbox()
  const node = createRpcClient(sandbox.url)
  await node.request('anvil_autoImpersonateAccount', [true])
  await node.request('evm_setAutomine', [false])
  const mine: Traders['mine'] = async (trades) => {
    const hashes: Hex[] = []
    for (const [index, { from, to, data, value = 0n }] of trades.entries()) {
      // The chain orders by what is paid.
      const maxPriorityFeePerGas = numberToHex(BigInt(trades.length - index) * gwei)
      const fees = { maxPriorityFeePerGas, maxFeePerGas: numberToHex(1_000n * gwei) }
      const tx = { from, to, data, value: numberToHex(value), gas: numberToHex(1_500_000), ...fees }
      hashes.push(await node.request<Hex>('eth_sendTransaction', [tx]))
    }
    const latest = await node.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
    await node.request('evm_setNextBlockTimestamp', [numberToHex(BigInt(latest.timestamp) + 12n)])
    await node.request('evm_mine')
    return hashes
  }
  return {
    url: sandbox.url,
    node,
    mine,
    async head() {
      return Number(await node.request<Hex>('eth_blockNumber'))
    },
    async equip(account, tokens) {
      await node.request('anvil_setBalance', [account, numberToHex(100_000n * ether)])
      const approvals: Trade[] = []
      for (const token of tokens) {
        await node.request('anvil_dealERC20', [account, token, numberToHex(fortune)])
        const spenders = [v2Router, swapRouter02, permit2, contractAddress('Router')]
        for (const spender of spenders) {
          const args = [spender, maxUint256] as const
          const data = encodeFunctionData({ abi: erc20, functionName: 'approve', args })
          approvals.push({ from: account, to: token, data })
        }
        const args = [token, universalRouter, 2n ** 160n - 1n, 2 ** 48 - 1] as const
        const data = encodeFunctionData({ abi: permit2Abi, functionName: 'approve', args })
        approvals.push({ from: account, to: permit2, data })
      }
      await mine(approvals)
    },
    async stop() {
      await node.close()
      await sandbox.stop()
    },
  }
}

/** What a pair of Uniswap V2 holds of its second token, and of its first. Raw units. */
export async function reservesOf(
  node: RpcClient,
  pair: Address,
): Promise<readonly [bigint, bigint]> {
  const abi = parseAbi(['function getReserves() view returns (uint112, uint112, uint32)'])
  const call = { to: pair, data: encodeFunctionData({ abi }) }
  const data = await node.request<Hex>('eth_call', [call, 'latest'])
  const [first, second] = decodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], data)
  return [second, first]
}

/** What a pair pays by its formula. @param of - reserve of what goes in. @param out - of what comes out. */
export function outputOf(amountIn: bigint, [of, out]: readonly [bigint, bigint]): bigint {
  return (amountIn * 997n * out) / (of * 1000n + amountIn * 997n)
}

export interface Wanted {
  readonly from: Address
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  /** Raw units; default none. */
  readonly minimum?: bigint
  readonly receiver?: Address
}

const farDeadline = 2n ** 32n - 1n

/** In the pair of Uniswap V2. */
export function byV2Router(wanted: Wanted): Trade {
  const { from, tokenIn, tokenOut, amountIn, minimum = 0n, receiver = from } = wanted
  const path = [tokenIn, tokenOut]
  const data = encodeFunctionData({
    abi: v2RouterAbi,
    functionName: 'swapExactTokensForTokens',
    args: [amountIn, minimum, path, receiver, farDeadline],
  })
  return { from, to: v2Router, data }
}

const swapRouterAbi = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 minimum; uint160 limit; }',
  'function exactInputSingle(Single) payable returns (uint256)',
])

/** In a pool of Uniswap V3. @param fee - hundredths of a basis point. */
export function bySwapRouter(wanted: Wanted, fee: number, value = 0n): Trade {
  const { from, tokenIn, tokenOut, amountIn, minimum = 0n, receiver: recipient = from } = wanted
  const args = [{ tokenIn, tokenOut, fee, recipient, amountIn, minimum, limit: 0n }] as const
  const data = encodeFunctionData({ abi: swapRouterAbi, functionName: 'exactInputSingle', args })
  return { from, to: swapRouter02, data, value }
}

const universalAbi = parseAbi(['function execute(bytes, bytes[]) payable'])
/** @see Uniswap/universal-router 2.1.0, contracts/libraries/Commands.sol */
const v2Command = 0x08

/** In the pair of Uniswap V2, paid through Permit2. */
export function byUniversalRouter(wanted: Wanted): Trade {
  const { from, tokenIn, tokenOut, amountIn, minimum = 0n, receiver = from } = wanted
  const input = encodeAbiParameters(
    [
      { type: 'address' },
      { type: 'uint256' },
      { type: 'uint256' },
      { type: 'address[]' },
      { type: 'bool' },
    ],
    [receiver, amountIn, minimum, [tokenIn, tokenOut], true],
  )
  const args = [toHex(v2Command, { size: 1 }), [input]] as const
  const data = encodeFunctionData({ abi: universalAbi, functionName: 'execute', args })
  return { from, to: universalRouter, data }
}
