/** Reads server-sent events over real HTTP, one at a time. */

export interface ServerEvent {
  readonly event: string
  readonly id: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: bodies are checked field by field in the tests
  readonly body: any
}

export interface EventReader {
  readonly response: Response
  /** Throws when the stream has ended. */
  next(): Promise<ServerEvent>
  /** Resolves when the server has ended the stream, after the events that were left. */
  end(): Promise<void>
  close(): void
}

/** @param body - sent by POST when given. */
export async function openStream(
  url: string | URL,
  options: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<EventReader> {
  const controller = new AbortController()
  const response = await fetch(url, {
    signal: controller.signal,
    headers: {
      ...options.headers,
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(options.body !== undefined && { method: 'POST', body: JSON.stringify(options.body) }),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''

  /** The next block of lines, or null at the end. */
  async function block(): Promise<string | null> {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const found = text.slice(0, end)
        text = text.slice(end + 2)
        return found
      }
      const chunk = await reader?.read()
      if (!chunk || chunk.done) return null
      text += chunk.value
    }
  }

  return {
    response,
    async next() {
      for (;;) {
        const lines = await block()
        if (lines === null) throw new Error(`the stream has ended: ${text}`)
        const field = (name: string) =>
          lines
            .split('\n')
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2)
        const data = field('data')
        if (data !== undefined) {
          return { event: field('event') ?? 'message', id: field('id'), body: JSON.parse(data) }
        }
      }
    },
    async end() {
      while ((await block()) !== null);
    },
    close: () => controller.abort(),
  }
}
