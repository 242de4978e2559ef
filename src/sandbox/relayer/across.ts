/** Across: fills deposits with the relayer's own money, as long as it has some and is not asked for more than it gets. */
import { decodeEventLog, encodeFunctionData, type Hex, pad, parseAbi, toEventSelector } from 'viem'
import { acrossRelayer } from '../accounts.js'
import type { DeliveryState, PendingDelivery } from './pending-delivery.js'
import type { RelayedChain, RelayedLog } from './relayed-chain.js'

const abi = parseAbi([
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
  'struct RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }',
  'function fillRelay(RelayData relayData, uint256 repaymentChainId, bytes32 repaymentAddress)',
  'function getV3RelayHash(RelayData relayData) view returns (bytes32)',
  'function fillStatuses(bytes32 relayHash) view returns (uint256)',
])

export const fundsDeposited = toEventSelector(abi[0])

/** Of `fillStatuses`. */
const filled = 2n
/** More than any order takes; what is not used costs nothing. */
const fillGas = 8_000_000n
/** Enough to begin a fill, too little for an order. */
const starvedGas = 220_000n

/** @param chains - all that the relayer knows. */
export function acrossDelivery(
  { topics, data, blockNumber }: RelayedLog,
  source: RelayedChain,
  chains: readonly RelayedChain[],
): PendingDelivery | null {
  const { args } = decodeEventLog({ abi, eventName: 'FundsDeposited', topics, data })
  const { destinationChainId, quoteTimestamp: _, ...deposit } = args
  const destination = chains.find(({ chainId }) => BigInt(chainId) === destinationChainId)
  if (!destination || !isWorthwhile(args, source, destination)) return null
  const relayData = { ...deposit, originChainId: BigInt(source.chainId) }
  const repayment = [BigInt(source.chainId), pad(acrossRelayer.address)] as const
  const call = {
    to: destination.bridges.spokePool,
    data: encodeFunctionData({
      abi,
      functionName: 'fillRelay',
      args: [relayData, ...repayment],
    }),
  }
  let sent: Hex | null = null

  return {
    bridge: 'across',
    id: String(deposit.depositId),
    source: source.chainId,
    destination: destination.chainId,
    blockNumber: Number(blockNumber),
    isFast: true,
    async attempt(chain, mode): Promise<DeliveryState> {
      if (sent) return stateOf(await chain.outcomeOf(sent))
      if (await isFilled(chain)) return 'over'
      if (mode === 'short') return 'waiting'
      const gas = mode === 'starve' ? starvedGas : fillGas
      if (mode !== 'starve') {
        // Relayers simulate: what reverts now is tried again later, until it expires.
        const answer = await chain.call(acrossRelayer.address, { ...call, gas })
        if (answer === null) return (await chain.time()) > deposit.fillDeadline ? 'over' : 'waiting'
      }
      const { hash, outcome } = await chain.transact(acrossRelayer, { ...call, gas })
      sent = hash
      return stateOf(outcome)
    },
  }

  /** Anybody may have filled it. */
  async function isFilled(chain: RelayedChain): Promise<boolean> {
    const { to } = call
    const read = (data: Hex) => chain.call(acrossRelayer.address, { to, data, gas: fillGas })
    const hashed = encodeFunctionData({ abi, functionName: 'getV3RelayHash', args: [relayData] })
    const hash = await read(hashed)
    if (hash === null) return false
    const args = [hash] as const
    const status = await read(encodeFunctionData({ abi, functionName: 'fillStatuses', args }))
    return status !== null && BigInt(status) === filled
  }

  function stateOf({ status }: { readonly status: string }): DeliveryState {
    if (status === 'pending') return 'waiting'
    sent = null
    return status === 'done' ? 'over' : 'failed'
  }
}

/** For the same asset, no more than was paid, and for anybody to fill. */
function isWorthwhile(
  deposit: {
    readonly inputToken: Hex
    readonly outputToken: Hex
    readonly inputAmount: bigint
    readonly outputAmount: bigint
    readonly exclusiveRelayer: Hex
  },
  source: RelayedChain,
  destination: RelayedChain,
): boolean {
  const { inputToken, outputToken, inputAmount, outputAmount, exclusiveRelayer } = deposit
  const asset = [...source.bridges.acrossTokens].find(([, token]) => pad(token) === inputToken)
  const counterpart = destination.bridges.acrossTokens.get(asset?.[0] ?? '')
  if (!counterpart || pad(counterpart) !== outputToken) return false
  const isOpen = BigInt(exclusiveRelayer) === 0n || exclusiveRelayer === pad(acrossRelayer.address)
  return isOpen && outputAmount <= inputAmount
}
