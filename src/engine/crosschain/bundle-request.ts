/** What a bundle that leads over bridges asks for on either chain, checked before a block is pinned. Pure. */
import type { Lane } from '../../bridges/bridge.js'
import { lanesBetween } from '../../bridges/known-lanes.js'
import { bridgeOf, bridges } from '../../bridges/registry.js'
import type { BundleAction, BundleRequest, TypedBundle } from '../../domain/bundle.js'
import { invalidRequest } from '../../domain/common-errors.js'
import { defined } from '../../domain/defined.js'
import type { CallContext } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { maxActions } from '../../domain/grammar.js'
import { at, onlyOne } from '../../domain/lists.js'
import { type Address, defaultCentiBps } from '../../domain/primitives.js'
import { parseBundle } from '../../routing/bundle/parse-actions.js'
import { fromCallback, type Problem, refuse } from '../../routing/bundle/problems.js'
import type { ConfiguredChains } from '../configured-chains.js'
import type { BridgedBundle, BundleTransfer } from './bridged-bundle.js'
import { whyNobodys } from './receivers.js'
import { leadsElsewhere, readRoute } from './routed-bundle.js'

const actionName = 'bridge'

export function isOverBridge({ actions, chainId }: BundleRequest): boolean {
  return actions.some((one) => isBridging(one, chainId))
}

function isBridging(one: BundleAction, chainId: number): boolean {
  return one.action === actionName || leadsElsewhere(one, chainId)
}

/** All that is wrong about the request itself, before a block is pinned. @returns one for each that leads over a bridge. */
export function readBundle(
  chains: ConfiguredChains,
  request: BundleRequest,
  { whatIf }: CallContext,
): BundleTransfer[] {
  const { actions, chainId, skipQuote, destinationBlockNumber } = request
  if (skipQuote) {
    throw invalidRequest(['skipQuote is not available over a bridge: both sides are simulated.'])
  }
  if (whatIf) {
    throw invalidRequest([
      'stateOverrides and blockOverrides are of one chain: a bundle that leads over a bridge takes none.',
    ])
  }
  const bridging = actions.flatMap((one, place) => (isBridging(one, chainId) ? [place] : []))
  const [, second] = bridging.filter((place) => at(actions, place).action !== actionName)
  if (second !== undefined) {
    const expected =
      'left out: one route of a bundle leads to another chain, and the action bridge sends more'
    refuse(second, 'destinationChainId', expected)
  }
  const source = parseBundle(
    { ...request, actions: actions.map(withoutCallback) },
    chains.of(chainId),
  )
  const transfers = bridging.map((index) => {
    const read = { request, source, index }
    return at(actions, index).action === actionName
      ? readBridge(chains, read)
      : readRoute(chains, read)
  })
  const all = transfers.flatMap((one) => [one, ...one.onward])
  const ids = new Set(all.map(({ destination }) => destination.id))
  if (destinationBlockNumber !== undefined && ids.size > 1) {
    throw invalidRequest([
      `destinationBlockNumber is of one chain, and the bundle leads to ${[...ids].join(' and ')}.`,
    ])
  }
  return transfers
}

/** What a bridge action runs on another chain has actions of that chain. */
function withoutCallback(one: BundleAction): BundleAction {
  if (one.action !== actionName) return one
  const { callback: _, ...args } = one.args
  return { ...one, args }
}

function readBridge(
  chains: ConfiguredChains,
  read: {
    readonly request: BundleRequest
    /** The same, with what bridges are to run elsewhere left out. */
    readonly source: TypedBundle
    readonly index: number
    /** Whether it is a callback's. */
    readonly isOnward?: boolean
  },
): BundleTransfer {
  const { request, source, index, isOnward = false } = read
  const given = at(request.actions, index)
  const { callback } = given.args
  const from = chains.of(request.chainId)
  const { values } = at(source.actions, index)
  const {
    tokenIn,
    primaryAddress,
    destinationChainId,
    receiver: named,
    callbackValue = 0n,
    protocolArgs = {},
  } = values as {
    readonly tokenIn: Address
    readonly primaryAddress: Address
    readonly destinationChainId: number
    readonly receiver?: Address
    readonly callbackValue?: bigint
    readonly protocolArgs?: Readonly<Record<string, unknown>>
  }
  const destination = chains.all.find(({ id }) => id === destinationChainId)
  if (!destination || destination.id === from.id) {
    const others = chains.all.flatMap(({ id }) => (id === from.id ? [] : [id]))
    return refuse(index, 'destinationChainId', `another configured chain: ${others.join(', ')}`)
  }
  const asked = bridges.filter(
    ({ names }) =>
      given.protocol === request.serviceName || names.some((name) => name === given.protocol),
  )
  const lanes = lanesBetween(asked, from, destination)
  const through = lanes.filter(({ primary }) => primary === primaryAddress)
  if (!through.length) {
    const known = [...new Set(lanes.map(({ primary, bridge }) => `${primary} (${bridge})`))]
    const expected = known.length ? `one of ${known.join(', ')}` : 'of a bridge: none leads there'
    return refuse(
      index,
      'primaryAddress',
      `a contract that sends to chain ${destination.id}, ${expected}`,
    )
  }
  const usual = through.find((one) => one.tokenIn === tokenIn)
  if (!usual) {
    const taken = through.map((one) => `${one.tokenIn} (${one.symbol})`)
    return refuse(index, 'tokenIn', `what ${primaryAddress} takes: ${taken.join(', ')}`)
  }
  const isFast = asksForSpeed(usual, protocolArgs.transferType, index)
  const lane = isFast ? sooner(usual) : usual
  const receiver = named ?? request.receiver ?? request.fromAddress
  const { fromAddress } = request
  const sides = { destination, tokensOut: [lane.tokenOut], fromAddress }
  const why = whyNobodys(receiver, sides)
  if (why) {
    refuse(index, 'receiver', `another than ${receiver} on chain ${destination.id}: ${why}`)
  }
  const runsOrder = callback !== undefined && callback !== null
  if (runsOrder && lane.withoutOrders) {
    const named = `${lane.symbol} over ${lane.bridge} (${lane.primary})`
    refuse(index, 'callback', `left out for ${named}. ${lane.withoutOrders}`)
  }
  const callValue = callValueOf(callbackValue, lane, { index, runsOrder })
  const common = { source, lane, runsOrder, swapsOnDestination: true, centiBps: defaultCentiBps }
  const ran = runsOrder
    ? callbackOf(request, { index, callback, lane, destination, receiver, isOnward })
    : null
  const bundle: BridgedBundle = {
    ...common,
    isFast,
    ...defined({ callValue }),
    callback: ran && { kind: 'actions', request: ran.typed },
  }
  return {
    action: index,
    destination,
    receiver,
    onward: ran ? onwardOf(chains, ran, index) : [],
    lanes: [lane],
    bundlesFor: () => [bundle],
  }
}

