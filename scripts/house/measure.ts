/**
 * What a machine counts in the source files of src, of which tests and generated code are no part. Each rule is one
 * function below; the table in docs/explanation/architecture.md has one row for each. Pure: files in, figures out.
 */
import ts from 'typescript'
import { isWithoutVerb } from './comments.js'

export interface SourceText {
  /** From the folder of the repository, with slashes. */
  readonly path: string
  readonly text: string
}

export interface LongFunction {
  readonly name: string
  readonly path: string
  readonly lines: number
}

export interface Figures {
  readonly files: number
  readonly lines: number
  /** Files of src itself, in no folder. */
  readonly loose: number
  /** Longest first, all over `longLines`. */
  readonly longFunctions: readonly LongFunction[]
  /** `path: name` of each. */
  readonly manyParameters: readonly string[]
  readonly idleSpreads: number
  readonly conditionalSpreads: number
  readonly fragments: number
  /** `path: name` of each. */
  readonly moduleCaches: readonly string[]
  readonly ignoredErrors: number
  /** Functions that return an object with methods of their own, and classes that are no errors. */
  readonly factories: number
  readonly classes: number
  /** By the name of a function: how many files declare it at their top. */
  readonly repeats: ReadonlyMap<string, number>
  readonly longestFiles: readonly (readonly [path: string, lines: number])[]
  readonly fullestFolders: readonly (readonly [path: string, files: number])[]
}

export const longLines = 100
const mostParameters = 4
const listed = 5

export function isMeasured(path: string): boolean {
  return /\.tsx?$/.test(path) && !/\.test\.tsx?$|\.d\.ts$|(^|\/)generated\//.test(path)
}

export function measure(sources: readonly SourceText[]): Figures {
  const parsed = sources.map(({ path, text }) => {
    const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
    return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, kind)
  })
  const lines = sources.map(({ path, text }) => [path, lineCount(text)] as const)
  const found = parsed.map(inFile)
  const all = <K extends keyof InFile>(key: K) => found.map((one) => one[key])
  const sum = (
    key: 'idleSpreads' | 'conditionalSpreads' | 'ignoredErrors' | 'factories' | 'classes',
  ) => all(key).reduce((total, one) => total + one, 0)
  const folders = tally(sources.map(({ path }) => path.slice(0, path.lastIndexOf('/'))))
  return {
    files: sources.length,
    lines: lines.reduce((total, [, count]) => total + count, 0),
    loose: sources.filter(({ path }) => /^src\/[^/]+$/.test(path)).length,
    longFunctions: all('functions')
      .flat()
      .filter((one) => one.lines > longLines)
      .sort((a, b) => b.lines - a.lines),
    manyParameters: all('manyParameters').flat(),
    idleSpreads: sum('idleSpreads'),
    conditionalSpreads: sum('conditionalSpreads'),
    fragments: sources.flatMap(({ text }) => commentsOf(text)).filter(isWithoutVerb).length,
    moduleCaches: parsed.flatMap(moduleCaches),
    ignoredErrors: sum('ignoredErrors'),
    factories: sum('factories'),
    classes: sum('classes'),
    repeats: tally(all('topFunctions').flat()),
    longestFiles: largest(lines),
    fullestFolders: largest([...folders]),
  }
}

interface InFile {
  readonly functions: LongFunction[]
  readonly manyParameters: string[]
  readonly topFunctions: string[]
  idleSpreads: number
  conditionalSpreads: number
  ignoredErrors: number
  factories: number
  classes: number
}

/**
 * A function counts from its name, or its first parameter, to its last bracket. One that stands in another counts as a
 * function of its own, and its lines as those of the other, too.
 */
