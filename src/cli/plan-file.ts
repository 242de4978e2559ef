/** Reads a plan from a YAML or JSON file into the form of the API, and adds line numbers to the API's complaints. */
import type { InputOf } from '../client/calls.js'
import { ConfigError } from '../config/config.js'
import { parseYaml, toSentence } from '../config/yaml-file.js'
import { readTextFile } from './text-file.js'

const maxBytes = 1_048_576

export interface PlanFile {
  /**
   * Every value is text, so that no address or amount is taken for a number. What the file lacks, or has in another form,
   * is for the service to say.
   */
  readonly body: InputOf<'createBacktest'>
  /** The problems with their lines, where they name a place in the file. */
  withLines(problems: readonly string[]): string[]
}

/** @throws ConfigError for a file that cannot be read or is no YAML. */
export async function readPlanFile(path: string): Promise<PlanFile> {
  const hint = path.includes('.') ? undefined : 'backtest --help lists the commands besides a plan.'
  const text = await readTextFile(path, hint)
  if (text.length > maxBytes)
    throw new ConfigError([`${path} is longer than a plan can be.`], 'file')
  return parsePlanText(text)
}

/** @throws ConfigError for what is no YAML. */
export function parsePlanText(text: string): PlanFile {
  const file = parseYaml(text, { asText: true })
  if (file.problems.length) throw new ConfigError(file.problems.map(toSentence), 'file')
  return {
    body: file.value as InputOf<'createBacktest'>,
    withLines: (problems) =>
      problems.map((problem) => {
        const path = pathOf(problem)
        const isThere = Object.hasOwn(Object(file.value), path[0] ?? '')
        return isThere ? `line ${file.lineOf(path)}: ${problem}` : problem
      }),
  }
}

/** The path at the beginning of a problem. */
function pathOf(problem: string): (string | number)[] {
  const [place = ''] = /^\w+(?:\[\d+\]|\.[\w-]+)*/.exec(problem) ?? []
  return [...place.matchAll(/[\w-]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part))
}
