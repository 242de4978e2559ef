/** The service's own actions as steps. */
import type { AbiFunction } from 'viem'
import { type Amount, type CallStep, isAmountRef, type Step } from '../../domain/plan.js'
import {
  type Address,
  bpsDenominator,
  defaultCentiBps,
  type Hex,
  isNative,
  nativeToken,
} from '../../domain/primitives.js'
import type { RouteStepRecord } from '../../domain/route-step.js'
import { flashLoan } from '../../executor/flash-loan.js'
import type { ActionOutput, ActionResult } from '../../protocols/positions.js'
import { canSwap } from '../../protocols/protocol.js'
import { balanceChanges } from '../../protocols/shared/balance-changes.js'
import { addCall, sum } from '../../protocols/shared/value-steps.js'
import type { MarketPool } from '../market/market.js'
import { approveNft, permitTransfer, transferNft } from './bundle-steps.js'
import { toCallArguments } from './call-arguments.js'
import type { ParsedAction } from './parse-actions.js'
import type { PlannedAction } from './plan.js'
import { planRouteStep } from './route-step.js'
import type { BundleScene } from './scene.js'
import { helper, minimumStep, refuse } from './tools.js'
import { BadArgument, type Reference } from './values.js'

export interface Performed {
  readonly planned: PlannedAction
  readonly result: ActionResult
}

/** What one action has become, before it is written down. */
interface Outcome extends ActionResult {
  readonly records?: readonly RouteStepRecord[]
  readonly centiBps?: bigint
}

type Values = Readonly<Record<string, unknown>>

interface Scene {
  readonly builder: BundleScene
  readonly parsed: ParsedAction
  readonly values: Values
  readonly add: (step: Step) => number
}

/** Balancer's vault lends for nothing; its governance may set a fee. One percent. */
const highestLoanFeeE18 = 10n ** 16n
const nothing: Outcome = { spends: [], outputs: [] }

const performers: Readonly<Record<string, (scene: Scene) => Promise<Outcome> | Outcome>> = {
  route: (scene) => swap(scene, () => true),
  apiswap: (scene) => swap(scene, ({ adapter }) => adapter.category !== 'lending'),
  swap: (scene) => swap(scene, isOfVenue(scene)),
  split,
  merge,
  approve,
  transfer,
  permittransferfrom,
  call,
  balance: ({ values, add }) => {
    const token = values.token as Address
    const amount = sum({ add, helper }, [{ ref: 'balance', token }])
    return { spends: [], outputs: [{ token, amount }] }
  },
  slippage: (scene) => checked(scene, { centiBps: scene.values.bps as bigint }),
  minamountout: (scene) => checked(scene, { minimum: scene.values.minAmountOut as Amount }),
  fee,
  flashloan,
}

/** @throws ForkrouteError INVALID_REQUEST naming the argument; as a quote for what needs a route. */
export async function performService(
  builder: BundleScene,
  parsed: ParsedAction,
  values: Values,
): Promise<Performed> {
  const perform = performers[parsed.source.action]
  if (!perform) throw new RangeError(`${parsed.source.action} is no action of the service.`)
  const add = (step: Step) => builder.plan.add(parsed.index, step)
  const outcome = await perform({ builder, parsed, values, add })
  const { protocol, action } = parsed.source
  const record: RouteStepRecord = {
    action,
    protocol,
    tokenIn: [...new Set(outcome.spends.map(({ token }) => token))],
    tokenOut: [...new Set(outcome.outputs.flatMap(({ token }) => token ?? []))],
    positionInId: [],
    positionOutId: [],
    chainId: builder.run.block.chain.id,
    ...(action === 'call' && { primary: values.address as Address }),
  }
  return {
    result: outcome,
    planned: {
      parsed,
      outputs: outcome.outputs,
      centiBps: outcome.centiBps ?? defaultCentiBps,
      records: outcome.records ?? [record],
      prerequisites: outcome.prerequisites ?? [],
    },
  }
}

async function swap(scene: Scene, isAllowed: (market: MarketPool) => boolean): Promise<Outcome> {
  const { builder, parsed, values } = scene
  const [tokenIn, tokenOut] = [values.tokenIn as Address, values.tokenOut as Address]
  const amountIn = values.amountIn as Amount
  const action = parsed.index
  const routed = await planRouteStep(builder, { action, tokenIn, tokenOut, amountIn, isAllowed })
  const centiBps = (values.slippage as bigint | undefined) ?? defaultCentiBps
  keepMinimum(scene, 0, routed.output, centiBps, routed.quoted)
  return {
    spends: [{ token: tokenIn, amount: amountIn }],
    outputs: [{ token: tokenOut, amount: routed.output }],
    leftovers: routed.leftovers,
    records: routed.records,
    centiBps,
  }
}

