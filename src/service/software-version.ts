/** The version of the software that calculates answers, which depend on it besides settings and state. */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { serviceVersion } from '../api/version.js'
import type { RecorderVersion } from '../cassette/contents.js'
import { executorContracts } from '../executor/deployments.js'

/** Hexadecimal digits kept of the hash of each contract's code: enough to tell two apart. */
const hashChars = 16

export function softwareVersion(): RecorderVersion {
  const { version } = createRequire(import.meta.url)('@foundry-rs/anvil/package.json') as {
    version: string
  }
  const contracts = Object.entries(executorContracts).map(([name, { runtimeCode }]) => [
    name,
    createHash('sha256').update(runtimeCode).digest('hex').slice(0, hashChars),
  ])
  return {
    forkroute: serviceVersion,
    anvil: version,
    contracts: Object.fromEntries(contracts),
  }
}
