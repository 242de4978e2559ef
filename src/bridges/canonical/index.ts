/**
 * The canonical bridge of chains of the OP stack: ether and tokens that are deposited on the chain that they settle
 * on. They are minted on the destination, so that no one's funds limit it and no one is paid. The gas that it may use there
 * is bought by gas that the portal burns. An order is a message of the messenger, which calls the DestinationReceiver with
 * the ether; the standard bridge, which carries tokens, calls nobody. The way back takes days (`withdraw.ts`).
 */
import { getAbiItem, parseAbi, toFunctionSelector } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { type Probe, probe } from '../../chains/probe.js'
import { chains } from '../../chains/registry.js'
import { type Amount, type ExecutorStep, isAmountRef } from '../../domain/order.js'
import { nativeToken } from '../../domain/primitives.js'
import { contractAddress } from '../../executor/deployments.js'
import type { BridgeAdapter, EncodeArgs, Lane } from '../bridge.js'
import { deliver, messengerAbi, tokenBridgeAbi } from './abi.js'
import {
  deliveriesIn,
  depositEvents,
  simulation as depositSimulation,
  failureIn,
  minGasOf,
} from './deposits.js'
import { canonicalErrorsAbi } from './errors.js'
import { inboxErrorsAbi, inboxOf } from './inbox.js'
import { quote as depositQuote, gasEstimate, isTokenLane, paymentMinGas } from './quote.js'
import {
  encodeTicket,
  isTicketLane,
  quoteTicket,
  ticketLanes,
  ticketSourceGas,
} from './retryables.js'
import {
  messagePasser,
  messenger,
  settlementOf,
  standardBridge,
  tokenBridgeOf,
} from './settlement.js'
import { status } from './status.js'
import { ticketStatus } from './ticket-status.js'
import { isTicket, simulateTicket, ticketEvents, ticketsIn } from './tickets.js'
import {
  isWithdrawal,
  quoteWithdrawal,
  simulateWithdrawal,
  withdrawalGas,
  withdrawalLanes,
} from './withdraw.js'
import { withdrawalEvents, withdrawalsIn } from './withdrawals.js'

const sendMessage = getAbiItem({ abi: messengerAbi, name: 'sendMessage' })
const bridgeTokens = getAbiItem({ abi: tokenBridgeAbi, name: 'bridgeERC20To' })
const withoutOrders =
  'The standard bridge pays tokens and calls nobody, so that no order runs on arrival: ask for the token that it pays.'
const [requireAtLeastAbi] = parseAbi([
  'function requireAtLeast(uint256 amount, uint256 minimum) pure returns (uint256)',
])

function probes(chain: ChainDefinition): Probe[] {
  const own = settlementOf(chain)
  const settled = chains.flatMap((one) => {
    const settlement = settlementOf(one)
    return settlement?.chainId === chain.id ? [{ name: one.name, ...settlement }] : []
  })
  const tokens = chains.flatMap((one) => {
    const bridge = settlementOf(one)?.chainId === chain.id ? tokenBridgeOf(one) : null
    return bridge ? [{ name: one.name, settlement: settlementOf(one), ...bridge }] : []
  })
  const minted = tokenBridgeOf(chain)?.tokens ?? []
  return [
    ...settled.flatMap((one) => [
      probe(`L1CrossDomainMessenger of ${one.name}`, one.messenger, 'portal()', one.portal),
      probe(`OptimismPortal of ${one.name}`, one.portal, 'systemConfig()', one.systemConfig),
      probe(`SystemConfig of ${one.name}`, one.systemConfig, 'optimismPortal()', one.portal),
    ]),
    ...tokens.flatMap(({ name, settlement, bridge, tokens: pairs }) => [
      probe(`L1StandardBridge of ${name}`, bridge, 'messenger()', settlement?.messenger ?? '0x'),
      ...pairs.map(({ locked, minted: other }) => {
        const deposits = { signature: 'deposits(address,address)', args: [locked, other] }
        return probe(`L1StandardBridge of ${name}`, bridge, deposits, 'positive')
      }),
    ]),
    ...(minted.length > 0
      ? [probe('L2StandardBridge', standardBridge, 'messenger()', messenger)]
      : []),
    ...minted.map(({ symbol, minted: token, locked }) =>
      probe(`token ${symbol} of the L2StandardBridge`, token, 'l1Token()', locked),
    ),
    ...ticketProbes(chain),
    ...(own
      ? [
          probe('L2CrossDomainMessenger', messenger, 'OTHER_MESSENGER()', own.messenger),
          probe('L2ToL1MessagePasser', messagePasser, 'messageNonce()', 'positive'),
        ]
      : []),
  ]
}

