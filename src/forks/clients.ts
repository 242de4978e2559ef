/** JSON-RPC clients by URL, one set per thread: keeps connections to forks and archive alive between calls. */

import { LRUCache } from 'lru-cache'
import type { Pool } from 'undici'
import { upstreamUnavailable } from '../domain/common-errors.js'
import { ArchiveClient } from '../rpc/archive/protocol.js'
import {
  connectionsTo,
  createRpcClient,
  type Peer,
  type RpcClient,
  TransportError,
} from '../rpc/node/json-rpc.js'
import { quietly } from '../telemetry/quietly.js'
import type { ArchivedBlock } from './block-source.js'

/** Timeout of one request to a fork or the archive; both answer much earlier unless they hang. */
const timeoutMs = 20_000

/** A block of transactions reads its state one slot after the other, each from a node that may be far away. */
const blockTimeoutMs = 300_000

const fork: Peer = { name: 'fork' }
const archive: Peer = { name: 'archive' }

/** Forks come and go; the least recently used connections are closed when there are too many. */
const mostHosts = 128

/** The connections of a thread to forks and the archive, by host: kept from one call to the next. */
class ForkConnections {
  readonly #hosts = new LRUCache<string, Pool>({
    max: mostHosts,
    dispose: (pool) => {
      void quietly(pool.destroy(), 'Connections that nobody used for long did not close.')
    },
  })

  /** @param url - of the fork, or of a block in the archive. */
  client(url: string, ownTimeoutMs = timeoutMs): RpcClient {
    const { origin, pathname } = new URL(url)
    const known = this.#hosts.get(origin)
    const shared = known ?? connectionsTo(url, { timeoutMs, connections: 64 })
    if (!known) this.#hosts.set(origin, shared)
    const peer = pathname === '/' ? fork : archive
    const client = createRpcClient(url, { shared, peer, timeoutMs: ownTimeoutMs })
    return peer === fork ? client : withArchiveErrors(client, pathname)
  }
}

/** One for each thread, as this module is. */
const connections = new ForkConnections()

/**
 * @param url - on this machine. The caller never closes the client. The archive has one host, and a URL per block; where
 * it does not answer, its client throws ForkrouteError UPSTREAM_UNAVAILABLE in place of TransportError.
 */
export function forkClient(url: string): RpcClient {
  return connections.client(url)
}

/** For requests that run a whole block of transactions. @param url - of a fork. */
export function blockRunner(url: string): RpcClient {
  return connections.client(url, blockTimeoutMs)
}

/** The archive's own methods, at the block. */
export function archiveOf({ archiveUrl }: Pick<ArchivedBlock, 'archiveUrl'>): ArchiveClient {
  return new ArchiveClient(forkClient(archiveUrl))
}

/** @param pathname - begins with the ids of chain and block. */
function withArchiveErrors(client: RpcClient, pathname: string): RpcClient {
  const fail = (error: unknown): never => {
    if (!(error instanceof TransportError)) throw error
    const [, chainId, number] = pathname.split('/')
    throw upstreamUnavailable({ chainId: Number(chainId), number: BigInt(number ?? 0) }, error)
  }
  return {
    request: <T>(...asked: Parameters<RpcClient['request']>) =>
      client.request<T>(...asked).catch(fail),
    batch: (...asked) => client.batch(...asked).catch(fail),
    close: client.close,
  }
}
