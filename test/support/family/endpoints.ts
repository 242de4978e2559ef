/**
 * The interface in the terms of its API family: what clients of the family send and read. Written from the contract
 * of the interface, not from this service's own document, so that each is a check of the other.
 */
import { z } from 'zod'
import * as agree from './agreement.js'
import * as inputs from './inputs.js'
import * as records from './records.js'
import type { Inputs } from './requests.js'
import * as transactions from './transactions.js'
import { Slug, Text } from './values.js'

export interface FamilyEndpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With its prefix; `{}` stands for one part. */
  readonly path: string
  readonly inputs: Inputs
  /** Of a success: JSON, the data of each event of a stream by its name, or null: other bytes. */
  readonly answer: z.ZodType | Readonly<Record<string, z.ZodType>> | null
  /** In place of `answer` where the service speaks the dialect of the family; absent: the same. */
  readonly familyAnswer?: z.ZodType
  readonly agreement: agree.Agreement
  /** Statuses that the endpoint is documented to answer, 200 among them. */
  readonly statuses: readonly number[]
  /** Codes of a 429 beside RATE_LIMITED. */
  readonly limits: readonly string[]
}

/** Of every path that needs a key. */
const guarded = [401, 403, 429]
/** Of what asks the node. */
const reading = [503, 504]
const posted = [413, 415]

type More = Partial<Pick<FamilyEndpoint, 'inputs' | 'agreement' | 'familyAnswer' | 'limits'>>

function define(
  method: FamilyEndpoint['method'],
  path: string,
  answer: FamilyEndpoint['answer'],
  statuses: readonly number[],
  more: More = {},
): FamilyEndpoint {
  const all = [200, ...statuses, ...guarded, ...(method === 'POST' ? posted : [])]
  return {
    method,
    path: `/api/v1${path}`,
    inputs: {},
    agreement: () => [],
    limits: [],
    ...more,
    answer,
    statuses: [...new Set(all)].toSorted((a, b) => a - b),
  }
}

const open = (path: string, answer: FamilyEndpoint['answer'], statuses: number[] = []) => ({
  ...define('GET', '', answer, []),
  path,
  statuses: [200, ...statuses],
})

const calculating = [400, 422, ...reading]
const listing = [400, ...reading]
const job = z.looseObject({ id: Text, state: Text, name: Text })
const jobs = [400, 404, 503]
const pages = z.looseObject({ total: z.int(), currentPage: z.int() })
const check = z.looseObject({ id: Text, state: z.enum(['running', 'finished', 'failed']) })
const key = z.looseObject({ id: Text, name: Text, scopes: z.array(Text).min(1) })
const actions = {
  specification: z.array(records.Action.specification).min(1),
  family: z.array(records.Action.family).min(1),
}
const listed = { familyAnswer: actions.family, agreement: agree.actions }
const ofStreams = { limits: ['TOO_MANY_STREAMS'] }
const ofBacktests = { limits: ['TOO_MANY_BACKTESTS'] }
const events = { quotes: transactions.Quotes, error: records.ErrorBody }

