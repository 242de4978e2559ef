/** Suites that callers send: read in a process of its own (`reading-tasks.ts`). */
import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { type CheckSuite, parseSuite } from '../check/suite.js'
import { ConfigError } from '../config/config.js'
import { invalidRequest } from '../domain/common-errors.js'
import { isCassetteName } from './cassette-folder.js'

const mostCases = 200
/** What a service needs to know of a suite to run it. */
export interface BoundedSuite {
  readonly name: string
  /** Name in the folder of cassettes. */
  readonly cassette: string | null
}

/**
 * A suite that may run in a service: no node and no setting of its own, and no file outside of the folder of cassettes.
 * @throws ForkrouteError INVALID_REQUEST with every mistake.
 */
export function boundedSuite(source: string): BoundedSuite {
  // Nobody can name the folder, so that only what is named beside the suite lies in it: here and where the suite is run.
  const suitesFolder = `/suites-${randomUUID()}`
  const path = join(suitesFolder, 'suite')
  const suite = parsed(source, path)
  const { cassette } = suite
  const problems = [
    ...(suite.rpc === null ? [] : ['rpc must not be given: the nodes of the service are asked.']),
    ...(Object.keys(suite.config).length === 0
      ? []
      : ['config must not be given: the settings of the service or the cassette count.']),
    ...(suite.cases.length <= mostCases ? [] : [`cases must hold at most ${mostCases} cases.`]),
    ...(cassette === null || dirname(cassette) === suitesFolder
      ? []
      : ['cassette must be a name of GET /cassettes.']),
  ]
  if (problems.length > 0) throw invalidRequest(problems)
  const name = suite.name === path ? 'suite' : suite.name.slice(0, 128)
  const file = cassette?.slice(suitesFolder.length + 1) ?? null
  if (file !== null && !isCassetteName(file)) {
    throw invalidRequest(['cassette must be a name of GET /cassettes.'])
  }
  return { name, cassette: file }
}

function parsed(source: string, path: string): CheckSuite {
  try {
    return parseSuite(source, path)
  } catch (error) {
    if (error instanceof ConfigError) throw invalidRequest(error.problems)
    throw error
  }
}
