/** JSON-RPC clients by URL, one set per thread: keeps connections to forks and archive alive between calls. */
import { LRUCache } from 'lru-cache'
import type { Pool } from 'undici'
import { connectionsTo, createRpcClient, type Peer, type RpcClient } from '../rpc/node/json-rpc.js'

/** Timeout of one request to a fork or the archive; both answer much earlier unless they hang. */
const timeoutMs = 20_000

const fork: Peer = { name: 'fork' }
const archive: Peer = { name: 'archive' }

/** Forks come and go; the least recently used connections are closed when there are too many. */
const hosts = new LRUCache<string, Pool>({
  max: 128,
  dispose: (pool) => {
    pool.destroy().catch(() => undefined)
  },
})

/** @param url - on this machine. The caller never closes the client. The archive has one host, and a URL per block. */
export function forkClient(url: string): RpcClient {
  const { origin, pathname } = new URL(url)
  const known = hosts.get(origin)
  const shared = known ?? connectionsTo(url, { timeoutMs, connections: 64 })
  if (!known) hosts.set(origin, shared)
  return createRpcClient(url, { shared, peer: pathname === '/' ? fork : archive })
}
