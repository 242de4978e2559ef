/**
 * Promise.withResolvers for Node 20: prool needs it, and Node has it only since version 22.
 * Imported for its effect, before prool.
 */
interface Resolvers<T> {
  promise: Promise<T>
  resolve: (value: T | PromiseLike<T>) => void
  reject: (reason?: unknown) => void
}

if (!('withResolvers' in Promise)) {
  Object.defineProperty(Promise, 'withResolvers', {
    configurable: true,
    writable: true,
    value: function withResolvers<T>(this: PromiseConstructor): Resolvers<T> {
      const resolvers = {} as Resolvers<T>
      resolvers.promise = new this<T>((resolve, reject) => {
        resolvers.resolve = resolve
        resolvers.reject = reject
      })
      return resolvers
    },
  })
}
