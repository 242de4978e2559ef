/**
 * Signs an order of a maker and prints what `forkroute orders import` takes.
 * MAKER_KEY=0x… RPC_URL=http://… node examples/orders/sign-order.mjs <tokenIn> <tokenOut> <amountIn> <amountOut> <seconds> [nonce]
 */
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { typedOrder } from './maker-order.mjs'

const [tokenIn, tokenOut, amountIn, amountOut, seconds, nonce = '1'] = process.argv.slice(2)
const maker = privateKeyToAccount(process.env.MAKER_KEY)
const node = createPublicClient({ transport: http(process.env.RPC_URL) })
const [chainId, { timestamp }] = await Promise.all([node.getChainId(), node.getBlock()])
const order = {
  maker: maker.address,
  tokenIn,
  tokenOut,
  amountIn,
  amountOut,
  expiry: String(timestamp + BigInt(seconds)),
  nonce,
  partialFill: true,
}
const signature = await maker.signTypedData(typedOrder(chainId, order))
process.stdout.write(`${JSON.stringify([{ ...order, signature }], null, 2)}\n`)
