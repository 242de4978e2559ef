/** One exchange against the description of the interface: the status is documented, the body fits, and fits the request. */
import type { z } from 'zod'
import type { Dialect } from './agreement.js'
import { endpointOf, type FamilyEndpoint, nameOf } from './endpoints.js'
import { ErrorBody } from './records.js'
import { parametersOf, parametersOfBody, problemsOf, type Request } from './requests.js'

export interface Exchange {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly sent: string
  readonly sentHeaders: Readonly<Record<string, string | string[] | undefined>>
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

export interface Verdict {
  /** `GET /path`, as described; null: none is described. */
  readonly endpoint: string | null
  readonly problems: readonly string[]
}

/** What never stands in an answer: places of source, folders of the machine, keys. */
const internal = /\bat \S+ \(\S+:\d+:\d+\)|node_modules|\bfr_[\w-]{20,}|\/(tmp|home|root)\//

export function checkAnswer(exchange: Exchange, dialect: Dialect = 'specification'): Verdict {
  const { pathname, searchParams } = new URL(exchange.target, 'http://localhost')
  const found = endpointOf(exchange.method, pathname)
  const isRefusal = exchange.status >= 400
  if (!found) {
    // Pages, and what speaks another protocol, have their own tests.
    const isOfService =
      /^\/(docs\/|console(\/|$))/.test(pathname) ||
      pathname === '/mcp' ||
      exchange.method === 'OPTIONS'
    if (isOfService) return { endpoint: null, problems: [] }
    const problems = [404, 405, ...(exchange.status === 401 ? [401] : [])].includes(exchange.status)
      ? problemsOfError(exchange)
      : [`${exchange.status} of a path that is not described`]
    return { endpoint: null, problems }
  }
  const { endpoint, named } = found
  const undocumented = endpoint.statuses.includes(exchange.status)
    ? []
    : [`status ${exchange.status} is not described`]
  const request = requestOf(exchange, pathname, searchParams, named)
  const inBody = isRefusal
    ? [...problemsOfError(exchange), ...problemsOfLimit(endpoint, exchange)]
    : problemsOfSuccess(endpoint, exchange, dialect)
  const problems = [...undocumented, ...problemsOfHeaders(exchange), ...inBody]
  if (problems.length === 0 && !isRefusal && exchange.method !== 'HEAD') {
    problems.push(...problemsOf(request, endpoint.inputs).map((text) => `answered, but ${text}`))
    if (endpoint.answer !== null && isJson(exchange)) {
      problems.push(...endpoint.agreement(request, JSON.parse(exchange.text), dialect))
    }
  }
  return { endpoint: nameOf(endpoint), problems }
}

function requestOf(
  { method, sent, sentHeaders }: Exchange,
  path: string,
  query: URLSearchParams,
  named: readonly string[],
): Request {
  const isJsonSent = String(sentHeaders['content-type']).includes('json') && sent !== ''
  let body: unknown
  try {
    if (isJsonSent) body = JSON.parse(sent)
  } catch {
    // What is no JSON is refused, and the answer says so.
  }
  const parameters = new Map([...parametersOf(query), ...parametersOfBody(body)])
  return { method, path, parameters, body, named }
}

const isJson = ({ headers }: Exchange) =>
  String(headers['content-type']).startsWith('application/json')

function problemsOfHeaders({ headers, sentHeaders, status }: Exchange): string[] {
  const problems: string[] = []
  const id = headers['x-request-id']
  const own = sentHeaders['x-request-id']
  if (!id) problems.push('x-request-id is missing')
  else if (typeof own === 'string' && /^[\w.:/+=@-]{1,128}$/.test(own) && own !== id) {
    problems.push('x-request-id is not the one that was sent')
  }
  if (status === 401 && !/^Bearer/.test(String(headers['www-authenticate']))) {
    problems.push('www-authenticate is missing')
  }
  if (status === 429) {
    const needed = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']
    problems.push(...needed.filter((name) => !headers[name]).map((name) => `${name} is missing`))
  }
  return problems
}

function problemsOfError({ text, status, headers, method }: Exchange): string[] {
  if (method === 'HEAD') return []
  const problems = internal.test(text) ? [`something internal in ${text}`] : []
  const parsed = ErrorBody.safeParse(tryJson(text))
  if (!parsed.success) return [...problems, ...issuesOf(parsed.error)]
  const { statusCode, requestId, code } = parsed.data
  if (statusCode !== status) problems.push(`statusCode is ${statusCode}`)
  if (requestId !== headers['x-request-id']) problems.push('requestId is not x-request-id')
  if (status === 503 && code !== 'OPPORTUNITIES_DISABLED' && !headers['retry-after']) {
    problems.push('retry-after is missing')
  }
  return problems
}

/** Each limit has a code of its own, and only endpoints that have the limit answer it. */
function problemsOfLimit({ limits }: FamilyEndpoint, { text, status, method }: Exchange): string[] {
  if (status !== 429 || method === 'HEAD') return []
  const { code } = (tryJson(text) ?? {}) as { code?: unknown }
  const isDescribed = ['RATE_LIMITED', ...limits].some((one) => one === code)
  return isDescribed ? [] : [`429 ${code} is not described`]
}

function problemsOfSuccess(
  endpoint: FamilyEndpoint,
  exchange: Exchange,
  dialect: Dialect,
): string[] {
  const { familyAnswer } = endpoint
  const answer = dialect === 'family' && familyAnswer ? familyAnswer : endpoint.answer
  if (answer === null || exchange.method === 'HEAD') return []
  if ('safeParse' in answer) return problemsOfJson(answer as z.ZodType, exchange.text)
  if (isJson(exchange)) return ['JSON in place of a stream']
  return exchange.text.split('\n\n').flatMap((block) => {
    const data = /^data: (.*)$/m.exec(block)?.[1]
    if (data === undefined) return []
    const name = /^event: (.*)$/m.exec(block)?.[1] ?? 'message'
    const schema = answer[name]
    if (!schema) return [`event ${name} is not described`]
    return problemsOfJson(schema, data).map((problem) => `event ${name}: ${problem}`)
  })
}

function problemsOfJson(schema: z.ZodType, text: string): string[] {
  const parsed = schema.safeParse(tryJson(text))
  return parsed.success ? [] : issuesOf(parsed.error)
}

function issuesOf({ issues }: z.ZodError): string[] {
  return issues.slice(0, 10).map(({ path, message }) => `${path.join('.')}: ${message}`)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
