/** What happens on the sandbox chain during a soak: trades, each in a block of its own; and what quotes are asked. */
import { encodeFunctionData, erc20Abi, type Hex, numberToHex, parseAbi } from 'viem'
import { type Address, nativeToken } from '../../src/domain/primitives.js'
import { createRpcClient } from '../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../src/sandbox/accounts.js'
import { contractAddresses } from '../../src/sandbox/addresses.js'
import { sandboxToken } from '../../src/sandbox/tokens.js'

const alice = sandboxAccount('alice').address
const trader = sandboxAccount('trader-1').address
const weth = sandboxToken('WETH').address
const traded = ['USDC', 'DAI', 'WBTC'].map((symbol) => sandboxToken(symbol).address)
const asked = ['USDC', 'DAI', 'WBTC', 'USDT', 'LINK', 'UNI', 'AAVE', 'wstETH'].map(
  (symbol) => sandboxToken(symbol).address,
)
const gas = numberToHex(1_000_000n)

const routerAbi = parseAbi([
  'function swapExactETHForTokens(uint256 least, address[] path, address to, uint256 deadline) payable',
])

export interface Market {
  /** One more block, in which a pool has changed. */
  trade(): Promise<bigint>
  /** Whether the chain itself gives this amount for the transaction after the block. */
  gives(answer: RouteAnswer, tokenOut: Address): Promise<boolean>
  close(): Promise<void>
}

export interface RouteAnswer {
  readonly amountOut: string
  readonly createdAt: number
  readonly tx: { readonly from: Hex; readonly to: Hex; readonly data: Hex; readonly value: string }
}

export function openMarket(nodeUrl: string): Market {
  const node = createRpcClient(nodeUrl)
  let trades = 0

  async function impersonate(): Promise<void> {
    await node.request('anvil_impersonateAccount', [trader])
    await node.request('anvil_setBalance', [trader, numberToHex(10n ** 30n)])
  }
  const ready = impersonate()

  return {
    async trade() {
      await ready
      trades += 1
      const token = traded[trades % traded.length] as Address
      const args = [0n, [weth, token], trader, 2n ** 64n] as const
      const data = encodeFunctionData({
        abi: routerAbi,
        functionName: 'swapExactETHForTokens',
        args,
      })
      const value = numberToHex(10n ** 15n)
      const order = { from: trader, to: contractAddresses.v2Router, data, value, gas }
      await node.request('eth_sendTransaction', [order])
      return BigInt(await node.request<Hex>('eth_blockNumber'))
    },
    async gives({ amountOut, createdAt, tx }, tokenOut) {
      const read = {
        from: alice,
        to: tokenOut,
        data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [alice] }),
      }
      const { from, to, data } = tx
      const order = { from, to, data, value: numberToHex(BigInt(tx.value)), gas }
      const payload = { blockStateCalls: [{ calls: [read, order, read] }] }
      const [block] = await node.request<{ calls: { returnData: Hex }[] }[]>('eth_simulateV1', [
        payload,
        numberToHex(BigInt(createdAt)),
      ])
      const [before, , after] = (block?.calls ?? []).map(({ returnData }) =>
        BigInt(returnData || 0),
      )
      return after !== undefined && before !== undefined && after - before === BigInt(amountOut)
    },
    close: () => node.close(),
  }
}

/** Never the same amount twice. */
export function quotePath(serial: number): string {
  const tokenOut = asked[serial % asked.length] as Address
  return `/api/v1/shortcuts/quote?${new URLSearchParams({ ...amountOf(serial), tokenIn: weth, tokenOut })}`
}

/** The body of a call for so many quotes at once. */
export function batchBody(serial: number, count: number): string {
  const quotes = Array.from({ length: count }, (_, index) => {
    const { amountIn } = amountOf(serial * count + index)
    return { tokenIn: weth, tokenOut: asked[index % asked.length], amountIn }
  })
  return JSON.stringify({ chainId: 1, quotes })
}

/** A route that the sandbox itself can judge. */
export function routePath(serial: number): { readonly path: string; readonly tokenOut: Address } {
  const tokenOut = asked[serial % asked.length] as Address
  const query = { ...amountOf(serial), tokenIn: nativeToken, tokenOut, fromAddress: alice }
  return { path: `/api/v1/shortcuts/route?${new URLSearchParams(query)}`, tokenOut }
}

function amountOf(serial: number) {
  return { chainId: '1', amountIn: (10n ** 17n + BigInt(serial) * 10n ** 12n).toString() }
}
