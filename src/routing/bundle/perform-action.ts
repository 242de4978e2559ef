/** Turns one action of a bundle into steps: its arguments as resolved so far, and its outcome. */

import { canonicalToken } from '../../chains/chain.js'
import { defined } from '../../domain/defined.js'
import { whyLost } from '../../domain/lost-payments.js'
import { type Amount, type ExecutorStep, isAmountRef } from '../../domain/order.js'
import { type Address, defaultCentiBps, isNative, toAddress } from '../../domain/primitives.js'
import type { ActionContext, ActionOutput } from '../../protocols/positions.js'
import { sendMeasured } from '../../protocols/shared/paid-output.js'
import type { BundleContext } from './bundle-context.js'
import { checkStays, checkToken, claimsOf } from './outputs/claims.js'
import type { PerformableAction } from './performers.js'
import { amountsOf, type PlannedStep } from './planned-steps.js'
import { refuse } from './problems.js'
import { protect } from './protect.js'
import type { Outcome } from './service-action.js'
import { helper } from './tools.js'
import { isReferenceLike, parseReference } from './values.js'

type Values = Readonly<Record<string, unknown>>

/** Adds the action's steps to the plan of the bundle and records the result. @throws ForkrouteError. */
export async function performAction(builder: BundleContext, action: PerformableAction) {
  const { draft } = builder
  const claims = claimsOf(action, (reference, argument) =>
    draft.resolve(reference, action.index, argument),
  )
  for (const claim of claims) {
    checkToken(claim)
    checkStays(claim)
  }
  draft.begin(claims)
  const values = pulledAsBalances(builder, action, forReceiver(resolved(builder, action), action))
  const built = await perform(builder, action, values)
  const outputs = sentOn(builder, action, values, built.outputs)
  checkReceiver(builder, action, values, outputs)
  const outcome: Outcome = { ...built, outputs }
  const { slippage } = values
  const defaultLimit = typeof slippage === 'bigint' ? slippage : defaultCentiBps
  const {
    centiBps = defaultLimit,
    least,
    checks,
    fees = [],
    prerequisites = [],
    warnings = [],
  } = outcome
  const { route = [stepOf(builder, action, values, outcome)] } = outcome
  const { kind, isPriced } = action.performer
  // Positions without a token are not outputs whose value can be compared.
  const isAway =
    outputs.some(({ isPaid, token }) => isPaid && !token) ||
    (kind === 'protocol' && !outputs.length)
  const planned = {
    outputs,
    fees,
    route,
    prerequisites,
    warnings,
    isPriced: isPriced && !isAway,
    centiBps,
    takes: [...new Set(outcome.spends.map(({ token }) => token))],
  }
  // A check without a tolerance of its own leaves that of the action whose output it looks at.
  const isLimited = !checks || outcome.centiBps !== undefined
  const limit = isLimited ? { centiBps, ...defined({ least }) } : null
  const { index } = action
  const [position] = route.flatMap(({ record }) => record.positionOutId)
  const receiver = receiverOf(builder, values)
  const isPartial = kind === 'protocol'
  protect(builder, { ...outcome, action: index, centiBps, position, receiver, isPartial })
  if (outcome.unprotected) draft.unprotected.push({ action: index, reason: outcome.unprotected })
  draft.close(planned, { ...outcome, limit })
}

/** A deposit on behalf of somebody is one that this one receives. */
function forReceiver(values: Values, { index, performer }: PerformableAction): Values {
  const { onBehalfOf, receiver } = values
  const isDeposit = performer.kind === 'protocol' && performer.definition.action === 'deposit'
  if (!isDeposit || onBehalfOf === undefined) return values
  if (receiver === undefined || receiver === onBehalfOf) return { ...values, receiver: onBehalfOf }
  return refuse(index, 'onBehalfOf', `the receiver ${receiver}, or left out`)
}

/** Who gets what an action pays out itself: its own argument, else the bundle's. */
function receiverOf(builder: BundleContext, { receiver }: Values): Address {
  return typeof receiver === 'string' ? toAddress(receiver) : builder.receiver
}

/** Refuses what `whyLost` tells of the receiver that an action names and pays itself. */
function checkReceiver(
  { task }: BundleContext,
  { index }: PerformableAction,
  { receiver }: Values,
  outputs: readonly ActionOutput[],
): void {
  if (typeof receiver !== 'string') return
  const paid = outputs.flatMap(({ token, isPaid }) =>
    isPaid && token ? canonicalToken(task.chain, token) : [],
  )
  const address = toAddress(receiver)
  const why = whyLost(address, paid)
  if (why) refuse(index, 'receiver', `another address: ${address} ${why}`)
}

/** Whether the argument `receiver` says who gets what comes out. */
function paysReceiver({ performer }: PerformableAction): boolean {
  return performer.kind === 'protocol' || (performer.definition.paysReceiver ?? false)
}

/**
 * Sends what an action has left in the runner to the receiver that the action names, unless that is the bundle's anyway
 * or a later action takes it.
 */