function inFile(file: ts.SourceFile): InFile {
  const found: InFile = {
    functions: [],
    manyParameters: [],
    topFunctions: file.statements.flatMap((one) =>
      ts.isFunctionDeclaration(one) && one.name ? [one.name.text] : [],
    ),
    idleSpreads: 0,
    conditionalSpreads: 0,
    ignoredErrors: 0,
    factories: 0,
    classes: 0,
  }
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line
  const look = (node: ts.Node, holder: ts.Node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const name = nameOf(node, holder, file)
      const lines = lineOf(node.end) - lineOf(node.getStart(file)) + 1
      found.functions.push({ name, path: file.fileName, lines })
      if (node.parameters.length > mostParameters) {
        found.manyParameters.push(`${file.fileName}: ${name}`)
      }
      if (returnsMethods(node.body)) found.factories += 1
    }
    if (ts.isClassDeclaration(node) && !isErrorClass(node, file)) found.classes += 1
    if (ts.isSpreadAssignment(node)) {
      const value = unwrapped(node.expression)
      if (ts.isObjectLiteralExpression(value)) found.idleSpreads += 1
      if (isConditional(value)) found.conditionalSpreads += 1
    }
    if (isIgnoredError(node, file)) found.ignoredErrors += 1
    ts.forEachChild(node, (child) => look(child, node))
  }
  look(file, file)
  return found
}

function nameOf(node: ts.SignatureDeclaration, holder: ts.Node, file: ts.SourceFile): string {
  const named = node.name ?? (holder as { readonly name?: ts.Node }).name
  return named?.getText(file) ?? '(without a name)'
}

/** An object literal, returned at the end of the function, with a method or a function as a field. */
function returnsMethods(body: ts.Node): boolean {
  const last = ts.isBlock(body)
    ? body.statements.find(ts.isReturnStatement)?.expression
    : unwrapped(body as ts.Expression)
  return (
    last !== undefined &&
    ts.isObjectLiteralExpression(last) &&
    last.properties.some(
      (one) =>
        ts.isMethodDeclaration(one) ||
        (ts.isPropertyAssignment(one) && ts.isFunctionLike(one.initializer)),
    )
  )
}

function isErrorClass(node: ts.ClassDeclaration, file: ts.SourceFile): boolean {
  return node.heritageClauses?.some((one) => /Error\b/.test(one.getText(file))) ?? false
}

function unwrapped(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) ? unwrapped(node.expression) : node
}

/** `a && { … }` or `a ? { … } : {}`. */
function isConditional(node: ts.Expression): boolean {
  return (
    ts.isConditionalExpression(node) ||
    (ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken)
  )
}

/** `.catch(() => undefined)` */
function isIgnoredError(node: ts.Node, file: ts.SourceFile): boolean {
  return (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === 'catch' &&
    node.arguments[0]?.getText(file) === '() => undefined'
  )
}

const collections = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'LRUCache'])
const changes = new Set(['set', 'add', 'delete', 'clear'])

/** Collections and `let` of the module itself that a function of the file changes. */
function moduleCaches(file: ts.SourceFile): string[] {
  const held = new Set<string>()
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue
    const { flags, declarations } = statement.declarationList
    for (const { name, initializer } of declarations) {
      const isCollection =
        initializer !== undefined &&
        ts.isNewExpression(initializer) &&
        collections.has(initializer.expression.getText(file))
      if (isCollection || flags & ts.NodeFlags.Let) held.add(name.getText(file))
    }
  }
  if (held.size === 0) return []
  const changed = new Set<string>()
  const look = (node: ts.Node, isInFunction: boolean) => {
    const name = isInFunction ? changedBy(node) : null
    if (name !== null && held.has(name)) changed.add(name)
    const isIn = isInFunction || ts.isFunctionLike(node)
    ts.forEachChild(node, (child) => look(child, isIn))
  }
  look(file, false)
  return [...changed].map((name) => `${file.fileName}: ${name}`)
}

/** The name that the node assigns to, or calls a change of. */
function changedBy(node: ts.Node): string | null {
  if (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    changes.has(node.expression.name.text) &&
    ts.isIdentifier(node.expression.expression)
  ) {
    return node.expression.expression.text
  }
  const isAssignment =
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    node.operatorToken.kind <= ts.SyntaxKind.LastAssignment
  return isAssignment && ts.isIdentifier(node.left) ? node.left.text : null
}

/** Texts of comments: a block, or lines that follow each other, without their marks. */
function commentsOf(text: string): string[] {
  const found = text.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?<=^|\s)((?:\/\/[^\n]*(?:\n\s*)?)+)/g)
  return [...found].map(([, block, lines]) =>
    (block ?? lines ?? '')
      .replace(/^\s*(\*|\/\/)\s?/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  )
}

function lineCount(text: string): number {
  return text.split('\n').length - 1
}

function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function largest(entries: readonly (readonly [string, number])[]) {
  return entries.toSorted(([, a], [, b]) => b - a).slice(0, listed)
}
