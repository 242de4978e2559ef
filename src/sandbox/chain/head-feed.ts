/** Tells of every new block of an Anvil as it is mined. */
import { WebSocket } from 'undici'

export interface HeadFeed {
  close(): void
}

/**
 * Ends by itself when the Anvil does.
 * @param url - http URL, of which the WebSocket is the same place.
 */
export function followHeads(url: string, onHead: (blockNumber: number) => void): HeadFeed {
  const socket = new WebSocket(url.replace('http:', 'ws:'))
  socket.addEventListener('open', () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }
    socket.send(JSON.stringify(request))
  })
  socket.addEventListener('message', ({ data }) => {
    const { params } = JSON.parse(String(data)) as { params?: { result?: { number?: string } } }
    const number = params?.result?.number
    if (number !== undefined) onHead(Number(number))
  })
  // A socket that breaks is an Anvil that ended: the next one gets a feed of its own.
  socket.addEventListener('error', () => undefined)
  return { close: () => socket.close() }
}
