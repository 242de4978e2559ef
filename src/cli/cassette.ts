/** `forkroute cassette`: shows, merges and prunes cassettes. */
import type { Command } from 'commander'
import { mergeCassettes } from '../cassette/merge.js'
import { pruneCassette } from '../cassette/prune.js'
import { type CassetteSummary, summarise } from '../cassette/summary.js'
import { ConfigError } from '../config/config.js'
import { defined } from '../domain/defined.js'
import { type OutputOptions, printJson, printTable } from './output.js'
import { parseNumbers } from './replay.js'

/** Characters of a URL that a table shows. */
const shownUrlChars = 100

function sizes({ bytes, bytesPerRequest, requests }: CassetteSummary) {
  return { bytes, requests: requests.length, bytesPerRequest }
}

function printSummary(summary: CassetteSummary): void {
  const { chains, versions, requests, rows } = summary
  printTable(
    [],
    [
      ['format', summary.format],
      [
        'recorded with',
        versions.map(({ forkroute, anvil }) => `forkroute ${forkroute}, Anvil ${anvil}`).join('\n'),
      ],
      ...chains.map(({ chainId, blocks, firstBlock, lastBlock }) => [
        `chain ${chainId}`,
        `${blocks} blocks, ${firstBlock} to ${lastBlock}`,
      ]),
      ['state', `${rows.reads} reads of ${rows.cells} values, ${rows.codes} codes`],
      ['size', `${summary.bytes} bytes`],
      ['per request', summary.bytesPerRequest === null ? null : `${summary.bytesPerRequest} bytes`],
    ],
  )
  printTable(
    ['request', '', 'path', 'block', 'status', 'bytes'],
    requests.map(({ number, method, url, blocks, status, bytes }) => [
      number,
      method,
      url.length > shownUrlChars ? `${url.slice(0, shownUrlChars)}…` : url,
      blocks.map((block) => `${block.number}${block.head ? ' (head)' : ''}`).join('\n'),
      status,
      bytes,
    ]),
  )
}

export function addCassette(program: Command): void {
  const cassette = program.command('cassette').description('list, merge and prune cassettes')
  cassette
    .command('list')
    .description('requests, blocks, versions and sizes of a cassette')
    .argument('<file>', 'the cassette')
    .action((file: string, _local, command: Command) => {
      const summary = summarise(file)
      if (command.optsWithGlobals<OutputOptions>().json) printJson(summary)
      else printSummary(summary)
    })
  cassette
    .command('merge')
    .description('several cassettes into a new one; rows that contradict each other are an error')
    .argument('<files...>', 'the cassettes')
    .requiredOption('--out <file>', 'the new cassette')
    .action((files: string[], local: { out: string }, command: Command) => {
      mergeCassettes(files, local.out)
      const facts = sizes(summarise(local.out))
      if (command.optsWithGlobals<OutputOptions>().json) printJson(facts)
      else printTable([], Object.entries(facts))
    })
  cassette
    .command('prune')
    .description('take requests out of a cassette, and all state that no other one needs')
    .argument('<file>', 'the cassette; it is changed')
    .option('--requests <numbers>', 'these, such as 3 or 1,4-6')
    .option('--path <path>', 'those of this path, such as /shortcuts/quote')
    .option('--blocks <numbers>', 'those calculated at these blocks')
    .action(
      (
        file: string,
        local: { requests?: string; path?: string; blocks?: string },
        command: Command,
      ) => {
        const { requests, path, blocks } = local
        if (requests === undefined && path === undefined && blocks === undefined) {
          throw new ConfigError(['prune needs --requests, --path or --blocks.'], 'command line')
        }
        const removed = pruneCassette(file, {
          ...(requests !== undefined && { numbers: parseNumbers(requests, '--requests') }),
          ...defined({ path }),
          ...(blocks !== undefined && { blocks: parseNumbers(blocks, '--blocks') }),
        })
        const facts = { removed: removed.length, ...sizes(summarise(file)) }
        if (command.optsWithGlobals<OutputOptions>().json) printJson(facts)
        else printTable([], Object.entries(facts))
      },
    )
}