export const familyEndpoints: readonly FamilyEndpoint[] = [
  define('GET', '/shortcuts/route', transactions.Route, calculating, {
    inputs: inputs.route,
    agreement: agree.route,
  }),
  define('POST', '/shortcuts/route', transactions.Route, calculating, {
    inputs: inputs.route,
    agreement: agree.route,
  }),
  define('GET', '/shortcuts/route/nontokenized', transactions.Nontokenized, [...calculating, 404], {
    inputs: inputs.nontokenized,
    agreement: agree.nontokenized,
  }),
  define('GET', '/shortcuts/quote', transactions.Quote, calculating, {
    inputs: inputs.quote,
    agreement: agree.quote,
  }),
  define('POST', '/shortcuts/quote', transactions.Quote, calculating, {
    inputs: inputs.quote,
    agreement: agree.quote,
  }),
  define('POST', '/shortcuts/quotes', transactions.Quotes, calculating, {
    inputs: inputs.quotes,
    agreement: agree.quotes,
  }),
  define('POST', '/shortcuts/bundle', transactions.Bundle, calculating, {
    inputs: inputs.bundle,
    agreement: agree.bundle,
  }),
  define('POST', '/shortcuts/plan', transactions.Plan, calculating, {
    inputs: inputs.plan,
    agreement: agree.plan,
  }),
  define('GET', '/shortcuts/actions', actions.specification, [], listed),
  define('GET', '/stream/quotes', events, [400, 503], { inputs: inputs.quotes, ...ofStreams }),
  define('POST', '/stream/quotes', events, [400, 503], { inputs: inputs.quotes, ...ofStreams }),
  define('GET', '/networks', z.array(records.Network), [400]),
  define('GET', '/networks/{}/blocks', records.Block, [400, 503]),
  define('GET', '/prices/{}/{}', records.Price, [...listing, 404], { agreement: agree.price }),
  define('GET', '/prices/{}', z.array(records.Price.nullable()), listing, {
    inputs: inputs.prices,
    agreement: agree.prices,
  }),
  define('GET', '/tokens', records.TokenPage, listing, {
    inputs: inputs.tokens,
    agreement: agree.tokens,
  }),
  ...['/positions', '/defiTokens', '/baseTokens', '/tokenless-positions'].map((path) =>
    define('GET', path, z.array(records.Position), listing, { inputs: inputs.positions }),
  ),
  define('GET', '/nontokenized', records.NontokenizedPage, listing, {
    inputs: inputs.nontokenizedList,
    agreement: agree.page,
  }),
  define('GET', '/projects', z.array(records.Project).min(1), reading),
  define('GET', '/projects/{}/protocols', z.array(records.Protocol).min(1), [400, 404]),
  define('GET', '/protocols', z.array(records.Protocol), [400]),
  define('GET', '/standards', z.array(records.Standard).min(1), []),
  define('GET', '/standards/{}', records.Standard, [400, 404]),
  define('GET', '/actions', actions.specification, [], listed),
  define('GET', '/actions/{}', actions.specification, [400, 404], listed),
  define('GET', '/aggregators', z.array(Slug).min(1), [400]),
  define('GET', '/account/accountId', records.AccountId, []),
  define('GET', '/wallet', records.Wallet, listing, {
    inputs: inputs.wallet,
    agreement: agree.wallet,
  }),
  define('GET', '/wallet/approve', records.Approval, [...listing, 422], {
    inputs: inputs.approval,
    agreement: agree.approval,
  }),
  define('GET', '/wallet/balances', z.array(records.Balance), listing, {
    inputs: inputs.balances,
  }),
  define('GET', '/opportunities/{}', records.Opportunities, listing),
  define('GET', '/opportunities/tokenIn/{}', records.Opportunities, listing),
  ...['/layerzero/pool', '/stargate/pool'].map((path) =>
    define('GET', path, records.MessagingPools, [400], {
      inputs: inputs.messagingPool,
      agreement: agree.messagingPool,
    }),
  ),
  define('GET', '/ccip/router', z.looseObject({ router: Text }).nullable(), [400]),
  define(
    'GET',
    '/cctp/bridge/tokenmessengerv2',
    z.looseObject({ address: Text }).nullable(),
    [400],
  ),
  define('GET', '/cctp/bridge/claim', z.looseObject({ claimable: z.boolean() }), [
    ...[400, 404],
    ...reading,
  ]),
  define('GET', '/{}/bridge/check', records.BridgeCheck, [400, 404, ...reading], {
    inputs: inputs.bridgeCheck,
    agreement: agree.bridgeCheck,
  }),
  define(
    'GET',
    '/{}/bridge/events',
    { transfer: records.BridgeTransfer, end: records.BridgeStreamEnd, error: records.ErrorBody },
    [400, 404, ...reading],
    { inputs: inputs.bridgeCheck, ...ofStreams },
  ),
  define(
    'GET',
    '/bridge/events',
    {
      transfers: records.BridgeTransfers,
      transfer: records.BridgeTransfer,
      end: records.BridgeStreamEnd,
      error: records.ErrorBody,
    },
    [400, ...reading],
    { inputs: inputs.bridgeTransfers, ...ofStreams },
  ),
  {
    ...define('POST', '', transactions.Multichain, calculating, {
      inputs: inputs.multichain,
      agreement: agree.multichain,
    }),
    path: '/api/experimental/multichain/shortcut/route',
  },
  define('POST', '/hindsight', records.Hindsight, [400, 404, ...reading], {
    inputs: inputs.hindsight,
  }),
  define('POST', '/backtests', job, [400, 503], ofBacktests),
  define('GET', '/backtests', z.array(job), [400, 503], {
    inputs: inputs.backtestList,
    agreement: agree.backtestList,
  }),
  define('GET', '/backtests/{}', job, jobs),
  define('DELETE', '/backtests/{}', job, jobs),
  define('POST', '/backtests/{}/cancel', job, jobs),
  define('POST', '/backtests/{}/resume', job, jobs, ofBacktests),
  define('GET', '/backtests/{}/results', null, jobs, ofStreams),
  define('GET', '/backtests/{}/summary', z.looseObject({}), jobs, ofStreams),
  define(
    'GET',
    '/backtests/{}/events',
    {
      progress: z.looseObject({ state: Text, blocksDone: z.int(), blocksTotal: z.int() }),
      error: records.ErrorBody,
    },
    jobs,
    ofStreams,
  ),
  define(
    'GET',
    '/pools',
    z.looseObject({ meta: pages, data: z.array(z.looseObject({})) }),
    [400, 503],
  ),
  define('GET', '/pools/export', z.array(z.looseObject({ id: Text })), [400, 503]),
  define('POST', '/pools/import', z.strictObject({ added: z.int(), updated: z.int() }), [400, 503]),
  define('GET', '/pools/index', z.array(z.looseObject({ chainId: z.int() })), [503]),
  define(
    'POST',
    '/orders',
    z.strictObject({
      added: z.int(),
      updated: z.int(),
      hashes: z.array(Text),
      settlement: Text,
    }),
    [400, 403, 503],
  ),
  define(
    'GET',
    '/orders',
    z.looseObject({ meta: pages, data: z.array(z.looseObject({ hash: Text })) }),
    [400, 503],
  ),
  define('DELETE', '/orders', z.strictObject({ removed: z.int() }), [400, 503]),
  define('GET', '/cassettes', z.array(z.looseObject({ name: Text })), [503]),
  define('GET', '/cassettes/{}', z.looseObject({ name: Text, meta: pages }), jobs),
  define('GET', '/cassettes/{}/requests/{}', z.looseObject({ number: z.int() }), jobs),
  define('POST', '/cassettes/{}/check', check, jobs),
  define('POST', '/suites', check, jobs),
  define('GET', '/checks', z.array(check), [503]),
  define('GET', '/checks/{}', check, jobs),
  define('GET', '/keys', z.array(key), [503]),
  define('POST', '/keys', key.extend({ key: Text }), jobs),
  define('POST', '/keys/{}/disable', key, jobs),
  define('GET', '/system', z.looseObject({ chains: z.array(z.looseObject({})) }), []),
  define('GET', '/configuration', z.array(z.looseObject({ name: Text })).min(1), []),
  define('GET', '/doctor', z.array(z.looseObject({ ok: z.boolean() })).min(1), [504]),
  open(
    '/api/v1',
    z.looseObject({
      version: Text,
      openapi: z.literal('/openapi.json'),
      endpoints: z
        .array(z.looseObject({ method: Text, path: z.string().startsWith('/'), summary: Text }))
        .min(1),
    }),
  ),
  open('/.well-known/forkroute', z.looseObject({ name: z.literal('forkroute') }), [503]),
  open('/health', z.looseObject({ status: z.literal('ok') })),
  open(
    '/ready',
    z.looseObject({ ready: z.literal(true), chains: z.array(z.looseObject({})) }),
    [503],
  ),
  open('/metrics', null),
  open('/openapi.json', z.looseObject({ openapi: z.string().regex(/^3\.1\./) })),
  open('/api/v1/openapi.json', z.looseObject({ openapi: z.string().regex(/^3\.1\./) })),
  open('/docs', null),
  open('/verify', null),
]

/** The endpoint of a request with what its path names; GET paths answer HEAD, too. */
export function endpointOf(
  method: string,
  path: string,
): { readonly endpoint: FamilyEndpoint; readonly named: readonly string[] } | undefined {
  const full = path.replace(/^\/v1(?=\/)/, '/api/v1').replace(/\/$/, '')
  for (const endpoint of sorted) {
    const pattern = endpoint.path.replaceAll('.', '\\.').replaceAll('{}', '([^/]+)')
    const found = new RegExp(`^${pattern}$`, 'i').exec(full)
    if (found && endpoint.method === (method === 'HEAD' ? 'GET' : method)) {
      return { endpoint, named: found.slice(1).map(decoded) }
    }
  }
  return undefined
}

/** What is no text of a path is refused by the service. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** A path without open parts wins. */
const sorted = familyEndpoints.toSorted(
  (one, other) => one.path.split('{}').length - other.path.split('{}').length,
)

export const nameOf = ({ method, path }: FamilyEndpoint) => `${method} ${path}`
