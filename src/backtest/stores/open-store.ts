/** The store that is configured: Postgres, or SQLite in the data folder. */
import type { Config } from '../../config/config.js'
import { openSqliteStore } from './sqlite-store.js'
import type { BacktestStore } from './store.js'

export type StoreSettings = Pick<Config, 'dataDir' | 'databaseUrl' | 'serviceName'>

/** @throws ForkrouteError STORAGE_UNAVAILABLE. */
export async function openStore(settings: StoreSettings): Promise<BacktestStore> {
  return (await openSharedStore(settings)) ?? openSqliteStore(settings.dataDir)
}

/** Null without Postgres, whose store is loaded only if it is configured. */
export async function openSharedStore({
  databaseUrl,
  serviceName,
}: StoreSettings): Promise<BacktestStore | null> {
  if (databaseUrl === null) return null
  const { openPostgresStore } = await import('./postgres-store.js')
  return openPostgresStore({ databaseUrl, serviceName })
}
