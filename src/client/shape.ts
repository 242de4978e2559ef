/** Where a JSON value has integers as decimal strings. */
export interface Shape {
  readonly amount?: true
  /** Name of a shape in the table of those of components. */
  readonly is?: string
  /** Shape of a list's items. */
  readonly items?: Shape
  /** Shape of the values of an object whose keys are not known before, such as addresses. */
  readonly values?: Shape
  readonly fields?: Readonly<Record<string, Shape>>
  /** One of these; they differ in the kinds of values, or in the names of fields. */
  readonly any?: readonly Shape[]
}

/** How an endpoint is asked. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** Inputs of a POST that go into the query; the others go into the body. */
  readonly query?: readonly string[]
  readonly answer?: Shape
  readonly isStream?: true
  /** Shape of the stream's events, `{event, data}`. */
  readonly events?: Shape
}

const integer = /^-?\d+$/

/** The value with bigint in place of decimal strings; `null` stays. */
export function withAmounts(
  value: unknown,
  shape: Shape | undefined,
  components: Readonly<Record<string, Shape>>,
): unknown {
  if (!shape || value === null) return value
  if (typeof value === 'string') {
    return integer.test(value) && hasAmount(shape, components) ? BigInt(value) : value
  }
  if (typeof value !== 'object') return value
  const parts = partsOf(shape, components)
  if (Array.isArray(value)) {
    const items = parts.find((one) => one.items)?.items
    return items ? value.map((item) => withAmounts(item, items, components)) : value
  }
  const entries = Object.entries(value).map(([key, item]) => {
    const its = parts.find((one) => one.fields && Object.hasOwn(one.fields, key))?.fields?.[key]
    const ofAny = parts.find((one) => one.values)?.values
    return [key, withAmounts(item, its ?? ofAny, components)] as const
  })
  return Object.fromEntries(entries)
}

/** The shape and those that it may stand for. */
function partsOf(shape: Shape, components: Readonly<Record<string, Shape>>): readonly Shape[] {
  const named = shape.is === undefined ? undefined : components[shape.is]
  const others = [...(named ? [named] : []), ...(shape.any ?? [])]
  return [shape, ...others.flatMap((one) => partsOf(one, components))]
}

function hasAmount(shape: Shape, components: Readonly<Record<string, Shape>>): boolean {
  return partsOf(shape, components).some(({ amount }) => amount === true)
}
