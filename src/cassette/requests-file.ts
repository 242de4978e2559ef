/** Files of requests to record: YAML or JSON, each request with the blocks to ask it at. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ConfigError } from '../config/config.js'
import { parseYaml, problemsOf, toSentence } from '../config/yaml-file.js'
import { type BlockTag, parseBlockTag } from '../domain/block-tag.js'
import { defined } from '../domain/defined.js'
import { ForkrouteError } from '../domain/errors.js'

/** A request as it is sent. */
export interface PlannedRequest {
  readonly method: 'GET' | 'POST'
  /** Below /api/v1. */
  readonly path: string
  readonly query: Readonly<Record<string, string | number | boolean | readonly string[]>>
  readonly body?: unknown
}

/** Number of the block that a tag names on a chain. */
export type BlockFinder = (chainId: number, tag: BlockTag) => Promise<bigint>

/** Most requests of one file, counted once per block. */
const maxRequests = 100_000

const scalar = z.union([z.string(), z.number(), z.boolean()])
const place = z.union([z.number().int().nonnegative(), z.string()])
const range = z.strictObject({
  from: place,
  to: place,
  step: z.number().int().positive().default(1),
})
const blocks = z.union([place, z.array(place).min(1), range])
type Blocks = z.output<typeof blocks>

const requestSchema = z
  .strictObject({
    method: z.enum(['GET', 'POST']).optional(),
    path: z
      .string()
      .regex(/^\/(?!api\/v1)/, 'must be a path below /api/v1, such as /shortcuts/quote'),
    query: z.record(z.string(), z.union([scalar, z.array(scalar)])).default({}),
    body: z.unknown().optional(),
    blocks: blocks.optional(),
  })
  .refine(({ method, body }) => method !== 'GET' || body === undefined, 'a GET has no body')
const fileSchema = z.strictObject({
  blocks: blocks.optional(),
  requests: z.array(requestSchema),
})
export type RequestsFile = z.output<typeof fileSchema>

/** @throws ConfigError naming what is wrong with the file. */
export function readRequests(file: string): RequestsFile {
  try {
    return parseRequests(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code } = error as { code?: string }
    throw code === undefined ? error : wrong(`${file} cannot be read (${code}).`)
  }
}

/** @param text - a list of requests, or `requests` with `blocks` for all that give none. @throws ConfigError. */
export function parseRequests(text: string): RequestsFile {
  const file = parseYaml(text)
  if (file.problems.length) {
    throw new ConfigError(
      ['It is neither YAML nor JSON.', ...file.problems.map(toSentence)],
      'file',
    )
  }
  const value = withoutBigints(file.value)
  const parsed = Array.isArray(value)
    ? z.array(requestSchema).safeParse(value)
    : fileSchema.safeParse(value)
  if (!parsed.success) {
    throw new ConfigError(problemsOf(file, parsed.error).map(toSentence), 'file')
  }
  return Array.isArray(parsed.data) ? { requests: parsed.data } : parsed.data
}

/**
 * Every request at each of its blocks, in the order of the file.
 * @throws ConfigError, and what the finder throws.
 */
export async function planRequests(
  file: RequestsFile,
  find: BlockFinder,
): Promise<PlannedRequest[]> {
  const planned: PlannedRequest[] = []
  for (const one of file.requests) {
    const { path, body, method = body === undefined ? 'GET' : 'POST' } = one
    const query = Object.fromEntries(
      Object.entries(one.query).map(([name, given]) => [
        name,
        Array.isArray(given) ? given.map(String) : given,
      ]),
    )
    const plain = { method, path, query, ...defined({ body }) }
    const wanted = one.blocks ?? file.blocks
    if (wanted === undefined) planned.push(plain)
    else {
      const numbers = await numbersOf(wanted, (tag) => find(chainOf(plain), tag))
      for (const number of numbers) planned.push(atBlock(plain, number))
    }
  }
  if (planned.length <= maxRequests) return planned
  throw wrong(`It comes to ${planned.length} requests; ${maxRequests} are the most.`)
}

/** Blocks by number, each once, in the order given. @throws ConfigError. */
async function numbersOf(
  wanted: Blocks,
  find: (tag: BlockTag) => Promise<bigint>,
): Promise<bigint[]> {
  const one = (text: string | number) => find(tagOf(String(text)))
  const between = async (first: string | number, last: string | number, step: number) => {
    const [from, to] = [await one(first), await one(last)]
    if (to < from) throw wrong(`The range from ${from} to ${to} is empty.`)
    if ((to - from) / BigInt(step) >= BigInt(maxRequests)) {
      throw wrong(`The range from ${from} to ${to} has more than ${maxRequests} blocks.`)
    }
    const numbers: bigint[] = []
    for (let number = from; number <= to; number += BigInt(step)) numbers.push(number)
    return numbers
  }
  if (typeof wanted === 'object' && !Array.isArray(wanted)) {
    return between(wanted.from, wanted.to, wanted.step)
  }
  const numbers = new Set<bigint>()
  for (const text of [wanted].flat()) {
    const [from, to] = String(text).split('..')
    const found = to === undefined ? [await one(text)] : await between(from ?? '', to, 1)
    for (const number of found) numbers.add(number)
  }
  return [...numbers]
}

function tagOf(text: string): BlockTag {
  try {
    return parseBlockTag(text)
  } catch (error) {
    throw error instanceof ForkrouteError ? wrong(error.message) : error
  }
}

/** Where the endpoint takes its block: in the query, or in the body where that is an object. */
function atBlock(request: PlannedRequest, number: bigint): PlannedRequest {
  const { body } = request
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (!isObject) return { ...request, query: { ...request.query, blockNumber: Number(number) } }
  const { blockNumber: _other, ...query } = request.query
  return { ...request, query, body: { ...body, blockNumber: Number(number) } }
}

function chainOf({ path, query, body }: PlannedRequest): number {
  const [, inPath] = /^\/prices\/(\d+)/.exec(path) ?? []
  const inBody = (body as { chainId?: unknown } | undefined)?.chainId
  return Number(inPath ?? query.chainId ?? inBody ?? 1)
}

function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') {
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString()
  }
  if (Array.isArray(value)) return value.map(withoutBigints)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withoutBigints(field)]),
  )
}

function wrong(problem: string): ConfigError {
  return new ConfigError([problem], 'file')
}
