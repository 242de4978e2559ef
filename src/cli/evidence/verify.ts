/** Evidence on the command line: checks a file without a node and without a service. */
import { existsSync, readFileSync } from 'node:fs'
import { ConfigError } from '../../config/config.js'
import { runOnAnvil } from '../../verify/anvil.js'
import { type Report, verifyEvidence } from '../../verify/verify.js'
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

/** What was proven, without the nodes and codes that the reader has. */
function shown({ isProven, problem, file, header, state }: Report): object {
  const { madeBy, block, execution, answer, request } = file?.evidence ?? {}
  return {
    isProven,
    problem,
    publicKey: file?.publicKey ?? null,
    madeBy: madeBy ?? null,
    chainId: block?.chainId ?? null,
    blockNumber: header && String(header.number),
    blockHash: block?.hash ?? null,
    state: state && countsOf(state),
    isDelegated: execution?.isDelegated ?? null,
    assumed: execution?.assumed ?? [],
    answer: answer ?? null,
    request: request ?? null,
  }
}

function print({ isProven, problem, file, header, state }: Report): void {
  if (file) {
    const { block, execution, madeBy, request, answer } = file.evidence
    const { accounts, slots, codes } = countsOf(state)
    const rows: [string, string | number][] = [
      ['chain', block.chainId],
      ['block', `${header?.number ?? 'unknown'}, ${block.hash}`],
      ['signed by', file.publicKey],
      ['made by', `forkroute ${madeBy.version}, Anvil ${madeBy.anvil}`],
      ['proven', `${accounts} accounts, ${slots} slots, ${codes} codes`],
      ['sender', execution.transaction.from],
      ...execution.assumed.map(({ token, value }): [string, string] => [
        'assumed of the sender',
        token === null ? `${BigInt(value)} wei` : `a word of ${token}: ${value}`,
      ]),
    ]
    if (execution.isDelegated) {
      const { to } = execution.transaction
      rows.push(['assumed of the sender', `its account runs the code of ${to}`])
    }
    if (isProven) {
      const { tokenIn, amountIn = answer.amountIn, tokenOut } = request.input
      const amountOut = answer.amountOutList ?? answer.amountOut
      rows.push(['gas', String(answer.gas)], ...amountRows('spent', tokenIn, amountIn))
      rows.push(...amountRows('gained', tokenOut, amountOut))
    }
    printTable([], rows)
  }
  if (problem) console.error(`${problem.part}: ${problem.message}`)
  console.log(isProven ? 'Proven.' : 'Not proven.')
}

function countsOf(state: Report['state']) {
  const { accounts, slots, codes } = state ?? {}
  return { accounts: accounts?.size ?? 0, slots: slots?.size ?? 0, codes: codes?.size ?? 0 }
}

/** @param tokens - one or a list, as are the amounts. */
function amountRows(name: string, tokens: unknown, amounts: unknown): [string, string][] {
  const list = [amounts].flat()
  return [tokens].flat().map((token, at) => [name, `${list[at]} of ${token}`])
}
