/** A deposit that was sent over Across, filled on an Anvil of its destination to whom somebody has signed it anew. */
import {
  encodeFunctionData,
  type Hex,
  hexToNumber,
  numberToHex,
  pad,
  parseAbi,
  parseEventLogs,
  slice,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Address } from '../../../src/domain/primitives.js'
import { startAnvil } from '../anvil.js'
import type { Execution } from '../execute.js'
import type { Place } from './deliver-on-fork.js'

const abi = parseAbi([
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
  'struct V3RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }',
  'function fillRelayWithUpdatedDeposit(V3RelayData relayData, uint256 repaymentChainId, bytes32 repaymentAddress, uint256 updatedOutputAmount, bytes32 updatedRecipient, bytes updatedMessage, bytes depositorSignature)',
  'function approve(address spender, uint256 amount)',
])
const types = {
  UpdateDepositDetails: [
    { name: 'depositId', type: 'uint256' },
    { name: 'originChainId', type: 'uint256' },
    { name: 'updatedOutputAmount', type: 'uint256' },
    { name: 'updatedRecipient', type: 'bytes32' },
    { name: 'updatedMessage', type: 'bytes' },
  ],
} as const
const relayer: Address = '0x00000000000000000000000000000000be1a4e42'

/** @returns the depositor, and whether the SpokePool lets the signer have it paid to `recipient`. */
export async function redirectOnFork(args: {
  readonly source: Place
  readonly destination: Place
  readonly spokePool: Address
  readonly logs: Execution['logs']
  readonly key: Hex
  readonly recipient: Address
}): Promise<{ readonly depositor: Address; readonly isFilled: boolean }> {
  const { source, destination, spokePool, recipient } = args
  const logs = args.logs.map((log) => ({ ...log, blockHash: null, removed: false }))
  const [event] = parseEventLogs({ abi, logs: logs as never })
  if (!event) throw new Error('no deposit')
  const deposit = event.args
  const originChainId = BigInt(source.chainId)
  const updatedRecipient = pad(recipient, { size: 32 })
  const signature = await privateKeyToAccount(args.key).signTypedData({
    ...{ types, primaryType: 'UpdateDepositDetails' },
    domain: { name: 'ACROSS-V2', version: '1.0.0', chainId: source.chainId },
    message: {
      ...{ depositId: deposit.depositId, originChainId, updatedRecipient, updatedMessage: '0x' },
      updatedOutputAmount: deposit.outputAmount,
    },
  })
  const anvil = await startAnvil([
    ...['--fork-url', destination.nodeUrl, '--chain-id', String(destination.chainId)],
    ...['--fork-block-number', String(destination.blockNumber), '--no-storage-caching'],
    ...['--code-size-limit', '40000'],
  ])
  try {
    const token = slice(deposit.outputToken, 12)
    await anvil.rpc('anvil_dealERC20', [relayer, token, numberToHex(deposit.outputAmount)])
    await anvil.rpc('anvil_impersonateAccount', [relayer])
    await anvil.rpc('anvil_setBalance', [relayer, numberToHex(10n ** 20n)])
    const head = await anvil.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
    const send = async (to: Address, data: Hex, later: number) => {
      const time = hexToNumber(head.timestamp) + later
      await anvil.rpc('evm_setNextBlockTimestamp', [numberToHex(time)])
      const tx = { from: relayer, to, data, gas: numberToHex(5_000_000n) }
      const receipt = await anvil.rpc<{ status: Hex }>('eth_sendTransactionSync', [tx])
      return receipt.status === '0x1'
    }
    const approval = encodeFunctionData({
      ...{ abi, functionName: 'approve', args: [spokePool, deposit.outputAmount] },
    })
    await send(token, approval, 2)
    const data = encodeFunctionData({
      ...{ abi, functionName: 'fillRelayWithUpdatedDeposit' },
      args: [
        ...([{ ...deposit, originChainId }, originChainId, pad(relayer)] as const),
        ...([deposit.outputAmount, updatedRecipient, '0x', signature] as const),
      ],
    })
    return { depositor: slice(deposit.depositor, 12), isFilled: await send(spokePool, data, 4) }
  } finally {
    await anvil.stop()
  }
}
