/**
 * Classifies errors of nodes, and removes secrets from their texts. Pure.
 */
import { BatchRefused, type JsonRpcError, type TransportError } from './json-rpc.js'

/**
 * refused: the node does not have it (another node may); busy: it may answer later; odd: it may have it after all,
 * since other nodes behind the same address are a block ahead, and internal errors pass.
 */
export type ErrorMeaning = 'refused' | 'busy' | 'odd'

const busyCodes = new Set([429, -32005, -32007, -32012, -32016, -32097])
const busyText =
  /rate.?limit|too many requests|request limit|limit exceeded|exceeded .{0,40}(?:limit|quota|capacity|credits)|compute units|try again|overloaded|server is busy|timed? ?out/i
/** State that is gone for good, or that a node never had. */
const stateText =
  /missing trie node|not recorded|not available|unavailable state|pruned|unknown state|out of range|OutOfRange|historical state|archive|no state|distance to target/i
/** Of a block that the node does not know: it may be too new for it. */
export const unknownBlock =
  /header (?:for hash )?not found|unknown block|block (?:with .{0,80} )?(?:is )?not found|could not find block|cannot find block|resource not found|no such block|header is not in/i

/** Error texts for a range of events that is too large for the node: a smaller one may pass. */
const rangeText =
  /returned more than|too many (?:results|logs|blocks)|(?:block|log).{0,30}(?:range|response|size)|range (?:is )?too|maximum.{0,20}range|up to a .{0,20}range|narrow/i

/** Error codes: EIP-1474 and what the big providers add to it. */
export function meaningOf(error: JsonRpcError): ErrorMeaning {
  const { code, message } = error
  if (stateText.test(message) || rangeText.test(message)) return 'refused'
  if (unknownBlock.test(message)) return 'odd'
  if (/not found/i.test(message)) return 'refused'
  if (busyCodes.has(code) || busyText.test(message)) return 'busy'
  return code === -32603 ? 'odd' : 'refused'
}

/** Whether a node says that it has not got a block or its state, in place of not answering. */
export function isGone(message: string): boolean {
  return stateText.test(message) || unknownBlock.test(message)
}

/** Codes of requests that are no valid JSON-RPC: what a node makes of batches that does not know them. */
const invalidRequest = new Set([-32600, -32700])

/** True when the node speaks against a batch of this size, so that smaller ones or single calls may pass. */
export function isBatchRefusal(error: TransportError): boolean {
  if (error instanceof BatchRefused) {
    const { code, message } = error.reason
    if (meaningOf(error.reason) === 'busy') return false
    return invalidRequest.has(code) || /batch|too (?:large|big|many)/i.test(message)
  }
  return error.status === 413
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
