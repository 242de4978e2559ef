/**
 * Circle's CCTP V2: tokens are burnt on the source and minted on the destination, for whoever brings what Circle's attesters
 * have signed. Nobody does unasked: `claim.ts` has what somebody has to send. An order runs in the transaction
 * that mints, at our landing, which the burn names as the only caller. Settings are given to `createCctp`; all else follows
 * from the chains' definitions and their state.
 */
import { decodeEventLog, encodeEventTopics, getAbiItem, keccak256, padHex, parseAbi } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { type Probe, probe } from '../../chains/probe.js'
import { chains } from '../../chains/registry.js'
import type { Amount, ExecutorStep } from '../../domain/order.js'
import {
  type Address,
  bpsDenominator,
  type Hex,
  toAddress,
  zeroAddress,
} from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import { contractAddress } from '../../executor/deployments.js'
import type {
  BridgeAdapter,
  Delivery,
  DeliveryTerms,
  EncodeArgs,
  EventFilter,
  Lane,
} from '../bridge.js'
import { messengerAbi, transmitterAbi } from './abi.js'
import { cctpChain, landingOf } from './chain.js'
import { anybody, deliveryTransaction } from './claim.js'
import {
  attestedMessage,
  attesterOverride,
  finality,
  readBurn,
  simulatedAttestation,
  withBurn,
} from './message.js'
import { fastFee, fastFeeBps, quoteBurn } from './quote.js'
import { type CctpSettings, cctpDefaults } from './settings.js'
import { status } from './status.js'

/** Where the chain's definition says nothing: what Circle waits for on most chains, which settle on Ethereum. */
const usualSeconds = 1_140
/** Of a fast transfer: a few blocks. */
const fastSeconds = 20
const burn = getAbiItem({ abi: messengerAbi, name: 'depositForBurn' })
const burnWithHook = getAbiItem({ abi: messengerAbi, name: 'depositForBurnWithHook' })
const minimumFee = getAbiItem({ abi: messengerAbi, name: 'getMinFeeAmount' })
const messageSent = [getAbiItem({ abi: transmitterAbi, name: 'MessageSent' })] as const
const [messageSentTopic] = encodeEventTopics({ abi: messageSent })
const [differenceAbi, proportionAbi, requireAtLeastAbi] = parseAbi([
  'function difference(uint256 a, uint256 b) pure returns (uint256)',
  'function proportion(uint256 a, uint256 b, uint256 c) pure returns (uint256)',
  'function requireAtLeast(uint256 amount, uint256 minimum) pure returns (uint256)',
])

/** @param given - in place of the defaults. */
export function createCctp(given: Partial<CctpSettings> = {}): BridgeAdapter {
  const settings: CctpSettings = { ...cctpDefaults, ...given }
  return {
    slug: 'cctp',
    name: 'CCTP',
    names: ['cctp'],
    hasNativeFee: false,
    hasGasDrop: false,
    hasFastTransfers: true,
    isClaimed: true,
    obeysSender: false,
    lanes,
    probes,
    quote: (args) => quoteBurn(settings, args),
    gasEstimate,
    errorsAbi: [],
    encode,
    sentEvents,
    deliveriesIn,
    withAmounts,
    simulation,
    status,
  }
}

/** Measured on the sandbox. */
function gasEstimate(_lane: Lane, { message }: DeliveryTerms): bigint {
  return 170_000n + (message === '0x' ? 0n : 28_000n)
}

function probes(chain: ChainDefinition): Probe[] {
  const cctp = cctpChain(chain)
  if (!cctp) return []
  const { messenger, transmitter, minter, domain, tokens } = cctp
  return [
    probe('CCTP TokenMessengerV2', messenger, 'localMessageTransmitter()', transmitter),
    probe('CCTP TokenMessengerV2', messenger, 'localMinter()', minter),
    probe('CCTP MessageTransmitterV2', transmitter, 'localDomain()', BigInt(domain)),
    ...tokens.map(({ token }) => {
      const limit = { signature: 'burnLimitsPerMessage(address)', args: [token] }
      return probe('CCTP TokenMinterV2', minter, limit, 'positive')
    }),
  ]
}

function lanes(source: ChainDefinition, destination: ChainDefinition): Lane[] {
  const [here, there] = [cctpChain(source), cctpChain(destination)]
  if (!here || !there || source.id === destination.id) return []
  const orderReceiver = landingOf(there)
  const { estimatedSeconds = usualSeconds } = source.bridges?.cctp ?? {}
  return here.tokens.flatMap(({ symbol, token }) => {
    const other = there.tokens.find((one) => one.symbol === symbol)
    if (!other) return []
    return [
      {
        bridge: 'cctp',
        symbol,
        sourceChainId: source.id,
        destinationChainId: destination.id,
        tokenIn: token,
        tokenOut: other.token,
        tokenOutToAccounts: other.token,
        primary: here.messenger,
        orderReceiver,
        orderContracts: [orderReceiver, contractAddress('DestinationReceiver')],
        estimatedSeconds: Number(estimatedSeconds),
        details: {
          destinationDomain: there.domain,
          ...(here.fastFeeBps !== null && { fastFeeBps: Number(here.fastFeeBps), fastSeconds }),
        },
      },
    ]
  })
}

