/** Evidence on the command line: checks a file without a node and without a service. */
import { existsSync, readFileSync } from 'node:fs'
import { ConfigError } from '../../config/config.js'
import { runOnAnvil } from '../../verify/anvil.js'
import { type Report, verifyEvidence } from '../../verify/evidence.js'
import { type OutputOptions, printJson, printTable } from '../output.js'

export interface EvidenceOptions extends OutputOptions {
  readonly publicKey?: string
  readonly chain?: string
  readonly blockHash?: string
}

/** Prints what the evidence proves; the exit code is 1 where it does not hold. */
export async function checkEvidence(content: string, options: EvidenceOptions): Promise<void> {
  const report = await verifyEvidence(content, {
    run: runOnAnvil,
    ...(options.publicKey && { publicKeys: [hex(options.publicKey)] }),
    ...(options.chain && { chainId: Number(options.chain) }),
    ...(options.blockHash && { blockHash: hex(options.blockHash) }),
  })
  if (options.json) printJson(shown(report))
  else print(report)
  if (!report.isProven) process.exitCode = 1
}

/** The evidence, from its file or from an answer that holds it; null: the file is something else, such as a cassette. */
export function evidenceIn(file: string): string | null {
  if (!existsSync(file)) return null
  const content = readFileSync(file, 'utf8')
  if (!/^\s*\{/.test(content)) return null
  try {
    const { evidence } = JSON.parse(content) as { evidence?: { signature?: unknown } }
    return evidence?.signature === undefined ? content : JSON.stringify(evidence)
  } catch {
    return content
  }
}

function hex(text: string): `0x${string}` {
  if (!/^0x[0-9a-f]+$/i.test(text)) throw new ConfigError([`${text} is not hexadecimal.`])
  return text.toLowerCase() as `0x${string}`
}

/** Without the file itself, which the reader has. */
function shown({ file, outcome, ...report }: Report): object {
  const amounts = (list: Readonly<Record<string, bigint>> = {}) =>
    Object.fromEntries(Object.entries(list).map(([token, amount]) => [token, String(amount)]))
  return {
    ...report,
    publicKey: file?.publicKey ?? null,
    madeBy: file?.evidence.madeBy ?? null,
    chainId: file?.evidence.block.chainId ?? null,
    blockHash: file?.evidence.block.hash ?? null,
    outcome: outcome && {
      gasUsed: String(outcome.gasUsed),
      gained: amounts(outcome.gained),
      spent: amounts(outcome.spent),
    },
  }
}

function print(report: Report): void {
  const { file, state, assumed, outcome, problems } = report
  if (file) {
    const { block, execution, madeBy } = file.evidence
    printTable(
      [],
      [
        ['chain', block.chainId],
        ['block', `${BigInt(block.header.number ?? 0)}, ${block.hash}`],
        ['signed by', file.publicKey],
        ['made by', `forkroute ${madeBy.version}, Anvil ${madeBy.anvil}`],
        ['proven', `${state.accounts} accounts, ${state.slots} slots, ${state.codes} codes`],
        ['sender', execution.transaction.from],
        ...assumed.map(({ token, value }) => [
          'assumed of the sender',
          token === null ? `${BigInt(value)} wei` : `a word of ${token}: ${value}`,
        ]),
        ['gas', outcome && String(outcome.gasUsed)],
        ...amountRows('spent', outcome?.spent),
        ...amountRows('gained', outcome?.gained),
      ],
    )
  }
  for (const { part, message } of problems) console.error(`${part}: ${message}`)
  console.log(report.isProven ? 'Proven.' : 'Not proven.')
}

function amountRows(name: string, amounts: Readonly<Record<string, bigint>> = {}): string[][] {
  return Object.entries(amounts).map(([token, amount]) => [name, `${amount} of ${token}`])
}
