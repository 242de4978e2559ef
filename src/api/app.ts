/**
 * The Express application: what happens to every request, and in which order.
 * Knows HTTP and the contract; what an endpoint does is behind its handler.
 */
import { randomUUID } from 'node:crypto'
import cors from 'cors'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import helmet from 'helmet'
import type { Config } from '../config/config.js'
import { runWithin } from '../domain/abort.js'
import type { Backtests } from '../domain/backtest.js'
import { type CallContext, type Engine, noAccount, quotesAtOnce } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Operations } from '../domain/operations/operations.js'
import { bigintToString } from '../domain/primitives.js'
import type { Recordings } from '../domain/recording.js'
import { allMetrics } from '../processes/member.js'
import type { Logger } from '../telemetry/log.js'
import { collectMetric, observe, registry } from '../telemetry/metrics.js'
import { type Admission, createAdmission } from './admission.js'
import { authenticate, createRateLimit, type RateLimit, requireScope } from './auth.js'
import { inputsFor, ownerOf, takesOverlay } from './call-inputs.js'
import { type Endpoint, parseRequest } from './contract.js'
import { actionsOf } from './document/action-forms.js'
import { allEndpoints } from './endpoints.js'
import { allowOnly, errorHandler } from './errors.js'
import { createStreamPlaces, type StreamPlaces, serveEvents } from './event-stream.js'
import { FileAnswer, sendFile, sendHead } from './file-answer.js'
import { refuseForeignPages } from './guards/foreign-pages.js'
import { jsonBody } from './guards/json-body.js'
import { parseQuery } from './input.js'
import type { KeyStore } from './key-store.js'
import { mcpEndpoint } from './mcp-endpoint.js'
import { noticesOf, noticesOnLimits, withNotices } from './notices.js'
import { isPublic, openApiDocument } from './openapi.js'
import { consoleFolder, consolePage } from './pages/console-page.js'
import { docsPage } from './pages/docs-page.js'
import { documentPage } from './pages/document-page.js'
import { sitePage } from './pages/site-page.js'
import { verifierPage } from './pages/verifier-page.js'
import { recordingOf } from './recording.js'
import { dialectOf } from './records/dialect.js'
import { withOverlay } from './records/overlay-records.js'
import { traceRequest } from './trace-request.js'
import { serviceVersion } from './version.js'

export interface AppArgs {
  readonly engine: Engine
  readonly backtests: Backtests
  readonly operations: Operations
  readonly config: Config
  /** Null in open mode. */
  readonly keys: KeyStore | null
  readonly logger: Logger
  /** Present where the service records or replays. */
  readonly recordings?: Recordings | null
  /** Aborted when the service stops and does not wait any longer. */
  readonly stopping: AbortSignal
  /** Aborted when the service begins to stop: ends what would otherwise never end, such as streams. */
  readonly draining: AbortSignal
}

/** Where the machine-readable description is, without a key: clients of the family look for it beside the endpoints. */
const documentPaths = ['/openapi.json', '/api/v1/openapi.json', '/v1/openapi.json']

/** What all requests share. */
interface Limits {
  readonly admission: Admission
  readonly rate: RateLimit
  readonly streams: StreamPlaces
}

export function createApp(args: AppArgs): Express {
  const { config, logger } = args
  const endpoints = allEndpoints(dialectOf(config))
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  // In this mode Express omits the stack should an answer ever fail on its way out.
  app.set('env', 'production')
  app.set('json replacer', bigintToString)
  app.set('trust proxy', config.trustProxyHops)

  app.use(watch(logger), requireHost)
  const onlyOwnPages = refuseForeignPages(config.allowedHosts, config.corsOrigins)
  app.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      // HSTS is left to the proxy that terminates TLS.
      strictTransportSecurity: false,
    }),
  )
  if (config.corsOrigins.length > 0) app.use(crossOrigin(config.corsOrigins))
  // With keys a page of another site can do nothing, since no browser adds one by itself.
  if (!args.keys) app.use(onlyOwnPages)

  const document = () =>
    openApiDocument(
      endpoints.map((one) => one.definition),
      actionsOf(args.engine, config.serviceName),
      serviceVersion,
    )
  app.get(documentPaths, named('/openapi.json'), documentPage(document))
  app.get('/metrics', named('/metrics'), async (_req, res) => {
    res.type(registry.contentType).send(await allMetrics())
  })
  app.all([...documentPaths, '/metrics'], allowOnly(['GET', 'HEAD']))
  app.get('/', named('/'), (_req, res) => res.redirect(consoleFolder() ? 'console' : 'docs'))
  app.all('/', allowOnly(['GET', 'HEAD']))
  app.use('/docs/guide', named('/docs/guide'), sitePage())
  app.use('/docs', named('/docs'), docsPage())
  app.use('/console', named('/console'), consolePage())
  app.use('/verify', named('/verify'), verifierPage())

  const admission = createAdmission({ maxPlaces: config.maxInFlight, threads: config.workers })
  collectMetric('calculations_in_flight', () => admission.inFlight)
  const rate = createRateLimit(config.rateLimitPerMinute)
  const streams = createStreamPlaces(config)
  collectMetric('streams', () => streams.open)
  const limits = { admission, rate, streams }
  app.use('/mcp', named('/mcp'), onlyOwnPages, mcpEndpoint({ ...args, rate }))
  const mount = (some: readonly Endpoint[]) => {
    app.use(['/api/v1', '/v1'], routerOf(some.filter(isStable), args, limits))
    const others = some.filter((one) => !isStable(one))
    app.use(routerOf(others, args, limits))
  }
  mount(endpoints.filter(isOpen))
  app.use(
    ['/api', '/v1'],
    authenticate(args.keys),
    rate.handler,
    noStore,
    requireJson,
    ...jsonBody(config.bodyLimitBytes),
  )
  mount(endpoints.filter((one) => !isOpen(one)))
  app.use((req) => {
    throw noPath(req.path.slice(0, 200), endpoints.filter(isStable))
  })
  app.use(errorHandler(logger))
  return app
}

