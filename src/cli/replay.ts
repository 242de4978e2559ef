/** `forkroute replay` and `forkroute verify`: serves the API from a cassette alone, and checks its answers. */
import type { Command } from 'commander'
import pLimit from 'p-limit'
import { readable } from '../cassette/contents.js'
import { type Difference, firstDifference } from '../cassette/difference.js'
import { fromRequestText, urlOf } from '../cassette/request-form.js'
import { ConfigError } from '../config/config.js'
import { recordingHeader } from '../domain/recording.js'
import { damagedRows } from '../rpc/cassette/cassette-check.js'
import { guarded, openCassetteFile } from '../rpc/cassette/cassette-file.js'
import { CassetteRequests, type RequestRow } from '../rpc/cassette/cassette-requests.js'
import { createLogger } from '../telemetry/log.js'
import { checkEvidence, type EvidenceOptions, evidenceIn } from './evidence/verify.js'
import { type OutputOptions, printJson, withProgress } from './output.js'
import { localConfig } from './record.js'

interface Mismatch extends Difference {
  readonly number: number
  readonly request: string
  readonly blocks: readonly string[]
}

interface Verification {
  readonly verified: number
  readonly damaged: readonly string[]
  readonly mismatches: readonly Mismatch[]
}

/** @throws ConfigError. */
export function parseNumbers(text: string, option: string): number[] {
  const numbers = text.split(',').flatMap((part) => {
    const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part.trim()) ?? []
    const count = Number(to) - Number(from) + 1
    if (from === undefined || count < 1 || count > 100_000) {
      throw new ConfigError(
        [`${option}: must be numbers or ranges such as 1,4-6 (not ${text}).`],
        'command line',
      )
    }
    return Array.from({ length: count }, (_one, index) => Number(from) + index)
  })
  return [...new Set(numbers)]
}

/** @param only - numbers of requests; null: all. */
export async function verify(
  file: string,
  only: readonly number[] | null,
  report: (message: string, fraction: number) => void,
): Promise<Verification> {
  const db = openCassetteFile(file, 'read')
  let rows: RequestRow[]
  let damaged: string[]
  try {
    damaged = guarded(() => damagedRows(db))
    const requests = new CassetteRequests(db)
    // A damaged request is already among the damaged rows.
    rows = guarded(() => requests.ids())
      .filter((id) => only === null || only.includes(id))
      .flatMap((id) => soundRow(requests, id) ?? [])
    const absent = only?.filter((id) => !rows.some((row) => row.id === id)) ?? []
    if (absent.length && !damaged.length) {
      throw new ConfigError(
        [`--only: the cassette has no request ${absent.join(', ')}.`],
        'command line',
      )
    }
  } finally {
    db.close()
  }
  const config = localConfig()
  const { openLocalService } = await import('../service/local-service.js')
  const local = await openLocalService(config, {
    logger: createLogger(config.logLevel === 'error' ? 'fatal' : config.logLevel),
    mode: { kind: 'replay', file },
  })
  try {
    let done = 0
    const limit = pLimit(2 * config.workers)
    const found = await Promise.all(
      rows.map((row) =>
        limit(async () => {
          const mismatch = await mismatchOf(row, local.ask)
          done += 1
          report('requests', done / (rows.length + 1))
          return mismatch
        }),
      ),
    )
    const mismatches = found.filter((one) => one !== null)
    return { verified: rows.length - mismatches.length, damaged, mismatches }
  } finally {
    await local.close()
  }
}

function soundRow(requests: CassetteRequests, id: number): RequestRow | null {
  try {
    return readable(() => requests.get(id))
  } catch {
    return null
  }
}

type Ask = Awaited<ReturnType<typeof import('../service/local-service.js').openLocalService>>['ask']

async function mismatchOf(row: RequestRow, ask: Ask): Promise<Mismatch | null> {
  const request = fromRequestText(row.request)
  const [, requestId] = /"requestId":"([\w.:/+=@-]{1,128})"/.exec(row.answer) ?? []
  const answer = await ask(request, {
    [recordingHeader]: String(row.id),
    // Errors carry it.
    ...(row.status >= 400 && requestId !== undefined && { 'x-request-id': requestId }),
  })
  const difference =
    answer.status === row.status
      ? firstDifference(row.answer, answer.text)
      : {
          path: 'status',
          expected: String(row.status),
          got: `${answer.status} ${messageOf(answer.text)}`,
        }
  if (!difference) return null
  const blocks = row.blocks.map(({ chainId, number }) => `${chainId}:${number}`)
  const asked = `${request.method} ${urlOf(request)}`
  return { number: row.id, request: asked, blocks, ...difference }
}

function messageOf(text: string): string {
  const { message } = JSON.parse(text) as { message?: string | string[] }
  return [message ?? text.slice(0, 160)].flat().join(' ')
}

export function addReplay(program: Command): void {
  program
    .command('replay')
    .description('serve the API from a cassette alone: no node, no settings, no keys')
    .argument('<file>', 'the cassette')
    .option('--port <number>', 'as PORT; 0: any free port')
    .action(async (file: string, options: { port?: string }) => {
      const { serveCassette } = await import('./serve.js')
      await serveCassette(file, options.port)
    })
  program
    .command('verify')
    .description(
      'check evidence: signature, proofs, and what the transaction does; or run a cassette again and compare its answers',
    )
    .argument('<file>', 'evidence, an answer that holds it, or a cassette')
    .option('--public-key <hex>', 'that must have signed, as /.well-known/forkroute names it')
    .option('--chain <id>', 'that the evidence must be about')
    .option('--block-hash <hash>', 'of its block on the chain, as any explorer names it')
    .option('--only <numbers>', 'of a cassette: these requests, such as 3 or 1,4-6')
    .action(async (file: string, local: { only?: string }, command: Command) => {
      const { json } = command.optsWithGlobals<OutputOptions>()
      const content = evidenceIn(file)
      if (content !== null)
        return checkEvidence(content, command.optsWithGlobals<EvidenceOptions>())
      const only = local.only === undefined ? null : parseNumbers(local.only, '--only')
      const result = await withProgress('Verifying', (report) => verify(file, only, report))
      if (json) printJson(result)
      else print(result)
      if (result.damaged.length || result.mismatches.length) process.exitCode = 1
    })
}

function print({ verified, damaged, mismatches }: Verification): void {
  for (const row of damaged) console.log(`damaged  ${row}`)
  for (const { number, request, blocks, path, expected, got } of mismatches) {
    console.log(`differs  #${number} ${request} at ${blocks.join(', ') || 'no block'}`)
    console.log(`         ${path}\n         expected ${expected}\n         got      ${got}`)
  }
  const count = (list: readonly unknown[], what: string) =>
    list.length ? `, ${list.length} ${what}` : ''
  console.log(`${verified} the same${count(mismatches, 'not')}${count(damaged, 'damaged rows')}`)
}
