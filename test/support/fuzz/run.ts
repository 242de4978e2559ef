/** Asks the service whatever the fuzz makes, one request after the other, and judges each answer. */
import { errorCodes } from '../../../src/domain/errors.js'
import type { TestService } from '../service/service.js'
import { busiestSince, forkSeconds } from './fork-time.js'
import { createFuzz, type FuzzRequest, type OpenApi } from './requests.js'

export interface Asked {
  readonly request: FuzzRequest
  readonly status: number
  /** Of an error; empty for an answer. */
  readonly code: string
  readonly ms: number
  /** Processor time of the fork that worked most for it. */
  readonly forkSeconds: number
  /** Why it must not be; empty: all is as documented. */
  readonly fault: string
}

/** The stream of a request that is accepted never ends by itself. */
const isStream = ({ endpoint }: FuzzRequest) =>
  endpoint.includes('/stream/') || endpoint.endsWith('/events')
/** Whoever does not answer by then hangs, milliseconds. */
const hangsAfterMs = 240_000

export async function fuzz(
  service: TestService,
  options: { readonly requests: number; readonly seed: number; onAsked?(asked: Asked): void },
): Promise<readonly Asked[]> {
  const openapi = (await service.get('/openapi.json')).body as OpenApi
  const list = async (path: string) => {
    const { status, body, text } = await service.get(path)
    if (status !== 200) throw new Error(`${path}: ${text}`)
    return body.data ?? body
  }
  const next = createFuzz({
    openapi,
    actions: await list('/api/v1/actions'),
    standards: await list('/api/v1/standards'),
    positions: await list('/api/v1/tokens?type=defi&includeMetadata=true'),
    seed: options.seed,
  })
  const asked: Asked[] = []
  for (let index = 0; index < options.requests; index++) {
    const one = await ask(service, next(), openapi)
    asked.push(one)
    options.onAsked?.(one)
  }
  return asked
}

async function ask(service: TestService, request: FuzzRequest, openapi: OpenApi): Promise<Asked> {
  const { method, path, body, contentType, endpoint } = request
  const before = forkSeconds()
  const begun = performance.now()
  const answer = await fetch(new URL(path, service.url), {
    method,
    headers: {
      authorization: `Bearer ${service.key}`,
      ...(contentType && { 'content-type': contentType }),
    },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(hangsAfterMs),
  })
  const isOpen = isStream(request) && answer.status === 200
  const text = isOpen ? '' : await answer.text()
  if (isOpen) await answer.body?.cancel()
  const ms = performance.now() - begun
  const [verb = '', template = ''] = endpoint.split(' ')
  const documented = openapi.paths[template]?.[verb.toLowerCase()]?.responses ?? {}
  const { status } = answer
  const type = answer.headers.get('content-type') ?? ''
  const isJson = type.includes('application/json')
  const code = status < 400 || !isJson ? '' : String(JSON.parse(text).code)
  return {
    request,
    status,
    code,
    ms,
    forkSeconds: busiestSince(before),
    fault: faultOf({ status, code, isJson, documented }),
  }
}

function faultOf(args: {
  readonly status: number
  readonly code: string
  readonly isJson: boolean
  readonly documented: Readonly<Record<string, unknown>>
}): string {
  const { status, code } = args
  // A path whose name was replaced by something that makes another path of it.
  const isOtherPath = status === 404 || status === 405
  if (status >= 500 && status !== 503 && status !== 504) return `status ${status}`
  if (status >= 400 && !args.isJson) return `status ${status} without JSON`
  if (status >= 400 && !Object.hasOwn(errorCodes, code)) return `unknown code ${code}`
  if (!isOtherPath && !Object.hasOwn(args.documented, status))
    return `status ${status} is not documented`
  return ''
}
