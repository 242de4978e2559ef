/** `forkroute orders`: signed orders that routes of a key may use. */
import type { Command } from 'commander'
import { chainOrEthereum } from './chains.js'
import { type ConnectionOptions, withApi } from './client.js'
import { type OutputOptions, printJson, printTable } from './output.js'
import { jsonListIn, readTextFile } from './text-file.js'
import { amountOf, tokenNamer } from './token-names.js'

interface Options extends OutputOptions, ConnectionOptions {
  readonly chain: number
  readonly all?: boolean
}

export function addOrders(program: Command): void {
  const group = program
    .command('orders')
    .description('signed orders of makers, which routes with the same key may use')

  group
    .command('import')
    .description('add signed orders from a JSON file')
    .argument('<file>', 'JSON array of signed orders, see docs/how-to/orders.md')
    .addOption(chainOrEthereum())
    .option('--all', 'routes with every key may use them; needs the scope admin')
    .action(async (file: string, _local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      // What is wrong with an order says the service.
      const orders = jsonListIn(await readTextFile(file), 'orders')
      await withApi(options, async (client) => {
        const visibility = options.all ? 'all' : 'key'
        const result = await client.importOrders({
          chainId: options.chain,
          visibility,
          orders: orders as never,
        })
        if (options.json) printJson(result)
        else {
          console.log(`Orders added: ${result.added}, updated: ${result.updated}.`)
          // Makers of other formats have allowed what they need where they have signed.
          if (orders.some((order) => !('data' in Object(order)))) {
            console.log(`Each maker must allow ${result.settlement} to spend its tokenOut.`)
          }
        }
      })
    })

  group
    .command('list')
    .description('list the orders that the key has imported, the oldest first')
    .addOption(chainOrEthereum())
    .action(async (_local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      await withApi(options, async (client) => {
        const { meta, data } = await client.orders({ chainId: options.chain, pageSize: 500 })
        if (options.json) return printJson(data)
        const places = data.flatMap(({ chainId, tokenIn, tokenOut }) =>
          [tokenIn, tokenOut].map((address) => ({ chainId, address })),
        )
        const nameOf = await tokenNamer(client, places, { withPositions: true })
        const text = (amount: bigint, address: string) =>
          amountOf(amount, nameOf({ chainId: options.chain, address }))
        printTable(
          ['hash', 'maker', 'maker gives', 'maker gets', 'expires', 'usable by'],
          data.map((one) => [
            one.hash,
            one.maker,
            text(one.amountOut, one.tokenOut),
            text(one.amountIn, one.tokenIn),
            one.expiry === null ? 'never' : new Date(one.expiry * 1_000).toISOString(),
            one.visibility === 'all' ? 'every key' : 'this key',
          ]),
        )
        if (meta.total > data.length) console.error(`There are ${meta.total - data.length} more.`)
      })
    })

  group
    .command('remove')
    .description('forget orders; on the chain they stay valid until their makers cancel them')
    .argument('<hash...>', 'as printed by orders list')
    .addOption(chainOrEthereum())
    .action(async (hashes: string[], _local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      await withApi(options, async (client) => {
        const result = await client.removeOrders({ chainId: options.chain, hashes })
        if (options.json) printJson(result)
        else console.log(`Orders removed: ${result.removed}.`)
      })
    })
}
