/**
 * Reads the JSON body of a request, and refuses one that is made of more values, or nested deeper, than any request needs:
 * what checks, compares and copies bodies takes time by their values, and stack by their depth.
 */
import express, { type RequestHandler } from 'express'
import { invalidRequest } from '../../domain/common-errors.js'

/** A plan of the most requests and variants with the most pools each has 40,000. */
const mostValues = 50_000
/** Bundles within bundles have three levels each. */
const mostLevels = 64

export function jsonBody(limitBytes: number): RequestHandler[] {
  return [express.json({ limit: limitBytes, type: () => true, strict: false }), boundBody]
}

const boundBody: RequestHandler = (req, _res, next) => {
  const problem = problemOf(req.body)
  if (problem !== null) throw invalidRequest([`The request body ${problem}.`])
  next()
}

/** Null: it is of a usual size. */
function problemOf(body: unknown): string | null {
  let level: readonly unknown[] = [body]
  let values = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > mostLevels) return `is nested deeper than ${mostLevels} levels`
    values += level.length
    if (values > mostValues) return `holds more than ${mostValues} values`
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
  }
  return null
}
