/** Scripted transactions to a development node: accounts of any address, contracts at any address. */
import {
  encodeAbiParameters,
  encodeFunctionData,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { type Address, type Hex, toAddress } from '../../../src/domain/primitives.js'
import { createRpcClient, type RpcClient } from '../../../src/rpc/node/json-rpc.js'

const gas = numberToHex(16_000_000n)

export class NodeWriter {
  readonly #node: RpcClient

  constructor(url: string) {
    this.#node = createRpcClient(url)
  }

  /** The account that deploys and sends, unless another is named. */
  static readonly owner: Address = '0x00000000000000000000000000000000000f0001'

  async start(): Promise<this> {
    await this.rpc('anvil_impersonateAccount', [NodeWriter.owner])
    await this.rpc('anvil_setBalance', [NodeWriter.owner, numberToHex(10n ** 24n)])
    return this
  }

  close(): Promise<void> {
    return this.#node.close()
  }

  rpc<T = unknown>(method: string, params: readonly unknown[]): Promise<T> {
    return this.#node.request<T>(method, [...params])
  }

  /** @param signature - of the function, as in `function transfer(address to, uint256 amount)`. */
  async send(
    to: Address,
    signature: string,
    args: readonly unknown[] = [],
    from: Address = NodeWriter.owner,
  ): Promise<void> {
    // The type of a signature that is not known at compile time is `never`.
    const abi = parseAbi([signature] as readonly string[] as never)
    await this.#transact({ from, to, data: encodeFunctionData({ abi, args } as never) })
  }

  async deploy(code: Hex, types = '', values: readonly unknown[] = []): Promise<Address> {
    const receipt = await this.#transact({
      from: NodeWriter.owner,
      data: join(code, types, values),
    })
    return toAddress(receipt.contractAddress ?? '0x')
  }

  /** As deployed there: the constructor runs at that address, and children lie where they would. */
  async place(
    address: Address,
    code: Hex,
    types = '',
    values: readonly unknown[] = [],
  ): Promise<Address> {
    await this.rpc('anvil_setNonce', [address, '0x1'])
    await this.rpc('anvil_setCode', [address, join(code, types, values)])
    const call = { from: NodeWriter.owner, to: address, gas }
    const runtime = await this.rpc<Hex>('eth_call', [call, 'latest'])
    await this.#transact({ from: NodeWriter.owner, to: address, data: '0x' })
    await this.rpc('anvil_setCode', [address, runtime])
    return address
  }

  /** @param from - absent: nobody. */
  async read(
    to: Address,
    signature: string,
    args: readonly unknown[] = [],
    from?: Address,
  ): Promise<Hex> {
    const abi = parseAbi([signature] as readonly string[] as never)
    const data = encodeFunctionData({ abi, args } as never)
    return this.rpc<Hex>('eth_call', [{ to, data, ...(from && { from }) }, 'latest'])
  }

  async #transact(request: { from: Address; to?: Address; data: Hex }) {
    const hash = await this.rpc<Hex>('eth_sendTransaction', [{ ...request, gas }])
    // A node that mines by itself may not have done so yet.
    await this.rpc('evm_mine', [])
    const receipt = await this.rpc<{ status: Hex; contractAddress: Hex | null }>(
      'eth_getTransactionReceipt',
      [hash],
    )
    if (receipt?.status !== '0x1') throw new Error(`a transaction to ${request.to} failed`)
    return receipt
  }
}

function join(code: Hex, types: string, values: readonly unknown[]): Hex {
  const tail = types ? encodeAbiParameters(parseAbiParameters(types), values).slice(2) : ''
  return `${code}${tail}`
}
