/** Where a process of our own may listen: on Linux every one binds a loopback address of its own. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/**
 * Anvil accepts WebSocket requests from any origin, so a web page in a browser on this machine could change any fork
 * that it finds. Linux has 16 million loopback addresses, too many for a page to try; other systems have one.
 */
export function loopbackAddress(): string {
  if (process.platform !== 'linux') return '127.0.0.1'
  const [a = 0, b = 0, c = 0] = randomBytes(3)
  return `127.${a}.${b}.${1 + (c % 254)}`
}

/**
 * A loopback address and a port that is free on it, for a program that cannot say which port it took for 0. On
 * 127.0.0.1 a connection of any other process may take the port before the program binds it; on an address of its own
 * nothing else runs.
 */
export async function freeListenAddress(): Promise<ListenAddress> {
  const host = loopbackAddress()
  // Exclusive, since workers of a cluster that ask for any port would get the same one.
  const server = createServer().listen({ port: 0, host, exclusive: true })
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || !address) throw new Error('No free port was found.')
  return { host, port: address.port }
}
