/** Says in an answer which parts of its request had no effect, so that a misspelt name does not pass for a choice. */
import { z } from 'zod'
import type { Engine } from '../domain/engine.js'
import { queryShapeOf, type RouteDefinition, wrapperOf } from './contract.js'
import type { RawQuery } from './input.js'
import { whatIfInputs } from './routes/what-if-inputs.js'

/** Names in one sentence, and characters of each: a request can hold thousands. */
const mostNames = 20
const mostChars = 64

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
  const { response, method, list } = definition
  if (!(response instanceof z.ZodObject) || !('warnings' in response.shape)) return []
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
    (name) => !Object.hasOwn(definition.besideList?.shape ?? {}, name),
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
  const unknown = fields.filter((name) => !Object.hasOwn(shape, name))
  const known = new Set(engine.protocols().flatMap(({ slug, project }) => [slug, project]))
  const absent = ignoreLists.flatMap((list) => {
    const names = (Object(input)[list] ?? []) as readonly string[]
    const others = names.filter((name) => !known.has(name.toLowerCase()))
    return others.length ? [`${list}: no protocol here is called ${listed(others)}.`] : []
  })
  return [...(unknown.length ? [`Not known here and ignored: ${listed(unknown)}.`] : []), ...absent]
}

/** The answer with more warnings, behind its own. */
export function withNotices<T>(answer: T, notices: readonly string[]): T {
  if (!notices.length) return answer
  const { warnings = [] } = answer as { readonly warnings?: readonly string[] }
  return { ...answer, warnings: [...warnings, ...notices] }
}

function listed(names: readonly string[]): string {
  const all = [...new Set(names)]
  const shown = all.slice(0, mostNames).map((name) => name.slice(0, mostChars))
  const more = all.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
