/**
 * Parses a plan as its author writes it, in YAML or JSON. Every mistake is reported with its place
 * (`requests[1].tokenIn must …`), unknown fields included: a typo would otherwise change what is measured.
 */
import type { z } from 'zod'
import {
  type BacktestPlan,
  type BlockRange,
  backtestLimits as limits,
  type PlanRequest,
  type PlanVariant,
} from '../../domain/backtest.js'
import type { BlockTag } from '../../domain/block-tag.js'
import { invalidRequest, mostProblems, unknownChainId } from '../../domain/common-errors.js'
import { defined } from '../../domain/defined.js'
import type { CallContext, Engine } from '../../domain/engine.js'
import { checkFields } from '../contract.js'
import { fromBody, type Given, isAbsent, textOf } from '../input.js'
import { type PlanDialect, planBody, planInputs } from './plan-fields.js'
import { statedSlippage, toAutoSlippage, toPlanRequest, toQuoteRequest } from './route-request.js'
import { autoSlippageRules, crosschainRules, quoteRules, routeRules } from './route-rules.js'

export interface PlanContext {
  readonly engine: Engine
  readonly dialect: PlanDialect
  readonly context: CallContext
}

type Inputs = ReturnType<typeof planInputs>

/** Unknown fields of one object whose near names are looked for. */
const mostHints = 100

/** @throws ForkrouteError INVALID_REQUEST that lists every mistake; UNKNOWN_CHAIN; errors of looking up blocks. */
export async function parsePlan(body: unknown, args: PlanContext): Promise<BacktestPlan> {
  const problems: string[] = []
  const inputs = planInputs(args.dialect)
  const shape = planBody(args.dialect).shape
  const given = objectOf(body, 'the plan', problems)
  if (!given) throw invalidRequest(problems)
  refuseUnknown(given, Object.keys(shape), '', problems)
  const top = checkFields(
    planBody(args.dialect).pick({ name: true, chainId: true, baseline: true }),
    fromBody(given, { name: shape.name, chainId: shape.chainId, baseline: shape.baseline }),
    problems,
  )
  const chainId = top?.chainId ?? 1
  // A sentence about a wrong value takes a hundred times as long as to read a right one.
  const unlessHopeless = <T>(read: () => T): T | null =>
    problems.length > mostProblems ? null : read()
  const requests = listOf(given.requests, 'requests', { max: limits.requests }, problems).map(
    (item, index) => unlessHopeless(() => readRequest(item, index, { chainId, inputs, problems })),
  )
  if (isAbsent(given.requests)) problems.push('requests is required')
  const variants = isAbsent(given.variants)
    ? [{ name: 'default', router: {}, ignoreStandards: [] }]
    : listOf(given.variants, 'variants', { max: limits.variants }, problems).map((item, index) =>
        unlessHopeless(() => readVariant(item, index, inputs, problems)),
      )
  refuseTwice(requests, 'requests', problems)
  refuseTwice(variants, 'variants', problems)
  const baseline = top?.baseline ?? variants[0]?.name ?? ''
  if (!variants.some((variant) => variant === null || variant.name === baseline)) {
    problems.push(`baseline must be the name of a variant, not ${JSON.stringify(baseline)}`)
  }
  const delays = readDelays(given.delays, problems)
  const deliverySeconds = readSeconds(given.deliverySeconds, problems)
  refuseForBridges({ requests, variants, delays, deliverySeconds }, problems)
  const blocks = readBlocks(given.blocks, inputs, problems)
  if (problems.length) throw invalidRequest(problems)
  const served = args.engine.networks()
  const chainIds = requests.map((one) => one?.request.crosschain?.destinationChainId)
  for (const id of [chainId, ...chainIds]) {
    if (id !== undefined && !served.some((one) => one.id === id)) throw unknownChainId(id, served)
  }
  const range = await toRange(blocks, chainId, args)
  return {
    name: top.name ?? 'backtest',
    chainId,
    range,
    requests: requests as PlanRequest[],
    variants: variants as PlanVariant[],
    baseline,
    delays,
    ...defined({ deliverySeconds }),
  }
}

/** Ascending; undefined where the plan says nothing. */
function readSeconds(value: unknown, problems: string[]): readonly number[] | undefined {
  if (isAbsent(value)) return undefined
  const list = Array.isArray(value) ? value : [value]
  const all = listOf(list, 'deliverySeconds', { max: limits.deliveries }, problems).map(toNumber)
  for (const [index, seconds] of all.entries()) {
    if (Number.isInteger(seconds) && seconds >= 1 && seconds <= limits.deliverySeconds) continue
    const place = Array.isArray(value) ? `deliverySeconds[${index}]` : 'deliverySeconds'
    problems.push(`${place} must be an integer from 1 to ${limits.deliverySeconds}`)
  }
  return [...new Set(all)].sort((a, b) => a - b)
}

