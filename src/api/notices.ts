/** Says in an answer which parts of its request had no effect, so that a misspelt name does not pass for a choice. */
import { z } from 'zod'
import type { Deadline } from '../domain/deadline.js'
import type { Engine } from '../domain/engine.js'
import { slippagePattern, toCentiBps } from '../domain/grammar.js'
import { toBps } from '../domain/primitives.js'
import { wrappedNativeSlug } from '../domain/route-step.js'
import { queryShapeOf, type RouteDefinition, wrapperOf } from './contract.js'
import { type RawQuery, textOf } from './input.js'
import { quoteSlippage } from './inputs/route-fields.js'
import { whatIfInputs } from './inputs/what-if.js'
import { listed } from './mistakes.js'

/** Lists of a request that name protocols. */
const ignoreLists = ['ignoreAggregators', 'ignoreStandards'] as const

/** What only the body of a POST takes; a query that names it asks for something else than it gets. */
const bodyOnly = Object.keys(whatIfInputs)

/**
 * One sentence for unknown fields, one for those in the wrong place, and one for each list that ignores what is not
 * there; none where the answer has no place for warnings.
 *
 * @param input - as parsed.
 */
export function noticesOf(
  definition: Pick<RouteDefinition, 'method' | 'input' | 'list' | 'besideList' | 'response'>,
  request: { readonly query: RawQuery; readonly body: unknown },
  input: unknown,
  engine: Pick<Engine, 'protocols'>,
): string[] {
  const { method, list } = definition
  if (!takesWarnings(definition)) return []
  const inQuery = [...request.query.keys()]
  if (method === 'post' && !list) {
    const inBody = Object.keys(Object(request.body))
    return [
      ...noticesAbout(inBody, definition.input, input, engine),
      ...misplaced(inQuery, 'the fields of this POST are those of its body'),
    ]
  }
  const { actions: _list, ...beside } = wrapperOf(definition, request.body) ?? {}
  const unknownBeside = Object.keys(beside).filter(
    (name) => !Object.hasOwn(definition.input.shape, name),
  )
  const known = z.object(queryShapeOf(definition))
  return [
    ...noticesAbout(
      [...inQuery.filter((name) => !bodyOnly.includes(name)), ...unknownBeside],
      known,
      input,
      engine,
    ),
    ...misplaced(
      inQuery.filter((name) => bodyOnly.includes(name)),
      'only the body of a POST takes them',
    ),
  ]
}

function takesWarnings({ response }: Pick<RouteDefinition, 'response'>): boolean {
  return response instanceof z.ZodObject && 'warnings' in response.shape
}

function misplaced(names: readonly string[], why: string): string[] {
  return names.length ? [`Ignored in the query, since ${why}: ${listed(names)}.`] : []
}

/** @param fields - names of all fields that were given. */
export function noticesAbout(
  fields: readonly string[],
  { shape }: z.ZodObject,
  input: unknown,
  engine: Pick<Engine, 'protocols'>,
): string[] {
  const unknown = fields.filter(
    (name) => !Object.hasOwn(shape, name) || isWithoutEffect(shape[name], Object(input)[name]),
  )
  const known = new Set(engine.protocols().flatMap(({ slug, project }) => [slug, project]))
  const absent = ignoreLists.flatMap((list) => {
    const names = (Object(input)[list] ?? []) as readonly string[]
    const others = names.filter((name) => !known.has(name.toLowerCase()))
    return [
      ...(others.length ? [`${list}: no protocol here is called ${listed(others)}.`] : []),
      ...(names.some((name) => name.toLowerCase() === wrappedNativeSlug)
        ? [
            `${list}: the native token is wrapped wherever a route needs it, also with ${wrappedNativeSlug} here.`,
          ]
        : []),
    ]
  })
  return [...(unknown.length ? [`Not known here and ignored: ${listed(unknown)}.`] : []), ...absent]
}

/** A field that takes one value leaves out any other. */
function isWithoutEffect(schema: z.core.$ZodType | undefined, value: unknown): boolean {
  return schema === quoteSlippage && value === undefined
}

/** Slippage above zero and up to this many basis points is what people write who mean percent. */
const likelyPercentBps = 5n

/** About limits that hardly protect or hardly let pass: they are taken as they are given. */
export function noticesOnLimits(
  definition: Pick<RouteDefinition, 'response'>,
  body: unknown,
  input: unknown,
  answer: unknown,
): string[] {
  if (!takesWarnings(definition)) return []
  const { slippage, deadline } = Object(input) as {
    readonly slippage?: unknown
    readonly deadline?: Deadline
  }
  const actions: unknown = Array.isArray(body) ? body : Object(body).actions
  const ofActions = (Array.isArray(actions) ? actions : []).flatMap((action, index) => {
    const { slippage: own } = Object(Object(action).args)
    const text = textOf(own)
    return slippagePattern.test(text) ? percentNotice(toCentiBps(text), `action ${index}: `) : []
  })
  return [
    ...(typeof slippage === 'bigint' ? percentNotice(slippage) : []),
    ...ofActions,
    ...(deadline?.kind === 'after' ? deadlineNotice(deadline.seconds) : []),
    ...(hasNoMinimum(Object(answer))
      ? ['A minimum of this transaction is 0: it takes any price, however bad.']
      : []),
  ]
}

/** A transaction that is signed by hand takes about so long to be mined. */
const likelySeconds = 60n

function deadlineNotice(seconds: bigint): string[] {
  return seconds < likelySeconds
    ? [
        `deadline ${seconds}: the transaction reverts if it is mined later than ${seconds} seconds after the block of this answer.`,
      ]
    : []
}

function percentNotice(centiBps: bigint, place = ''): string[] {
  if (centiBps <= 0n || centiBps > likelyPercentBps * 100n) return []
  const bps = toBps(centiBps)
  return [
    `${place}slippage ${bps} is in basis points, ${Number(centiBps) / 10_000} %: prices move more than that between blocks. ${bps} % would be ${toBps(centiBps * 100n)}.`,
  ]
}

function hasNoMinimum(answer: {
  readonly minAmountOut?: unknown
  readonly minAmountOutList?: unknown
  readonly minAmountsOut?: unknown
}): boolean {
  const { minAmountOut, minAmountOutList, minAmountsOut } = answer
  const all = [minAmountOut, minAmountOutList, Object.values(Object(minAmountsOut))]
  return all.flat().includes('0')
}

/** The answer with more warnings, behind its own. */
export function withNotices<T>(answer: T, notices: readonly string[]): T {
  if (!notices.length) return answer
  const { warnings = [] } = answer as { readonly warnings?: readonly string[] }
  return { ...answer, warnings: [...warnings, ...notices] }
}
