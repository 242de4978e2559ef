/** `npm test` ends with a line that says what it left out; so does any run that skipped tests. */
import { readdirSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** Ending of the files, what they are, and the command that runs them. */
const elsewhere = [
  ['.servers.ts', 'files that need servers', 'test:servers'],
  ['.slow.ts', 'slow files', 'test:slow'],
  ['.mtest.ts', 'files on recorded mainnet', 'test:mainnet'],
] as const

// Vitest asks a file that is named as a reporter for its default export.
export default class NotRunReporter implements Reporter {
  private vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.vitest = vitest
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const names = this.vitest?.projects.map(({ name }) => name) ?? []
    const isNpmTest = ['unit', 'integration', 'e2e'].every((name) => names.includes(name))
    const all = await this.vitest?.globTestSpecifications()
    const isWhole = all?.length === modules.length
    const parts = [...(isNpmTest && isWhole ? leftOut() : []), ...skipped(modules)]
    if (parts.length > 0) console.log(`Not run here: ${parts.join(', ')}.`)
  }
}

function leftOut(): string[] {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  return elsewhere.map(([ending, what, command]) => {
    const count = files.filter((file) => file.endsWith(ending)).length
    return `${count} ${what} (npm run ${command})`
  })
}

/** Also those whose file failed before their turn. */
function skipped(modules: readonly TestModule[]): string[] {
  return modules.flatMap((module) => {
    const count = [...module.children.allTests('skipped')].length
    if (count === 0) return []
    return `${count} skipped tests of ${relative(module.project.vitest.config.root, module.moduleId)}`
  })
}
