/** The format of a suite: cases of a request, a block and an expectation. Every mistake is reported with its line. */
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { parseRequest, type RouteDefinition } from '../api/contract.js'
import { allEndpoints } from '../api/endpoints.js'
import type { RawQuery } from '../api/input.js'
import { dialectOf } from '../api/records/dialect.js'
import { ConfigError } from '../config/config.js'
import {
  type FileProblem,
  mostProblems,
  parseYaml,
  problemsOf,
  type YamlFile,
} from '../config/yaml-file.js'
import { defined } from '../domain/defined.js'
import type { Engine } from '../domain/engine.js'
import { errorCodes, ForkrouteError } from '../domain/errors.js'
import { addressPattern, hasValidChecksum, wrongChecksum } from '../domain/grammar.js'
import { bpsDenominator, toAddress } from '../domain/primitives.js'
import type { ExpectedAmount } from '../testing/compare.js'
import { type RequestKind, requestKinds, toApiRequest } from '../testing/requests.js'

const maxCases = 10_000

function whole(min: number, max = Number.MAX_SAFE_INTEGER) {
  const message = `must be a whole number of at least ${min}`
  return z
    .bigint(message)
    .refine((value) => value >= min && value <= max, message)
    .transform(Number)
}

const text = z.string('must be a text').min(1, 'must not be empty')
const amountMessage = 'must be an amount in raw units, or a map of such by token'
const Units = z.union(
  [
    z.bigint(),
    z
      .string()
      .regex(/^\d{1,78}$/)
      .transform(BigInt),
  ],
  'must be an amount in raw units',
)
const Token = z
  .string()
  .regex(addressPattern, { error: 'must be the address of a token', abort: true })
  .refine(hasValidChecksum, wrongChecksum)
  .transform(toAddress)
const Amount: z.ZodType<ExpectedAmount> = z.union([Units, z.record(Token, Units)], amountMessage)
const tolerance = z
  .union([z.bigint().transform(Number), z.number()], 'must be basis points from 0 to 10000')
  .refine((bps) => bps >= 0 && bps <= bpsDenominator, 'must be basis points from 0 to 10000')
const Usd = z
  .union([z.bigint().transform(Number), z.number()], 'must be a number of USD')
  .refine((price) => price > 0, 'must be greater than zero')
const codes = Object.keys(errorCodes) as [keyof typeof errorCodes]

export const Expectation = z.strictObject({
  /** Exact, or within toleranceBps. */
  amountOut: Amount.optional(),
  /** At least so much. */
  atLeast: Amount.optional(),
  /** USD of each address asked for, in that order. */
  price: z
    .union([Usd.transform((price) => [price]), z.array(Usd)], 'must be USD, or a list')
    .optional(),
  /** Applies to amountOut or price, above and below. */
  toleranceBps: tolerance.optional(),
  /** Protocols and pools that must be on the path. */
  path: z
    .union(
      [text.transform((part) => [part]), z.array(text).min(1)],
      'must be a list of protocols or pools',
    )
    .optional(),
  /** The request must fail with this. */
  error: z.enum(codes, 'must be a code of docs/reference/errors.md').optional(),
})
export type Expectation = z.output<typeof Expectation>

const Request = z.record(z.string(), z.unknown(), 'must be the fields of a request')

const Case = z.strictObject(
  {
    name: text,
    route: Request.optional(),
    quote: Request.optional(),
    bundle: Request.optional(),
    prices: Request.optional(),
    block: whole(0).optional(),
    expect: Expectation,
  },
  'must be a case: name, request, expect',
)

