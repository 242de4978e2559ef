/** `forkroute keys`: works on the key store in DATA_DIR; a running service sees every change at once. */
import type { Command } from 'commander'
import { type KeyStore, openKeyStore } from '../api/key-store.js'
import { loadConfig } from '../config/config.js'
import type { KeyRecord } from '../domain/operations/keys.js'
import { type ConnectionOptions, refuseUrl } from './client.js'
import { type OutputOptions, printJson, printTable } from './output.js'

function withKeys<T>(options: ConnectionOptions, work: (keys: KeyStore) => T): T {
  refuseUrl(options, 'keys are kept in the folder DATA_DIR')
  const keys = openKeyStore(loadConfig(process.env).dataDir)
  try {
    return work(keys)
  } finally {
    keys.close()
  }
}

type Options = OutputOptions & ConnectionOptions

function time(unixMs: number | null): string | null {
  return unixMs === null ? null : new Date(unixMs).toISOString()
}

function toJson(record: KeyRecord) {
  return {
    ...record,
    createdAt: time(record.createdAt),
    disabledAt: time(record.disabledAt),
    lastUsedAt: time(record.lastUsedAt),
  }
}

export function addKeys(program: Command): void {
  const group = program.command('keys').description('API keys and their accounts')

  group
    .command('create')
    .description('make a key and print it, once')
    .option('--name <name>', 'what the key is for', 'unnamed')
    .option('--account <id>', 'of an existing account; default: a new account')
    .option('--account-name <name>', 'of the new account', 'default')
    .option('--admin', 'may see and change keys, pools and the configuration')
    .action((_local, command: Command) => {
      const options = command.optsWithGlobals<
        Options & { name: string; account?: string; accountName: string; admin?: boolean }
      >()
      const { name, account, accountName, admin: isAdmin = false } = options
      const created = withKeys(options, (keys) =>
        keys.createKey({ name, accountName, isAdmin, ...(account && { accountId: account }) }),
      )
      if (options.json) printJson({ key: created.key, ...toJson(created.record) })
      else {
        printTable(
          [],
          [
            ['key', created.key],
            ['id', created.record.id],
            ['account', created.record.accountId],
            ['scopes', created.record.scopes.join(', ')],
          ],
        )
        console.error('Keep the key: only its hash is stored, it cannot be shown again.')
      }
    })

  group
    .command('list')
    .description('list all keys, without their secrets')
    .action((_local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const records = withKeys(options, (keys) => keys.listKeys()).map(toJson)
      if (options.json) printJson(records)
      else {
        printTable(
          ['id', 'name', 'scopes', 'account', 'created', 'last used', 'disabled'],
          records.map((r) => [
            r.id,
            r.name,
            r.scopes.join(', '),
            `${r.accountName} ${r.accountId.slice(0, 10)}…`,
            r.createdAt,
            r.lastUsedAt,
            r.disabledAt,
          ]),
        )
      }
    })

  group
    .command('disable')
    .description('refuse a key from now on')
    .argument('<id>', 'as printed by keys list')
    .action((id: string, _local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const record = withKeys(options, (keys) => keys.disableKey(id))
      if (options.json) printJson(toJson(record))
      else console.log(`Key ${record.id} is disabled.`)
    })
}
