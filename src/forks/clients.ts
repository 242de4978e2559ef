/** JSON-RPC clients by URL, one set per thread: keeps connections to forks and archive alive between calls. */
import { LRUCache } from 'lru-cache'
import type { Pool } from 'undici'
import { connectionsTo, createRpcClient, type RpcClient } from '../rpc/node/json-rpc.js'

/** Of one request to a fork or the archive; both answer long before unless they hang. */
const timeoutMs = 20_000

/** Forks come and go; connections to those that are gone are closed when this many are newer. */
const hosts = new LRUCache<string, Pool>({
  max: 128,
  dispose: (pool) => {
    pool.destroy().catch(() => undefined)
  },
})

/** @param url - of this machine; never closed by the caller. One host, the archive, has a URL for each block. */
export function forkClient(url: string): RpcClient {
  const { origin } = new URL(url)
  const known = hosts.get(origin)
  const shared = known ?? connectionsTo(url, { timeoutMs, connections: 64 })
  if (!known) hosts.set(origin, shared)
  return createRpcClient(url, { shared })
}