const Suite = z.strictObject(
  {
    name: text.optional(),
    cassette: text.optional(),
    rpc: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).optional(),
    chainId: whole(1).optional(),
    block: whole(0).optional(),
    evidence: z.enum(['require', 'report'], 'must be require or report').optional(),
    config: z
      .record(
        z.string(),
        z.union([z.string(), z.bigint(), z.number(), z.boolean()]).transform(String),
      )
      .optional(),
    cases: z
      .array(Case, 'must be a list of cases')
      .min(1, 'must hold at least 1 case')
      .max(maxCases, `must hold at most ${maxCases} cases`),
  },
  'must be a suite: cassette, cases',
)

export interface SuiteCase {
  readonly name: string
  readonly line: number
  readonly kind: RequestKind
  /** Fields of the API. */
  readonly request: Readonly<Record<string, unknown>>
  readonly expect: Expectation
}

export interface CheckSuite {
  readonly name: string
  /** Absolute. */
  readonly cassette: string | null
  readonly rpc: string | null
  readonly chainId: number
  /** Whether evidence is asked for; `require`: a route or quote whose state is not proven fails. */
  readonly evidence: 'require' | 'report' | null
  readonly config: Readonly<Record<string, string>>
  readonly cases: readonly SuiteCase[]
}

/**
 * @param path - of the file; a cassette is found from its folder.
 * @throws ConfigError that lists every mistake with its line, or the first hundred.
 */
export function parseSuite(source: string, path: string): CheckSuite {
  const file = parseYaml(source)
  const fail = (problems: readonly FileProblem[]): never => {
    const sorted = problems.slice(0, mostProblems).sort((a, b) => a.line - b.line)
    throw new ConfigError(
      sorted.map(({ line, message }) => `line ${line}: ${message}.`),
      'file',
    )
  }
  if (file.problems.length > 0) fail(file.problems)
  const parsed = Suite.safeParse(file.value)
  if (!parsed.success) return fail(problemsOf(file, parsed.error))
  const suite = parsed.data
  const definitions = definitionsOf(suite.config?.SERVICE_NAME ?? 'svc')
  const problems: FileProblem[] = []
  const cases = suite.cases.flatMap((one, index) => {
    if (problems.length >= mostProblems) return []
    const found = checkCase(one, index, file, { suite, definitions })
    problems.push(...found.problems)
    return found.value ? [found.value] : []
  })
  problems.push(...duplicateNames(suite.cases, file))
  if (problems.length > 0) fail(problems)
  return {
    name: suite.name ?? path,
    cassette: suite.cassette === undefined ? null : resolve(dirname(path), suite.cassette),
    rpc: suite.rpc ?? null,
    chainId: suite.chainId ?? 1,
    evidence: suite.evidence ?? null,
    config: suite.config ?? {},
    cases,
  }
}

type RawCase = z.output<typeof Case>

function checkCase(
  one: RawCase,
  index: number,
  file: YamlFile,
  context: { readonly suite: z.output<typeof Suite>; readonly definitions: Definitions },
): { readonly value: SuiteCase | null; readonly problems: readonly FileProblem[] } {
  const place = ['cases', index]
  const at = (path: readonly PropertyKey[], message: string): FileProblem => ({
    line: file.lineOf([...place, ...path]),
    message: `${one.name}: ${message}`,
  })
  const kinds = requestKinds.filter((kind) => one[kind] !== undefined)
  const [kind] = kinds
  if (!kind || kinds.length > 1) {
    const message = `must have one of ${requestKinds.join(', ')}`
    return { value: null, problems: [at([], message)] }
  }
  const { suite, definitions } = context
  const block = one.block ?? suite.block
  const request = {
    ...defined({ chainId: suite.chainId, blockNumber: block }),
    ...one[kind],
  }
  const expected = expectProblems(one.expect, kind)
  const requested = requestProblems(kind, request, definitions[kind], one.expect.error)
  const problems = [
    ...expected.map(([name, message]) => at(['expect', name], message)),
    ...requested.slice(0, mostProblems).map(([name, message]) => at([kind, name], message)),
  ]
  const line = file.lineOf(place)
  return { value: { name: one.name, line, kind, request, expect: one.expect }, problems }
}

