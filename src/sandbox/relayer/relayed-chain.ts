/** One chain as the relayer uses it: finds what is sent, signs what delivers it. */
import { hexToNumber, keccak256, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ChainDefinition } from '../../chains/chain.js'
import type { Address, Hex } from '../../domain/primitives.js'
import { createRpcClient } from '../../rpc/node/json-rpc.js'
import type { SandboxAccount } from '../accounts.js'
import { type BridgeAddresses, bridgeAddresses } from '../bridges/bridge-addresses.js'

export interface RelayedLog {
  readonly address: Address
  readonly topics: [Hex, ...Hex[]] | []
  readonly data: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly logIndex: Hex
}

export interface RelayedCall {
  readonly to: Address
  readonly data: Hex
  readonly gas: bigint
  readonly value?: bigint
}

/** Outcome of a transaction; `pending` where the chain's owner has turned mining off. */
export type Outcome =
  | { readonly status: 'done' | 'reverted'; readonly logs: readonly RelayedLog[] }
  | { readonly status: 'pending' }

interface Receipt {
  readonly status: Hex
  readonly logs: readonly RelayedLog[]
}

function toOutcome(receipt: Receipt | null): Outcome {
  if (!receipt) return { status: 'pending' }
  return { status: receipt.status === '0x1' ? 'done' : 'reverted', logs: receipt.logs }
}

export type RelayedChain = ReturnType<typeof openRelayedChain>

/** A transaction that an OP-stack chain makes of a deposit. */
export interface DepositedCall extends RelayedCall {
  readonly from: Address
  /** Wei that come to be with it. */
  readonly mint: bigint
}

const maxFeePerGas = 1_000_000_000_000n
const maxPriorityFeePerGas = 1_000_000_000n

export function openRelayedChain(definition: ChainDefinition, url: string) {
  const { id: chainId } = definition
  const client = createRpcClient(url, { connections: 2 })
  const bridges: BridgeAddresses = bridgeAddresses(definition)

  async function outcomeOf(hash: Hex): Promise<Outcome> {
    return toOutcome(await client.request<Receipt | null>('eth_getTransactionReceipt', [hash]))
  }

  return {
    definition,
    chainId,
    bridges,
    async head(): Promise<number> {
      return hexToNumber(await client.request<Hex>('eth_blockNumber'))
    },
    /** Null: it has no such block. */
    async hashOf(blockNumber: number): Promise<Hex | null> {
      const block = await client.request<{ hash: Hex } | null>('eth_getBlockByNumber', [
        numberToHex(blockNumber),
        false,
      ])
      return block?.hash ?? null
    },
    async time(): Promise<number> {
      const block = await client.request<{ timestamp: Hex }>('eth_getBlockByNumber', [
        'latest',
        false,
      ])
      return hexToNumber(block.timestamp)
    },
    /** In their order on the chain. */
    logs: (args: {
      readonly fromBlock: number
      readonly toBlock: number
      readonly addresses: readonly Address[]
      readonly topics: readonly Hex[]
    }): Promise<RelayedLog[]> =>
      client.request('eth_getLogs', [
        {
          fromBlock: numberToHex(args.fromBlock),
          toBlock: numberToHex(args.toBlock),
          address: args.addresses,
          topics: [args.topics],
        },
      ]),
    /** Of a transaction; none while no block has it. */
    async logsOf(hash: Hex): Promise<readonly RelayedLog[]> {
      const receipt = await client.request<Receipt | null>('eth_getTransactionReceipt', [hash])
      return receipt?.logs ?? []
    },
    /** What the newest state answers; null: it reverts. */
    async call(from: Address, { to, data, gas, value = 0n }: RelayedCall): Promise<Hex | null> {
      const request = { from, to, data, gas: numberToHex(gas), value: numberToHex(value) }
      const [result] = await client.batch([{ method: 'eth_call', params: [request, 'latest'] }])
      return result?.ok ? (result.value as Hex) : null
    },
    setStorage: (address: Address, slot: Hex, word: Hex) =>
      client.request('anvil_setStorageAt', [address, slot, word]),
    /** Signed here and mined into a block of its own. */
    async transact(from: SandboxAccount, { to, data, gas, value = 0n }: RelayedCall) {
      const nonce = await client.request<Hex>('eth_getTransactionCount', [from.address, 'pending'])
      const signed = await privateKeyToAccount(from.privateKey).signTransaction({
        type: 'eip1559',
        chainId,
        nonce: hexToNumber(nonce),
        to,
        data,
        gas,
        value,
        maxFeePerGas,
        maxPriorityFeePerGas,
      })
      const hash = keccak256(signed)
      if (await client.request<boolean>('anvil_getAutomine')) {
        const receipt = await client.request<Receipt>('eth_sendRawTransactionSync', [signed])
        return { hash, outcome: toOutcome(receipt) }
      }
      await client.request('eth_sendRawTransaction', [signed])
      return { hash, outcome: toOutcome(null) }
    },
    /** Mined into a block of its own, without a signature and at no cost to its sender, as a sequencer does it. */
    async deposit({ from, to, data, gas, value = 0n, mint }: DepositedCall) {
      const before = BigInt(await client.request<Hex>('eth_getBalance', [from, 'latest']))
      const fund = (balance: bigint) =>
        client.request('anvil_setBalance', [from, numberToHex(balance)])
      await client.request('anvil_impersonateAccount', [from])
      await fund(before + mint + gas * maxFeePerGas)
      const transaction = {
        from,
        to,
        data,
        gas: numberToHex(gas),
        value: numberToHex(value),
        maxFeePerGas: numberToHex(maxFeePerGas),
        maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
      }
      const isMining = await client.request<boolean>('anvil_getAutomine')
      const method = isMining ? 'eth_sendTransactionSync' : 'eth_sendTransaction'
      const sent = await client.request<Hex | (Receipt & { readonly transactionHash: Hex })>(
        method,
        [transaction],
      )
      const isReceipt = typeof sent === 'object'
      const hash = isReceipt ? sent.transactionHash : sent
      const outcome = toOutcome(isReceipt ? sent : null)
      if (outcome.status !== 'pending') {
        const isPaid = outcome.status === 'done'
        await fund(before + mint - (isPaid ? value : 0n))
      }
      return { hash, outcome }
    },
    outcomeOf,
    close: () => client.close(),
  }
}
