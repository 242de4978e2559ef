/** One wei for the Executor of a contract that takes no ether. */
import { type Address, nativeToken } from '../../src/domain/primitives.js'
import { executorAddress } from '../../src/executor/deployments.js'
import { createRpcClient } from '../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../src/sandbox/accounts.js'
import { executeOnFork } from '../../test/support/execute.js'
import { type Attack, type Family, told } from './attack.js'

/** Reverts whatever it is called with. */
const takesNothing = '0x5f5ffd'
const contract: Address = '0x00000000000000000000000000000000000fee00'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const ether = 10n ** 18n

function oneWei(nodeUrl: string): Attack {
  return {
    name: 'one wei for the Executor of a contract that takes no ether',
    tried: 'then a bundle and a route with ether, carried out on another fork',
    async prepare() {
      const client = createRpcClient(nodeUrl)
      await client.request('anvil_setCode', [contract, takesNothing])
      await client.request('anvil_setBalance', [contract, `0x${(100n * ether).toString(16)}`])
      const from = sandboxAccount('alice').address
      const to = executorAddress(contract)
      await client.request('eth_sendTransaction', [{ from, to, value: '0x1', gas: '0x186a0' }])
      await client.close()
    },
    async run(target) {
      const trade = { tokenIn: nativeToken, tokenOut: usdc, amountIn: ether.toString() }
      const bundle = await target.ask(`/api/v1/shortcuts/bundle?fromAddress=${contract}`, {
        method: 'POST',
        body: [
          { protocol: 'svc', action: 'route', args: trade },
          {
            protocol: 'svc',
            action: 'fee',
            args: {
              token: usdc,
              amount: { useOutputOfCallAt: 0 },
              bps: 10,
              receiver: usdc.replace('a0', 'b0'),
            },
          },
        ],
      })
      const query = new URLSearchParams({ ...trade, fromAddress: contract })
      const route = await target.ask(`/api/v1/shortcuts/route?${query}`)
      const replies = [bundle, route]
      const failed = replies.find(({ status }) => status !== 200)
      if (failed) return { answer: told(replies), reached: failed.text.slice(0, 300) }
      const carried = await Promise.all(
        replies.map(({ body }) =>
          executeOnFork({ nodeUrl, blockNumber: body.blockNumber, tx: body.tx, watch: [] }),
        ),
      )
      const reverted = carried.filter(({ status }) => status !== 'success').length
      return {
        answer: `${told(replies)}; ${carried.length - reverted} of ${carried.length} carried out`,
        reached: reverted > 0 ? `${reverted} transactions revert` : null,
      }
    },
  }
}

export const etherDust: Family = { name: 'ether', attacks: (nodeUrl) => [oneWei(nodeUrl)] }
