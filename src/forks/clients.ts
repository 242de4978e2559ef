/** JSON-RPC clients by URL, one set per thread: keeps connections to forks and archive alive between calls. */
import { LRUCache } from 'lru-cache'
import { createRpcClient, type RpcClient } from '../rpc/json-rpc.js'

/** Of one request to a fork or the archive; both answer long before unless they hang. */
const timeoutMs = 20_000

/** Forks come and go with blocks; clients of those that are gone are closed when this many are newer. */
const clients = new LRUCache<string, RpcClient>({
  max: 128,
  dispose: (client) => {
    client.close().catch(() => undefined)
  },
})

/** @param url - of this machine; never closed by the caller. */
export function forkClient(url: string): RpcClient {
  const known = clients.get(url)
  if (known) return known
  const client = createRpcClient(url, { timeoutMs, connections: 64 })
  clients.set(url, client)
  return client
}
