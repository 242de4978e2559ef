/** Parses YAML (or JSON) input files of commands, and locates every mistake by its line. */
import { readFileSync } from 'node:fs'
import {
  type Document,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  type Tags,
  visit,
} from 'yaml'
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

const mostCharacters = 1_048_576

/** The text of a file that the environment names, or a sentence on why there is none. */
export function readDeclarations(
  path: string,
): { readonly text: string } | { readonly problem: string } {
  try {
    const text = readFileSync(path, 'utf8')
    if (text.length <= mostCharacters) return { text }
    return { problem: `${path} is longer than ${mostCharacters} characters.` }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { problem: `${path} cannot be read (${code}).` }
  }
}

/** Mistakes that are told of one file; to find the line of each takes time. */
export const mostProblems = 100
const tooDeep = 'It is nested too deeply'

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
  // The package looks for each key among all of its map.
  const reading = { lineCounter: lines, prettyErrors: false, uniqueKeys: false }
  const document = parseDocument(text, { ...reading, ...values })
  const problemAt = (offset: number, message: string): FileProblem => ({
    line: lines.linePos(offset).line,
    message: message.startsWith('Maximum call stack')
      ? tooDeep
      : (message.split('\n')[0] ?? message),
  })
  const problems = document.errors
    .slice(0, mostProblems)
    .map(({ pos, message }) => problemAt(pos[0], message))
  if (problems.length === 0) {
    const repeated = repeatedKeys(document).slice(0, mostProblems)
    problems.push(...repeated.map((offset) => problemAt(offset, 'Map keys must be unique')))
  }
  const value = problems.length > 0 ? null : valueIn(document, problems)
  return {
    value,
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

/** Offsets of the keys that their map has already. */
function repeatedKeys(document: Document.Parsed): number[] {
  const offsets: number[] = []
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value)) offsets.push(key.range?.[0] ?? 0)
        seen.add(key.value)
      }
    },
  })
  return offsets
}

/** Null, and a problem, where aliases of aliases would make a value of any size from a few lines. */
function valueIn(document: Document.Parsed, problems: FileProblem[]): unknown {
  try {
    return document.toJS()
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    problems.push({ line: 1, message: 'Its aliases stand for too much' })
    return null
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

/** Mistakes with their lines, in the order of the file: all, or the first hundred. */
export function problemsOf(file: YamlFile, error: z.ZodError): FileProblem[] {
  const places = error.issues.flatMap((issue) => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [null]
    return names.map((name) => ({
      path: name === null ? issue.path : [...issue.path, name],
      message: name === null ? issue.message : 'is not known here',
    }))
  })
  return places.slice(0, mostProblems).map(({ path, message }) => ({
    line: file.lineOf(path),
    message: `${placeText(path) || 'the file'} ${message}`,
  }))
}

/** The problem as a sentence with its line. */
export function toSentence({ line, message }: FileProblem): string {
  return `line ${line}: ${message}.`
}
