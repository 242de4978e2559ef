/** `forkroute check`: a suite of regression tests without code; the exit code is for CI. */
import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { bigintToString } from '../domain/primitives.js'
import { withoutSecrets } from '../telemetry/log.js'
import { type OutputOptions, printable, printJson, withProgress } from './output.js'
import { readTextFile } from './text-file.js'

interface Options extends OutputOptions {
  readonly junit?: string
  readonly record?: boolean
}

/** Exit code when no case ran, because the file, the cassette or the node is not usable. */
const unusable = 2

async function check(path: string, options: Options): Promise<void> {
  // Loaded when needed: other commands, and mistakes in the file, do not wait for the service.
  const source = await readTextFile(path)
  const { parseSuite } = await import('../check/suite.js')
  const suite = parseSuite(source, path)
  const [{ runSuite }, report] = await Promise.all([
    import('../check/run.js'),
    import('../check/report.js'),
  ])
  let done = 0
  const result = await withProgress('Checking', (onProgress) =>
    runSuite(suite, {
      record: options.record,
      // Every other command has this default, too: pools imported into the data folder become part of a recording.
      config: { DATA_DIR: './data', ...process.env },
      onProgress,
      onCase() {
        done += 1
        if (done < suite.cases.length) onProgress('cases', done / suite.cases.length)
      },
    }),
  )
  if (options.junit) await writeFile(options.junit, report.junitReport(result))
  if (options.json) printJson(JSON.parse(JSON.stringify(report.jsonReport(result), bigintToString)))
  else console.log(printable(report.terminalReport(result)))
  if (!result.cases.every(report.isPassed)) process.exitCode = 1
}

export function addCheck(program: Command): void {
  program
    .command('check')
    .description('run a suite of regression tests; exit code 1: a case failed, 2: none could run')
    .argument('<suite>', 'YAML file')
    .option('--junit <file>', 'write JUnit XML')
    .option('--record', 'record into the cassette of the suite; as RECORD=1')
    .action(async (path: string, _local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      try {
        await check(path, options)
      } catch (error) {
        const message = withoutSecrets(error instanceof Error ? error.message : String(error))
        if (options.json) printJson({ ok: false, message })
        console.error(message)
        process.exitCode = unusable
      }
    })
}
