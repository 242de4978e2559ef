#!/usr/bin/env node
// The pinned npm solc behind the command line that forge expects: --version and --standard-json.
import { readFileSync } from 'node:fs'
import solc from 'solc'

if (process.argv.includes('--version')) {
  process.stdout.write(
    `solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`,
  )
} else if (process.argv.includes('--standard-json')) {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
} else {
  process.stderr.write('usage: solc.mjs --version | --standard-json < input.json\n')
  process.exitCode = 1
}