/** What has no meaning, or no effect, for a request that leads to another chain. */
function refuseForBridges(
  {
    requests,
    variants,
    delays,
    deliverySeconds,
  }: {
    readonly requests: readonly (PlanRequest | null)[]
    readonly variants: readonly (PlanVariant | null)[]
    readonly delays: readonly number[]
    readonly deliverySeconds: readonly number[] | undefined
  },
  problems: string[],
): void {
  const first = requests.findIndex((one) => one?.request.crosschain)
  if (first < 0) {
    if (deliverySeconds && requests.every((one) => one !== null)) {
      problems.push('deliverySeconds must not be given: no request has another destinationChainId')
    }
    return
  }
  const bridged = `requests[${first}] leads to another chain`
  if (delays.length) {
    problems.push(`delays must not be given: ${bridged}; deliverySeconds says when it is delivered`)
  }
  for (const [index, variant] of variants.entries()) {
    if (variant?.autoSlippage) {
      problems.push(`variants[${index}].slippage must not be auto: ${bridged}`)
    }
    for (const name of Object.keys(variant?.router ?? {})) {
      problems.push(
        `variants[${index}].${name} must not be given: ${bridged}, where it has no effect`,
      )
    }
  }
}

/** A quote where the request has fields of quotes only, else a route whose sender need not have the funds. */
function readRequest(
  item: unknown,
  index: number,
  {
    chainId,
    inputs: { quote, route },
    problems,
  }: { readonly chainId: number; readonly inputs: Inputs; readonly problems: string[] },
): PlanRequest | null {
  const place = `requests[${index}]`
  const object = objectOf(item, place, problems)
  if (!object) return null
  for (const name of ['blockNumber', 'destinationBlockNumber', 'deadlineMs', 'deadline']) {
    if (isAbsent(object[name])) continue
    problems.push(`${place}.${name} must not be given: blocks are those of the plan, without haste`)
  }
  const own = {
    ...object,
    blockNumber: undefined,
    destinationBlockNumber: undefined,
    deadlineMs: undefined,
    deadline: undefined,
  }
  const fields = [...Object.keys(route.shape), ...Object.keys(quote.shape)]
  refuseUnknown(own, fields, place, problems)
  const isQuote = Object.keys(object).every((name) => name in quote.shape || isAbsent(object[name]))
  const name = (input: { name?: string | undefined }) => input.name ?? `request ${index + 1}`
  const checkChain = (input: { chainId?: number | undefined }) => {
    if (input.chainId === undefined || input.chainId === chainId) return
    problems.push(`${place}.chainId must be that of the plan (${chainId})`)
  }
  const onChain = (given: Given) => ({ ...given, chainId: given.chainId ?? String(chainId) })
  if (isQuote) {
    const rules = (given: Given) => [...quoteRules(given), ...crosschainRules(onChain(given))]
    const input = readObject(quote, own, { place, problems, rules })
    if (!input) return null
    checkChain(input)
    return { name: name(input), request: toQuoteRequest({ ...input, chainId }) }
  }
  const rules = (given: Given) => [
    ...routeRules(onChain(given)),
    ...crosschainRules(onChain(given)),
    ...autoSlippageRules(onChain(given)),
  ]
  const input = readObject(route, own, { place, problems, rules })
  if (!input) return null
  checkChain(input)
  return { name: name(input), request: toPlanRequest({ ...input, chainId }) }
}

function readVariant(
  item: unknown,
  index: number,
  { variant }: Inputs,
  problems: string[],
): PlanVariant | null {
  const place = `variants[${index}]`
  const object = objectOf(item, place, problems)
  if (!object) return null
  refuseUnknown(object, Object.keys(variant.shape), place, problems)
  const input = readObject(variant, object, { place, problems, rules: autoSlippageRules })
  if (!input) return null
  const { maxHops, candidates, splits, poolBlacklist, proof } = input
  return {
    name: input.name ?? `variant ${index + 1}`,
    router: {
      ...defined({ maxHops, candidates, splits }),
      ...(poolBlacklist.length && { poolBlacklist }),
      ...defined({ proof }),
    },
    ignoreStandards: [...input.ignoreAggregators, ...input.ignoreStandards],
    ...defined({ centiBps: statedSlippage(input) }),
    ...toAutoSlippage(input),
  }
}

function readDelays(value: unknown, problems: string[]): number[] {
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) {
    const text = textOf(value)
    const count = Number(text)
    if (/^\d{1,3}$/.test(text) && count <= limits.delays) {
      return Array.from({ length: count }, (_delay, index) => index + 1)
    }
    problems.push(`delays must be an integer from 0 to ${limits.delays}, or a list of blocks`)
    return []
  }
  const delays = [
    ...new Set(listOf(value, 'delays', { min: 0, max: limits.delays }, problems).map(toNumber)),
  ]
  for (const [index, delay] of delays.entries()) {
    if (Number.isInteger(delay) && delay >= 1 && delay <= limits.delay) continue
    problems.push(`delays[${index}] must be an integer from 1 to ${limits.delay}`)
  }
  return delays.sort((a, b) => a - b)
}

