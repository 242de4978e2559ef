/** Which of our accounts a cassette cannot know, because it was recorded before their code was written. */
import type { RecorderVersion } from '../cassette/contents.js'
import { readSenders } from '../cassette/senders.js'
import type { Address } from '../domain/primitives.js'
import {
  addressesWith,
  type ExecutorContractName,
  executorContracts,
  quoteSender,
} from '../executor/deployments.js'
import type { LaterAccounts } from '../rpc/cassette/later-state.js'
import { softwareVersion } from './software-version.js'

const contractNames = Object.keys(executorContracts) as ExecutorContractName[]

/** One per software that recorded requests. @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function laterAccounts(file: string): LaterAccounts[] {
  const recorded = readSenders(file)
  const senders: Address[] = [quoteSender, ...recorded.senders]
  return recorded.versions.map(({ version, blocks }) => {
    const addresses = addressesWith(laterContracts(version), senders)
    return { blocks, addresses, senders }
  })
}

/** Contracts whose code the software did not have, under any name. */
function laterContracts({ contracts }: Partial<RecorderVersion>): ExecutorContractName[] {
  if (!contracts) return []
  const own = softwareVersion().contracts
  const known = new Set(Object.values(contracts))
  return contractNames.filter((name) => !known.has(own[name] ?? ''))
}
