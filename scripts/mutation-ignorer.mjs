/**
 * Stryker's ignorer of the sentences of errors: a changed word is no fault of the logic, and there are many.
 * Codes (the first argument of a ForkrouteError) are mutated.
 */
const shouldIgnore = ({ node, parent, key, listKey }) => {
  const isText = node.type === 'StringLiteral' || node.type === 'TemplateLiteral'
  if (!isText || parent?.type !== 'NewExpression' || listKey !== 'arguments') return undefined
  const name = parent.callee.name ?? ''
  if (!name.endsWith('Error') || (name === 'ForkrouteError' && key === 0)) return undefined
  return 'sentence of an error'
}

export const strykerPlugins = [{ kind: 'Ignore', name: 'error-messages', value: { shouldIgnore } }]