/** What later actions spend is checked on the way; what remains is checked at the end. */
function keepMinimum(
  { builder, parsed, add }: Scene,
  index: number,
  amount: Amount,
  centiBps: bigint,
  quoted: bigint | null,
): void {
  if (!builder.isReferenced(parsed.index, index)) return
  const step = minimumStep(amount, 0n)
  add(step)
  builder.plan.minimums.push({ step, amount, centiBps, quoted })
}

function isOfVenue({ parsed, values }: Scene): (market: MarketPool) => boolean {
  const { performs } = parsed
  const only = performs.kind === 'service' ? performs.only : undefined
  const pool = values.primaryAddress as Address | undefined
  return ({ adapter, loaded }) =>
    (!only || adapter === only) && canSwap(adapter) && (!pool || loaded.pool.address === pool)
}

/** An equal part for each token, the last gets what rounding leaves. */
async function split(scene: Scene): Promise<Outcome> {
  const { builder, parsed, values } = scene
  const tokenIn = values.tokenIn as Address
  const tokensOut = values.tokenOut as readonly Address[]
  const amountIn = values.amountIn as Amount
  const centiBps = (values.slippage as bigint | undefined) ?? defaultCentiBps
  const outputs: ActionOutput[] = []
  const records: RouteStepRecord[] = []
  const leftovers = new Set<Address>()
  const stated = isAmountRef(amountIn) ? builder.plan.stated(tokenIn) : undefined
  const parts = equalParts(stated ?? amountIn, tokensOut.length)
  // Of a taxed token less arrives: the last part is what is there then.
  if (stated !== undefined && !tokensOut.includes(tokenIn)) parts[parts.length - 1] = amountIn
  const search = (await builder.searchAmount(amountIn, parsed.index)) / BigInt(tokensOut.length)
  for (const [index, tokenOut] of tokensOut.entries()) {
    const part = parts[index] ?? 0n
    if (tokenOut === tokenIn) {
      outputs.push({ token: tokenIn, amount: part })
      continue
    }
    const args = { action: parsed.index, tokenIn, tokenOut, amountIn: part, search }
    const routed = await planRouteStep(builder, args)
    keepMinimum(scene, index, routed.output, centiBps, routed.quoted)
    outputs.push({ token: tokenOut, amount: routed.output })
    records.push(...routed.records)
    for (const token of routed.leftovers) leftovers.add(token)
  }
  const spends = [{ token: tokenIn, amount: amountIn }]
  return { spends, outputs, records, leftovers: [...leftovers], centiBps }
}

function equalParts(total: Amount, count: number): Amount[] {
  const indexes = Array.from({ length: count }, (_part, index) => index)
  if (!isAmountRef(total)) {
    const part = total / BigInt(count)
    return indexes.map((index) => (index === count - 1 ? total - part * BigInt(count - 1) : part))
  }
  const whole = total.bps ?? Number(bpsDenominator)
  const part = Math.floor(whole / count)
  return indexes.map((index) => {
    const bps = index === count - 1 ? whole - part * (count - 1) : part
    return { ...total, bps }
  })
}

async function merge(scene: Scene): Promise<Outcome> {
  const { builder, parsed, values, add } = scene
  const tokensIn = values.tokenIn as readonly Address[]
  const amountsIn = values.amountIn as readonly Amount[]
  const tokenOut = values.tokenOut as Address
  const action = parsed.index
  if (tokensIn.length !== amountsIn.length) {
    return refuse(action, 'amountIn', `a list of ${tokensIn.length} amounts, one per tokenIn`)
  }
  const centiBps = (values.slippage as bigint | undefined) ?? defaultCentiBps
  const amounts: Amount[] = []
  const records: RouteStepRecord[] = []
  const leftovers = new Set<Address>()
  let quoted = 0n
  for (const [index, tokenIn] of tokensIn.entries()) {
    const amountIn = amountsIn[index] ?? 0n
    if (tokenIn === tokenOut) {
      amounts.push(amountIn)
      quoted += await builder.searchAmount(amountIn, action)
      continue
    }
    const routed = await planRouteStep(builder, { action, tokenIn, tokenOut, amountIn })
    amounts.push(routed.output)
    quoted += routed.quoted
    records.push(...routed.records)
    for (const token of routed.leftovers) leftovers.add(token)
  }
  const amount = sum({ add, helper }, amounts)
  keepMinimum(scene, 0, amount, centiBps, quoted)
  return {
    spends: tokensIn.map((token, index) => ({ token, amount: amountsIn[index] ?? 0n })),
    outputs: [{ token: tokenOut, amount }],
    records,
    leftovers: [...leftovers],
    centiBps,
  }
}

