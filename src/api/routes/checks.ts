/** Cassettes of the configured folder, and checks of them and of suites: docs/reference/api.md#cassettes-and-checks. */
import { z } from 'zod'
import type { ErrorCode } from '../../domain/errors.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { pagesOf } from '../inputs/listing.js'
import {
  Cassette,
  CassetteContents,
  Check,
  Recording,
  toCassette,
  toCheck,
} from '../records/check-records.js'
import { pageMetaOf } from '../records/listings.js'
import { described, integer, listOf } from '../schemas.js'

const tag = 'Cassettes'
const base = '/api/v1/cassettes'
const errors: readonly ErrorCode[] = ['INVALID_REQUEST', 'NOT_FOUND', 'STORAGE_UNAVAILABLE']
const requestNumber = integer(1, 1_000_000_000)
/** Requests of one check that are named. */
const mostNumbers = 1_000
const mostSuiteBytes = 65_536

const nameMessage = 'must be the name of a cassette'
const params = z.object({
  name: described(
    z.string(nameMessage).max(128, nameMessage),
    'Of the file, as the list has it.',
    'sandbox.cassette',
  ),
})
const idMessage = 'must be the id of a check'

const list = defineRoute({
  method: 'get',
  path: base,
  tag,
  operationId: 'getCassettes',
  summary: 'Cassettes of the folder CASSETTES_DIR, by name.',
  description: 'Files that end in .cassette; what lies elsewhere is never read.',
  response: z.array(Cassette),
  errors: ['STORAGE_UNAVAILABLE'],
})

const show = defineRoute({
  method: 'get',
  path: `${base}/{name}`,
  tag,
  operationId: 'getCassette',
  summary: 'What is in a cassette: its requests, a page at a time.',
  description: 'As forkroute cassette list tells it.',
  params,
  input: z.object(pagesOf(200, 50)),
  response: CassetteContents,
  errors,
})

const getRecording = defineRoute({
  method: 'get',
  path: `${base}/{name}/requests/{number}`,
  tag,
  operationId: 'getRecording',
  summary: 'One recorded request with its answer.',
  description: 'As they were recorded; checking the cassette asks it again.',
  params: params.extend({ number: described(requestNumber, 'Of the request.', 1) }),
  response: Recording,
  errors,
})

const checkCassette = defineRoute({
  method: 'post',
  path: `${base}/{name}/check`,
  tag,
  operationId: 'checkCassette',
  summary: 'Replays recorded requests, and compares the answers byte by byte.',
  description:
    'The answer comes at once; GET /api/v1/checks/{id} tells the state and then the result. One check runs at a time, for ten minutes at most.',
  params,
  input: z.object({
    requests: described(
      listOf(requestNumber, 1, mostNumbers).optional(),
      'Numbers of recorded requests; default: all.',
    ),
  }),
  response: Check,
  errors: [...errors, 'OVERLOADED'],
})

const runSuite = defineRoute({
  method: 'post',
  path: '/api/v1/suites',
  tag,
  operationId: 'runSuite',
  summary: 'Runs a suite of regression tests.',
  description:
    'The YAML of docs/how-to/regression-tests.md with at most 200 cases and 64 kB. Its cassette is one of the folder; without one the nodes of the service are asked. It may name neither a node nor settings. Nothing is recorded. GET /api/v1/checks/{id} tells the result.',
  input: z.object({
    suite: described(
      z
        .string('must be a text')
        .refine((text) => Buffer.byteLength(text) <= mostSuiteBytes, 'must be at most 64 kB'),
      'The YAML.',
      [
        'name: one case',
        'cases:',
        '  - name: one ether has a price',
        '    prices: { addresses: [0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2] }',
        '    expect: { price: 3000, toleranceBps: 1000 }',
      ].join('\n'),
    ),
  }),
  response: Check,
  errors: [...errors, 'OVERLOADED'],
})

const getChecks = defineRoute({
  method: 'get',
  path: '/api/v1/checks',
  tag,
  operationId: 'getChecks',
  summary: 'Checks of cassettes and suites, the newest first.',
  description: 'The last 50 of all keys.',
  response: z.array(Check),
  errors: ['STORAGE_UNAVAILABLE'],
})

const getCheck = defineRoute({
  method: 'get',
  path: '/api/v1/checks/{id}',
  tag,
  operationId: 'getCheck',
  summary: 'One check with its result.',
  description: 'Ask again while its state is running.',
  params: z.object({
    id: described(z.string(idMessage).max(64, idMessage), 'Of the check.', '0mwpbjdts5242e2f'),
  }),
  response: Check,
  errors,
})

export const checkEndpoints: readonly Endpoint[] = [
  endpoint(list, ({ operations }) => operations.cassettes().map(toCassette)),
  endpoint(show, async ({ operations, params: { name }, input: { page, pageSize } }) => {
    const offset = (page - 1) * pageSize
    const facts = await operations.cassette(name, { offset, limit: pageSize })
    const { versions, chains, total, requests } = facts
    return {
      ...toCassette(facts),
      versions: versions.map((one) => ({ ...one })),
      chains: chains.map((one) => ({ ...one })),
      meta: pageMetaOf(total, { page, pageSize }),
      requests: requests.map(({ blocks, ...one }) => ({ ...one, blocks: [...blocks] })),
    }
  }),
  endpoint(getRecording, async ({ operations, params: { name, number } }) => {
    const { blocks, ...recording } = await operations.recording(name, number)
    return { ...recording, blocks: [...blocks] }
  }),
  endpoint(checkCassette, ({ operations, params: { name }, input }) =>
    toCheck(operations.checkCassette(name, input.requests ?? null)),
  ),
  endpoint(runSuite, async ({ operations, input }) =>
    toCheck(await operations.checkSuite(input.suite)),
  ),
  endpoint(getChecks, ({ operations }) => operations.checks().map(toCheck)),
  endpoint(getCheck, ({ operations, params: { id } }) => toCheck(operations.check(id))),
]
