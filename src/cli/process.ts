/** Shared by commands: waiting for a signal, parsing ports, and the nodes that a command asks without a service. */
import { type Config, ConfigError } from '../config/config.js'

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

/** @returns at least one URL: that of --rpc-url, or those of RPC_URL_<chain>. @throws ConfigError. */
export function nodeUrls(
  config: Config,
  options: { readonly chain: number; readonly rpcUrl?: string },
): readonly [string, ...string[]] {
  const { chain, rpcUrl } = options
  const [url, ...more] = rpcUrl === undefined ? (config.rpcUrls[chain] ?? []) : [rpcUrl]
  if (url && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return [url, ...more]
  const place = `--rpc-url (or the variable RPC_URL_${chain})`
  const problem =
    url === undefined
      ? `${place}: is needed, the URL of a node; for the sandbox the address that the service printed at its start.`
      : `${place}: must be the http(s) URL of a node.`
  throw new ConfigError([problem], 'command line')
}
