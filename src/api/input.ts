/**
 * Brings queries and JSON bodies into one form before their schema sees them:
 * strings for single values, arrays of strings for lists, nothing for absent fields.
 * Normalises the four spellings of lists that clients are known to use.
 */
import type { z } from 'zod'
import { separatedPattern } from '../domain/grammar.js'

export type RawQuery = ReadonlyMap<string, readonly string[]>

/** A field as given: a string, a list, or (from a body) any other value, for the schema to refuse. */
export type Given = Record<string, unknown>

/** Strips `[]` and `[0]` from keys; values stay in their order. @param search - of the URL, with or without `?`. */
export function parseQuery(search: string): RawQuery {
  const query = new Map<string, string[]>()
  for (const [rawKey, value] of new URLSearchParams(search)) {
    const key = rawKey.replace(/\[\d*\]$/, '')
    const values = query.get(key)
    if (values) values.push(value)
    else query.set(key, [value])
  }
  return query
}

function isList(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'array') return true
  if ('innerType' in def) return isList(def.innerType)
  return def.type === 'pipe' && isList(def.in)
}

/** Whether a value counts as not given. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === 'null'
}

/** A value that was not checked yet as text; of objects and lists '': one that has a field `toString` has no text. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? '' : String(value)
}

/** JSON numbers and flags as text; a number that JSON cannot carry exactly is kept as a number, and so refused. */
function scalarFromJson(value: unknown): unknown {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value))) {
    return String(value)
  }
  return value
}

/** The fields of an object inside a body as `fromBody` gives those of the body itself; anything else as it is. */
export function textsOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      isAbsent(field) ? [] : [[name, scalarFromJson(field)]],
    ),
  )
}

/** A number whose thousands are set apart is one value, for the schema to refuse: no item of a list is `000`. */
function itemsOf(value: string): string[] {
  return separatedPattern.test(value) && value.includes(',000') ? [value] : value.split(',')
}

/**
 * The fields of a query that the schema knows.
 * @param problems - receives a sentence for every single-value field that is given more than once.
 */
export function fromQuery(query: RawQuery, shape: z.core.$ZodShape, problems: string[]): Given {
  const given: Given = {}
  for (const [name, schema] of Object.entries(shape)) {
    const values = query.get(name) ?? []
    if (isList(schema)) {
      const items = values.flatMap(itemsOf).map((item) => item.trim())
      if (!items.every(isAbsent)) given[name] = items
    } else if (values.length > 1) {
      problems.push(`${name} must be given once`)
    } else if (!isAbsent(values[0])) {
      given[name] = values[0]
    }
  }
  return given
}

/** The most values that the schema of a list allows. */
function mostOf(schema: z.core.$ZodType): number {
  const { def, bag } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'array') return (bag as { maximum?: number }).maximum ?? Number.POSITIVE_INFINITY
  if ('innerType' in def) return mostOf(def.innerType)
  return def.type === 'pipe' ? mostOf(def.in) : Number.POSITIVE_INFINITY
}

/** One value more than the schema allows is as wrong as thousands, and the schema checks each before it counts them. */
export function cutTo(schema: z.core.$ZodType, list: readonly unknown[]): readonly unknown[] {
  const most = mostOf(schema)
  return list.length > most ? list.slice(0, most + 1) : list
}

/** The fields of a JSON object that the schema knows. A single value for a list becomes a list of one. */
export function fromBody(body: Readonly<Record<string, unknown>>, shape: z.core.$ZodShape): Given {
  const given: Given = {}
  for (const [name, schema] of Object.entries(shape)) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined
    if (isAbsent(value)) continue
    if (!isList(schema)) {
      given[name] = scalarFromJson(value)
    } else if (!Array.isArray(value)) {
      given[name] = [scalarFromJson(value)]
    } else if (!value.every(isAbsent)) {
      given[name] = cutTo(schema, value).map(scalarFromJson)
    }
  }
  return given
}
