/** Transfers over the bridges of the sandbox with plain calls, of whoever shares no code with the bridges' adapters. */
import {
  type Address,
  type Chain,
  concatHex,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  encodePacked,
  type Hex,
  type HttpTransport,
  http,
  type PublicClient,
  pad,
  parseAbi,
  type TransactionReceipt,
  zeroAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { receiptOf } from '../mined.js'

export const bridgeAbi = parseAbi([
  'struct SendParam { uint32 dstEid; bytes32 to; uint256 amountLD; uint256 minAmountLD; bytes extraOptions; bytes composeMsg; bytes oftCmd; }',
  'struct Limit { uint256 minAmountLD; uint256 maxAmountLD; }',
  'struct FeeDetail { int256 feeAmountLD; string description; }',
  'struct Receipt { uint256 amountSentLD; uint256 amountReceivedLD; }',
  'struct Fee { uint256 nativeFee; uint256 lzTokenFee; }',
  'function quoteOFT(SendParam sendParam) view returns (Limit limit, FeeDetail[] details, Receipt receipt)',
  'function quoteSend(SendParam sendParam, bool payInLzToken) view returns (Fee fee)',
  'function send(SendParam sendParam, Fee fee, address refundAddress) payable',
  'function depositV3(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable',
  'function balanceOf(address owner) view returns (uint256)',
  'function approve(address spender, uint256 amount)',
  'event PacketSent(bytes encodedPayload, bytes options, address sendLibrary)',
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
])

/** Options of type 3: gas and value of the first lzCompose. */
export function composeOptions(gas: bigint, value = 0n): Hex {
  return concatHex([
    '0x0003',
    encodePacked(
      ['uint8', 'uint16', 'uint8', 'uint16', 'uint128', 'uint128'],
      [1, 35, 3, 0, gas, value],
    ),
  ])
}

const sender = privateKeyToAccount(sandboxAccount('alice').privateKey)

export interface StargateTransfer {
  readonly pool: Address
  /** Undefined: ether. */
  readonly token?: Address
  readonly eid: number
  readonly amount: bigint
  readonly to: Address
  readonly message?: Hex
  readonly options?: Hex
}

export interface AcrossTransfer {
  readonly spokePool: Address
  readonly inputToken: Address
  readonly outputToken: Address
  readonly inputAmount: bigint
  readonly outputAmount: bigint
  readonly destinationChainId: number
  readonly to: Address
  readonly message?: Hex
}

export interface RawTransfers {
  readonly client: PublicClient<HttpTransport, Chain>
  execute(to: Address, data: Hex, value?: bigint): Promise<TransactionReceipt>
  /** `limit`: the most that the path takes; `received`: by the destination. */
  quote(transfer: StargateTransfer): Promise<{
    readonly limit: bigint
    readonly received: bigint
    readonly nativeFee: bigint
  }>
  /** @param nativeFee - sent; what is too much comes back to alice. */
  send(transfer: StargateTransfer, nativeFee: bigint): Promise<TransactionReceipt>
  deposit(transfer: AcrossTransfer): Promise<TransactionReceipt>
  balance(token: Address | undefined, of: Address): Promise<bigint>
}

/** Makes them on one chain behind a JSON-RPC node, in the name of alice. */
export function rawTransfers(chainId: number, url: string): RawTransfers {
  const chain: Chain = defineChain({
    id: chainId,
    name: 'sandbox',
    rpcUrls: { default: { http: [url] } },
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  })
  const client = createPublicClient({ chain, transport: http(url), pollingInterval: 20 })
  const wallet = createWalletClient({ chain, account: sender, transport: http(url) })

  async function execute(to: Address, data: Hex, value = 0n): Promise<TransactionReceipt> {
    const hash = await wallet.sendTransaction({ to, data, value })
    const receipt = await receiptOf(client, hash)
    if (receipt.status !== 'success') throw new Error(`${hash} reverted`)
    return receipt
  }

  const approve = (token: Address, spender: Address, amount: bigint) =>
    execute(
      token,
      encodeFunctionData({ abi: bridgeAbi, functionName: 'approve', args: [spender, amount] }),
    )

  function paramOf({ eid, amount, to, message = '0x', options = '0x' }: StargateTransfer) {
    return {
      dstEid: eid,
      to: pad(to),
      amountLD: amount,
      minAmountLD: 0n,
      extraOptions: options,
      composeMsg: message,
      oftCmd: '0x' as Hex,
    }
  }

  return {
    client,
    execute,
    async quote(transfer) {
      const param = paramOf(transfer)
      const { pool: address } = transfer
      const [limit, , receipt] = await client.readContract({
        address,
        abi: bridgeAbi,
        functionName: 'quoteOFT',
        args: [param],
      })
      const fee = await client.readContract({
        address,
        abi: bridgeAbi,
        functionName: 'quoteSend',
        args: [param, false],
        account: sender.address,
      })
      return {
        limit: limit.maxAmountLD,
        received: receipt.amountReceivedLD,
        nativeFee: fee.nativeFee,
      }
    },
    async send(transfer, nativeFee) {
      const { pool, token, amount } = transfer
      if (token) await approve(token, pool, amount)
      const args = [paramOf(transfer), { nativeFee, lzTokenFee: 0n }, sender.address] as const
      const data = encodeFunctionData({ abi: bridgeAbi, functionName: 'send', args })
      return execute(pool, data, nativeFee + (token ? 0n : amount))
    },
    async deposit(transfer) {
      const { spokePool, inputToken, outputToken, inputAmount, outputAmount } = transfer
      await approve(inputToken, spokePool, inputAmount)
      const { timestamp } = await client.getBlock()
      const now = Number(timestamp)
      const data = encodeFunctionData({
        abi: bridgeAbi,
        functionName: 'depositV3',
        args: [
          ...([sender.address, transfer.to, inputToken, outputToken, inputAmount] as const),
          ...([outputAmount, BigInt(transfer.destinationChainId), zeroAddress, now] as const),
          ...([now + 18_000, 0, transfer.message ?? '0x'] as const),
        ],
      })
      return execute(spokePool, data)
    },
    balance: (token, of) =>
      token
        ? client.readContract({
            address: token,
            abi: bridgeAbi,
            functionName: 'balanceOf',
            args: [of],
          })
        : client.getBalance({ address: of }),
  }
}
