/** Texts without what is secret in them. Pure. */
import { withoutSecrets } from '../telemetry/log.js'

/** Leaves nothing of a URL but its scheme, since a provider may put a customer's name into the host; and no key. */
export function withoutAddresses(text: string): string {
  return withoutSecrets(text).replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s"',)]+/gi, '$1…')
}
