/**
 * Signs an order of a maker and prints what `forkroute orders import` takes.
 * MAKER_KEY=0x… RPC_URL=http://… node examples/orders/sign-order.mjs <tokenIn> <tokenOut> <amountIn> <amountOut> <seconds> [nonce]
 */
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** Our contract that settles orders; the maker allows it to spend tokenOut. */
const settlement = '0x3252282a4dfafce09d67e2f5ce18619c37df026d'

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
const signature = await maker.signTypedData({
  domain: { name: 'Forkroute Orders', version: '1', chainId, verifyingContract: settlement },
  types: {
    MakerOrder: [
      { name: 'maker', type: 'address' },
      { name: 'tokenIn', type: 'address' },
      { name: 'tokenOut', type: 'address' },
      { name: 'amountIn', type: 'uint256' },
      { name: 'amountOut', type: 'uint256' },
      { name: 'expiry', type: 'uint256' },
      { name: 'nonce', type: 'uint256' },
      { name: 'partialFill', type: 'bool' },
    ],
  },
  primaryType: 'MakerOrder',
  message: order,
})
process.stdout.write(`${JSON.stringify([{ ...order, signature }], null, 2)}\n`)
