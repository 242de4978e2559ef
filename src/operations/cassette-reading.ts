/** What is read of a cassette, which a stranger may have made: in a process of its own (`reading-tasks.ts`). */
import { fromRequestText } from '../cassette/request-form.js'
import { type CassetteSummary, readRecording, summarise } from '../cassette/summary.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Recording } from '../domain/operations/checks.js'
import { guarded } from '../rpc/cassette/cassette-file.js'

/** The longest answer that is shown, in characters: the main thread writes it out again. */
const mostAnswerLength = 16_000_000

function cassetteFacts(args: {
  readonly file: string
  readonly offset: number
  readonly limit: number
}): Pick<CassetteSummary, 'versions' | 'chains' | 'total' | 'requests'> {
  const { versions, chains, total, requests } = summarise(args.file, args)
  return { versions, chains, total, requests }
}

function recording(args: { readonly file: string; readonly number: number }): Recording {
  const { summary, row } = readRecording(args.file, args.number)
  if (row.answer.length > mostAnswerLength) {
    throw new ForkrouteError(
      'STORAGE_UNAVAILABLE',
      'The recorded answer is too long to be shown. Serve the cassette with forkroute replay, and send the request there.',
    )
  }
  return guarded(() => {
    const { body = null } = fromRequestText(row.request)
    return { ...summary, body, answer: JSON.parse(row.answer) as unknown }
  })
}

export const cassetteTasks = { cassetteFacts, recording }
export type CassetteTasks = typeof cassetteTasks