function idOf({ id, tokenId }: Values): Amount | undefined {
  return (id ?? tokenId) as Amount | undefined
}

function approve({ builder, parsed, values, add }: Scene): Outcome {
  const [token, spender] = [values.token as Address, values.spender as Address]
  const id = idOf(values)
  if (id !== undefined) {
    return approveNft({ add, runner: builder.runner }, { token, spender, id })
  }
  const amount = values.amount as Amount | undefined
  if (amount === undefined) return refuse(parsed.index, 'amount', 'given, or an id')
  if (isNative(token)) return refuse(parsed.index, 'token', 'a token: native needs no approval')
  add({ kind: 'approve', token, spender, amount })
  const key = `${spender}:${token}`
  if (typeof amount === 'bigint') {
    builder.approved.set(key, (builder.approved.get(key) ?? 0n) + amount)
  }
  return nothing
}

function transfer({ builder, parsed, values, add }: Scene): Outcome {
  const { index } = parsed
  const token = values.token as Address
  const to = (values.recipient ?? values.receiver) as Address | undefined
  if (!to) return refuse(index, 'recipient', 'given')
  const id = idOf(values)
  if (id !== undefined) {
    const holder = typeof id === 'bigint' ? builder.account : builder.runner
    return transferNft({ add, runner: builder.runner }, { token, holder, recipient: to, id })
  }
  const amount = values.amount as Amount | undefined
  if (amount === undefined) return refuse(index, 'amount', 'given, or an id')
  add({ kind: 'transfer', token, to, amount })
  return { spends: [{ token, amount }], outputs: [] }
}

function permittransferfrom({ builder, parsed, values, add }: Scene): Outcome {
  const literal = (name: string): bigint => {
    const value = values[name] as Amount
    if (typeof value === 'bigint') return value
    return refuse(parsed.index, name, 'a number: it is signed')
  }
  const permit = {
    token: values.token as Address,
    amount: literal('amount'),
    nonce: literal('nonce'),
    deadline: literal('deadline'),
    signature: values.signature as Hex,
    owner: builder.args.request.fromAddress,
  }
  builder.permitted.push({ token: permit.token, amount: permit.amount })
  return permitTransfer({ add, runner: builder.runner }, permit)
}

/** Its outputs: the increase of each tokenOut, else the one word of the return data that is referred to. */
function call({ builder, parsed, values, add }: Scene): Outcome {
  const { index } = parsed
  const abi = values.abi as AbiFunction
  const target = values.address as Address
  const tokensIn = (values.tokenIn ?? []) as readonly Address[]
  const tokensOut = (values.tokenOut ?? []) as readonly Address[]
  const given = values.amountIn as readonly Amount[] | undefined
  if (given && given.length !== tokensIn.length) {
    return refuse(index, 'amountIn', `a list of ${tokensIn.length} amounts, one per tokenIn`)
  }
  const spends = tokensIn.map((token, position) => {
    const amount = given?.[position] ?? builder.approved.get(`${target}:${token}`)
    if (amount !== undefined) return { token, amount }
    return refuse(index, 'amountIn', `given: no amount of ${token} is approved to ${target} before`)
  })
  const value = values.value as Amount | undefined
  if (value !== undefined) spends.push({ token: nativeToken, amount: value })
  let args: unknown[]
  try {
    args = toCallArguments(abi.inputs, values.args, (reference: Reference) =>
      builder.plan.resolve(reference, index, 'args'),
    )
  } catch (error) {
    if (error instanceof BadArgument) return refuse(index, 'args', error.message)
    throw error
  }
  const step: CallStep = { kind: 'call', target, abi, args, ...(value !== undefined && { value }) }
  if (tokensOut.length) {
    const outputs = balanceChanges({ add, helper, runner: builder.runner }, step, tokensOut)
    return { spends, outputs }
  }
  const word = wordReferred(builder, index)
  if (word === null) {
    add(step)
    return { spends, outputs: [] }
  }
  const outputs: ActionOutput[] = Array.from({ length: word }, () => unreferred)
  outputs.push({ token: null, amount: addCall({ add }, step, word) })
  return { spends, outputs }
}

