/** Longest files first, so that in the end no worker is alone with a long one. */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files above five seconds, the longest first (`npm run test:times`). Others follow in Vitest's order, which on a
 * clean clone, without the times of an earlier run, is by size; a file that is missing here only starts later.
 */
const long: readonly string[] = []

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const rank = ({ project, moduleId }: TestSpecification) => {
      const at = long.indexOf(relative(project.vitest.config.root, moduleId))
      return at < 0 ? long.length : at
    }
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => group(a) - group(b) || rank(a) - rank(b))
  }
}
