/** Cassettes, and what checks of them and of suites found, on the wire. */
import { z } from 'zod'
import type { CassetteEntry, Check as DomainCheck } from '../../domain/operations/checks.js'
import { PageMeta } from './metadata-records.js'
import { BlockNumber, ChainId } from './record-parts.js'

const count = (description: string) => z.int().meta({ description })
const text = (description: string) => z.string().meta({ description })

const entry = {
  name: text('Of the file.'),
  bytes: count('Of the file.'),
  changedAt: text('When the file was changed, ISO 8601 in UTC.'),
}

export const Cassette = z.object(entry).meta({ id: 'Cassette' })

const request = {
  number: count('Of the request in the cassette.'),
  method: text('GET or POST.'),
  url: text('Path and query below /api/v1.'),
  status: count('HTTP status of the answer.'),
  blocks: z
    .array(
      z.object({
        chainId: ChainId,
        number: count('Of the block.'),
        head: z.boolean().meta({ description: 'Whether it was the newest one.' }),
      }),
    )
    .meta({ description: 'At which it was calculated.' }),
  bytes: count('Of the request and its answer in the file.'),
}

export const CassetteContents = z
  .object({
    ...entry,
    versions: z
      .array(z.object({ forkroute: text('Of forkroute.'), anvil: text('Of Anvil.') }))
      .meta({ description: 'The software that recorded it.' }),
    chains: z
      .array(
        z.object({
          chainId: ChainId,
          blocks: count('Blocks with state or requests.'),
          firstBlock: count('The least of them.'),
          lastBlock: count('The greatest of them.'),
        }),
      )
      .meta({ description: 'Chains whose state it holds.' }),
    meta: PageMeta.meta({ description: 'Of the requests.' }),
    requests: z
      .array(z.object(request).meta({ id: 'RecordedRequest' }))
      .meta({ description: 'Recorded requests of the page, in the order of their numbers.' }),
  })
  .meta({ id: 'CassetteContents' })

export const Recording = z
  .object({
    ...request,
    body: z.unknown().meta({ description: 'JSON that was sent; null without any.' }),
    answer: z.unknown().meta({ description: 'JSON that was answered.' }),
  })
  .meta({ id: 'Recording' })

const CaseProof = z
  .object({
    isProven: z.boolean().meta({ description: 'Whether all state was proven that it needs.' }),
    reason: z.string().nullable().meta({ description: 'Why it was not; null: it was.' }),
    chainId: ChainId.nullable().meta({ description: 'Chain of the block.' }),
    blockNumber: BlockNumber.nullable().meta({ description: 'Whose state it is.' }),
    blockHash: z.string().nullable().meta({ description: 'To which all of it leads.' }),
    accounts: z.int().nullable().meta({ description: 'How many were proven.' }),
    slots: z.int().nullable().meta({ description: 'How many were proven.' }),
  })
  .meta({ id: 'CaseProof', description: 'What evidence has shown of the state of a case.' })

export const Check = z
  .object({
    id: z.string(),
    kind: z.enum(['cassette', 'suite']).meta({ description: 'What is checked.' }),
    name: text('Of the cassette or the suite.'),
    state: z.enum(['running', 'finished', 'failed']).meta({
      description: 'failed: it came to no result.',
    }),
    problem: z.string().nullable(),
    ok: z.boolean().nullable().meta({
      description: 'Whether all is as it was recorded or expected; null without a result.',
    }),
    createdAt: z.string(),
    finishedAt: z.string().nullable(),
    cassette: z
      .object({
        verified: count('Requests that were answered with the same bytes.'),
        damaged: z.array(z.string()).meta({ description: 'Damaged rows of the file.' }),
        mismatches: z
          .array(
            z.object({
              number: count('Of the request in the cassette.'),
              request: text('Method, path and query.'),
              blocks: z.array(z.string()).meta({ description: 'As chain:number.' }),
              path: text('Of the first value that differs.'),
              expected: text('What was recorded.'),
              got: text('What is answered now.'),
            }),
          )
          .meta({ description: 'Requests that were answered otherwise.' }),
      })
      .nullable()
      .meta({ description: 'Of a cassette.' }),
    suite: z
      .object({
        mode: text('replay: of a cassette; live: by the nodes of the service.'),
        passed: count('Cases.'),
        failed: count('Cases.'),
        milliseconds: count('Of the whole run.'),
        cases: z
          .array(
            z.object({
              name: z.string(),
              line: count('Of the text.'),
              ok: z.boolean().meta({ description: 'Whether it is as expected.' }),
              differences: z.array(z.string()).meta({ description: 'Sentences; empty: none.' }),
              milliseconds: count('With others running at the same time.'),
              proof: CaseProof.nullable().meta({
                description:
                  'Of a suite with evidence, for routes and quotes; null: none was asked for.',
              }),
            }),
          )
          .meta({ description: 'In the order of the text.' }),
      })
      .nullable()
      .meta({ description: 'Of a suite.' }),
  })
  .meta({ id: 'Check' })

export function toCassette({ name, bytes, changedAt }: CassetteEntry): z.output<typeof Cassette> {
  return { name, bytes, changedAt: new Date(changedAt).toISOString() }
}

export function toCheck(check: DomainCheck): z.output<typeof Check> {
  const { cassette, suite } = check
  return {
    id: check.id,
    kind: check.kind,
    name: check.name,
    state: check.state,
    problem: check.problem,
    ok: check.ok,
    createdAt: new Date(check.createdAt).toISOString(),
    finishedAt: check.finishedAt === null ? null : new Date(check.finishedAt).toISOString(),
    cassette: cassette && {
      verified: cassette.verified,
      damaged: [...cassette.damaged],
      mismatches: cassette.mismatches.map((one) => ({ ...one, blocks: [...one.blocks] })),
    },
    suite: suite && {
      ...suite,
      cases: suite.cases.map(({ differences, proof = null, ...one }) => {
        return { ...one, differences: [...differences], proof }
      }),
    },
  }
}
