/** Fields that may be undefined, as optional ones: for records whose optional fields are absent rather than undefined. Pure. */

type Defined<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The fields that are not undefined, in their order. */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) as Defined<T>
}
