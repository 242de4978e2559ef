/** A bundle in the making: its actions, and their references to what earlier ones yield. Pure. */

/** What an earlier action yields, in place of an amount. */
export interface Reference {
  readonly useOutputOfCallAt: number
}

export interface DraftAction {
  readonly protocol: string
  readonly action: string
  readonly args: Readonly<Record<string, unknown>>
}

export type Draft = readonly DraftAction[]

export function isReference(value: unknown): value is Reference {
  return typeof value === 'object' && value !== null && 'useOutputOfCallAt' in value
}

/** The references of all actions, each with the index of the action that it refers to. */
export function referencesIn(draft: Draft) {
  return draft.flatMap(({ args }, index) =>
    Object.entries(args).flatMap(([argument, value]) =>
      isReference(value) ? [{ index, argument, of: value.useOutputOfCallAt }] : [],
    ),
  )
}

/** An argument that is empty is left out. */
export function withArgument(draft: Draft, index: number, name: string, value: unknown): Draft {
  return draft.map((one, at) => {
    if (at !== index) return one
    const { [name]: _, ...others } = one.args
    return {
      ...one,
      args: value === '' || value === undefined ? others : { ...others, [name]: value },
    }
  })
}

/** References follow what they refer to; those to the action itself are gone. */
export function without(draft: Draft, index: number): Draft {
  const kept = draft.filter((_, at) => at !== index)
  return rereferred(kept, (of) => (of === index ? null : of > index ? of - 1 : of))
}

/** Changes places with the action before. A reference that would lead to a later action is gone. */
export function earlier(draft: Draft, index: number): Draft {
  const [before, moved] = [draft[index - 1], draft[index]]
  if (!before || !moved) return draft
  const swapped = draft.map((one, at) => (at === index - 1 ? moved : at === index ? before : one))
  return rereferred(swapped, (of) => (of === index ? index - 1 : of === index - 1 ? index : of))
}

function rereferred(draft: Draft, place: (of: number) => number | null): Draft {
  return draft.map((one, at) => ({
    ...one,
    args: Object.fromEntries(
      Object.entries(one.args).flatMap(([name, value]) => {
        if (!isReference(value)) return [[name, value]]
        const of = place(value.useOutputOfCallAt)
        return of === null || of >= at ? [] : [[name, { ...value, useOutputOfCallAt: of }]]
      }),
    ),
  }))
}

/** Null where the text is no list of actions. */
export function parseDraft(text: string): Draft | null {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every(isAction) ? value.map(toAction) : null
  } catch {
    return null
  }
}

function isAction(value: unknown): value is DraftAction {
  const { protocol, action } = (value ?? {}) as Partial<DraftAction>
  return typeof protocol === 'string' && typeof action === 'string'
}

function toAction({ protocol, action, args = {} }: DraftAction): DraftAction {
  return { protocol, action, args }
}

/** The token whose amount an argument is, where others name it. */
export function tokenOf(args: Readonly<Record<string, unknown>>, name: string): string {
  const names = /out/i.test(name) ? ['tokenOut', 'token'] : ['token', 'tokenIn']
  const named = names.map((one) => args[one]).find((value) => typeof value === 'string')
  return typeof named === 'string' ? named : ''
}