function ticketProbes(chain: ChainDefinition): Probe[] {
  const own = inboxOf(chain)
  return [
    ...chains.flatMap((one) => {
      const place = inboxOf(one)
      if (place?.chainId !== chain.id) return []
      const { inbox, bridge } = place
      const allowed = { signature: 'allowedDelayedInboxes(address)', args: [inbox] }
      return [
        probe(`Inbox of ${one.name}`, inbox, 'bridge()', bridge),
        probe(`Bridge of ${one.name}`, bridge, allowed, 1n),
      ]
    }),
    ...(own ? [probe('ArbRetryableTx', own.retryables, 'getLifetime()', 'positive')] : []),
  ]
}

function lanes(source: ChainDefinition, destination: ChainDefinition): Lane[] {
  const settlement = settlementOf(destination)
  if (settlement?.chainId !== source.id) {
    return [...ticketLanes(source, destination), ...withdrawalLanes(source, destination)]
  }
  const orderReceiver = contractAddress('DestinationReceiver')
  const { messenger: primary, portal, systemConfig, estimatedSeconds } = settlement
  const common = {
    bridge: 'canonical',
    sourceChainId: source.id,
    destinationChainId: destination.id,
    orderReceiver,
    orderContracts: [orderReceiver],
    estimatedSeconds,
  }
  const { bridge = primary, tokens = [] } = tokenBridgeOf(destination) ?? {}
  return [
    {
      ...common,
      symbol: 'ETH',
      tokenIn: nativeToken,
      tokenOut: nativeToken,
      tokenOutToAccounts: nativeToken,
      primary,
      details: { portal, systemConfig },
    },
    ...tokens.map(({ symbol, locked, minted }) => ({
      ...common,
      symbol,
      tokenIn: locked,
      tokenOut: minted,
      tokenOutToAccounts: minted,
      primary: bridge,
      withoutOrders,
      details: { portal, systemConfig, messenger: primary },
    })),
  ]
}

/**
 * One message, whether an order runs or the receiver is paid: a payment that is deposited past the messenger would be
 * lost where the receiver does not take it.
 */
function encode(args: EncodeArgs): ExecutorStep[] {
  if (isTicketLane(args.lane)) return encodeTicket(args)
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
  if (isTokenLane(lane)) {
    const { tokenIn, tokenOut, primary: bridge } = lane
    return [
      ...steps,
      // What a bridge has minted it burns without asking.
      ...(isWithdrawal(lane)
        ? []
        : [{ kind: 'approve' as const, token: tokenIn, spender: bridge, amount }]),
      {
        kind: 'call',
        target: bridge,
        abi: bridgeTokens,
        args: [tokenIn, tokenOut, terms.receiver, amount, Number(paymentMinGas), '0x'],
      },
    ]
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
  quote(args) {
    if (isTicketLane(args.lane)) return quoteTicket(args)
    return isWithdrawal(args.lane) ? quoteWithdrawal(args) : depositQuote(args)
  },
  gasEstimate(lane, terms) {
    if (isTicketLane(lane)) return ticketSourceGas(terms)
    return isWithdrawal(lane) ? withdrawalGas(lane) : gasEstimate(lane, terms)
  },
  errorsAbi: [...canonicalErrorsAbi, ...inboxErrorsAbi],
  encode,
  sentEvents: (source) => [
    ...depositEvents(source),
    ...withdrawalEvents(source),
    ...ticketEvents(source),
  ],
  deliveriesIn: (logs, source, known) => [
    ...deliveriesIn(logs, source, known),
    ...withdrawalsIn(logs, source, known),
    ...ticketsIn(logs, source, known),
  ],
  simulation(delivery, destination, pin, gas) {
    if (isTicket(delivery)) return simulateTicket(delivery, gas)
    return delivery.details.kind === 'withdrawal'
      ? simulateWithdrawal(delivery)
      : depositSimulation(delivery, destination, pin, gas)
  },
  failureIn,
  async status(delivery, destination, reader, logs, callNode) {
    const place = isTicket(delivery) ? inboxOf(destination) : null
    return place
      ? ticketStatus(delivery, place, destination, { reader, logs, callNode })
      : status(delivery, destination, reader, logs, callNode)
  },
}
