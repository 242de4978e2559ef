/** The client as actions of viem: `publicClient.extend(forkrouteActions({ url, key }))`. */
import { createForkrouteClient, type ForkrouteClient } from './client.js'
import type { ClientOptions } from './transport.js'

export function forkrouteActions(options: ClientOptions) {
  const forkroute = createForkrouteClient(options)
  return (): { readonly forkroute: ForkrouteClient } => ({ forkroute })
}
