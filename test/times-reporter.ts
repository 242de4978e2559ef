/** `npm run test:times`: how long each file took and how many tests it has, the longest first, and totals per project. */
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

interface Row {
  readonly project: string
  readonly file: string
  readonly tests: number
  /** Of importing the file, its hooks and its tests. */
  readonly ms: number
  /** Of that, in hooks and between tests: what the file starts and stops. */
  readonly aroundTestsMs: number
}

// Vitest asks a file that is named as a reporter for its default export.
export default class TimesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.map(toRow).sort((a, b) => b.ms - a.ms)
    const lines = rows.map(
      ({ project, file, tests, ms, aroundTestsMs }) =>
        `${seconds(ms)} ${seconds(aroundTestsMs)} ${String(tests).padStart(6)}  ${project.padEnd(11)}  ${file}`,
    )
    const totals = [...new Set(rows.map(({ project }) => project))].sort().map((project) => {
      const own = rows.filter((row) => row.project === project)
      const sum = (of: (row: Row) => number) => own.reduce((total, row) => total + of(row), 0)
      const files = `${own.length} files`
      return `${seconds(sum(({ ms }) => ms))} ${seconds(sum((row) => row.aroundTestsMs))} ${String(sum(({ tests }) => tests)).padStart(6)}  ${project.padEnd(11)}  ${files}`
    })
    console.log(
      ['', ' seconds  around  tests  project      file', ...lines, '', ...totals, ''].join('\n'),
    )
  }
}

function toRow(module: TestModule): Row {
  const { duration, collectDuration } = module.diagnostic()
  const tests = [...module.children.allTests()]
  const inTests = tests.reduce((sum, test) => sum + (test.diagnostic()?.duration ?? 0), 0)
  return {
    project: module.project.name,
    file: relative(module.project.vitest.config.root, module.moduleId),
    tests: tests.length,
    ms: duration + collectDuration,
    // Tests that run side by side add up to more than the file.
    aroundTestsMs: Math.max(0, duration - inTests),
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1).padStart(8)
}
