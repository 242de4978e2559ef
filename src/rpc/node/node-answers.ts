/**
 * Classifies errors of nodes, and removes secrets from their texts. Pure.
 */
import type { JsonRpcError, TransportError } from './json-rpc.js'

/**
 * refused: the node does not have it (another node may); busy: it may answer later;
 * fault: an internal error, which may pass.
 */
export type ErrorMeaning = 'refused' | 'busy' | 'fault'

const busyCodes = new Set([429, -32005, -32007, -32012, -32016, -32097])
const busyText =
  /rate.?limit|too many requests|request limit|limit exceeded|exceeded .{0,40}(?:limit|quota|capacity|credits)|compute units|try again|overloaded|server is busy|timed? ?out/i
const stateText =
  /missing trie node|not recorded|not found|not available|unavailable state|pruned|unknown block|unknown state|out of range|OutOfRange|historical state|archive|no state|distance to target/i

/** Error texts for a range of events that is too large for the node: a smaller one may pass. */
const rangeText =
  /returned more than|too many (?:results|logs|blocks)|(?:block|log).{0,30}(?:range|response|size)|range (?:is )?too|maximum.{0,20}range|up to a .{0,20}range|narrow/i

/** Error codes: EIP-1474 and what the big providers add to it. */
export function meaningOf(error: JsonRpcError): ErrorMeaning {
  if (stateText.test(error.message) || rangeText.test(error.message)) return 'refused'
  if (busyCodes.has(error.code) || busyText.test(error.message)) return 'busy'
  return error.code === -32603 ? 'fault' : 'refused'
}

/** True when the answer speaks against the batch as such, so that smaller ones or single calls may pass. */
export function isBatchRefusal(error: TransportError): boolean {
  const { status } = error
  if (status === null || status === 429 || busyText.test(error.message)) return false
  return status < 500
}

/**
 * A function that takes secrets out of text that a node wrote: whole URLs, and every part of the configured URLs
 * that may be a key (credentials, host, longer path segments, query values).
 */
export function createRedactor(urls: readonly string[]): (text: string) => string {
  const secrets = new Set<string>()
  for (const url of urls) {
    const parsed = new URL(url)
    const parts = [
      parsed.host,
      parsed.hostname,
      parsed.username,
      parsed.password,
      ...parsed.pathname.split('/').filter((part) => part.length >= 8),
      ...parsed.searchParams.values(),
    ]
    for (const part of parts) {
      if (part.length >= 4) secrets.add(part).add(safeDecode(part))
    }
  }
  const ordered = [...secrets].sort((a, b) => b.length - a.length)
  return (text) => {
    let clean = text.replace(/\b(?:https?|wss?):\/\/[^\s"')]+/gi, '[url]')
    for (const secret of ordered) clean = clean.replaceAll(secret, '[hidden]')
    return clean.length > 300 ? `${clean.slice(0, 300)}…` : clean
  }
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