/** What a callback sends on. */
function onwardOf(
  chains: ConfiguredChains,
  { asked, typed }: Callback,
  index: number,
): BundleTransfer[] {
  try {
    return asked.actions.flatMap((one, place) =>
      one.action === actionName
        ? [readBridge(chains, { request: asked, source: typed, index: place, isOnward: true })]
        : [],
    )
  } catch (error) {
    throw fromCallback(error, index)
  }
}

/** Bridges state it in so many bits. */
const maxCallValue = 2n ** 128n - 1n

/** Wei that come with the call; undefined: none. */
function callValueOf(
  wei: bigint,
  lane: Lane,
  { index, runsOrder }: { readonly index: number; readonly runsOrder: boolean },
): bigint | undefined {
  if (wei === 0n) return undefined
  const argument = 'callbackValue'
  const able = bridges.filter(({ hasCallValue }) => hasCallValue)
  if (!bridgeOf(lane).hasCallValue) {
    const names = able.map(({ slug }) => slug).join(' and ')
    return refuse(index, argument, `0: ${lane.bridge} brings no native tokens besides; ${names} do`)
  }
  if (!runsOrder) return refuse(index, argument, '0 without a callback: nothing takes it')
  return wei > maxCallValue ? refuse(index, argument, `at most ${maxCallValue}`) : wei
}

const transferTypes = ['standard', 'fast']

function asksForSpeed(lane: Lane, transferType: unknown, index: number): boolean {
  if (!bridgeOf(lane).hasFastTransfers || transferType === undefined) return false
  const wanted = String(transferType).toLowerCase()
  if (!transferTypes.includes(wanted)) {
    refuse(index, 'protocolArgs.transferType', transferTypes.join(' or '))
  }
  return wanted === 'fast'
}

function sooner(lane: Lane): Lane {
  const { fastSeconds = lane.estimatedSeconds } = lane.details ?? {}
  return { ...lane, estimatedSeconds: Number(fastSeconds) }
}

interface Callback {
  readonly asked: BundleRequest
  readonly typed: TypedBundle
}

/** A bundle of its own on the destination. */
function callbackOf(
  request: BundleRequest,
  to: Pick<BundleTransfer, 'destination' | 'receiver'> & {
    readonly lane: Lane
    readonly index: number
    readonly callback: unknown
    readonly isOnward: boolean
  },
): Callback {
  const { index, callback, lane, destination, receiver, isOnward } = to
  if (!Array.isArray(callback) || !callback.length || callback.length > maxActions) {
    return refuse(index, 'callback', `a list of 1 to ${maxActions} actions`)
  }
  const actions = callback.map((item: unknown, place): BundleAction => {
    const { protocol: given, action, args = {} } = (item ?? {}) as Record<string, unknown>
    const protocol = onlyOne(given)
    const name = `callback[${place}]`
    if (typeof protocol !== 'string' || typeof action !== 'string') {
      return refuse(index, name, 'an action {protocol, action, args}')
    }
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      return refuse(index, `${name}.args`, 'an object')
    }
    const named: BundleAction = {
      protocol: protocol.toLowerCase(),
      action: action.toLowerCase(),
      args: args as Record<string, unknown>,
    }
    if (named.action === actionName && isOnward) {
      const expected =
        'another: what one bridge delivers may be sent on once, and not a second time'
      return refuse(index, `${name}.action`, expected)
    }
    if (leadsElsewhere(named, destination.id)) {
      const expected = 'left out: the action bridge sends on what has arrived'
      return refuse(index, `${name}.destinationChainId`, expected)
    }
    return named
  })
  const first = at(actions, 0)
  if (first.action !== 'balance') refuse(index, 'callback[0].action', 'balance, of what arrives')
  const { blockNumber: _b, deadline: _d, spender: _s, includeTrace: _t, ...terms } = request
  const asked: BundleRequest = {
    ...terms,
    actions,
    receiver,
    refundReceiver: receiver,
    fromAddress: receiver,
    chainId: destination.id,
    strategy: 'router',
    executionMode: 'backend',
  }
  try {
    const typed = parseBundle({ ...asked, actions: actions.map(withoutCallback) }, destination)
    if (at(typed.actions, 0).values.token !== lane.tokenOut) {
      refuse(index, 'callback[0].token', `${lane.tokenOut}, which is what arrives`)
    }
    return { asked, typed }
  } catch (error) {
    const problems = error instanceof ForkrouteError ? error.details?.problems : undefined
    if (!problems || at(problems as readonly Problem[], 0).argument.startsWith('callback'))
      throw error
    throw fromCallback(error, index)
  }
}
