/** A service over chains of the sandbox that run together, and transactions of whoever holds a key there. */
import { createWalletClient, type Hex, http, type TransactionReceipt } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Address } from '../../../src/domain/primitives.js'
import { receiptOf } from '../mined.js'
import { startService, type TestService } from '../service/service.js'
import { caughtUp } from './caught-up.js'
import { startRelayedSandboxes } from './relayed-sandboxes.js'

/** As answers say it. */
export interface Call {
  readonly to: Address
  readonly data: Hex
  readonly value?: bigint | string
  /** Of the transaction; absent: enough for any of them. */
  readonly gas?: bigint | string
}

export type RelayedService = Awaited<ReturnType<typeof startRelayedService>>

const gasOfAny = 6_000_000n

export async function startRelayedService(among: readonly number[]) {
  const relayed = await startRelayedSandboxes(among)
  const [first] = relayed.sandboxes
  if (!first) throw new RangeError('no chain')
  const service: TestService = await startService({
    ...Object.fromEntries(relayed.sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])),
    CCTP_ATTESTATION_URL: first.url,
    RATE_LIMIT_PER_MINUTE: '10000000',
  })

  async function tried(chainId: number, call: Call, key: Hex): Promise<TransactionReceipt> {
    const { client } = relayed.on(chainId)
    const { transport } = client
    const wallet = createWalletClient({
      account: privateKeyToAccount(key),
      transport: http(transport.url),
    })
    const { to, data, value = 0n, gas = gasOfAny } = call
    const hash = await wallet.sendTransaction({
      to,
      data,
      chain: client.chain,
      value: BigInt(value),
      gas: BigInt(gas),
    })
    return receiptOf(client, hash)
  }

  const chainIds = relayed.sandboxes.map(({ chainId }) => chainId)
  /** Returns when the service has seen the newest block of each chain. */
  const seesAll = () => caughtUp([service], chainIds, relayed.rpc)

  return {
    ...relayed,
    service,
    tried,
    /** @throws where it reverts. */
    async sent(chainId: number, call: Call, key: Hex): Promise<TransactionReceipt> {
      const receipt = await tried(chainId, call, key)
      if (receipt.status !== 'success') throw new Error(`${receipt.transactionHash} reverted`)
      return receipt
    },
    caughtUp: seesAll,
    /** What the service says of a transaction at the newest blocks. */
    async checked(bridge: string, chainId: number, txHash: Hex) {
      await seesAll()
      const query = { chainId: String(chainId), txHash }
      return service.get(`/api/v1/${bridge}/bridge/check`, query)
    },
    async stop() {
      await service.stop()
      await relayed.stop()
    },
  }
}