/** Names the endpoints that the path may be meant for: those that end as it does. */
function noPath(path: string, endpoints: readonly Endpoint[]): ForkrouteError {
  const last = path.split('/').findLast((part) => part !== '')
  const meant = endpoints.flatMap(({ definition: { method, path: known } }) =>
    last && known.endsWith(`/${last}`) ? [`${method.toUpperCase()} ${known}`] : [],
  )
  const advice = meant.length > 0 ? `Did you mean ${meant.join(' or ')}?` : 'GET /docs lists all.'
  return new ForkrouteError('NOT_FOUND', `There is no path ${path}. ${advice}`, {
    next: (meant.length > 0 ? meant : ['GET /docs']).map((name) => ({ endpoint: name })),
  })
}

function isOpen(one: Endpoint): boolean {
  return isPublic(one.definition)
}

/** Below /api/v1, where both prefixes lead to it; others, such as experimental ones, have their one path. */
function isStable({ definition }: Endpoint): boolean {
  return /^\/api\/v1(\/|$)/.test(definition.path)
}

/** Mounts endpoints below /api/v1 without that prefix, others as they are; other methods of a path get a 405. */
function routerOf(endpoints: readonly Endpoint[], args: AppArgs, limits: Limits) {
  const router = express.Router()
  const methods = new Map<string, string[]>()
  for (const one of endpoints) {
    const { method, path } = one.definition
    const isTraced = !isOpen(one) && !one.stream
    router[method](patternOf(path), named(path), (req, res) => {
      const work = () => answer(one, { ...args, limits }, req, res)
      return isTraced ? traceRequest(one.definition, req, res, work) : work()
    })
    const allowed = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]
    methods.set(path, [...(methods.get(path) ?? []), ...allowed])
  }
  for (const [path, allowed] of methods) {
    router.all(patternOf(path), named(path), allowOnly(allowed))
  }
  return router
}

function patternOf(path: string): string {
  return path.replace(/^\/api\/v1/, '').replaceAll(/\{(\w+)\}/g, ':$1') || '/'
}

async function answer(
  one: Endpoint,
  args: AppArgs & { readonly limits: Limits },
  req: Request,
  res: Response,
) {
  const { definition, handle, stream } = one
  const { engine, backtests, operations, keys, config, limits } = args
  if (definition.scope) requireScope(res, definition.scope)
  const search = req.originalUrl.split('?').slice(1).join('?')
  const request = { params: req.params, query: parseQuery(search), body: req.body }
  const accountId = res.locals.accountId ?? noAccount
  const owner = ownerOf(keys !== null, res.locals.caller ?? '')
  const inputs = inputsFor(operations, owner)
  const recording = stream
    ? null
    : recordingOf({ ...args, definition, request, accountId, inputs, req, res })
  const { params, input, items } = parseRequest(definition, request, engine)
  const client = clientSignal(res, args.stopping, stream !== undefined)
  const cost = definition.cost?.(input as never) ?? 1
  // A call takes as many places as it has quotes worked on at the same time.
  const asked = {
    kind: definition.operationId,
    places: Math.min(cost, config.workers * quotesAtOnce),
    size: cost,
    deadlineMs: (input as { readonly deadlineMs?: number }).deadlineMs,
  }
  const within = <T>(work: (context: CallContext) => Promise<T>, isCalculation: boolean) =>
    runWithin({ timeoutMs: config.requestTimeoutMs, outer: client }, (signal) => {
      // Each answer of a stream has the orders of its time.
      const given = stream ? inputsFor(operations, owner) : inputs
      const context = given.context(takesOverlay(definition, input))
      const begin = async () => work({ accountId, signal, ...context, ...recording })
      return isCalculation ? limits.admission.run(asked, begin) : begin()
    })
  const { caller, scopes } = res.locals
  const parts = {
    engine,
    backtests,
    operations,
    keys,
    caller,
    scopes,
    params,
    input,
    items,
    body: req.body,
  }
  if (stream) {
    if (req.method === 'HEAD') return res.type('text/event-stream').end()
    limits.streams.take(res)
    const events = await stream({
      ...parts,
      context: { accountId, signal: client },
      maxSeconds: config.maxStreamSeconds,
      async calculate(work) {
        res.locals.checkKey?.()
        await limits.rate.charge(res, cost)
        return traceRequest(definition, req, res, () => within(work, true))
      },
    })
    const { draining, logger } = args
    const maxUnsentBytes = config.streamBufferBytes
    const { checkKey } = res.locals
    return serveEvents({ res, events, checkKey, maxUnsentBytes, draining, logger })
  }
  await limits.rate.charge(res, cost - 1)
  const body = await within(
    async (context) => handle({ ...parts, context }),
    definition.isCalculation ?? false,
  )
  if (body instanceof FileAnswer) {
    return req.method === 'HEAD' ? sendHead(res, body) : sendFile(res, body, client)
  }
  const notices = [
    ...noticesOf(definition, request, input, engine),
    ...noticesOnLimits(definition, request.body, input, body),
  ]
  return res.json(withNotices(withOverlay(body, inputs.usedOverlay()), notices))
}

