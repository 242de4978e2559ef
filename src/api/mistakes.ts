/** What a caller may do about a request that does not fit: steps as data, and sentences about what may have led to it. */
import type { z } from 'zod'
import { mostProblems } from '../domain/common-errors.js'
import type { NextStep, ParameterStep } from '../domain/next-step.js'
import type { Given, RawQuery } from './input.js'

/** What is wrong with a request. */
export interface Mistakes {
  /** A sentence each; one about a field begins with its name. */
  readonly problems: readonly string[]
  /** Steps whose value is known. */
  readonly next: readonly NextStep[]
  /** Sentences about what may have led to the problems. */
  readonly hints: readonly string[]
  /** All that the request may hold, by name. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** The place as the caller has named it: the only item of a list by the name of the list. */
export function asGiven(place: string, given: Given): string {
  const [name = '', index] = place.split(/(?=\[)/)
  const list = given[name]
  return Array.isArray(list) && list.length === 1 && index === '[0]' ? name : place
}

/** A step for every field that a sentence is about: to leave it out where it must not be given, else to change it. */
export function stepsFor({ problems, next: known, fields }: Omit<Mistakes, 'hints'>): NextStep[] {
  const steps = new Map<string, ParameterStep>()
  for (const problem of problems.slice(0, mostProblems)) {
    const [place, name] = /^(\w+)(?:\[\d+\]|\.\w+)*(?= )/.exec(problem) ?? []
    if (!place || !name || !Object.hasOwn(fields, name)) continue
    if (known.some((step) => 'parameter' in step && step.parameter === place)) continue
    const isTooMuch = problem.startsWith(`${place} must not be given`)
    steps.set(place, { parameter: place, ...(isTooMuch && { value: null }) })
  }
  return [...known, ...steps.values()]
}

/** Sentences about fields in a query that is not read, names that nothing is called, and lists as JSON in a query. */
export function hintsOf(
  definition: {
    readonly method: string
    readonly list?: z.ZodType
    readonly input: z.ZodObject
    readonly besideList?: z.ZodObject
  },
  { query, body }: { readonly query: RawQuery; readonly body: unknown },
): string[] {
  const { method, list, input, besideList } = definition
  const isInBody = method === 'post' && !list
  const names = isInBody ? Object.keys(Object(body)) : [...query.keys()]
  const isKnown = (name: string) =>
    Object.hasOwn(input.shape, name) || Object.hasOwn(besideList?.shape ?? {}, name)
  const unread = isInBody ? [...query.keys()].filter(isKnown) : []
  const unknown = names.filter((name) => !isKnown(name))
  const isJson = [...query.values()].flat().some((value) => /^\[.*\]$/.test(value))
  return [
    ...(unread.length
      ? [`The query of this POST is not read: send ${listed(unread)} in its JSON body.`]
      : []),
    ...(unknown.length ? [`Not known here: ${listed(unknown)}.`] : []),
    ...(isJson && !isInBody ? ['A list in a query is no JSON: write k=a,b or k=a&k=b.'] : []),
  ]
}

/** Names in one sentence, and characters of each: a request can hold thousands. */
const mostNames = 20
const mostChars = 64

/** The names as part of a sentence, each once. */
export function listed(names: readonly string[]): string {
  const all = [...new Set(names)]
  const shown = all.slice(0, mostNames).map((name) => name.slice(0, mostChars))
  const more = all.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