function readBlocks(value: unknown, { blocks }: Inputs, problems: string[]) {
  if (isAbsent(value)) {
    problems.push('blocks is required')
    return null
  }
  const object = objectOf(value, 'blocks', problems)
  if (!object) return null
  refuseUnknown(object, Object.keys(blocks.shape), 'blocks', problems)
  const rules = (given: Given) =>
    given.step !== undefined && given.changesOf !== undefined
      ? ['step must not be given together with changesOf']
      : []
  return readObject(blocks, object, { place: 'blocks', problems, rules })
}

async function toRange(
  blocks: z.output<Inputs['blocks']> | null,
  chainId: number,
  { engine, context }: PlanContext,
): Promise<BlockRange> {
  if (!blocks) throw invalidRequest(['blocks is required'])
  const newest = await engine.block(chainId, 'latest', context)
  const head = newest.number
  const numberOf = async (tag: BlockTag) => {
    if (tag.kind === 'number') return tag.number
    if (tag.kind === 'latest') return head - tag.back
    return (await engine.blockAtTime(chainId, tag.timestamp, context)).number
  }
  const problems = Object.entries({ from: blocks.from, to: blocks.to }).flatMap(([end, tag]) =>
    tag?.kind === 'latest' && tag.back > head
      ? [`blocks.${end} is ${tag.back} blocks below the newest, which is ${head}`]
      : [],
  )
  // A time to come is an end, namely the newest block so far, but no beginning.
  if (blocks.from.kind === 'time' && blocks.from.timestamp > newest.timestamp) {
    const time = new Date(Number(newest.timestamp) * 1_000).toISOString()
    problems.push(`blocks.from is later than the newest block, which is ${head} of ${time}`)
  }
  if (problems.length) throw invalidRequest(problems)
  const from = await numberOf(blocks.from)
  const to = await numberOf(blocks.to ?? { kind: 'latest', back: 0n })
  if (from > head) problems.push(`blocks.from is block ${from}, but the newest is ${head}`)
  if (to > head) problems.push(`blocks.to is block ${to}, but the newest is ${head}`)
  if (from > to) problems.push(`blocks.from is block ${from}, after blocks.to, which is ${to}`)
  if (to - from >= BigInt(limits.span)) {
    problems.push(`blocks.to must be less than ${limits.span} blocks after blocks.from`)
  }
  if (problems.length) throw invalidRequest(problems)
  return blocks.changesOf
    ? { kind: 'changes', from, to, addresses: blocks.changesOf }
    : { kind: 'step', from, to, step: BigInt(blocks.step ?? 1) }
}

function objectOf(
  value: unknown,
  place: string,
  problems: string[],
): Readonly<Record<string, unknown>> | null {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  problems.push(`${place} must be an object with fields`)
  return null
}

function listOf(
  value: unknown,
  place: string,
  { min = 1, max }: { readonly min?: number; readonly max: number },
  problems: string[],
): readonly unknown[] {
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) {
    problems.push(`${place} must be a list`)
    return []
  }
  if (value.length < min) problems.push(`${place} must hold at least ${min} value`)
  if (value.length <= max) return value
  problems.push(`${place} must hold at most ${max} values (not ${value.length})`)
  return []
}

/** What is no number is one that no range takes. */
const toNumber = (value: unknown) => Number(textOf(value))

function refuseUnknown(
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
  place: string,
  problems: string[],
): void {
  const names = new Set(known)
  const unknown = Object.keys(given).filter((name) => !names.has(name) && given[name] !== undefined)
  for (const [index, name] of unknown.entries()) {
    // To look for a name that is near takes time, and who made so many mistakes needs another look anyway.
    const near = index < mostHints && known.find((one) => one.toLowerCase() === name.toLowerCase())
    const shown = name.slice(0, 64).replaceAll(/[^\w-]/g, '?')
    const hint = near ? `; ${near} is` : ''
    problems.push(`${place ? `${place}.` : ''}${shown} is no field${hint}`)
  }
}

/** The parsed fields, or null with a sentence for each invalid one. */
function readObject<T extends z.ZodObject>(
  schema: T,
  object: Readonly<Record<string, unknown>>,
  {
    place,
    problems,
    rules = () => [],
  }: {
    readonly place: string
    readonly problems: string[]
    readonly rules?: (given: Given) => readonly string[]
  },
): z.output<T> | null {
  const own: string[] = []
  const given = fromBody(object, schema.shape)
  const input = checkFields(schema, given, own)
  own.push(...rules(given))
  problems.push(...own.map((text) => `${place}.${text}`))
  return own.length ? null : input
}

function refuseTwice(
  items: readonly ({ readonly name: string } | null)[],
  place: string,
  problems: string[],
): void {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    if (!item) continue
    if (seen.has(item.name)) {
      problems.push(`${place}[${index}].name is ${JSON.stringify(item.name)} a second time`)
    }
    seen.add(item.name)
  }
}