/** A word of the return data that nothing refers to: a step keeps one. */
const unreferred: ActionOutput = { token: null, amount: 0n }
const mostWords = 16

function wordReferred(builder: BundleScene, action: number): number | null {
  const words = Array.from({ length: mostWords }, (_word, index) => index).filter((index) =>
    builder.isReferenced(action, index),
  )
  if (words.length <= 1) return words[0] ?? null
  return refuse(
    action,
    'tokenOut',
    'given: only one word of what a call returns can be referred to',
  )
}

function checked(
  { builder, parsed, values, add }: Scene,
  limit: { readonly centiBps: bigint } | { readonly minimum: Amount },
): Outcome {
  const given = parsed.values.amountOut
  const amount = values.amountOut as Amount
  const isReference = typeof given === 'object' && given !== null && 'useOutputOfCallAt' in given
  if (!isReference) return refuse(parsed.index, 'amountOut', 'a reference {useOutputOfCallAt}')
  const { useOutputOfCallAt, index } = given as Reference
  const token = builder.plan.actions[useOutputOfCallAt]?.outputs[index]?.token ?? null
  const minimum = 'minimum' in limit ? limit.minimum : 0n
  const check = minimumStep(amount, minimum)
  const step = add(check)
  if ('centiBps' in limit) {
    builder.plan.minimums.push({ step: check, amount, centiBps: limit.centiBps, quoted: null })
  }
  return {
    spends: token ? [{ token, amount }] : [],
    outputs: [{ token, amount: { ref: 'output', step } }],
    ...('centiBps' in limit && { centiBps: limit.centiBps }),
  }
}

/** Borrowed from the Balancer vault; what is left when it is repaid are its outputs. */
async function flashloan({ builder, parsed, values, add }: Scene): Promise<Outcome> {
  const { index, callback = [] } = parsed
  const tokens = values.token as readonly Address[]
  const amounts = values.amount as readonly Amount[]
  const lender = builder.run.block.chain.venues['balancer-v2']?.vault
  if (typeof lender !== 'string') return refuse(index, 'action', 'another: no lender is known here')
  if (builder.runner === builder.account) {
    return refuse(index, 'action', 'used with routingStrategy router: accounts answer no callback')
  }
  if (tokens.length !== amounts.length) {
    return refuse(index, 'amount', `a list of ${tokens.length} amounts, one per token`)
  }
  const loans = tokens.map((token, place) => ({ token, amount: amounts[place] ?? 0n }))
  const loan = flashLoan({
    index: builder.plan.steps.length,
    lender: lender as Address,
    loans,
    maximumFeeE18: highestLoanFeeE18,
  })
  const borrowed = await Promise.all(
    loans.map(async ({ token, amount }) => ({
      token,
      amount: await builder.valueOf(amount, index),
    })),
  )
  const inner = builder.within(parsed, callback, loan.firstStep, borrowed)
  await inner.build()
  add(loan.step(inner.plan.steps))
  builder.plan.absorb(inner.plan)
  const left = new Set([...tokens, ...inner.plan.remaining().map(({ token }) => token)])
  return {
    spends: [],
    outputs: [...left].map((token) => ({ token, amount: { ref: 'balance', token } })),
    records: inner.plan.actions.flatMap(({ records }) => records),
    prerequisites: inner.plan.actions.flatMap(({ prerequisites }) => prerequisites),
  }
}

function fee({ parsed, values, add }: Scene): Outcome {
  const token = values.token as Address
  const amount = values.amount as Amount
  const bps = values.bps as number
  const whole = Number(bpsDenominator)
  if (bps < 1 || bps > whole) return refuse(parsed.index, 'bps', `a number from 1 to ${whole}`)
  const to = values.receiver as Address
  if (!isAmountRef(amount)) {
    const part = (amount * BigInt(bps)) / bpsDenominator
    add({ kind: 'transfer', token, to, amount: part })
    return { spends: [{ token, amount }], outputs: [{ token, amount: amount - part }] }
  }
  const all = sum({ add, helper }, [amount])
  add({ kind: 'transfer', token, to, amount: { ...all, bps } })
  return {
    spends: [{ token, amount }],
    outputs: [{ token, amount: { ...all, bps: whole - bps } }],
  }
}
