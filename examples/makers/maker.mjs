// A maker that offers WETH against USDC at a price of its own, and signs when it is asked. It needs npm's viem alone.
// MAKER_KEY=0x… RPC_URL=http://… node maker.mjs <price in USDC> <most WETH> [port]
import { createServer } from 'node:http'
import { createPublicClient, http, parseEther, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { typedOrder } from '../orders/maker-order.mjs'

const [price = '3100', most = '10', port = '4100'] = process.argv.slice(2)
const maker = privateKeyToAccount(process.env.MAKER_KEY)
const client = createPublicClient({ transport: http(process.env.RPC_URL) })
const chainId = await client.getChainId()
const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const ether = parseEther('1')

/** What it gives for so much WETH, raw units. */
const outputFor = (amountIn) => (amountIn * parseUnits(price, 6)) / ether
/** A minute after the newest block. */
const soon = async () => Number((await client.getBlock()).timestamp) + 60

async function levels() {
  const amountIn = parseEther(most)
  return {
    expiry: await soon(),
    pairs: [{ tokenIn: weth, tokenOut: usdc, levels: [[`${amountIn}`, `${outputFor(amountIn)}`]] }],
  }
}

async function sign(asked) {
  const order = {
    maker: maker.address,
    tokenIn: weth,
    tokenOut: usdc,
    amountIn: asked.amountIn,
    amountOut: `${outputFor(BigInt(asked.amountIn))}`,
    expiry: await soon(),
    nonce: `${Date.now()}`,
    partialFill: true,
  }
  const signature = await maker.signTypedData(typedOrder(chainId, order))
  return { ...order, signature }
}

const server = createServer(async (request, response) => {
  let text = ''
  for await (const part of request) text += part
  const answer = request.method === 'POST' ? await sign(JSON.parse(text)) : await levels()
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
})
server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
