/** Parses YAML (or JSON) input files of commands, and locates every mistake by its line. Pure. */
import { isMap, LineCounter, type Node, parseDocument, type Tags } from 'yaml'
import type { z } from 'zod'

/** One mistake; lines count from 1. */
export interface FileProblem {
  readonly line: number
  readonly message: string
}

export interface YamlFile {
  /** Addresses need no quotes. Null when the text is not valid YAML. */
  readonly value: unknown
  readonly problems: readonly FileProblem[]
  /** Line of the value at the path, or of its nearest ancestor that exists. */
  lineOf(path: readonly PropertyKey[]): number
}

/** @param options.asText - every value stays the text as written; otherwise integers become bigint. */
export function parseYaml(text: string, options: { readonly asText?: boolean } = {}): YamlFile {
  const lines = new LineCounter()
  const values = options.asText
    ? { schema: 'failsafe' as const }
    : {
        intAsBigInt: true,
        // Hexadecimal text is an address or data here, never a number.
        customTags: (tags: Tags) =>
          tags.filter(
            (tag) => typeof tag === 'string' || !('format' in tag) || tag.format !== 'HEX',
          ),
      }
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, ...values })
  const problems = document.errors.map(({ pos, message }) => ({
    line: lines.linePos(pos[0]).line,
    message: message.split('\n')[0] ?? message,
  }))
  return {
    value: problems.length > 0 ? null : document.toJS(),
    problems,
    lineOf(path) {
      let node: Node | null = document.contents
      let offset = node?.range?.[0] ?? 0
      for (const part of path) {
        const found = isMap(node)
          ? node.items.find((item) => String(item.key) === String(part))
          : undefined
        const next = found?.value ?? (found ? null : childOf(node, part))
        const place = (found?.key as Node | undefined)?.range ?? (next as Node | null)?.range
        if (!place) break
        offset = place[0]
        node = next as Node | null
      }
      return lines.linePos(offset).line
    },
  }
}

function childOf(node: Node | null, part: PropertyKey): Node | null {
  if (!node || !('get' in node)) return null
  const list = node as { get(key: unknown, keepScalar: true): unknown }
  return (list.get(part, true) as Node | undefined) ?? null
}

/** The path as text, such as `cases[2].expect.path`. */
export function placeText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text ? `${text}.${String(part)}` : String(part)
  }, '')
}

/** Every mistake with its line, in the order of the file. */
export function problemsOf(file: YamlFile, error: z.ZodError): FileProblem[] {
  return error.issues.flatMap((issue) => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [null]
    return names.map((name) => {
      const path = name === null ? issue.path : [...issue.path, name]
      const message = name === null ? issue.message : 'is not known here'
      return { line: file.lineOf(path), message: `${placeText(path) || 'the file'} ${message}` }
    })
  })
}

/** The problem as a sentence with its line. */
export function toSentence({ line, message }: FileProblem): string {
  return `line ${line}: ${message}.`
}
