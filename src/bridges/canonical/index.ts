/**
 * The canonical bridge of chains of the OP stack, one way: ether that is deposited on the chain that they settle on. It is
 * minted on the destination, so that no one's funds limit it and no one is paid. The gas that it may use there is bought
 * by gas that the portal burns. An order is a message of the messenger, which calls the DestinationReceiver with the ether.
 */
import { getAbiItem, parseAbi, toFunctionSelector } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { type Probe, probe } from '../../chains/probe.js'
import { chains } from '../../chains/registry.js'
import { type Amount, type ExecutorStep, isAmountRef } from '../../domain/order.js'
import { nativeToken } from '../../domain/primitives.js'
import { contractAddress } from '../../executor/deployments.js'
import type { BridgeAdapter, EncodeArgs, Lane } from '../bridge.js'
import { deliver, messengerAbi } from './abi.js'
import { deliveriesIn, failureIn, minGasOf, simulation } from './deposits.js'
import { canonicalErrorsAbi } from './errors.js'
import { gasEstimate, quote } from './quote.js'
import { messagePasser, messenger, settlementOf } from './settlement.js'
import { status } from './status.js'

const sendMessage = getAbiItem({ abi: messengerAbi, name: 'sendMessage' })
const [requireAtLeastAbi] = parseAbi([
  'function requireAtLeast(uint256 amount, uint256 minimum) pure returns (uint256)',
])

function probes(chain: ChainDefinition): Probe[] {
  const own = settlementOf(chain)
  const settled = chains.flatMap((one) => {
    const settlement = settlementOf(one)
    return settlement?.chainId === chain.id ? [{ name: one.name, ...settlement }] : []
  })
  return [
    ...settled.flatMap((one) => [
      probe(`L1CrossDomainMessenger of ${one.name}`, one.messenger, 'portal()', one.portal),
      probe(`OptimismPortal of ${one.name}`, one.portal, 'systemConfig()', one.systemConfig),
      probe(`SystemConfig of ${one.name}`, one.systemConfig, 'optimismPortal()', one.portal),
    ]),
    ...(own
      ? [
          probe('L2CrossDomainMessenger', messenger, 'OTHER_MESSENGER()', own.messenger),
          probe('L2ToL1MessagePasser', messagePasser, 'messageNonce()', 'positive'),
        ]
      : []),
  ]
}

function lanes(source: ChainDefinition, destination: ChainDefinition): Lane[] {
  const settlement = settlementOf(destination)
  if (settlement?.chainId !== source.id) return []
  const orderReceiver = contractAddress('DestinationReceiver')
  const { messenger: primary, portal, systemConfig, estimatedSeconds } = settlement
  return [
    {
      bridge: 'canonical',
      symbol: 'ETH',
      sourceChainId: source.id,
      destinationChainId: destination.id,
      tokenIn: nativeToken,
      tokenOut: nativeToken,
      tokenOutToAccounts: nativeToken,
      primary,
      orderReceiver,
      orderContracts: [orderReceiver],
      estimatedSeconds,
      details: { portal, systemConfig },
    },
  ]
}

/**
 * One message, whether an order runs or the receiver is paid: a payment that is deposited past the messenger would be
 * lost where the receiver does not take it.
 */
function encode(args: EncodeArgs): ExecutorStep[] {
  const { lane, terms, amountIn, minimumDelivered, firstStep, helpers } = args
  const steps: ExecutorStep[] = []
  let amount: Amount = amountIn
  if (isAmountRef(amountIn) || amountIn < minimumDelivered) {
    steps.push({
      kind: 'call',
      target: helpers.Values,
      abi: requireAtLeastAbi,
      args: [amountIn, minimumDelivered],
      output: { kind: 'word', index: 0 },
    })
    amount = { ref: 'output', step: firstStep }
  }
  const call = {
    selector: toFunctionSelector(deliver),
    types: deliver.inputs,
    values: [nativeToken, amount, terms.message],
  }
  const message = terms.message === '0x' ? '0x' : call
  return [
    ...steps,
    {
      kind: 'call',
      target: lane.primary,
      abi: sendMessage,
      args: [terms.receiver, message, Number(minGasOf(terms.gas))],
      value: amount,
    },
  ]
}

export const canonical: BridgeAdapter = {
  slug: 'canonical',
  name: 'the canonical bridge',
  names: ['canonical'],
  hasNativeFee: false,
  hasGasDrop: false,
  obeysSender: false,
  lanes,
  probes,
  quote,
  gasEstimate,
  errorsAbi: canonicalErrorsAbi,
  encode,
  deliveriesIn,
  simulation,
  failureIn,
  status,
}