function encode(args: EncodeArgs): ExecutorStep[] {
  const { lane, terms, amountIn, minimumDelivered, firstStep, helpers } = args
  const steps: ExecutorStep[] = []
  const output = { kind: 'word', index: 0 } as const
  const value = (
    target: Address,
    abi:
      | (typeof differenceAbi | typeof proportionAbi | typeof requireAtLeastAbi)
      | typeof minimumFee,
    values: readonly Amount[],
  ): Amount => {
    steps.push({ kind: 'call', target, abi, args: values, output })
    return { ref: 'output', step: firstStep + steps.length - 1 }
  }
  const maxFee = maxFeeOf(args, value)
  let delivered: Amount
  if (typeof amountIn === 'bigint' && typeof maxFee === 'bigint') delivered = amountIn - maxFee
  else if (maxFee === 0n) delivered = amountIn
  else delivered = value(helpers.Values, differenceAbi, [amountIn, maxFee])
  if (typeof delivered !== 'bigint' || delivered < minimumDelivered) {
    value(helpers.Values, requireAtLeastAbi, [delivered, minimumDelivered])
  }
  const hasOrder = terms.message !== '0x'
  const receiver = padHex(terms.receiver, { size: 32 })
  const common = [
    ...[amountIn, Number(lane.details?.destinationDomain), receiver, lane.tokenIn],
    // Nobody mints past the landing.
    ...[hasOrder ? receiver : anybody, maxFee, terms.isFast ? finality.fast : finality.standard],
  ]
  return [
    ...steps,
    { kind: 'approve', token: lane.tokenIn, spender: lane.primary, amount: amountIn },
    {
      kind: 'call',
      target: lane.primary,
      abi: hasOrder ? burnWithHook : burn,
      args: hasOrder ? [...common, terms.message] : common,
    },
  ]
}

/** What Circle may keep: as quoted where the amount is, else by the steps that find it on chain. */
function maxFeeOf(
  { lane, terms, amountIn, quote, quotedAmountIn, helpers }: EncodeArgs,
  value: (
    target: Address,
    abi: typeof proportionAbi | typeof minimumFee,
    values: readonly Amount[],
  ) => Amount,
): Amount {
  const quoted = quotedAmountIn - quote.delivered
  if (quoted === 0n || amountIn === quotedAmountIn) return quoted
  const bps = fastFeeBps({ lane, terms })
  return bps !== null && fastFee(quotedAmountIn, bps) === quoted
    ? value(helpers.Values, proportionAbi, [amountIn, bps, bpsDenominator])
    : value(lane.primary, minimumFee, [amountIn])
}

function sentEvents(source: ChainDefinition): EventFilter[] {
  const { transmitter: address } = cctpChain(source) ?? {}
  return address ? [{ address, topics: [messageSentTopic] }] : []
}

function deliveriesIn(
  logs: readonly SimulationLog[],
  source: ChainDefinition,
  known: readonly ChainDefinition[] = chains,
): Delivery[] {
  const cctp = cctpChain(source)
  if (!cctp) return []
  return logs.flatMap(({ address, topics: [topic, ...more], data }) => {
    if (toAddress(address) !== cctp.transmitter || topic !== messageSentTopic) return []
    const { args } = decodeEventLog({ abi: messageSent, topics: [topic, ...more], data })
    const sent = readBurn(args.message)
    // Others send messages, too.
    if (!sent || sent.sender !== cctp.messenger) return []
    const destination = known.find((chain) => cctpChain(chain)?.domain === sent.destinationDomain)
    const symbol = cctp.tokens.find(({ token }) => token === sent.burnToken)?.symbol
    const there = destination && cctpChain(destination)
    const token = there?.tokens.find((one) => one.symbol === symbol)?.token
    return [
      {
        bridge: 'cctp',
        // Circle numbers it when it attests.
        id: keccak256(args.message),
        sourceChainId: source.id,
        destinationChainId: destination?.id ?? null,
        token: token ?? zeroAddress,
        amount: sent.amount - sent.maxFee,
        sender: sent.burner,
        receiver: sent.mintRecipient,
        message: sent.hook,
        details: { head: sent.head },
      },
    ]
  })
}

const withAmounts: NonNullable<BridgeAdapter['withAmounts']> = (delivery, { sent, delivered }) => {
  const burn = { amount: sent, maxFee: sent - delivered }
  const head = withBurn(String(delivery.details.head) as Hex, burn)
  return { ...delivery, amount: delivered, details: { head } }
}

const simulation: BridgeAdapter['simulation'] = (delivery, destination) => {
  const { transmitter = zeroAddress } = cctpChain(destination) ?? {}
  const head = String(delivery.details.head) as Hex
  const nonce = keccak256(head)
  const sent = readBurn(head)
  const message = attestedMessage(head, delivery.message, {
    nonce,
    finality: sent?.minFinality ?? finality.standard,
    // The most that it may be.
    fee: sent?.maxFee ?? 0n,
  })
  const signed = { message, attestation: simulatedAttestation(message) }
  return {
    ...deliveryTransaction(delivery, destination, signed),
    value: 0n,
    overrides: { [transmitter]: attesterOverride(nonce) },
  }
}
