/** Protocols and their actions, read when they are wanted. */
import type { components } from '../../client/generated/schema.js'
import { useAsked } from '../app/asking.js'
import type { client } from '../app/session.js'

export type Action = components['schemas']['Action']
export type Inputs = Action['inputTypes']
type Client = typeof client.value

/** The service's own actions have its name, which is configured; these lead to them, too, wherever it is another. */
const ownNames = ['svc', 'erc20'] as const

const actionsBySlug = new Map<string, Promise<readonly Action[]>>()

/** Actions of one protocol, which the service is asked for once. */
export function actionsOf(client: Client, slug: string): Promise<readonly Action[]> {
  const actions = actionsBySlug.get(slug) ?? client.protocolActions({ slug })
  actionsBySlug.set(slug, actions)
  actions.catch(() => actionsBySlug.delete(slug))
  return actions
}

/** Slug of the service's own actions, and of all protocols of the chain, with their names. */
export function useProtocols(chainId: number) {
  return useAsked(`protocols ${chainId}`, async (client, signal) => {
    const protocols = await client.protocols({ chainId }, { signal })
    const [own, other] = ownNames
    const isOwn = await actionsOf(client, own).then(
      () => true,
      () => false,
    )
    const names = protocols.map(({ slug, name }) => [slug, name] as const)
    const sorted = names.sort(([, a], [, b]) => a.localeCompare(b))
    return [[isOwn ? own : other, 'forkroute'] as const, ...sorted]
  })
}

export function useActions(slug: string) {
  return useAsked(slug ? `actions ${slug}` : null, (client) => actionsOf(client, slug))
}
