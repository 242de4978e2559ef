/** Shared by long-running commands: waiting for a signal, and parsing ports. */
import { ConfigError } from '../config.js'

const signals = ['SIGINT', 'SIGTERM'] as const

/** Resolves at the first SIGINT or SIGTERM, which then no longer ends the process by itself. */
export function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const take = (signal: NodeJS.Signals) => {
      for (const name of signals) process.off(name, take)
      resolve(signal)
    }
    for (const name of signals) process.on(name, take)
  })
}

/** @throws ConfigError. */
export function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new ConfigError(['--port: must be an integer from 0 to 65535.'], 'command line')
}