function sentOn(
  builder: BundleContext,
  action: PerformableAction,
  values: Values,
  outputs: readonly ActionOutput[],
): readonly ActionOutput[] {
  const { index } = action
  const { draft, runner, account } = builder
  const to = receiverOf(builder, values)
  if (!paysReceiver(action) || to === builder.receiver) return outputs
  const context = { runner, helper, add: (step: ExecutorStep) => draft.add(index, step) }
  return outputs.map((output, place) => {
    const { token, amount, isPaid } = output
    if (!token || isPaid || builder.isSpent(index, place)) return output
    // An account that names itself keeps it; an Executor keeps nothing.
    if (to === runner) return runner === account ? { ...output, isPaid: true } : output
    // Tokens that round leave a unit behind.
    draft.touched.add(token)
    const arrived = sendMeasured(context, token, to, amount)
    // Without a simulation nothing but a quote says what is due.
    if (isAmountRef(arrived) && arrived.ref === 'output' && draft.isKnown(amount)) {
      draft.markChecked(arrived, arrived.step, true)
    }
    return { token, amount: arrived, isPaid: true }
  })
}

function perform(
  builder: BundleContext,
  { index, performer }: PerformableAction,
  values: Values,
): Promise<Outcome> | Outcome {
  const { draft, runner, account } = builder
  const common: Pick<ActionContext, 'runner' | 'helper' | 'add' | 'refuse'> = {
    runner,
    helper,
    add: (step) => draft.add(index, step),
    refuse: (argument, expected) => refuse(index, argument, expected),
  }
  if (performer.kind === 'service') {
    const { definition, adapter } = performer
    return definition.perform(values, { ...common, builder, index, only: adapter })
  }
  const { task } = builder
  const { definition, adapter } = performer
  return definition.build(values as never, {
    ...common,
    chain: task.chain,
    venue: task.chain.venues[adapter.slug] ?? {},
    reader: task.reader,
    account: debtorIn(values, definition.action) ?? account,
    receiver: receiverOf(builder, values),
    deadline: builder.deadline,
    async positionOf(primaryAddress) {
      const listed = await task.facts.positions(task.reader, adapter)
      return listed.find((one) => one.primaryAddress === primaryAddress) ?? null
    },
    valueOf: (amount) => builder.valueOf(amount, index),
  })
}

/** Whose debt a repayment names; null where it names none. */
function debtorIn({ onBehalfOf }: Values, action: string): Address | null {
  return action === 'repay' && typeof onBehalfOf === 'string' ? toAddress(onBehalfOf) : null
}

/** Arguments with references resolved where the kind allows references. */
function resolved(
  { draft }: BundleContext,
  { index, values, performer }: PerformableAction,
): Values {
  const outputOf = (value: unknown, name: string) =>
    isReferenceLike(value) ? draft.resolve(parseReference(value), index, name) : null
  const amountOf = (value: unknown, name: string) => outputOf(value, name)?.amount ?? value
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const kind = performer.inputs[name]?.kind
      if (kind === 'output') return [name, outputOf(value, name)]
      if (kind === 'amount' || kind === 'condition') return [name, amountOf(value, name)]
      if (kind !== 'amounts' || !Array.isArray(value)) return [name, value]
      return [name, value.map((item) => amountOf(item, name))]
    }),
  )
}

/** Replaces numbers pulled for this action alone by the runner's balance: of a taxed token, less arrives. */
function pulledAsBalances(
  builder: BundleContext,
  { index, performer, values: given }: PerformableAction,
  values: Values,
): Values {
  const [pair] = performer.takes ?? []
  const [token, amount] = pair ?? []
  if (performer.takesNumbers || !token || !amount) return values
  const tokens = [values[token] ?? []].flat() as Address[]
  const amounts = [values[amount] ?? []].flat() as Amount[]
  const asGiven = [given[amount] ?? []].flat()
  if (tokens.length !== amounts.length) return values
  const stated = amounts.map((each, place) => {
    const address = tokens[place]
    if (!address || isAmountRef(each) || isReferenceLike(asGiven[place])) return each
    // Native is stated as the balance for deliveries only, where nothing but what has arrived says how much there is.
    if (isNative(address) && !builder.args.delivered) return each
    const isTwice = tokens.indexOf(address) !== tokens.lastIndexOf(address)
    const isShared = isTwice || builder.isMentioned(address, index) || builder.isTouched(address)
    return isShared ? each : builder.draft.stateAsBalance(address, each)
  })
  return { ...values, [amount]: Array.isArray(values[amount]) ? stated : stated[0] }
}

function stepOf(
  { task, draft }: BundleContext,
  { protocol, action, performer }: PerformableAction,
  values: Values,
  outcome: Outcome,
): PlannedStep {
  const { positionsIn = [], positionsOut = [], outputs, spends, primary } = outcome
  const { id: chainId } = task.chain
  const named = performer.kind === 'protocol' ? values.primaryAddress : undefined
  const address = (named as Address | undefined) ?? primary
  // A position entered with its own token needs no other address.
  const idOf = (key: string) => `${chainId}:${address ?? key}:${key}`
  const record = {
    action,
    protocol,
    tokenIn: [...new Set(spends.map(({ token }) => token))],
    tokenOut: [...new Set(outputs.flatMap(({ token }) => token ?? []))],
    positionInId: positionsIn.map(idOf),
    positionOutId: positionsOut.map(idOf),
    chainId,
    ...defined({ primary: address }),
  }
  return { record, ...amountsOf(record, outcome, (token) => draft.stated(token)) }
}
