/** Opens the desk that makes evidence, with the chains and the key of this service. */
import { createHash } from 'node:crypto'
import type { ChainDefinition } from '../chains/chain.js'
import type { Config } from '../config/config.js'
import { unknownChainId } from '../domain/common-errors.js'
import type { EvidenceDesk } from '../domain/operations/evidence.js'
import { createEvidenceDesk } from '../evidence/desk.js'
import { SigningKey } from '../evidence/signing-key.js'
import type { Archive } from '../rpc/archive/archive.js'
import type { ArchiveMode } from '../rpc/archive/archive-messages.js'
import { softwareVersion } from './software-version.js'

/** Hexadecimal digits kept of the hash of all contracts. */
const buildChars = 16

export function openEvidence({
  chains,
  config,
  mode,
  archive,
  dataDir,
}: {
  readonly chains: readonly ChainDefinition[]
  readonly config: Pick<Config, 'priorityFeePerGas'>
  readonly mode: ArchiveMode
  readonly archive: Archive
  /** The folder that was given, also while a recording works in one of its own. */
  readonly dataDir: string
}): EvidenceDesk {
  const { forkroute: version, anvil, contracts } = softwareVersion()
  const digest = createHash('sha256').update(JSON.stringify(contracts)).digest('hex')
  return createEvidenceDesk({
    archive,
    rulesOf(chainId) {
      const chain = chains.find(({ id }) => id === chainId)
      if (!chain) throw unknownChainId(chainId, chains)
      const tip = config.priorityFeePerGas[chainId] ?? chain.priorityFeePerGas
      return { ...chain, priorityFeePerGas: tip }
    },
    // A replay signs nothing: it gives what was recorded.
    key: new SigningKey(mode.kind === 'replay' ? null : dataDir),
    isReplay: mode.kind === 'replay',
    madeBy: { version, build: digest.slice(0, buildChars), anvil },
  })
}