/** What is wrong with a field, under the field's name. */
type FieldProblem = readonly [name: string, message: string]

function expectProblems(expect: Expectation, kind: RequestKind): FieldProblem[] {
  const given = Object.keys(expect)
  const problems: FieldProblem[] = []
  if (given.length === 0) problems.push(['', 'expect must say something'])
  const unfit = kind === 'prices' ? ['amountOut', 'atLeast', 'path'] : ['price']
  for (const name of given) {
    if (unfit.includes(name)) problems.push([name, `expect.${name} says nothing about ${kind}`])
    if (expect.error && name !== 'error') {
      problems.push([name, `expect.${name} must not be given together with error`])
    }
  }
  const hasTarget = ['amountOut', 'price', 'error'].some((name) => given.includes(name))
  if (given.includes('toleranceBps') && !hasTarget) {
    problems.push(['toleranceBps', 'expect.toleranceBps needs amountOut or price'])
  }
  return problems
}

/** The API's complaints about the request, unless the case expects them. */
function requestProblems(
  kind: RequestKind,
  request: Readonly<Record<string, unknown>>,
  definition: RouteDefinition,
  expectedError: string | undefined,
): FieldProblem[] {
  const { params, input, list } = definition
  const known = { ...params.shape, ...input.shape, ...defined({ actions: list }) }
  const unknown = Object.keys(request)
    .filter((name) => !(name in known))
    .map((name): FieldProblem => [name, `${kind} has no field ${name}`])
  if (expectedError === 'INVALID_REQUEST') return unknown
  // The others are told above, each at its line.
  const asked = Object.fromEntries(Object.entries(request).filter(([name]) => name in known))
  const { query = {}, body } = toApiRequest(kind, asked)
  const values = Object.entries(query).map(([name, value]) => [name, [value].flat()] as const)
  // Which chains are served is known only when the suite runs.
  const chainId = Number(request.chainId ?? 1)
  const engine = { networks: () => [{ id: chainId }] } as unknown as Engine
  try {
    const parts = { params: { chainId }, query: new Map(values) as RawQuery, body }
    parseRequest(definition, parts, engine)
    return unknown
  } catch (error) {
    if (!(error instanceof ForkrouteError)) throw error
    const sentences = error.messages ?? [error.message]
    return [
      ...unknown,
      ...sentences.map((sentence): FieldProblem => [fieldOf(sentence), `${kind}: ${sentence}`]),
    ]
  }
}

type Definitions = Readonly<Record<RequestKind, RouteDefinition>>

function definitionsOf(serviceName: string): Definitions {
  // Which requests are right depends on the name alone: dialects differ in defaults and answers.
  const endpoints = allEndpoints(dialectOf({ serviceName, apiDialect: 'specification' }))
  const find = (operationId: string): RouteDefinition => {
    const found = endpoints.find(({ definition }) => definition.operationId === operationId)
    if (!found) throw new Error(`The API has no operation ${operationId}.`)
    return found.definition
  }
  return {
    route: find('postRoute'),
    quote: find('getQuote'),
    bundle: find('postBundle'),
    prices: find('getPrices'),
  }
}

/** Messages of the API begin with the field; those about a bundle's list, with "item" or "the request body". */
function fieldOf(sentence: string): string {
  const [word = ''] = /^\w+/.exec(sentence) ?? []
  return word === 'item' || word === 'the' ? 'actions' : word
}

function duplicateNames(cases: readonly RawCase[], file: YamlFile): FileProblem[] {
  const seen = new Set<string>()
  const repeated = cases.flatMap(({ name }, index) => {
    const isDouble = seen.has(name)
    seen.add(name)
    return isDouble ? [{ name, index }] : []
  })
  return repeated.slice(0, mostProblems).map(({ name, index }) => ({
    line: file.lineOf(['cases', index, 'name']),
    message: `${name}: there is another case of this name`,
  }))
}
