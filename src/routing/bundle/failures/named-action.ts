import type { TypedAction } from '../../../domain/bundle.js'
import type { ProtocolAdapter } from '../../../protocols/protocol.js'

/** The facts about an action that messages name. */
export interface NamedAction extends Pick<TypedAction, 'protocol' | 'action'> {
  readonly index: number
  /** Whether its list is a callback. */
  readonly isNested: boolean
  /** `adapter`: the only protocol that it uses; null where it may use several, or none. */
  readonly performer: { readonly adapter: ProtocolAdapter | null }
}
