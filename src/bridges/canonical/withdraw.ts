/**
 * The way back: ether and tokens to the chain that is settled on. The transaction begins it; then it is proven and
 * finalised on the other side, days apart, by anybody. What it comes to is known at once, since nobody takes a fee: the
 * call that the portal will make is simulated as if it were finalised now.
 */
import { encodeFunctionData, numberToHex, padHex, size } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { nativeToken, toAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import { contractAddress } from '../../executor/deployments.js'
import type {
  BridgeAdapter,
  Delivery,
  DeliverySimulation,
  Lane,
  LaneQuote,
  LaneRefusal,
} from '../bridge.js'
import { mintedTokenAbi, tokenBridgeAbi } from './abi.js'
import { isTokenLane, wordsOf } from './quote.js'
import { messenger, settlementOf, standardBridge, tokenBridgeOf } from './settlement.js'
import { withdrawalOf } from './withdrawals.js'

const withoutOrders =
  'A withdrawal arrives days later, when no minimum of now means anything, so that no order runs on arrival: ask for the token that it pays.'
const slowWarning =
  'A withdrawal is paid after it was proven and finalised on the destination, by two transactions of anybody: bridge/check gives each as soon as it can be sent.'
/** Of the transaction, the calls of the Executor included; as on the sandbox, of a token less the swap before it. */
const sourceGas = { ether: 198_000n, token: 240_000n }
/** Where the portal keeps on whose behalf it calls. @see OptimismPortal2.sol, l2Sender */
const l2SenderSlot = numberToHex(50, { size: 32 })
/** Of a transaction before its call, and at most of each byte of its data. */
const intrinsicGas = { base: 21_000n, perByte: 16n }

/** From the source, where that settles on the destination. */
export function withdrawalLanes(source: ChainDefinition, destination: ChainDefinition): Lane[] {
  const settlement = settlementOf(source)
  if (settlement?.chainId !== destination.id) return []
  const { provableSeconds, maturitySeconds } = settlement
  const orderReceiver = contractAddress('DestinationReceiver')
  const estimatedSeconds = provableSeconds + maturitySeconds
  const later = { chainId: destination.id, sender: 'anyone' } as const
  const common = {
    bridge: 'canonical',
    sourceChainId: source.id,
    destinationChainId: destination.id,
    orderReceiver,
    orderContracts: [orderReceiver],
    estimatedSeconds,
    withoutOrders,
    afterwards: [
      { action: 'prove' as const, ...later, afterSeconds: provableSeconds },
      { action: 'finalize' as const, ...later, afterSeconds: estimatedSeconds },
    ],
  }
  const { bridge = standardBridge, tokens = [] } = tokenBridgeOf(source) ?? {}
  return [
    {
      ...common,
      symbol: 'ETH',
      tokenIn: nativeToken,
      tokenOut: nativeToken,
      tokenOutToAccounts: nativeToken,
      primary: messenger,
    },
    ...tokens.map(({ symbol, locked, minted }) => ({
      ...common,
      symbol,
      tokenIn: minted,
      tokenOut: locked,
      tokenOutToAccounts: locked,
      primary: standardBridge,
      details: { other: bridge },
    })),
  ]
}

export function isWithdrawal({ afterwards }: Pick<Lane, 'afterwards'>): boolean {
  return afterwards !== undefined
}

export const quoteWithdrawal: BridgeAdapter['quote'] = async ({
  lane,
  terms,
  amountIn,
  reader,
}) => {
  if (terms.message !== '0x') return { reason: 'no-order', message: withoutOrders }
  const unpaired = isTokenLane(lane) ? whyUnpaired(lane, await reader.call(pairCalls(lane))) : null
  if (unpaired) return unpaired
  if (amountIn === 0n) return { reason: 'too-little', message: 'Nothing would be withdrawn.' }
  return {
    delivered: amountIn,
    nativeFee: 0n,
    maximum: null,
    unit: 1n,
    warnings: [slowWarning],
  } satisfies LaneQuote
}

/** Rough gas of the transaction on the source. */
export function withdrawalGas(lane: Lane): bigint {
  return isTokenLane(lane) ? sourceGas.token : sourceGas.ether
}

function pairCalls({ primary, tokenIn }: Lane) {
  const token = (functionName: 'l1Token' | 'l2Bridge') => {
    return { to: tokenIn, data: encodeFunctionData({ abi: mintedTokenAbi, functionName }) }
  }
  const data = encodeFunctionData({ abi: tokenBridgeAbi, functionName: 'otherBridge' })
  return [{ to: primary, data }, token('l1Token'), token('l2Bridge')]
}

/** The bridge burns what is its own, and locks for good whatever else it is given. */
function whyUnpaired(
  { primary, tokenIn, tokenOut, details }: Lane,
  reads: readonly ReadResult[],
): LaneRefusal | null {
  const words = wordsOf(primary, reads)
  if (!Array.isArray(words)) return words
  const [other, locked, minter] = words
  if (other !== BigInt(String(details?.other))) {
    const message = `The contract ${primary} is not the counterpart of the standard bridge ${details?.other}.`
    return { reason: 'no-pair', message }
  }
  if (locked === BigInt(tokenOut) && minter === BigInt(primary)) return null
  const message = `The token ${tokenIn} does not say that ${primary} mints it for ${tokenOut}: a wrong pair would lose the tokens.`
  return { reason: 'no-pair', message }
}

/**
 * The portal's call of the target, on behalf of whom it was asked by. It has what was ever deposited, wherever it keeps
 * that, so that its ether is given here.
 */
export function simulateWithdrawal(delivery: Delivery): DeliverySimulation {
  const from = toAddress(String(delivery.details.portal))
  const { sender, target: to, value, gasLimit, data } = withdrawalOf(delivery)
  return {
    from,
    to,
    value,
    data,
    gasLimit: gasLimit + intrinsicGas.base + BigInt(size(data)) * intrinsicGas.perByte,
    overrides: {
      [from]: { balance: value, stateDiff: { [l2SenderSlot]: padHex(sender, { size: 32 }) } },
    },
  }
}
