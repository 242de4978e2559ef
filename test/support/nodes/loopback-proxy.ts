/** Stands between the service and its archive, and breaks what passes on demand, connections that are open included. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export const loopbackFaults = [
  'hangs',
  'resets',
  'ends early',
  'is not JSON',
  'is HTTP 500',
] as const
export type LoopbackFault = (typeof loopbackFaults)[number]

export interface LoopbackProxy {
  readonly port: number
  /** Null: all passes. */
  fault: LoopbackFault | null
  stop(): Promise<void>
}

const answers: Partial<Record<LoopbackFault, string>> = {
  'ends early':
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{"id"',
  'is not JSON': 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>',
  'is HTTP 500': 'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 2\r\n\r\n{}',
}

export async function startLoopbackProxy(port: () => number): Promise<LoopbackProxy> {
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const archive = connect(port(), '127.0.0.1')
    for (const socket of [client, archive]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        open.delete(socket)
        client.destroy()
        archive.destroy()
      })
    }
    archive.on('data', (data) => void client.write(data))
    client.on('data', (data) => {
      const { fault } = proxy
      if (!fault) archive.write(data)
      else if (fault === 'resets') client.resetAndDestroy()
      else if (fault !== 'hangs') {
        client.write(answers[fault] ?? '')
        if (fault === 'ends early') client.end()
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: LoopbackProxy = {
    port: (server.address() as AddressInfo).port,
    fault: null,
    async stop() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}
