/** Deposits of the OP stack: the transaction that a sequencer makes of each, with the gas and ether that it was given. */
import {
  decodeEventLog,
  type Hex,
  hexToBigInt,
  keccak256,
  parseAbi,
  size,
  slice,
  toEventSelector,
} from 'viem'
import { toAddress } from '../../domain/primitives.js'
import type { DeliveryState, PendingDelivery } from './pending-delivery.js'
import type { Outcome, RelayedChain, RelayedLog } from './relayed-chain.js'

const abi = parseAbi([
  'event TransactionDeposited(address indexed from, address indexed to, uint256 indexed version, bytes opaqueData)',
])

export const transactionDeposited = toEventSelector(abi[0])

/** @param chains - all that the relayer knows. */
export function canonicalDelivery(
  { address, topics, data, blockNumber }: RelayedLog,
  source: RelayedChain,
  chains: readonly RelayedChain[],
): PendingDelivery | null {
  const destination = chains.find(
    ({ bridges: { settlement } }) =>
      settlement?.chainId === source.chainId && settlement.portal === toAddress(address),
  )
  if (!destination) return null
  const { args } = decodeEventLog({ abi, topics, data })
  const packed = args.opaqueData
  // Bytes: mint 32, value 32, gas 8, whether it creates a contract 1, data.
  const call: Hex = size(packed) > 73 ? slice(packed, 73) : '0x'
  const deposit = {
    from: toAddress(args.from),
    to: toAddress(args.to),
    mint: hexToBigInt(slice(packed, 0, 32)),
    value: hexToBigInt(slice(packed, 32, 64)),
    gas: hexToBigInt(slice(packed, 64, 72)),
    data: call,
  }
  let sent: Hex | null = null

  return {
    bridge: 'canonical',
    id: keccak256(call),
    source: source.chainId,
    destination: destination.chainId,
    blockNumber: Number(blockNumber),
    isFast: false,
    async attempt(chain): Promise<DeliveryState> {
      if (sent) return stateOf(await chain.outcomeOf(sent))
      const { hash, outcome } = await chain.deposit(deposit)
      sent = hash
      return stateOf(outcome)
    },
  }
}

/** A deposit is in the chain once, and what fails in it is never made again. */
function stateOf({ status }: Outcome): DeliveryState {
  return status === 'pending' ? 'waiting' : 'over'
}