/**
 * Aborted when the client disconnects before its answer is written, or when the service stops waiting.
 * @param isStream - aborts also after an answer that ended in order, since its work would otherwise never end.
 */
function clientSignal(res: Response, stopping: AbortSignal, isStream: boolean): AbortSignal {
  const controller = new AbortController()
  const stop = () => controller.abort(stopping.reason)
  stopping.addEventListener('abort', stop, { once: true })
  res.once('close', () => {
    stopping.removeEventListener('abort', stop)
    if (isStream || !res.writableFinished) {
      controller.abort(new ForkrouteError('DEADLINE_EXCEEDED', 'The client has left.'))
    }
  })
  return controller.signal
}

/** Request id, log line and latency of every request. */
function watch(logger: Logger): RequestHandler {
  return (req, res, next) => {
    const sent = req.headers['x-request-id']
    const isUsable = typeof sent === 'string' && /^[\w.:/+=@-]{1,128}$/.test(sent)
    const requestId = isUsable ? sent : randomUUID()
    res.locals.requestId = requestId
    res.setHeader('x-request-id', requestId)
    const start = performance.now()
    res.locals.startedAt = start
    res.once('close', () => {
      const ms = performance.now() - start
      const route = res.locals.route ?? 'none'
      // 499: the client left before its answer was written.
      const status = res.writableFinished ? res.statusCode : 499
      observe('http_seconds', { method: methodOf(req), route, status }, ms / 1_000)
      const { caller, traceId } = res.locals
      const level = route.startsWith('/api/') || route === 'none' ? 'info' : 'debug'
      logger[level]({
        requestId,
        method: req.method,
        route,
        status,
        ms: Math.round(ms),
        caller,
        traceId,
      })
    })
    next()
  }
}

/** A label is never what a client may make up. */
function methodOf({ method }: Request): string {
  return knownMethods.has(method) ? method : 'other'
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Labels of metrics and log lines come from the contract, never from the requested URL. */
function named(route: string): RequestHandler {
  return (_req, res, next) => {
    res.locals.route = route
    next()
  }
}

/** HTTP/1.1 requires the header. Node's own check is off because it answers without our error body. */
const requireHost: RequestHandler = (req, _res, next) => {
  if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    throw new ForkrouteError('INVALID_REQUEST', 'The Host header is missing.')
  }
  next()
}

const noStore: RequestHandler = (_req, res, next) => {
  res.setHeader('cache-control', 'no-store')
  next()
}

const requireJson: RequestHandler = (req, _res, next) => {
  const isEmpty = req.headers['content-length'] === '0'
  if (!isEmpty && req.is(['json', '+json']) === false) {
    throw new ForkrouteError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The request body must be JSON (content-type: application/json).',
      { next: [{ header: 'content-type', value: 'application/json' }] },
    )
  }
  next()
}

function crossOrigin(origins: readonly string[]): RequestHandler {
  const origin = origins.includes('*') ? '*' : [...origins]
  return cors((req, done) => {
    const asked = String(req.headers['access-control-request-headers'] ?? '').toLowerCase()
    const allowedHeaders = asked
      .split(',')
      .map((name) => name.trim())
      .filter((name) => /^(authorization|content-type|accept|x-[\w-]+)$/.test(name))
    done(null, {
      origin,
      methods: ['GET', 'HEAD', 'POST', 'DELETE'],
      allowedHeaders,
      exposedHeaders: [
        'x-request-id',
        'retry-after',
        ...['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
      ],
      maxAge: 600,
    })
  })
}
